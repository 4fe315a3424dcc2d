"""Relations made to order: the fewest lanes, and the remedy for a routing that was refuted."""

from unknot.certificates import Rejected
from unknot.design import Design, Rule, design, every_size
from unknot.lanes.changing import ChangingLanes, changing_lanes
from unknot.lanes.dimacs import write_refutation
from unknot.lanes.evidence import accept, accept_routes
from unknot.lanes.figures import Lanes
from unknot.lanes.flows import only, read_flows
from unknot.lanes.forced import ForcedCycle, ForcedTurn, RouteCycle, RouteTurn
from unknot.lanes.lane_refutation import Refutation
from unknot.lanes.lanes import lanes
from unknot.lanes.loads import loads_of
from unknot.lanes.longer import LongerLanes, longer_lanes
from unknot.lanes.tables import table_of
from unknot.repair.change_bounds import ChangeBound, accept_changes
from unknot.repair.escape import Escaped, escaped
from unknot.repair.prune_bounds import PruneBound, accept_removed
from unknot.repair.pruned import Pruned, Unprunable, pruned
from unknot.repair.relaned import Relaned, RepairedFault, relaned, repaired_faults
from unknot.repair.repair import Remedy, repair
from unknot.repair.rerouted import Rerouted, rerouted
from unknot.repair.routes_of import paths_of
from unknot.report.export import entries, export

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
