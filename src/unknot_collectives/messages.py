"""The messages of a schedule on a network: which terminal sends what to which, after what, and which may meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from unknot._base.arrays import grouped, offsets, positions
from unknot._base.errors import NetworkError
from unknot._base.memory import require
from unknot.network import Network
from unknot.network.model import IntArray, Offsets
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network, takes_relation
from unknot.traffic.trace import addresses
from unknot_collectives.schedule import Schedule


@dataclass(frozen=True)
class Message:
    """One message of a schedule.

    Attributes
    ----------
    step : int
        Steps count from 0.
    source, destination : int
        Terminals.
    flits : int
    needs : tuple of int
        Messages, by position, that must have arrived before it starts.

    Examples
    --------
    >>> from unknot_collectives import collective
    >>> messages = messages_of("mesh(2, 2)", collective("mesh(2, 2)", "broadcast"))
    >>> [(message.step, message.source, message.destination) for message in messages]
    [(0, 0, 1), (1, 0, 2), (1, 1, 3)]
    """

    step: int
    source: int
    destination: int
    flits: int
    needs: tuple[int, ...] = ()


@takes_network
def messages_of(network: Network, schedule: Schedule, *, together: bool = True) -> tuple[Message, ...]:
    """Return the messages of a schedule whose members are terminals of a network, and whose size is in flits.

    Chunks are rounded so that each block keeps its size; those without a flit are not sent. A message needs those
    that brought its chunks to its source in earlier steps.

    Parameters
    ----------
    network : Network
        The network.
    schedule : Schedule
        The schedule.
    together : bool
        Whether chunks that go the same way in a step are one message; each is one otherwise.

    Returns
    -------
    tuple of Message
        In the order of the transfers.

    Raises
    ------
    NetworkError
        If the schedule is for another network, or the size is no whole number of flits.

    Examples
    --------
    >>> from unknot_collectives import collective
    >>> scatter = collective("mesh(2, 2)", "scatter", block=8)
    >>> [(message.destination, message.flits) for message in messages_of("mesh(2, 2)", scatter)]
    [(1, 16), (2, 8), (3, 8)]
    """
    first = network.num_routers
    channels = schedule.platform.channels[: network.num_channels]
    ends = network.ends
    last = first + network.num_terminals
    if not all(first <= member < last for member in schedule.operation.members) or [
        (one.source, one.target) for one in channels
    ] != list(ends):
        raise NetworkError(f"the schedule is for {schedule.platform.name}, not for the terminals of {network.name}")
    flits = whole_flits(schedule)
    carried: dict[tuple[int, int, int, tuple[int, ...], int], list[int]] = {}
    for sent in schedule.transfers:
        if flits[sent.chunk]:
            alone = -1 if together else sent.chunk
            carried.setdefault((sent.step, sent.source, sent.target, sent.path, alone), []).append(sent.chunk)
    into: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    messages: list[Message] = []
    for (step, source, target, *_), chunks in carried.items():
        needs = {i for chunk in chunks for i, before in into[chunk, source] if before < step}
        for number in chunks:
            into[number, target].append((len(messages), step))
        length = sum(flits[number] for number in chunks)
        messages.append(Message(step, source - first, target - first, length, tuple(sorted(needs))))
    return tuple(messages)


def whole_flits(schedule: Schedule) -> list[int]:
    """Return the flits of each chunk, rounded so that each block keeps its size; some have none.

    Raises
    ------
    NetworkError
        If a block is no whole number of flits.
    """
    flits, sums = list[int](), defaultdict[tuple[int | None, int | None, int], Fraction](Fraction)
    for chunk in schedule.chunks:
        block = chunk.source, chunk.target, chunk.group
        before = sums[block]
        sums[block] = after = before + chunk.size
        flits.append(int(after) - int(before))
    if (broken := next((total for total in sums.values() if total.denominator != 1), None)) is not None:
        raise NetworkError(f"a schedule that runs has whole numbers of flits, not {broken}")
    return flits


def needed(messages: Sequence[Message]) -> list[int]:
    """Return for each message its required predecessors: bit k of the number for message k.

    Raises
    ------
    SizeError
        If the numbers take more memory than may be used: messages² / 8 bytes at most.
    """
    require(f"what {len(messages)} messages wait for", len(messages) ** 2 // 8)
    before: list[int] = []
    for message in messages:
        own = 0
        for i in message.needs:
            own |= 1 << i | before[i]
        before.append(own)
    return before


@dataclass(frozen=True)
class Meeting:
    """Two messages, by position, and a channel that both may use at a time.

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
    >>> from unknot_collectives import collective
    >>> network = ring(6)
    >>> meetings = contention(dimension_order(network), messages_of(network, collective(network, "all_gather")))
    >>> meetings[0]
    Meeting(one=0, other=2, channel=3, same_step=False)
    """

    one: int
    other: int
    channel: int
    same_step: bool


@takes_relation
def contention(relation: Relation, messages: Sequence[Message]) -> list[Meeting]:
    """List messages that may share a channel and are not separated by their dependencies.

    Messages of one terminal are sent one after the other and are not counted.

    Parameters
    ----------
    relation : Relation
        The routing; or a network, with its `routing`.
    messages : sequence of Message
        The messages.
    routing : str or None
        Name of the routing, where a network is given.
    vcs : int or None
        VCs per channel.

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
    >>> from unknot_collectives import collective
    >>> from unknot.network.families import mesh
    >>> from unknot.routing import dimension_order
    >>> network = mesh(3, 3)
    >>> contention(dimension_order(network), messages_of(network, collective(network, members=[4, 8])))
    []
    """
    used = channels_used(relation, messages)
    before = needed(messages)
    meetings = []
    for one, other, channel in used.pairs():
        first, later = messages[one], messages[other]
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


def channels_used(relation: Relation, messages: Sequence[Message]) -> Used:
    """Channels each message may use, whichever of its addresses it carries and whatever candidates it takes."""
    from unknot_collectives.contention_kernel import walk

    virtual, network = relation.vcs, relation.network
    tail = network.source[virtual.channel]
    seen, order = np.zeros(virtual.total, dtype=np.int32), np.empty(virtual.total + 1, dtype=np.int64)
    out = np.zeros(relation.max_candidates, dtype=np.int64)
    rows, taken, stamp = [], 0, 0
    for message in messages:
        start, reached = relation.num_vcs + message.source, []
        for address in addresses(relation, message.source, message.destination):
            stamp += 1
            count = walk(relation.compiled.address, address, start, tail, seen, stamp, order, out)
            if count < 0:
                relation.refuse(int(order[-1 - count]), address)
            reached.append(virtual.channel[order[1:count]])
        rows.append(np.unique(np.concatenate(reached)))
        taken += 4 * rows[-1].size
        require(f"the channels of {len(messages)} messages on {network.name}", 4 * taken)
    first = offsets([row.size for row in rows])
    channel = np.concatenate([*rows, np.zeros(0, dtype=np.int32)]).astype(np.int32)
    return Used(first, channel, network.num_channels)
