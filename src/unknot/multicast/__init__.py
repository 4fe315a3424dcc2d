"""Collective operations: schedules of messages, which of them may meet, how they run."""

from unknot.multicast.collectives import (
    all_gather,
    all_reduce,
    broadcast,
    collective,
    gather,
    multicast,
    reduce,
    scatter,
)
from unknot.multicast.contention import Meeting, contention
from unknot.multicast.execution import Execution, execute
from unknot.multicast.orders import Order, order_of
from unknot.multicast.schedule import Schedule, Send, holdings

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
