"""The fewest lanes in which a network cannot deadlock, with proof that fewer are impossible."""

from unknot._base.public import public as _public
from unknot.lane_assignment.changing import ChangingLanes as ChangingLanes
from unknot.lane_assignment.changing import changing_lanes as changing_lanes
from unknot.lane_assignment.evidence import accept as accept
from unknot.lane_assignment.evidence import accept_routes as accept_routes
from unknot.lane_assignment.evidence import write_refutation as write_refutation
from unknot.lane_assignment.figures import Lanes as Lanes
from unknot.lane_assignment.figures import LongerLanes as LongerLanes
from unknot.lane_assignment.flows import read_flows as read_flows
from unknot.lane_assignment.forced import ForcedCycle as ForcedCycle
from unknot.lane_assignment.forced import RouteCycle as RouteCycle
from unknot.lane_assignment.lane_refutation import Refutation as Refutation
from unknot.lane_assignment.lane_refutation import RouteRefutation as RouteRefutation
from unknot.lane_assignment.lanes import lanes as lanes
from unknot.lane_assignment.lanes import multipath as multipath
from unknot.lane_assignment.longer import longer_lanes as longer_lanes
from unknot.lane_assignment.wanted import Aim as Aim
from unknot.lane_assignment.wanted import LaneEffort as LaneEffort

__all__ = _public(globals())
