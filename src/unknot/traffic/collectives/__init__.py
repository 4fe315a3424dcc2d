"""Collective operations: schedules of messages and of chunks, bounds on their time, and which messages may meet.

`unknot.simulation` runs them.
"""

from inspect import ismodule as _ismodule

from unknot.traffic.collectives.bounds import Bound as Bound
from unknot.traffic.collectives.bounds import bound as bound
from unknot.traffic.collectives.choice import best as best
from unknot.traffic.collectives.choice import candidates as candidates
from unknot.traffic.collectives.halving import collective as collective
from unknot.traffic.collectives.messages import Meeting as Meeting
from unknot.traffic.collectives.messages import Message as Message
from unknot.traffic.collectives.messages import contention as contention
from unknot.traffic.collectives.messages import messages_of as messages_of
from unknot.traffic.collectives.optimal import optimal as optimal
from unknot.traffic.collectives.orders import Group as Group
from unknot.traffic.collectives.orders import Order as Order
from unknot.traffic.collectives.orders import group_of as group_of
from unknot.traffic.collectives.orders import order_of as order_of
from unknot.traffic.collectives.platform import Operation as Operation
from unknot.traffic.collectives.platform import Platform as Platform
from unknot.traffic.collectives.platform import platform_of as platform_of
from unknot.traffic.collectives.schedule import Chunk as Chunk
from unknot.traffic.collectives.schedule import Schedule as Schedule
from unknot.traffic.collectives.schedule import Transfer as Transfer
from unknot.traffic.collectives.textbook import textbook as textbook
from unknot.traffic.collectives.timing import timed as timed

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
