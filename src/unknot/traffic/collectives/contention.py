"""Messages of a schedule that may meet on a channel, under any route the relation permits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unknot._base.compressed_rows import grouped
from unknot._base.errors import RelationError
from unknot._base.memory import require
from unknot.network.model import IntArray, Offsets
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.traffic.collectives.schedule import Schedule
from unknot.traffic.trace import addresses


@dataclass(frozen=True)
class Meeting:
    """Two messages, by position in the schedule, and a channel that both may use at a time.

    Attributes
    ----------
    one, other : int
    channel : int
    same_step : bool
        Whether both belong to one step; else the later one may start before the earlier has arrived.
    """

    one: int
    other: int
    channel: int
    same_step: bool


@takes_relation
def contention(relation: Relation, schedule: Schedule) -> list[Meeting]:
    """Messages that may share a channel and are not kept apart by what they wait for.

    Messages of one terminal are sent one after the other and are not counted.

    Returns
    -------
    list of Meeting
        One for each two messages, by step. Time and memory grow with the channels that messages may use and with the
        pairs of messages that share one.

    Raises
    ------
    RelationError
        If the schedule is for another network, or a terminal has no address for another.
    SizeError
        If it takes more memory than may be used.
    """
    used = channels_used(relation, schedule)
    before = schedule.needed()
    meetings = []
    for one, other, channel in used.pairs():
        first, later = schedule.sends[one], schedule.sends[other]
        if first.source != later.source and not before[other] >> one & 1 and not before[one] >> other & 1:
            meetings.append(Meeting(one, other, channel, first.step == later.step))
    return meetings


@dataclass(frozen=True, eq=False)
class Used:
    """The channels that each message of a schedule may use, in compressed rows.

    Attributes
    ----------
    first : int64 array, shape (messages + 1,)
    channel : int32 array
        ``channel[first[m]:first[m + 1]]`` are those of message m, ascending.
    num_channels : int
        Channels of the network.
    """

    first: Offsets
    channel: IntArray
    num_channels: int

    def of(self, message: int) -> IntArray:
        """Channels of one message, ascending."""
        return self.channel[self.first[message] : self.first[message + 1]]

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """Every two messages that share channels, ascending, with the lowest of them."""
        from unknot.traffic.collectives.contention_kernel import meet

        messages = self.first.size - 1
        first_user, order = grouped(self.channel, self.num_channels)
        user = np.repeat(np.arange(messages, dtype=np.int32), np.diff(self.first))
        user = user[order]
        shared, others = np.full(messages, -1, dtype=np.int32), np.empty(messages, dtype=np.int32)
        for one in range(messages):
            count = meet(one, self.first, self.channel, first_user, user, shared, others)
            met = np.sort(others[:count])
            for other, channel in zip(met.tolist(), shared[met].tolist(), strict=True):
                yield one, other, channel
            shared[met] = -1


def channels_used(relation: Relation, schedule: Schedule) -> Used:
    """Channels each message may use, whichever of its addresses it carries and whatever candidates it takes."""
    from unknot.routing.compiled import ask
    from unknot.traffic.collectives.contention_kernel import walk

    same_network(relation, schedule)
    virtual, network = relation.vcs, relation.network
    tail = network.source[virtual.channel]
    seen, order = np.zeros(virtual.total, dtype=np.int32), np.empty(virtual.total + 1, dtype=np.int64)
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    rows, taken, stamp = [], 0, 0
    for send in schedule.sends:
        start, reached = relation.num_vcs + send.source, []
        for address in addresses(relation, send.source, send.destination):
            stamp += 1
            count = walk(relation.first_class, address, start, tail, seen, stamp, order, out)
            if count < 0:
                ask(relation, int(order[-1 - count]), address)
            reached.append(virtual.channel[order[1:count]])
        rows.append(np.unique(np.concatenate(reached)))
        taken += 4 * rows[-1].size
        require(f"the channels of {len(schedule.sends)} messages on {network.name}", 4 * taken)
    first = np.concatenate([[0], np.cumsum([row.size for row in rows])]).astype(np.int64)
    channel = np.concatenate([*rows, np.zeros(0, dtype=np.int32)]).astype(np.int32)
    return Used(first, channel, network.num_channels)


def same_network(relation: Relation, schedule: Schedule) -> None:
    """Refuse a schedule that was made for another network."""
    if schedule.network is not relation.network and schedule.network != relation.network:
        raise RelationError(
            f"the schedule is for {schedule.network.name}, the routing {relation.name} for {relation.network.name}"
        )
