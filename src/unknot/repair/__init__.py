"""Remedies for routings that can deadlock or that lost links, with the cost of each and a bound on it."""

from inspect import ismodule as _ismodule

from unknot.repair.change_bounds import ChangeBound as ChangeBound
from unknot.repair.change_bounds import accept_changes as accept_changes
from unknot.repair.escape import Escaped as Escaped
from unknot.repair.escape import escaped as escaped
from unknot.repair.escape_bounds import EscapeBound as EscapeBound
from unknot.repair.escape_bounds import accept_escapes as accept_escapes
from unknot.repair.facts import PruneBound as PruneBound
from unknot.repair.facts import accept_removed as accept_removed
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
