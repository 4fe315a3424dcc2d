"""Packets of the messages of a schedule, and when each may leave: at the rates of the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil

from unknot.network import Network
from unknot.traffic.trace import Trace, TracedMessage
from unknot_collectives.messages import Message, messages_of, whole_flits
from unknot_collectives.platform import passage
from unknot_collectives.schedule import Schedule

PACKET = 16
"""Flits of a packet."""
MOST_NEEDS = 2_000_000
"""Needs of packets, each of which needs all packets of what its message needs, beyond which packets are longer."""
GOLDEN = 0.6180339887498949
"""Part of a period between the first packets of messages that a terminal sends one after the other."""
OF_SOURCE = 0.7548776662466927
"""That between terminals."""


def timetable(network: Network, schedule: Schedule, packet: int = PACKET, *, apart: bool = False) -> Trace:
    """Return the packets of a schedule, in the order in which they may leave.

    A message with a start sends its packets at the rate of the slowest channel of its path. In a step, in which
    messages share channels, the packets of each message are spread evenly over the time of the step, and those of a
    terminal take turns.

    Parameters
    ----------
    network : Network
        Of which the members of the schedule are terminals.
    schedule : Schedule
        Its size is in flits.
    packet : int
        Flits of a packet; more where packets would have more than `MOST_NEEDS` needs.
    apart : bool
        Whether the turns of terminals in a step differ; else all send to the same distance in their order at a time.

    Returns
    -------
    Trace
        A packet is one message of it, and needs all packets of what its message needs.

    Raises
    ------
    NetworkError
        If the schedule is for another network, or the size is no whole number of flits.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives import collective
    >>> trace = timetable(ring(4), collective(ring(4), block=24))
    >>> [(one.cycle, one.flits, one.needs) for one in trace]
    [(0, 16, ()), (12, 8, ()), (26, 16, ()), (26, 16, (0, 1)), (38, 8, ()), (38, 8, (0, 1))]
    """
    messages = messages_of(network, schedule, together=False)
    while _needs(messages, packet) > MOST_NEEDS:
        packet *= 2
    counts = [ceil(one.flits / packet) for one in messages]
    begins, gaps = _of_starts(schedule, packet) if schedule.starts else _of_steps(schedule, messages, counts, apart)
    rows = sorted(
        (ceil(begin + k * gap), k, i)
        for i, (begin, gap, count) in enumerate(zip(begins, gaps, counts, strict=True))
        for k in range(count)
    )
    number = {(i, k): place for place, (_, k, i) in enumerate(rows)}
    parts = [[number[i, k] for k in range(count)] for i, count in enumerate(counts)]
    needs = [tuple(sorted(place for j in one.needs for place in parts[j])) for one in messages]
    return Trace.of(
        TracedMessage(
            cycle, messages[i].source, messages[i].destination, min(packet, messages[i].flits - k * packet), needs[i]
        )
        for cycle, k, i in rows
    )


def _needs(messages: Sequence[Message], packet: int) -> int:
    counts = [ceil(one.flits / packet) for one in messages]
    return sum(counts[i] * sum(counts[j] for j in one.needs) for i, one in enumerate(messages))


def _of_starts(schedule: Schedule, packet: int) -> tuple[list[float], list[float]]:
    """Return when each message begins, and the time from packet to packet."""
    begins, gaps, flits = list[float](), list[float](), whole_flits(schedule)
    rates = dict[tuple[tuple[int, ...], Fraction | None], float]()
    for sent, start in zip(schedule.transfers, schedule.starts, strict=True):
        if not flits[sent.chunk]:
            continue
        key = sent.path, sent.rate
        if key not in rates:
            rates[key] = float(passage(schedule.platform, schedule.operation.size, *key).rate)
        begins.append(float(start))
        gaps.append(packet / rates[key])
    return begins, gaps


def _of_steps(
    schedule: Schedule, messages: Sequence[Message], counts: Sequence[int], apart: bool
) -> tuple[list[float], list[float]]:
    """Return the same where the packets of a message are spread over its step."""
    costs = [(float(late), float(busy)) for late, busy in schedule.costs]
    starts, many = (
        [0.0, *accumulate(late + busy for late, busy in costs)],
        Counter((one.step, one.source) for one in messages),
    )
    turn, begins, gaps = Counter[tuple[int, int]](), list[float](), list[float]()
    for one, count in zip(messages, counts, strict=True):
        place, gap = turn[one.step, one.source], costs[one.step][1] / count
        turn[one.step, one.source] += 1
        phase = (place * GOLDEN + one.source * OF_SOURCE) % 1 if apart else place / many[one.step, one.source]
        begins.append(starts[one.step] + phase * gap)
        gaps.append(gap)
    return begins, gaps
