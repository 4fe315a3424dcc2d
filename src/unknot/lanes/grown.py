"""Orders of large networks: lanes annealed together, more while pairs are left, one less when none is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from unknot.lanes.annealing import anneal_round
from unknot.lanes.effort import SearchEffort
from unknot.lanes.path_set import Floats, of_pairs, served, unpacked
from unknot.lanes.rooted import ServingOrders, lane_after_lane, orders_of

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, PathSet

COVERED = 0.8
"""Share of the pairs that lanes around roots serve, of those that are left."""
ROUND = 100
"""Moves for each channel and lane of a round, if there is time."""
HOT, COLD = 0.02, 0.7
"""Temperatures of the first round: at its beginning, for each router, and at its end."""
LATER = (3.0, 0.5)
"""Temperatures of later rounds, which begin with the orders of the one before."""


def grown(paths: PathSet, effort: SearchEffort, low: int, most: int) -> Iterator[ServingOrders]:
    """Yield orders that serve all pairs in fewer than `most` lanes, each in fewer than those before.

    Orders around roots serve most pairs in few lanes, and need many for the last ones. So as many as serve
    `COVERED` are annealed together. While pairs are left, as many are added for these, and the annealing goes on from
    there. When none is, the lane goes that serves fewest pairs alone. Where time ends before, lanes around roots
    serve what is left.

    Parameters
    ----------
    low : int
        No fewer lanes are sought.
    """
    orders, unserved = _with_more(paths, np.zeros((0, paths.source.size)), effort, low)
    heat = max(LATER[0], HOT * len(paths.wanted)), COLD
    while low <= len(orders.key) < most:
        moves = ROUND * orders.key.size
        unserved, _ = anneal_round(paths, orders, unserved, moves, heat, effort, len(orders.key), 0.0)
        heat = LATER
        if unserved == 0:
            most = len(orders.key)
            yield ServingOrders(orders.key.copy(), paths.nearer)
            orders, unserved = orders_of(paths, np.delete(orders.key, _least_needed(paths, orders), axis=0))
        elif not effort.over:
            orders, unserved = _with_more(paths, orders.key, effort)
        if effort.over:
            break
    else:
        return
    if unserved:
        left = paths.wanted & ~np.bitwise_or.reduce(served(orders, paths.home), axis=0)
        more = islice(lane_after_lane(of_pairs(paths, left), [effort.seed, len(orders.key)]), most)
        if len(whole := np.array([*orders.key, *more])) < most:
            yield ServingOrders(whole, paths.nearer)


def _with_more(paths: PathSet, key: Floats, effort: SearchEffort, least: int = 1) -> tuple[Orders, int]:
    """Orders with more lanes around roots, which serve `COVERED` of what is left, and how many pairs they do not.

    They are `least` lanes at least.
    """
    orders, unserved = orders_of(paths, key)
    left = paths.wanted & ~np.bitwise_or.reduce(served(orders, paths.home), axis=0)
    enough = (1 - COVERED) * unserved
    for more in lane_after_lane(of_pairs(paths, left), [effort.seed, len(key)]):
        orders, unserved = orders_of(paths, np.array([*orders.key, more]))
        if unserved <= enough and len(orders.key) >= least:
            break
    return orders, unserved


def _least_needed(paths: PathSet, orders: Orders) -> int:
    """The lane that serves fewest pairs which no other serves."""
    once, twice = np.zeros_like(paths.wanted), np.zeros_like(paths.wanted)
    for cover in orders.cover:
        once, twice = once | cover, twice | (once & cover)
    alone = [unpacked(cover & paths.wanted & ~twice, paths.home.size) for cover in orders.cover]
    return int(np.argmin([np.count_nonzero(pairs) for pairs in alone]))
