"""Collective operations as schedules: who sends what to whom, in which step, and after what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from unknot._base.compressed_rows import grouped, positions
from unknot._base.errors import NetworkError, RelationError
from unknot._base.memory import require
from unknot._base.shown import Brief
from unknot.network import Network
from unknot.network.model import IntArray, Offsets
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.traffic.trace import addresses


@dataclass(frozen=True)
class Send:
    """One message of a schedule.

    Attributes
    ----------
    step : int
        Steps count from 0; a terminal sends its messages in the order of their steps.
    source, destination : int
        Terminals.
    blocks : tuple of int
        Terminals whose data the message carries.
    size : int
        Length in blocks: as many as it carries, or one if it carries their sum.
    needs : tuple of int
        Sends, by position in the schedule, that must have arrived before it starts.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.traffic.collectives import broadcast
    >>> [(send.step, send.source, send.destination) for send in broadcast(mesh(2, 2)).sends]
    [(0, 0, 1), (1, 0, 2), (1, 1, 3)]
    """

    step: int
    source: int
    destination: int
    blocks: tuple[int, ...]
    size: int
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, repr=False)
class Schedule(Brief):
    """A collective operation on a network.

    Attributes
    ----------
    operation : str
        `broadcast`, `multicast`, `scatter`, `gather`, `all_gather`, `reduce` or `all_reduce`.
    network : Network
    root : int
        Terminal from which data spread, or at which they meet.
    members : tuple of int
        Terminals that take part, the root among them.
    sends : tuple of Send
        Ordered by step.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.traffic.collectives import broadcast
    >>> schedule = broadcast(mesh(2, 2))
    >>> schedule.operation, schedule.members, len(schedule.sends)
    ('broadcast', (0, 2, 1, 3), 3)
    """

    operation: str
    network: Network = field(repr=False)
    root: int
    members: tuple[int, ...]
    sends: tuple[Send, ...] = field(repr=False)

    @property
    def steps(self) -> int:
        """Number of steps."""
        return max((send.step + 1 for send in self.sends), default=0)

    def step(self, number: int) -> tuple[int, ...]:
        """Sends of one step, by position."""
        return tuple(i for i, send in enumerate(self.sends) if send.step == number)

    def needed(self) -> list[int]:
        """Return for each send those that must have arrived before it starts: bit k of the number for send k.

        Raises
        ------
        SizeError
            If the numbers take more memory than may be used: messages² / 8 bytes at most.
        """
        require(f"what {len(self.sends)} messages wait for", len(self.sends) ** 2 // 8)
        needed: list[int] = []
        for send in self.sends:
            before = 0
            for i in send.needs:
                before |= 1 << i | needed[i]
            needed.append(before)
        return needed


def terminals_named(network: Network, terminals: Sequence[int] | None) -> list[int]:
    """Terminals that are given, or all; each once, in the order given.

    Raises
    ------
    NetworkError
        If one does not exist or is named twice.
    """
    if terminals is None:
        return list(range(network.num_terminals))
    numbers = [network.terminal(terminal) for terminal in terminals]
    if len(set(numbers)) < len(numbers):
        twice = next(t for i, t in enumerate(numbers) if t in numbers[:i])
        raise NetworkError(f"terminal {network.terminal_name(twice)} is named twice")
    return numbers


@dataclass(frozen=True)
class Meeting:
    """Two messages, by position in the schedule, and a channel that both may use at a time.

    Attributes
    ----------
    one, other : int
    channel : int
    same_step : bool
        Whether both belong to one step; else the later one may start before the earlier has arrived.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.routing import dimension_order
    >>> from unknot.traffic.collectives import all_gather
    >>> network = ring(6)
    >>> meetings = contention(dimension_order(network), all_gather(network))
    >>> meetings[0]
    Meeting(one=0, other=2, channel=9, same_step=False)
    """

    one: int
    other: int
    channel: int
    same_step: bool


@takes_relation
def contention(relation: Relation, schedule: Schedule) -> list[Meeting]:
    """Messages that may share a channel and are not kept apart by what they wait for.

    Messages of one terminal are sent one after the other and are not counted.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    schedule : Schedule
        The schedule.
    routing : str or None
        Name of the routing, where a network is given.
    vcs : int or None
        VCs of each channel, all together.

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

    Examples
    --------
    >>> from unknot.traffic.collectives import multicast
    >>> from unknot.network.families import mesh
    >>> from unknot.routing import dimension_order
    >>> network = mesh(3, 3)
    >>> contention(dimension_order(network), multicast(network, 0, [4, 8]))
    []
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
        messages = self.first.size - 1
        first_user, order = grouped(self.channel, self.num_channels)
        user = np.repeat(np.arange(messages), np.diff(self.first))[order]
        for one in range(messages):
            channels = self.of(one)
            met = user[positions(first_user, channels)]
            # The channels of a message ascend, so the first meeting of two is on the lowest that they share.
            others, at = np.unique(met, return_index=True)
            shared = np.repeat(channels, np.diff(first_user)[channels])[at]
            later = others > one
            yield from (
                (one, other, c) for other, c in zip(others[later].tolist(), shared[later].tolist(), strict=True)
            )


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
            count = walk(relation.compiled.function.address, address, start, tail, seen, stamp, order, out)
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
