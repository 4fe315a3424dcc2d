"""Orders of large networks: lanes annealed together, more while pairs are left, one less when none is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from unknot.lanes.effort import SearchEffort, annealed, bits_in
from unknot.lanes.path_set import Floats, of_pairs, served
from unknot.lanes.rooted import ServingOrders, lane_after_lane, orders_of

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, PathSet

COVERED = 0.96
"""Share of the pairs that the lanes serve with which the annealing begins."""
ROUND = 200
"""Moves for each channel and lane of a round, if there is time; twice as many in the next with as many lanes."""
ROUNDS = 4
"""Rounds in one lane less than is known to do, before the search ends."""
SHARE = 0.8
"""Share of the time that is left for a round: it ends when all pairs are served, and a slower one leaves fewer."""
HEAT = (16.0, 1.0)
"""Temperatures at the beginning and at the end of a round."""
SPARE = 0.06
"""Cost when a pair loses its last lane but one, in pairs that lose their last; a later move may lose that one too."""


def grown(
    paths: PathSet, effort: SearchEffort, low: int, most: int, heat: tuple[float, float] = HEAT
) -> Iterator[ServingOrders]:
    """Yield orders that serve all pairs in fewer than `most` lanes, each in fewer than those before.

    Of lanes made one after the other the first few serve most pairs, and the last pairs need many more. So the first
    that serve `COVERED` of the pairs are annealed together. If pairs are left without a lane, a lane is added, unless
    that makes as many as are known to be enough, and the lanes are annealed again. If none is left, the lane that
    serves fewest pairs alone is taken away. When time is over, lanes made one after the other serve the rest.

    Parameters
    ----------
    low : int
        No fewer lanes are sought.
    """
    orders, unserved = _with_more(paths, np.zeros((0, paths.source.size)), effort.seed, low, most)
    spent = 0
    while low <= len(orders.key) < most and spent < ROUNDS:
        moves = ROUND * orders.key.size << spent
        rounds = annealed(paths, orders, unserved, moves, heat, effort, share=SHARE, spare=SPARE, halved=True)
        *_, (unserved, _) = rounds
        if unserved == 0:
            most, spent = len(orders.key), 0
            yield ServingOrders(orders.key.copy(), paths.nearer)
            orders, unserved = orders_of(paths, np.delete(orders.key, _least_needed(paths, orders), axis=0))
        elif len(orders.key) + 1 < most and not effort.over:
            # The next round begins hot, and may not cool in the time that is left.
            for whole in _completed(paths, orders, effort.seed, most):
                most = len(whole)
                yield whole
            if len(orders.key) + 1 < most:
                orders, unserved = _with_more(paths, orders.key, effort.seed)
        else:
            spent += 1
        if effort.over:
            break
    else:
        return
    if unserved:
        yield from _completed(paths, orders, effort.seed, most)


def _completed(paths: PathSet, orders: Orders, seed: int, most: int) -> Iterator[ServingOrders]:
    """Yield orders with lanes that serve the rest, if they are fewer than `most` then."""
    left = paths.wanted & ~np.bitwise_or.reduce(served(orders, paths.home), axis=0)
    more = islice(lane_after_lane(of_pairs(paths, left), [seed, len(orders.key)]), most)
    if len(whole := np.array([*orders.key, *more])) < most:
        yield ServingOrders(whole, paths.nearer)


def _with_more(paths: PathSet, key: Floats, seed: int, low: int = 1, most: int = 1) -> tuple[Orders, int]:
    """Orders with one lane more, or the first that serve `COVERED`, at least `low` and fewer than `most` if possible.

    With them comes how many pairs they do not serve.
    """
    orders, unserved = orders_of(paths, key)
    left = paths.wanted & ~np.bitwise_or.reduce(served(orders, paths.home), axis=0)
    enough = (1 - COVERED) * unserved
    for more in lane_after_lane(of_pairs(paths, left), [seed, len(key)]):
        orders, unserved = orders_of(paths, np.array([*orders.key, more]))
        if len(orders.key) >= low and (unserved <= enough or len(orders.key) + 1 >= most):
            break
    return orders, unserved


def _least_needed(paths: PathSet, orders: Orders) -> int:
    """The lane that serves fewest pairs which no other serves."""
    once, twice = np.zeros_like(paths.wanted), np.zeros_like(paths.wanted)
    for cover in orders.cover:
        once, twice = once | cover, twice | (once & cover)
    return int(np.argmin([bits_in(cover & paths.wanted & ~twice).sum() for cover in orders.cover]))
