"""Annealing of orders of channels in steps, as long as the limits of a search allow."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base import phrases
from unknot.search.effort import MOVE, WORK, AnnealingStep, SearchEffort, random_state

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import Orders, PathSet
    from unknot.lane_assignment.path_set import Ints

AIMED = 0.9
"""Share of moves that are aimed at a pair that is not served."""
STEPS = 4
"""Steps of halves in which each channel of each lane is moved once."""
WORD = 4e-9
"""Seconds of work of a move of orders for each word of the channels' destinations, beside that of any move."""
CLOSE = 32
"""Cost up to which lanes are not annealed in halves: each half would serve the last pairs at once, give up pairs that
the other gives up too, and end its step there, again and again."""
SHARE = 0.5
"""Share of the time that is left, in which a round has to end."""


class Aims(NamedTuple):
    """How moves of orders are drawn, and the cost of channels beside the pairs left unserved.

    Attributes
    ----------
    aimed : float
        Share of moves that are aimed at a pair that is not served.
    turned : float
        Share of those that change the table; 0: it is no table, or it is given.
    spare : float
        Cost when a pair loses its last lane but one, in pairs that lose their last lane; its square when it loses the
        one before. Without effect where both directions share a lane.
    """

    aimed: float = AIMED
    turned: float = 0.0
    spare: float = 0.0


def annealed(
    paths: PathSet,
    orders: Orders,
    moves: int,
    heat: tuple[float, float],
    effort: SearchEffort,
    seed: list[int] | None = None,
    *,
    aims: Aims = Aims(),  # noqa: B008
    share: float = SHARE,
    halved: bool = False,
    text: str = "",
) -> Iterator[tuple[int, int]]:
    """Anneal orders in steps until their cost is 0; yield the cost, and the least so far, before each and at the end.

    The cost is the weights of pairs that are not served.

    Parameters
    ----------
    heat : (float, float)
        Temperatures at the beginning and at the end.
    share : float
        Of the time that is left; the annealing ends by then.
    halved : bool
        Each half of the lanes is annealed in a thread of its own. Pairs weigh 1, and directions share no lane.
    text : str
        What is reported, with a place for the cost; by default the number of lanes and of pairs that are left.
    """
    from unknot.lane_assignment.anneal_kernel import anneal

    lanes = len(orders.key)
    text = text or f"{phrases.count(lanes, 'lane')}: {{:,}} pairs left"
    seed = [effort.seed, lanes, moves] if seed is None else seed
    state = random_state(*seed, streams=2)[:, None]
    halved = halved and lanes > 1
    words = STEPS * WORK // orders.key.size if halved else paths.nearer.size
    each = MOVE + WORD * paths.nearer.size
    cost = least = orders.unserved
    with ThreadPoolExecutor(2) as threads:
        for step in effort.cooled(moves, heat, each=each, share=share, words=words):
            effort.report(text.format(cost))
            yield cost, least
            if cost == 0:
                return
            if halved and cost > CLOSE:
                low, made = _halves(threads, paths, orders, state, step, aims)
            else:
                low, made = anneal(paths, orders, state[0], step, aims)
            cost, least = orders.unserved, min(least, int(low))
            effort.moves += int(made)
    yield cost, least


def _halves(
    threads: ThreadPoolExecutor,
    paths: PathSet,
    orders: Orders,
    state: npt.NDArray[np.uint64],
    step: AnnealingStep,
    aims: Aims,
) -> tuple[int, int]:
    """Anneal each half of the lanes by itself for a step; the cost then, and moves made.

    Each half counts on what the other serves at the beginning. So both may give up a pair that each leaves to the
    other; steps are short, and the next one sees it. One thread comes to the same as two.
    """
    from unknot.lane_assignment.anneal_kernel import anneal

    middle = len(orders.key) // 2
    parts = slice(0, middle), slice(middle, len(orders.key))
    left = [paths.wanted & ~np.bitwise_or.reduce(orders.cover[part], axis=0) for part in parts]

    def half(number: int) -> int:
        own = {name: getattr(orders, name)[parts[number]] for name in ("key", "reach", "cover")}
        moves = step.moves * len(own["key"]) // len(orders.key)
        rest = paths._replace(wanted=left[1 - number])
        lanes = orders._replace(missed=bits_in(left[0] & left[1]), **own)
        return int(anneal(rest, lanes, state[number], step._replace(moves=moves), aims._replace(turned=0.0))[1])

    made = sum(threads.map(half, range(2)))
    orders.missed[:] = bits_in(paths.wanted & ~np.bitwise_or.reduce(orders.cover, axis=0))
    return orders.unserved, made


def bits_in(left: Ints) -> Ints:
    """Number of bits in each row."""
    # Of a negative number it counts the bits of its absolute value.
    count: Ints = np.bitwise_count(left.view(np.uint64)).sum(axis=1, dtype=np.int64)
    return count
