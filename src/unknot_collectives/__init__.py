"""Collective operations: schedules of messages and of chunks, bounds on their time, which messages meet, runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot_collectives.bounds import bound as bound
    from unknot_collectives.choice import best as best
    from unknot_collectives.choice import candidates as candidates
    from unknot_collectives.evidence import Bound as Bound
    from unknot_collectives.execution import execute as execute
    from unknot_collectives.halving import collective as collective
    from unknot_collectives.messages import Meeting as Meeting
    from unknot_collectives.messages import Message as Message
    from unknot_collectives.messages import contention as contention
    from unknot_collectives.messages import messages_of as messages_of
    from unknot_collectives.operation import Operation as Operation
    from unknot_collectives.optimal import optimal as optimal
    from unknot_collectives.orders import Group as Group
    from unknot_collectives.orders import Order as Order
    from unknot_collectives.orders import group_of as group_of
    from unknot_collectives.orders import order_of as order_of
    from unknot_collectives.platform import Platform as Platform
    from unknot_collectives.platform import platform_of as platform_of
    from unknot_collectives.schedule import Schedule as Schedule
    from unknot_collectives.schedule_files import read_schedule as read_schedule
    from unknot_collectives.schedule_files import write_schedule as write_schedule
    from unknot_collectives.textbook import textbook as textbook
    from unknot_collectives.timing import timed as timed
    from unknot_collectives.transfers import Chunk as Chunk
    from unknot_collectives.transfers import Transfer as Transfer

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
