"""Remedies for routings that can deadlock or that lost links, with the cost of each and a bound on it."""

from inspect import ismodule as _ismodule

from unknot.repair.escape import Escaped as Escaped
from unknot.repair.escape import escaped as escaped
from unknot.repair.pruned import Pruned as Pruned
from unknot.repair.pruned import Unprunable as Unprunable
from unknot.repair.relaned import Relaned as Relaned
from unknot.repair.relaned import RepairedFault as RepairedFault
from unknot.repair.relaned import relaned as relaned
from unknot.repair.relaned import repaired_faults as repaired_faults
from unknot.repair.repair import Remedy as Remedy
from unknot.repair.repair import repair as repair
from unknot.repair.rerouted import Rerouted as Rerouted

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
