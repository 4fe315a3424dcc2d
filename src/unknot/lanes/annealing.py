"""Annealing of orders of channels in steps, between which the clock is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from unknot.lanes.effort import SearchEffort

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, PathSet

AIMED = 0.9
"""Share of moves that are aimed at a pair that is not served."""
SHARE = 0.5
"""Share of the time that is left, in which a round has to end."""


def anneal_round(
    paths: PathSet,
    orders: Orders,
    unserved: int,
    moves: int,
    heat: tuple[float, float],
    effort: SearchEffort,
    *,
    turned: float = 0.0,
    share: float = SHARE,
    spare: float = 0.0,
) -> tuple[int, int]:
    """One annealing; how many pairs are not served at its end, and at its best."""
    lanes, left = len(orders.key), (unserved, unserved)
    seed = [effort.seed, lanes, moves]
    for left in annealed(paths, orders, unserved, moves, heat, effort, seed, turned=turned, share=share, spare=spare):
        effort.report(f"{lanes} lane{'s' * (lanes > 1)}: {left[0]} pairs left")
        if left[0] == 0:
            break
    return left


def annealed(
    paths: PathSet,
    orders: Orders,
    cost: int,
    moves: int,
    heat: tuple[float, float],
    effort: SearchEffort,
    seed: list[int],
    *,
    turned: float = 0.0,
    share: float = 1.0,
    spare: float = 0.0,
) -> Iterator[tuple[int, int]]:
    """Anneal orders in steps; yield the cost, and the least so far, before each step and at the end.

    Parameters
    ----------
    cost : int
        Of the orders as they are: weights of pairs that are not served.
    heat : (float, float)
        Temperatures at the beginning and at the end.
    turned : float
        Share of aimed moves that change the table.
    share : float
        Of the time that is left; the annealing ends by then.
    spare : float
        Cost when a pair loses its last lane but one, in pairs that lose their last lane.
    """
    from unknot.lanes.anneal_kernel import anneal

    state = np.array([np.random.default_rng(seed).integers(2**63)], dtype=np.uint64)
    least = cost
    for count, now, then in effort.cooled(moves, heat, share=share, words=paths.nearer.size):
        yield cost, least
        cost, low, made = (int(x) for x in anneal(paths, orders, state, count, now, then, AIMED, turned, spare, cost))
        effort.moves += made
        least = min(least, low)
    yield cost, least
