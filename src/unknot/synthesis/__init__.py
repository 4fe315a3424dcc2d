"""Relations made to order: the fewest lanes, and the remedy for a routing that was refuted."""

from unknot.synthesis.evidence import Refutation, Rejected, accept, accept_routes
from unknot.synthesis.export import entries, export
from unknot.synthesis.flows import only, read_flows
from unknot.synthesis.forced import ForcedCycle, ForcedTurn, RouteCycle, RouteTurn
from unknot.synthesis.lanes import Lanes, lanes
from unknot.synthesis.loads import loads_of
from unknot.synthesis.repair import Remedy, paths_of, repair
from unknot.synthesis.tables import table_of

__all__ = [
    "ForcedCycle",
    "ForcedTurn",
    "Lanes",
    "Refutation",
    "Rejected",
    "Remedy",
    "RouteCycle",
    "RouteTurn",
    "accept",
    "accept_routes",
    "entries",
    "export",
    "lanes",
    "loads_of",
    "only",
    "paths_of",
    "read_flows",
    "repair",
    "table_of",
]
