"""The fewest lanes in which a network cannot deadlock, with proof that fewer are impossible."""

from inspect import ismodule as _ismodule

from unknot.lanes.changing import ChangingLanes as ChangingLanes
from unknot.lanes.changing import changing_lanes as changing_lanes
from unknot.lanes.evidence import accept as accept
from unknot.lanes.evidence import accept_routes as accept_routes
from unknot.lanes.evidence import write_refutation as write_refutation
from unknot.lanes.figures import Lanes as Lanes
from unknot.lanes.figures import LongerLanes as LongerLanes
from unknot.lanes.flows import read_flows as read_flows
from unknot.lanes.forced import ForcedCycle as ForcedCycle
from unknot.lanes.forced import RouteCycle as RouteCycle
from unknot.lanes.lane_refutation import Refutation as Refutation
from unknot.lanes.lane_refutation import RouteRefutation as RouteRefutation
from unknot.lanes.lanes import lanes as lanes
from unknot.lanes.lanes import multipath as multipath
from unknot.lanes.longer import longer_lanes as longer_lanes

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
