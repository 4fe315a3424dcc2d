"""The fewest lanes in which a network cannot deadlock, with proof that fewer are impossible."""

from unknot.certificates import Rejected
from unknot.lanes.changing import ChangingLanes, changing_lanes
from unknot.lanes.dimacs import write_refutation
from unknot.lanes.evidence import accept, accept_routes
from unknot.lanes.figures import Lanes
from unknot.lanes.flows import only, read_flows
from unknot.lanes.forced import ForcedCycle, ForcedTurn, RouteCycle, RouteTurn
from unknot.lanes.lane_refutation import Refutation, RouteRefutation
from unknot.lanes.lanes import lanes
from unknot.lanes.loads import loads_of
from unknot.lanes.longer import LongerLanes, longer_lanes
from unknot.lanes.tables import table_of

__all__ = [
    "ChangingLanes",
    "ForcedCycle",
    "ForcedTurn",
    "Lanes",
    "LongerLanes",
    "Refutation",
    "Rejected",
    "RouteCycle",
    "RouteRefutation",
    "RouteTurn",
    "accept",
    "accept_routes",
    "changing_lanes",
    "lanes",
    "loads_of",
    "longer_lanes",
    "only",
    "read_flows",
    "table_of",
    "write_refutation",
]
