"""Schedules without relays: all members send to all in need at once, over several paths, at rates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil

from unknot_collectives.operation import Operation, ends_of
from unknot_collectives.platform import Platform
from unknot_collectives.schedule import Schedule
from unknot_collectives.transfers import Chunk, Transfer

MOST_SENT = 600
"""Transfers at most, but one for each two members."""
TURNS = 4
"""How often each transfer looks for a better path."""
PARTS = 2520
"""Largest denominator of the time, which is rounded up."""
HALVINGS = 50


def unrelayed(
    platform: Platform, operation: Operation, ways: Mapping[tuple[int, int], Sequence[tuple[int, ...]]]
) -> Schedule:
    """Return a schedule of one group in which each transfer begins at the start, and all end together.

    Blocks are cut in whole units of size; each part takes the path on which it would end first beside the others.

    Parameters
    ----------
    ways : mapping from pairs of members to paths
        Permitted ones.
    """
    adds = operation.kind in ("reduce", "reduce_scatter", "all_reduce")
    for_all = operation.kind in ("broadcast", "all_gather", "all_reduce")
    senders, receivers = ends_of(operation, operation.members)
    pairs = [(a, b) for a, b in operation.amounts if a in senders and b in receivers]
    whole = max(1, int(operation.size))
    cut = max(1, min(whole, MOST_SENT // len(pairs)))
    numbers, sends = dict[tuple[Chunk, int], int](), list[tuple[int, int, int]]()
    for part in range(cut):
        size = ((part + 1) * whole // cut - part * whole // cut) * operation.size / whole
        for a, b in pairs:
            chunk = Chunk(size * operation.amounts[a, b], None if adds else a, None if for_all else b)
            sends.append((numbers.setdefault((chunk, part), len(numbers)), a, b))
    chunks = [chunk for chunk, _ in numbers]
    spread = _Paths(platform, [chunks[number].size for number, *_ in sends], [ways[a, b] for _, a, b in sends])
    transfers = [
        Transfer(0, number, a, b, path, adds, rate)
        for (number, a, b), path, rate in zip(sends, spread.taken, spread.rates(), strict=True)
    ]
    return Schedule("searched", platform, operation, tuple(chunks), tuple(transfers), (Fraction(0),) * len(transfers))


class _Paths:
    """The path of each transfer, and what channels carry."""

    def __init__(
        self, platform: Platform, sizes: Sequence[Fraction], ways: Sequence[Sequence[tuple[int, ...]]]
    ) -> None:
        self.platform, self.sizes = platform, sizes
        self.late = {
            path: sum((platform.channels[c].latency for c in path), Fraction(0)) for some in ways for path in some
        }
        self.cost = {path: platform.overhead * platform.slowest(path) for path in self.late}
        self.wide, loads = [float(c.bandwidth) for c in platform.channels], defaultdict[int, float](float)
        self.taken = list[tuple[int, ...]]()
        for turn in range(TURNS):
            for i, some in enumerate(ways):
                if turn:
                    self._add(loads, i, self.taken[i], -1)
                best = min(some, key=lambda path: self._ends(loads, i, path))
                self.taken[i : i + 1] = [best]
                self._add(loads, i, best, 1)

    def _add(self, loads: dict[int, float], i: int, path: tuple[int, ...], sign: int) -> None:
        for c in path:
            loads[c] += sign * float(self.sizes[i] + self.cost[path]) / self.wide[c]

    def _ends(self, loads: Mapping[int, float], i: int, path: tuple[int, ...]) -> float:
        size = float(self.sizes[i] + self.cost[path])
        return float(self.late[path]) + max(loads.get(c, 0.0) + size / self.wide[c] for c in path)

    def rates(self) -> list[Fraction]:
        """Return the rates at which all is done in the least time, rounded up."""
        sent = [
            (size + self.cost[path], self.late[path], path) for size, path in zip(self.sizes, self.taken, strict=True)
        ]
        plain = [(float(size), float(late), path) for size, late, path in sent]

        def fits(time: float) -> bool:
            used = defaultdict[int, float](float)
            for size, late, path in plain:
                for c in path:
                    used[c] += size / (time - late)
            return all(rate <= self.wide[c] for c, rate in used.items())

        # The least time is between low and low + step.
        low, step = max(late for _, late, _ in plain), 1.0
        while not fits(low + step):
            step *= 2
        for _ in range(HALVINGS):
            step /= 2
            low += 0 if fits(low + step) else step
        time = Fraction(ceil((low + step) * (1 + 1e-9) * PARTS), PARTS)
        return [size / (time - late) for size, late, _ in sent]
