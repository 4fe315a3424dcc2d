"""Annealing of orders of channels in steps, between which the clock is read."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot.lanes.effort import WORK, SearchEffort

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, PathSet
    from unknot.lanes.path_set import Ints

AIMED = 0.9
"""Share of moves that are aimed at a pair that is not served."""
STEPS = 4
"""Steps of halves in which each channel of each lane is moved once."""
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
    halved: bool = False,
) -> tuple[int, int]:
    """One annealing; how many pairs are not served at its end, and at its best."""
    lanes, left = len(orders.key), (unserved, unserved)
    seed = [effort.seed, lanes, moves]
    options = {"turned": turned, "share": share, "spare": spare}
    for left in annealed(paths, orders, unserved, moves, heat, effort, seed, halved=halved, **options):
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
    halved: bool = False,
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
    halved : bool
        Each half of the lanes is annealed in a thread of its own. Pairs weigh 1, and directions share no lane.
    """
    from unknot.lanes.anneal_kernel import anneal

    state = np.random.default_rng(seed).integers(2**63, size=2).astype(np.uint64)[:, None]
    halved = halved and len(orders.key) > 1
    words = STEPS * WORK // orders.key.size if halved else paths.nearer.size
    least, steps = cost, effort.cooled(moves, heat, share=share, words=words)
    with ThreadPoolExecutor(2) as threads:
        for count, now, then in steps:
            yield cost, least
            if halved:
                cost, made = _halves(threads, paths, orders, state, (count, now, then), spare)
                least = min(least, cost)
            else:
                cost, low, made = anneal(paths, orders, state[0], count, now, then, AIMED, turned, spare, cost)
                cost, least = int(cost), min(least, int(low))
            effort.moves += int(made)
    yield cost, least


def _halves(
    threads: ThreadPoolExecutor,
    paths: PathSet,
    orders: Orders,
    state: npt.NDArray[np.uint64],
    step: tuple[int, float, float],
    spare: float,
) -> tuple[int, int]:
    """Anneal each half of the lanes by itself for a step; the cost then, and moves made.

    Each half counts on what the other serves at the beginning. So both may give up a pair that each leaves to the
    other; steps are short, and the next one sees it. One thread comes to the same as two.
    """
    from unknot.lanes.anneal_kernel import anneal

    middle, (count, now, then) = len(orders.key) // 2, step
    parts = slice(0, middle), slice(middle, len(orders.key))
    left = [paths.wanted & ~np.bitwise_or.reduce(orders.cover[part], axis=0) for part in parts]

    def half(number: int) -> int:
        own = {name: getattr(orders, name)[parts[number]] for name in ("key", "reach", "cover")}
        missed = bits_in(left[0] & left[1])
        moves = count * len(own["key"]) // len(orders.key)
        rest, lanes = paths._replace(wanted=left[1 - number]), orders._replace(missed=missed, **own)
        return int(anneal(rest, lanes, state[number], moves, now, then, AIMED, 0.0, spare, missed.sum())[2])

    made = sum(threads.map(half, range(2)))
    orders.missed[:] = bits_in(paths.wanted & ~np.bitwise_or.reduce(orders.cover, axis=0))
    return int(orders.missed.sum()), made


def bits_in(left: Ints) -> Ints:
    """Number of bits in each row."""
    # Of a negative number it counts the bits of its absolute value.
    count: Ints = np.bitwise_count(left.view(np.uint64)).sum(axis=1, dtype=np.int64)
    return count
