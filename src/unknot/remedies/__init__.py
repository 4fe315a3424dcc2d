"""Remedies for routings that can deadlock or that lost links, with the cost of each and a bound on it."""

from unknot._base.public import public as _public
from unknot.remedies.escape import Escaped as Escaped
from unknot.remedies.escape import escaped as escaped
from unknot.remedies.pruned import Pruned as Pruned
from unknot.remedies.pruned import Unprunable as Unprunable
from unknot.remedies.relaned import Relaned as Relaned
from unknot.remedies.relaned import relaned as relaned
from unknot.remedies.repair import Remedy as Remedy
from unknot.remedies.repair import repair as repair
from unknot.remedies.repaired_faults import RepairedFault as RepairedFault
from unknot.remedies.repaired_faults import repaired_faults as repaired_faults
from unknot.remedies.rerouted import Rerouted as Rerouted

__all__ = _public(globals())
