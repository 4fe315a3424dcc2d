"""When each transfer of a schedule begins: as early as what it needs and its channels allow (list scheduling)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush

from unknot._base.errors import NetworkError
from unknot_collectives.channel_use import ChannelUse
from unknot_collectives.platform import Passage, in_whole_numbers, passage
from unknot_collectives.schedule import Schedule
from unknot_collectives.transfers import PassageKey, Transfer

_Plan = tuple[list[tuple[int, float, float]], float, float]
"""Channels, when each begins to be used and how long it is, at which rate, and when all has arrived; rounded."""
NOWHERE = (-1, 0.0)
"""In place of a channel where nothing waits."""
ENOUGH = 1.01
"""Time over that of the busiest channel, and of the longest chain, up to which no second order is tried."""
SAME = 1e-9
"""Share of the longest transfer below which times are equal."""


@dataclass(frozen=True)
class StartOrder:
    """The order in which transfers of a schedule start, before the starts are computed exactly.

    Attributes
    ----------
    schedule : Schedule
        By steps.
    time : float
        Of all transfers, rounded.
    order : sequence of int
        Transfers, by number; empty: steps follow each other.
    starts : sequence of Fraction
        Permitted starts in this order; empty: not known.
    """

    schedule: Schedule
    time: float
    order: Sequence[int] = ()
    starts: Sequence[Fraction] = ()

    def exact(self) -> Schedule:
        """Return the schedule with its starts: as early as can be in this order, or the permitted ones."""
        if not self.order:
            return self.schedule
        made = begun(self.schedule, self.order)
        known = replace(made, starts=tuple(self.starts)) if self.starts else made
        return min(made, known, key=lambda one: one.time)


def timed(schedule: Schedule) -> Schedule:
    """Return the schedule without barriers between its steps: with a start of each transfer.

    Of transfers that could go, those go first after which the longest chain of others follows. A chunk is sent on
    when all has arrived that its sender received of it in earlier steps.

    Parameters
    ----------
    schedule : Schedule
        A schedule by steps.

    Returns
    -------
    Schedule
        The same transfers, ordered by their starts.

    Raises
    ------
    NetworkError
        If members exchange parts of a chunk in a step, as in recursive doubling: what they send then depends on when.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives.operation import Operation
    >>> from unknot_collectives.platform import platform_of
    >>> from unknot_collectives.textbook import textbook
    >>> platform = platform_of(ring(6))
    >>> chain = textbook(platform, Operation("all_gather", platform.members, Fraction(8)), "bruck")
    >>> chain.time, timed(chain).time
    (Fraction(77, 1), Fraction(43, 1))
    """
    return order_of_starts(schedule).exact()


def needs_of(schedule: Schedule) -> list[list[int]]:
    """Return for each transfer the numbers of its required predecessors."""
    sends = schedule.transfers
    into: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, sent in enumerate(sends):
        into[sent.chunk, sent.target].append(i)
    if any(sends[j].step == sent.step for sent in sends for j in into[sent.chunk, sent.source]):
        raise NetworkError(f"{schedule.name}: members exchange parts of a chunk in a step; its steps need barriers")
    return [[j for j in into[sent.chunk, sent.source] if sends[j].step < sent.step] for sent in sends]


def begun(schedule: Schedule, order: Sequence[int]) -> Schedule:
    """Return the schedule with transfers in this order, each begun as soon as it can, exact in whole numbers."""
    sends, needs = schedule.transfers, needs_of(schedule)
    passages, bandwidths, unit = _in_whole_numbers(schedule)
    arrived, starts = dict[int, int](), dict[int, int]()
    uses = [ChannelUse(bandwidth, 0) for bandwidth in bandwidths]
    for i in order:
        taken = passages[schedule.passage_key(sends[i])]
        start = max((arrived[j] for j in needs[i]), default=0)
        later: int | None = start
        while later is not None:
            start = later
            free = [
                (uses[c].free(start + begins, lasts, taken.rate), begins)
                for c, begins, lasts in taken.over(sends[i].path)
            ]
            later = max((at - begins for at, begins in free if at is not None), default=None)
        for c, begins, lasts in taken.over(sends[i].path):
            uses[c].add(start + begins, lasts, taken.rate)
        starts[i], arrived[i] = start, start + taken.arrives
    made = tuple(sends[i] for i in order)
    return replace(schedule, transfers=made, starts=tuple(starts[i] * unit for i in order))


def longest_chain(schedule: Schedule) -> tuple[float, int]:
    """Return the longest latency of transfers that need each other, and the largest number of these."""
    on, late, deep = schedule.platform.channels, list[float](), list[int]()
    for sent, before in zip(schedule.transfers, needs_of(schedule), strict=True):
        late.append(max((late[j] for j in before), default=0.0) + sum(float(on[c].latency) for c in sent.path))
        deep.append(max((deep[j] for j in before), default=0) + 1)
    return max(late), max(deep)


def steady(schedule: Schedule, pieces: int) -> StartOrder:
    """Return the order in which pieces follow each other along all edges at the rates of `Schedule.paced`.

    No transfer waits for a channel: each edge is in use as long as the busiest channel, from its first piece on.
    """
    sends, needs, (paced, each) = schedule.transfers, needs_of(schedule), schedule.paced(pieces)
    on = schedule.platform.channels
    offsets, ends = list[Fraction](), list[Fraction]()
    for sent, before in zip(paced.transfers, needs, strict=True):
        offsets.append(max((ends[j] for j in before), default=Fraction(0)))
        ends.append(offsets[-1] + sum((on[c].latency for c in sent.path), each))
    cut = paced.pipelined(pieces)
    edge = {(sent.chunk, sent.source, sent.target, sent.reduces): at for sent, at in zip(sends, offsets, strict=True)}
    starts = [
        edge[sent.chunk // pieces, sent.source, sent.target, sent.reduces] + sent.chunk % pieces * each
        for sent in cut.transfers
    ]
    order = sorted(range(len(starts)), key=starts.__getitem__)
    return StartOrder(cut, float(max(ends) + (pieces - 1) * each), order, [starts[i] for i in order])


def _in_whole_numbers(schedule: Schedule) -> tuple[dict[PassageKey, Passage[int]], list[int], Fraction]:
    """Return passages and bandwidths of channels as multiples of a time and of a rate, and that time."""
    passages = _passages(schedule)
    times, unit = in_whole_numbers(
        [t for one in passages.values() for t in (*one.begins, one.costs, one.lasts, one.arrives)]
    )
    bandwidths = [channel.bandwidth for channel in schedule.platform.channels]
    rates, _ = in_whole_numbers([*bandwidths, *(one.rate for one in passages.values())])
    rest, rate = iter(times), iter(rates[len(bandwidths) :])
    whole = {
        key: Passage(tuple(next(rest) for _ in one.begins), next(rest), next(rest), next(rate), next(rest))
        for key, one in passages.items()
    }
    return whole, rates[: len(bandwidths)], unit


def _passages(schedule: Schedule) -> dict[PassageKey, Passage[Fraction]]:
    keys = {schedule.passage_key(sent) for sent in schedule.transfers}
    return {key: passage(schedule.platform, *key) for key in keys}


def order_of_starts(schedule: Schedule) -> StartOrder:
    """Return the order of starts by longest following chain.

    Of a schedule in pieces also that in which those of earlier steps go first, and, if something is added up, that of
    `_up_before_down`; the fastest counts.
    """
    sends, needs = schedule.transfers, needs_of(schedule)
    followers: list[list[int]] = [[] for _ in sends]
    for i, before in enumerate(needs):
        for j in before:
            followers[j].append(i)
    passages = _passages(schedule)
    plans: list[_Plan] = [
        (
            [(c, float(begins), float(lasts)) for c, begins, lasts in one.over(path)], float(one.rate),
            float(one.arrives),
        )
        for (_, path, _), one in passages.items()
    ]  # fmt: skip
    number = {key: n for n, key in enumerate(passages)}
    plan_of = [number[schedule.passage_key(sent)] for sent in sends]
    height = [plans[n][-1] for n in plan_of]
    for i in sorted(range(len(sends)), key=lambda i: -sends[i].step):
        height[i] += max((height[j] for j in followers[i]), default=0.0)
    near = SAME * max(height, default=0.0)
    listed = partial(_listed, schedule, plans, plan_of, followers, [len(before) for before in needs], near)
    made, enough = listed(height), ENOUGH * max(float(schedule.busiest), max(height, default=0.0))
    if schedule.pieces > 1 and made.time > enough:
        # Pieces of earlier steps first: those of short chains may come late, and what comes down meets what goes up.
        tall = max(height) + near
        made = min(
            made, listed([above / tall - sent.step for above, sent in zip(height, sends, strict=True)]), key=_time
        )
        if made.time > enough and any(sent.reduces for sent in sends):
            made = min(made, _up_before_down(schedule), key=_time)
    return made


def _time(one: StartOrder) -> float:
    return one.time


def _up_before_down(schedule: Schedule) -> StartOrder:
    """Return the order with all reductions first, found backwards as broadcasts from the same roots."""
    sends, last = schedule.transfers, schedule.steps
    up, down = ([i for i, sent in enumerate(sends) if sent.reduces is reduces] for reduces in (True, False))
    turned = tuple(
        Transfer(last - sent.step, sent.chunk, sent.target, sent.source, sent.path[::-1], rate=sent.rate)
        for sent in (sends[i] for i in reversed(up))
    )
    there = order_of_starts(replace(schedule, platform=schedule.platform.reversed(), transfers=turned))
    order, time = [up[-1 - i] for i in reversed(there.order)], there.time
    if down:
        back = order_of_starts(replace(schedule, transfers=tuple(sends[i] for i in down)))
        order, time = order + [down[i] for i in back.order], time + back.time
    return StartOrder(schedule, time, order)


def _listed(
    schedule: Schedule,
    plans: Sequence[_Plan],
    plan_of: Sequence[int],
    followers: Sequence[Sequence[int]],
    missing: Sequence[int],
    near: float,
    height: Sequence[float],
) -> StartOrder:
    """Let time go on from event to event: of transfers that could go, those of the largest height go first.

    Those of a plan stand in a line, the first of which waits at that of its channels that is free last.
    """
    missing, ready = list(missing), [0.0] * len(plan_of)
    uses = [ChannelUse(float(channel.bandwidth), near) for channel in schedule.platform.channels]
    lines, place = [list[tuple[float, int]]() for _ in plans], [NOWHERE for _ in plans]
    waiting = defaultdict[tuple[int, float], list[tuple[float, int]]](list)
    # Events: a transfer that may go, or a channel, with the offset of those that wait for it.
    events = [(0.0, -height[i], i, NOWHERE) for i, count in enumerate(missing) if not count]
    events.sort()
    order, last = list[int](), 0.0
    while events:
        now, above, i, key = heappop(events)
        queue = waiting[key]
        if key == NOWHERE:
            line = lines[plan_of[i]]
            heappush(waiting[place[plan_of[i]]] if line else queue, (above, i))
            heappush(line, (above, i))
        while queue:
            i = queue[0][1]
            n = plan_of[i]
            if place[n] != key or lines[n][0][1] != i:  # it is no longer the first of its line, or waits elsewhere
                heappop(queue)
                continue
            path, rate, taken = plans[n]
            held, until = NOWHERE, -1.0
            for c, begins, lasts in path:
                at = uses[c].free(now + begins, lasts, rate)
                if at is not None and at - begins > until:
                    held, until = (c, begins), at - begins
            if held == key != NOWHERE:
                heappush(events, (until, queue[0][0], -1, key))
                break
            place[n] = held
            heappop(queue)
            if held != NOWHERE:
                if not waiting[held]:
                    heappush(events, (until, -height[i], -1, held))
                heappush(waiting[held], (-height[i], i))
                continue
            heappop(lines[n])
            if lines[n]:
                place[n] = key
                heappush(queue, lines[n][0])
            order.append(i)
            last = max(last, now + taken)
            for c, begins, lasts in path:
                uses[c].add(now + begins, lasts, rate)
            for j in followers[i]:
                ready[j] = max(ready[j], now + taken)
                missing[j] -= 1
                if not missing[j]:
                    heappush(events, (ready[j], -height[j], j, NOWHERE))
    return StartOrder(schedule, last, order)
