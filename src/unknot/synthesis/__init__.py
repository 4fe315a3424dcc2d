"""Relations made to order: the fewest lanes, and the remedy for a routing that was refuted."""

from unknot.synthesis.evidence import Refutation, Rejected, accept
from unknot.synthesis.flows import only, read_flows
from unknot.synthesis.forced import ForcedCycle, ForcedTurn
from unknot.synthesis.lanes import Lanes, lanes

__all__ = [
    "ForcedCycle",
    "ForcedTurn",
    "Lanes",
    "Refutation",
    "Rejected",
    "accept",
    "lanes",
    "only",
    "read_flows",
]
