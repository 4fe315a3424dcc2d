"""Lower bounds by cuts in time, for small platforms with latencies.

A cut gives each node the time from which it counts as reached. What begins at a reached source, and must come to a
node that is never reached, passes a channel from a reached node to one that is not reached yet when the byte comes.
Channels have windows for this, and several cuts count bytes with their weights. The weights are the dual of a linear
program over a grid of times, whose rows are minimum cuts of its own solution (cutting planes); the bound itself is
computed from the cuts, in exact numbers, with the latencies as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from unknot_collectives.cuts import minimum_cut
from unknot_collectives.operation import Operation
from unknot_collectives.platform import Channel, Platform

INTERVALS = (24, 16)
"""Intervals of the grid of times, for one group of bytes and for several."""
ROUNDS, GRIDS = 25, 4
"""Linear programs of a grid, and grids."""
SCALE = 1 << 20
"""Whole units of the size, in which minimum cuts are found."""
PLENTY = 1 << 29
MOST_VARIABLES = 6_000
"""Variables of the largest linear program."""
CLOSE = 2e-3
"""Share of the time, or of the size, by which another program has to change the bound."""
PARTS = 10_000
"""Largest denominator of weights and times."""

Reached = tuple[int | None, ...]
"""For each node the interval from which it counts as reached; None: never."""


@dataclass(frozen=True)
class ByteGroup:
    """The blocks of a source, or for a target, whose bytes no other group counts.

    Attributes
    ----------
    source, target : int or None
    ends : tuple of pairs of int
        A member where bytes begin, and one to which they must come.
    sizes : tuple of Fraction
        Of each pair, in sizes of the operation, where these add up; empty: the same bytes, or their sum, for all.
    """

    source: int | None
    target: int | None
    ends: tuple[tuple[int, int], ...]
    sizes: tuple[Fraction, ...] = ()

    def crossing(self, reached: Sequence[Any]) -> Fraction:
        """Return what must pass a cut, in sizes of the operation."""
        passes = [reached[a] == 0 and reached[b] is None for a, b in self.ends]
        if self.sizes:
            return sum((size for size, passed in zip(self.sizes, passes, strict=True) if passed), Fraction(0))
        return Fraction(any(passes))


@dataclass(frozen=True)
class TimeCut:
    """A cut in time with its weight: for each node, since when it counts as reached; None: never."""

    weight: Fraction
    group: ByteGroup
    reached: tuple[Fraction | None, ...]

    @property
    def words(self) -> list[Any]:
        """The cut in evidence."""
        times = [None if time is None else [*time.as_integer_ratio()] for time in self.reached]
        return [[*self.weight.as_integer_ratio()], self.group.source, self.group.target, times]

    def window(self, channel: Channel, time: Fraction) -> tuple[Fraction, Fraction]:
        """Return from when to when bytes that enter a channel pass the cut; the end may be before the beginning."""
        begins, ends = self.reached[channel.source], self.reached[channel.target]
        return time if begins is None else begins, min(time if ends is None else ends, time) - channel.latency


def groups_of(operation: Operation) -> list[ByteGroup]:
    """Return the groups of an operation; of an all-reduce each is of the same bytes."""
    members, kind, root = operation.members, operation.kind, operation.root
    by_target, adds = kind in ("reduce", "reduce_scatter", "gather"), kind in ("scatter", "gather", "all_to_all")
    sources = (root,) if kind in ("broadcast", "scatter") else members
    targets = (root,) if kind in ("reduce", "gather") else members
    pairs = [(a, b) for a in sources for b in targets if a is not None and b is not None and a != b]
    pairs = list(operation.amounts) if kind == "all_to_all" else pairs
    made = []
    for end in (0, 1) if kind == "all_reduce" else (int(by_target),):
        for node in dict.fromkeys(pair[end] for pair in pairs):
            own = tuple(pair for pair in pairs if pair[end] == node)
            sizes = tuple(operation.amounts[pair] if kind == "all_to_all" else Fraction(1) for pair in own)
            made.append(ByteGroup(None if end else node, node if end else None, own, sizes if adds else ()))
    return made


class _Grid:
    """Cuts, and the linear program of flows over a grid of times that they bound."""

    def __init__(self, platform: Platform, operation: Operation, groups: Sequence[ByteGroup], count: int) -> None:
        self.platform, self.operation, self.groups, self.count = platform, operation, groups, count
        self.cuts = dict[tuple[int, Reached], None]()
        for g, group in enumerate(groups):
            for a, b in group.ends:
                for one in range(2):
                    spared = [None if v == b else 0 if v == a or one else None for v in range(platform.num_nodes)]
                    self.cuts[g, tuple(spared)] = None

    def before(self, time: Fraction) -> Iterator[list[TimeCut]]:
        """Yield cuts by which an operation may not end by a time, better ones last."""
        from scipy.optimize import linprog

        count, step = self.count, time / self.count
        late = [int(c.latency // step) for c in self.platform.channels]
        alive = [(i, k) for i in range(len(late)) for k in range(count - late[i])]
        width = [float(self.platform.channels[i].bandwidth * step / self.operation.size) for i, _ in alive]
        variables, last = len(alive) * len(self.groups) + 1, np.inf
        cost = np.zeros(variables)
        cost[-1] = -1
        for _ in range(ROUNDS):
            matrix = self.rows(alive, late)
            right = [*width, *[0.0] * len(self.cuts)]
            solved = linprog(cost, matrix, right, bounds=[*[(0, None)] * (variables - 1), (0, 2)], method="highs")
            if not solved.success:
                return
            rate = float(solved.x[-1])
            if rate < 1:
                prices = zip(self.cuts, solved.ineqlin.marginals[len(alive) :].tolist(), strict=True)
                weights = [(cut, Fraction(-price).limit_denominator(PARTS)) for cut, price in prices]
                yield [
                    TimeCut(weight, self.groups[g], tuple(None if k is None else k * step for k in reached))
                    for (g, reached), weight in weights
                    if weight > 0
                ]
            flows = solved.x[:-1].reshape(len(self.groups), len(alive)) / max(rate, CLOSE)
            known = len(self.cuts)
            for g, flow in enumerate(flows.tolist()):
                self.separate(g, [(i, k, amount) for (i, k), amount in zip(alive, flow, strict=True)], late)
            if len(self.cuts) == known or last - rate < CLOSE / 4:
                return
            last = rate if rate < 1 else np.inf

    def rows(self, alive: Sequence[tuple[int, int]], late: Sequence[int]) -> Any:
        """Return the rows of the program: what channels carry in each interval, then what passes each cut."""
        from scipy.sparse import coo_array

        many, channels = len(alive), self.platform.channels
        place = {pair: n for n, pair in enumerate(alive)}
        entries = [(n, g * many + n, 1.0) for g in range(len(self.groups)) for n in range(many)]
        last = len(self.groups) * many
        for row, (g, reached) in enumerate(self.cuts, many):
            for i, c in enumerate(channels):
                begins, ends = reached[c.source], reached[c.target]
                if begins is not None:
                    until = (self.count if ends is None else ends) - late[i]
                    entries += [(row, g * many + place[i, k], -1.0) for k in range(begins, until)]
            entries.append((row, last, float(self.groups[g].crossing(reached))))
        row_of, column_of, factors = zip(*entries, strict=True)
        return coo_array((factors, (row_of, column_of)), shape=(many + len(self.cuts), last + 1))

    def separate(self, g: int, flow: Sequence[tuple[int, int, float]], late: Sequence[int]) -> None:
        """Add the minimum cuts of the flow of a group that are below what must pass."""
        group, count, nodes = self.groups[g], self.count, self.platform.num_nodes
        channels, source, sink = self.platform.channels, nodes * count, nodes * count + 1
        arcs = [
            (channels[i].source * count + k, channels[i].target * count + k + late[i], int(amount * SCALE))
            for i, k, amount in flow
        ]
        arcs += [(v * count + k, v * count + k + 1, PLENTY) for v in range(nodes) for k in range(count - 1)]
        sizes = group.sizes or (Fraction(1),) * len(group.ends)
        fed = [
            [(source, a * count, int(size * SCALE)), (b * count + count - 1, sink, int(size * SCALE))]
            for (a, b), size in zip(group.ends, sizes, strict=True)
        ]
        for ends in [[arc for pair in fed for arc in pair]] if group.sizes else fed:
            parts = tuple(np.array(side) for side in zip(*arcs, *ends, strict=True))
            flowing, near = minimum_cut((parts[0], parts[1], parts[2]), source, sink)
            if flowing < sum(size for one, _, size in ends if one == source) * (1 - CLOSE):
                reached = tuple(next((k for k in range(count) if near[v * count + k]), None) for v in range(nodes))
                if group.crossing(reached):
                    self.cuts[g, reached] = None


def passing(platform: Platform, cuts: Sequence[TimeCut], time: Fraction) -> Fraction:
    """Return what channels carry through cuts by a time, at most, by weight."""
    total = Fraction(0)
    for channel in platform.channels:
        changes = list[tuple[Fraction, int, Fraction]]()
        for cut in cuts:
            (begins, ends), node = cut.window(channel, time), cut.group.ends[0][cut.group.source is None]
            if begins < ends:
                changes += [(begins, node, cut.weight), (ends, node, -cut.weight)]
        changes.sort()
        now = dict[int, Fraction]()
        for (at, node, change), (until, *_) in pairwise([*changes, (time, 0, Fraction(0))]):
            now[node] = now.get(node, Fraction(0)) + change
            total += channel.bandwidth * (until - at) * max(now.values())
    return total


def by_time_cuts(platform: Platform, operation: Operation, least: Fraction) -> tuple[Fraction, tuple[TimeCut, ...]]:
    """Return a time by which an operation cannot end, and the cuts that say so; no cuts: none is above the least.

    Parameters
    ----------
    least : Fraction
        A bound that is known.
    """
    if operation.kind == "barrier" or operation.groups:
        return least, ()
    groups, best = groups_of(operation), tuple[TimeCut, ...]()
    for some in [[one] for one in groups] if operation.kind == "all_reduce" else [groups]:
        least, best = _with_groups(platform, operation, some, least) or (least, best)
    return least, best


def _with_groups(
    platform: Platform, operation: Operation, groups: Sequence[ByteGroup], least: Fraction
) -> tuple[Fraction, tuple[TimeCut, ...]] | None:
    """Return a larger bound with its cuts, which count bytes of some groups; None: there is none."""
    count, time, best = INTERVALS[len(groups) > 1], least, tuple[TimeCut, ...]()
    if len(groups) * len(platform.channels) * count > MOST_VARIABLES:
        return None
    grid = _Grid(platform, operation, groups, count)
    for _ in range(GRIDS):
        before = time
        for cuts in grid.before(before):
            needed = sum((cut.weight * cut.group.crossing(cut.reached) for cut in cuts), Fraction(0)) * operation.size
            low, high = time, 2 * time
            if passing(platform, cuts, low) >= needed:
                continue
            while high - low > time * CLOSE / 4:
                middle = (low + high) / 2
                low, high = (middle, high) if passing(platform, cuts, middle) < needed else (low, middle)
            rounded = Fraction(int(low * PARTS), PARTS)
            if rounded > time:
                time, best = rounded, tuple(cuts)
        if time <= before * (1 + CLOSE):
            break
    return (time, best) if best else None
