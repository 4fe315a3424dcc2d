"""Collective operations: schedules of messages, and which of them may meet.

`unknot.simulation.collectives` runs them.
"""

from inspect import ismodule as _ismodule

from unknot.traffic.collectives.collectives import all_gather as all_gather
from unknot.traffic.collectives.collectives import all_reduce as all_reduce
from unknot.traffic.collectives.collectives import broadcast as broadcast
from unknot.traffic.collectives.collectives import collective as collective
from unknot.traffic.collectives.collectives import gather as gather
from unknot.traffic.collectives.collectives import multicast as multicast
from unknot.traffic.collectives.collectives import reduce as reduce
from unknot.traffic.collectives.collectives import scatter as scatter
from unknot.traffic.collectives.orders import Order as Order
from unknot.traffic.collectives.orders import order_of as order_of
from unknot.traffic.collectives.schedule import Meeting as Meeting
from unknot.traffic.collectives.schedule import Schedule as Schedule
from unknot.traffic.collectives.schedule import Send as Send
from unknot.traffic.collectives.schedule import contention as contention

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
