"""Remedies for routings that can deadlock or that lost links, with the cost of each and a bound on it."""

from unknot.repair.bounds import ChangeBound, PruneBound, accept_changes, accept_removed
from unknot.repair.escape import Escaped, escaped
from unknot.repair.pruned import Pruned, Unprunable, pruned
from unknot.repair.relaned import Relaned, RepairedFault, relaned, repaired_faults
from unknot.repair.repair import Remedy, repair
from unknot.repair.rerouted import Rerouted, rerouted
from unknot.repair.routes_of import paths_of

__all__ = [
    "ChangeBound",
    "Escaped",
    "PruneBound",
    "Pruned",
    "Relaned",
    "Remedy",
    "RepairedFault",
    "Rerouted",
    "Unprunable",
    "accept_changes",
    "accept_removed",
    "escaped",
    "paths_of",
    "pruned",
    "relaned",
    "repair",
    "repaired_faults",
    "rerouted",
]
