"""Turns from channels to those that follow: cycles of them, and keys of the channels in which they climb."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Turn = tuple[int, int]
TRIED = 200
"""Channels from which a shortest cycle is sought."""


def climbing(turns: Iterable[Turn], channels: int) -> npt.NDArray[np.float64] | None:
    """Keys of all channels, from 0 on, in which all turns climb; None if they close a cycle."""
    before: dict[int, list[int]] = {channel: [] for channel in range(channels)}
    for channel, following in turns:
        before[following].append(channel)
    try:
        order = list(TopologicalSorter(before).static_order())
    except CycleError:
        return None
    key = np.empty(channels)
    key[order] = np.arange(channels)
    return key


def short_cycles(turns: Sequence[Turn], most: int) -> set[tuple[int, ...]]:
    """A shortest cycle through each of about `most` channels on cycles, beginning with its lowest channel."""
    after = _on_cycles(turns)
    cycles = (_around(after, start, len(after) + 1) for start in list(after)[:: max(1, len(after) // most)])
    return {from_lowest(cycle) for cycle in cycles if cycle is not None}


def shortest_cycle(turns: Sequence[Turn], channels: int) -> list[Turn] | None:
    """A short cycle among turns, as turns."""
    after = _on_cycles(turns)
    best: list[int] | None = None
    for start in list(after)[:TRIED]:
        best = _around(after, start, len(best) if best else channels + 1) or best
    return None if best is None else list(pairwise([*best, best[0]]))


def _on_cycles(turns: Sequence[Turn]) -> dict[int, list[int]]:
    """The channels that follow each channel, of turns that are on cycles."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    after: dict[int, list[int]] = {}
    if turns:
        tail, head = np.array(turns, dtype=np.int64).T
        size = 1 + int(max(tail.max(), head.max()))
        graph = coo_array((np.ones(tail.size, dtype=np.int8), (tail, head)), shape=(size, size))
        _, part = connected_components(graph.tocsr(), directed=True, connection="strong")
        for c, e in turns:
            if part[c] == part[e]:
                after.setdefault(c, []).append(e)
    return after


def from_lowest(cycle: list[int]) -> tuple[int, ...]:
    """A cycle, beginning with its lowest channel."""
    low = cycle.index(min(cycle))
    return (*cycle[low:], *cycle[:low])


def _around(after: dict[int, list[int]], start: int, limit: int) -> list[int] | None:
    """A shortest cycle through a channel, if it has fewer than `limit` channels."""
    came = {start: -1}
    ring = [start]
    for _ in range(limit - 1):
        grown = []
        for c in ring:
            for e in after.get(c, ()):
                if e == start:
                    way = [c]
                    while came[way[-1]] >= 0:
                        way.append(came[way[-1]])
                    return way[::-1]
                if e not in came:
                    came[e] = c
                    grown.append(e)
        ring = grown
    return None
