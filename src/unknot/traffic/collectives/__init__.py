"""Collective operations: schedules of messages, which of them may meet, how they run."""

from unknot.simulation.collectives import Execution, execute
from unknot.traffic.collectives.collectives import (
    all_gather,
    all_reduce,
    broadcast,
    collective,
    gather,
    multicast,
    reduce,
    scatter,
)
from unknot.traffic.collectives.contention import Meeting, contention
from unknot.traffic.collectives.orders import Order, order_of
from unknot.traffic.collectives.schedule import Schedule, Send, holdings

__all__ = [
    "Execution",
    "Meeting",
    "Order",
    "Schedule",
    "Send",
    "all_gather",
    "all_reduce",
    "broadcast",
    "collective",
    "contention",
    "execute",
    "gather",
    "holdings",
    "multicast",
    "order_of",
    "reduce",
    "scatter",
]
