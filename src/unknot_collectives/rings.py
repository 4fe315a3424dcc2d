"""The order of the members of a ring: the least time of a step in which each sends to the next."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from itertools import permutations

import numpy as np

from unknot._base.arrays import Ints
from unknot_collectives.path_table import PathTable, path_table
from unknot_collectives.platform import Platform

ALL_TRIED = 8
"""Members up to which every order is tried."""
MOST_ORDERED = 256
"""Members up to which a better order is looked for: the paths of all pairs are kept."""
TRIES = 60
"""Changes of an order that are tried for each member, and at least `ALL_TRIED` times as many."""


def ring_order(platform: Platform, members: Sequence[int]) -> tuple[int, ...]:
    """Return the members in the best order around a ring, along one shortest path from each to the next.

    The time of the busiest channel counts first, then the time of all channels together. Up to `ALL_TRIED` members
    every order is tried; beyond, parts of the given order are reversed and moved as long as that helps. The order
    given stays unless another is better, or with more than `MOST_ORDERED` members. The answer begins with the first.

    Parameters
    ----------
    platform : Platform
        Nodes and channels.
    members : sequence of int
        Nodes, at least two.

    Raises
    ------
    NetworkError
        If a member cannot reach another one.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot_collectives.platform import platform_of
    >>> platform = platform_of(mesh(2, 3))
    >>> [member - 6 for member in ring_order(platform, platform.members)]
    [0, 1, 3, 5, 4, 2]
    """
    if not 2 < len(members) <= MOST_ORDERED:
        return tuple(members)
    table = path_table(platform, members)
    best = np.arange(len(members))
    if len(members) <= ALL_TRIED:
        others = (np.array([0, *rest]) for rest in permutations(range(1, len(members))))
        best = min([best, *others], key=partial(_cost, table))
    else:
        best = _improved(table, best)
    turned = np.roll(best, -int(np.flatnonzero(best == 0)[0]))
    return tuple(members[i] for i in turned.tolist())


def _cost(table: PathTable, order: Ints) -> tuple[float, float]:
    """Return the time of the busiest channel, and that of all together, for a byte from each member to the next."""
    used = table.path[order, np.roll(order, -1)].ravel()
    time = np.bincount(used, minlength=table.slowness.size) * table.slowness
    return round(float(time.max()), 9), round(float(time.sum()), 9)


def _improved(table: PathTable, order: Ints) -> Ints:
    """Return an order after random reversals and moves of its parts; a change stays unless the cost rises."""
    draw, many, least = random.Random(1), order.size, _cost(table, order)
    for _ in range(TRIES * max(many, ALL_TRIED**2)):
        i, j, k = sorted(draw.sample(range(many + 1), 3))
        if draw.random() < 0.5:
            other = np.concatenate([order[:i], order[i:j][::-1], order[j:]])
        else:
            other = np.concatenate([order[:i], order[j:k], order[i:j], order[k:]])
        if (cost := _cost(table, other)) <= least:
            order, least = other, cost
    return order
