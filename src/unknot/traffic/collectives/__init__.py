"""Collective operations: schedules of messages, and which of them may meet.

`unknot.simulation.collectives` runs them.
"""

from unknot.traffic.collectives.collectives import (
    Order,
    all_gather,
    all_reduce,
    broadcast,
    collective,
    gather,
    multicast,
    order_of,
    reduce,
    scatter,
)
from unknot.traffic.collectives.schedule import Meeting, Schedule, Send, contention

__all__ = [
    "Meeting",
    "Order",
    "Schedule",
    "Send",
    "all_gather",
    "all_reduce",
    "broadcast",
    "collective",
    "contention",
    "gather",
    "multicast",
    "order_of",
    "reduce",
    "scatter",
]
