"""Relations made to order: the fewest lanes, and the remedy for a routing that was refuted."""

from unknot.certificates import Rejected
from unknot.synthesis.change_bounds import ChangeBound, accept_changes
from unknot.synthesis.changing import ChangingLanes, changing_lanes
from unknot.synthesis.dimacs import write_refutation
from unknot.synthesis.escape import Escaped, escaped
from unknot.synthesis.evidence import accept, accept_routes
from unknot.synthesis.export import entries, export
from unknot.synthesis.figures import Lanes
from unknot.synthesis.flows import only, read_flows
from unknot.synthesis.forced import ForcedCycle, ForcedTurn, RouteCycle, RouteTurn
from unknot.synthesis.lane_refutation import Refutation
from unknot.synthesis.lanes import lanes
from unknot.synthesis.loads import loads_of
from unknot.synthesis.longer import LongerLanes, longer_lanes
from unknot.synthesis.prune_bounds import PruneBound, accept_removed
from unknot.synthesis.pruned import Pruned, Unprunable, pruned
from unknot.synthesis.relaned import Relaned, RepairedFault, relaned, repaired_faults
from unknot.synthesis.repair import Remedy, repair
from unknot.synthesis.rerouted import Rerouted, rerouted
from unknot.synthesis.routes_of import paths_of
from unknot.synthesis.rules import Design, Rule, design, every_size
from unknot.synthesis.tables import table_of

__all__ = [
    "ChangeBound",
    "ChangingLanes",
    "Design",
    "Escaped",
    "ForcedCycle",
    "ForcedTurn",
    "Lanes",
    "LongerLanes",
    "PruneBound",
    "Pruned",
    "Refutation",
    "Rejected",
    "Relaned",
    "Remedy",
    "RepairedFault",
    "Rerouted",
    "RouteCycle",
    "RouteTurn",
    "Rule",
    "Unprunable",
    "accept",
    "accept_changes",
    "accept_removed",
    "accept_routes",
    "changing_lanes",
    "design",
    "entries",
    "escaped",
    "every_size",
    "export",
    "lanes",
    "loads_of",
    "longer_lanes",
    "only",
    "paths_of",
    "pruned",
    "read_flows",
    "relaned",
    "repair",
    "repaired_faults",
    "rerouted",
    "table_of",
    "write_refutation",
]
