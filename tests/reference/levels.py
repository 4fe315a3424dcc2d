"""Naive twin: service levels of routes whose lanes depend on input, output and level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.lane_assignment.tables import LaneTable

Entries = dict[tuple[int, int, int], int]
"""The lane of a level, an input (a channel, or channels + router) and an output."""

Keys = npt.NDArray[np.float64]


def route(table: LaneTable, router: int, row: int) -> list[int]:
    """The channels of a route."""
    channels: list[int] = []
    while router != table.home[row]:
        channels.append(int(table.next_channel[row, router]))
        router = int(table.network.target[channels[-1]])
    return channels


def climb(
    entries: Entries, level: int, steps: list[tuple[int, int]], key: npt.NDArray[np.float64]
) -> list[int] | None:
    """Lanes in which a route climbs by the entries there are, each the lowest that climbs; None if it does not."""
    last, lanes = -np.inf, []
    for came, channel in steps:
        lane = entries.get((level, came, channel))
        if lane is None:
            higher = [(value, k) for k, value in enumerate(key[:, channel].tolist()) if value > last]
            lane = min(higher)[1] if higher else None
        if lane is None or key[lane, channel] <= last:
            return None
        last = key[lane, channel]
        lanes.append(lane)
    return lanes


def filled(table: LaneTable, key: Keys, levels: int) -> tuple[npt.NDArray[np.int64], Entries, int] | None:
    """The first level for each pair that lets its route climb, long routes first; None if the levels do not suffice.

    Also the entries, and how many routes change their lane.
    """
    pairs = [(u, row, route(table, u, row)) for u, row in np.argwhere(table.wanted).tolist()]
    chosen = np.full(table.wanted.shape, -1)
    entries: Entries = {}
    changed = 0
    for u, row, way in sorted(pairs, key=lambda one: -len(one[2])):
        steps = list(zip([table.network.num_channels + u, *way[:-1]], way, strict=True))
        options = ((level, climb(entries, level, steps, key)) for level in range(levels))
        level, lanes = next(((level, lanes) for level, lanes in options if lanes is not None), (-1, None))
        if lanes is None:
            return None
        chosen[u, row] = level
        entries |= {(level, *step): lane for step, lane in zip(steps, lanes, strict=True)}
        changed += len(set(lanes)) > 1
    return chosen, entries, changed
