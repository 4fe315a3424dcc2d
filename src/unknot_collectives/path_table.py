"""Shortest paths between all pairs of members, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot_collectives.platform import Platform
from unknot_collectives.trees import shortest


class PathTable(NamedTuple):
    """One shortest path for each pair of members, by number.

    Attributes
    ----------
    path : int64 array, shape (members, members, longest)
        Channels from member to member; where a path is shorter, the number after the last channel.
    slowness : float64 array, shape (channels + 1,)
        Time of a byte on each channel, and 0.
    """

    path: Ints
    slowness: npt.NDArray[np.float64]


def path_table(platform: Platform, members: Sequence[int]) -> PathTable:
    """Return the paths between members of a platform, and the slowness of its channels."""
    way, many = shortest(platform), len(members)
    rows = [[way(one, other) if one != other else () for other in members] for one in members]
    longest = max(len(channels) for row in rows for channels in row)
    path = np.full((many, many, longest), len(platform.channels), dtype=np.int64)
    for i, row in enumerate(rows):
        for j, channels in enumerate(row):
            path[i, j, : len(channels)] = channels
    return PathTable(path, np.array([*(float(1 / c.bandwidth) for c in platform.channels), 0.0]))
