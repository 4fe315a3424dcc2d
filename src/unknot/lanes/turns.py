"""Turns from channels to those that follow: cycles of them, and keys of the channels in which they climb."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from unknot.network.graph import cycle_through, from_lowest, on_cycles, shortest_cycle

Turn = tuple[int, int]


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
    after = on_cycles(*np.array(turns, dtype=np.int64).reshape(-1, 2).T)
    cycles = (cycle_through(start, after, 0) for start in list(after)[:: max(1, len(after) // most)])
    return {tuple(from_lowest(cycle)) for cycle in cycles}


def cycle_of_turns(turns: Sequence[Turn]) -> list[Turn]:
    """A short cycle among turns, as turns; none if they climb."""
    cycle = shortest_cycle(*np.array(turns, dtype=np.int64).reshape(-1, 2).T)
    return list(pairwise([*cycle, *cycle[:1]]))
