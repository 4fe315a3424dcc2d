"""The search for orders of channels, one for each lane, by which shortest paths serve all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.errors import RelationError
from unknot.lane_assignment.annealing import SHARE, Aims, annealed, bits_in
from unknot.lane_assignment.exact import ExactSearch
from unknot.lane_assignment.path_set import Floats
from unknot.lane_assignment.rooted import (
    LaneOrders,
    beginning,
    diagonal_orders,
    lane_after_lane,
    one_by_one,
    orders_of,
    rest_of,
)
from unknot.lane_assignment.tables import Hops
from unknot.search.effort import SearchEffort

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import Orders, PathSet

Begin = Callable[[int], LaneOrders]
Exactly = Callable[[int, float], LaneOrders | None]
Longer = Callable[[int, int, int, float], LaneOrders | None]
TURNED = 0.3
"""Share of aimed moves that change the table, where it is free."""
HEATS = ((6.0, 0.7), (12.0, 1.5), (6.0, 0.7), (8.0, 0.4))
"""Temperatures at the beginning and at the end of a round, in turn."""
ROUND = 200
"""Moves for each channel and lane of the first round; each has twice as many as the one before."""
LARGE = 1 << 14
"""Channels × words from which a search begins with orders around roots, and not with random ones."""
GROWN = 1 << 12
"""Channels × words from which lanes are grown before the search."""
COVERED = 0.96
"""Share of the pairs that the lanes serve with which those of a large network are annealed at first."""
GROWN_ROUNDS = 4
"""Rounds in one lane less than is known to do, before that search ends."""
GROWN_SHARE = 0.8
"""Share of the time that is left for a round: it ends when all pairs are served, and a slower one leaves fewer."""
GROWN_HEAT = (16.0, 1.0)
"""Temperatures at the beginning and at the end of a round."""
SPARE = 0.06
"""Cost when a pair loses its last lane but one, in pairs that lose their last; a later move may lose that one too."""
BELOW = 0.1
"""Share of the time that is left for refuting a number of lanes before the search, and for annealing before that."""
FIRST_ROUNDS = 3
"""Rounds for one number of lanes before the next one is tried."""


def search(
    paths: PathSet,
    lanes: int,
    effort: SearchEffort,
    *,
    first: int,
    rounds: int,
    hops: Hops | None = None,
    begin: Begin | None = None,
    share: float = SHARE,
) -> LaneOrders | None:
    """Return orders of the lanes that serve all pairs, or None if `rounds` rounds of annealing found none.

    Parameters
    ----------
    first : int
        Number of the first round; each has twice the moves of the one before.
    hops : int array, shape (homes, routers), optional
        Of shortest paths, if routes have to be those of a table; by default every way may be taken.
    begin : callable(int), optional
        Makes the keys and the table of the beginning of a round, by its number; by default `beginning` does, in turn
        from `lane_after_lane` and at random, in large networks the former first.
    share : float
        Of the time that is left, for each round.
    """
    for number in range(first, first + rounds):
        if begin is None:
            roots = number % 2 == (paths.nearer.size <= LARGE)
            start = beginning(paths, lanes, [effort.seed, 1000 * lanes + number], hops, roots=roots)
        else:
            start = begin(number)
        orders = orders_of(paths, start.key, start.taken)
        moves = ROUND * paths.source.size * lanes << number
        aims = Aims(turned=0.0 if hops is None else TURNED)
        heat = HEATS[number % len(HEATS)]
        *_, (unserved, least) = annealed(paths, orders, moves, heat, effort, aims=aims, share=share)
        if unserved == 0:
            return LaneOrders(orders.key, orders.taken)
        done, best = effort.tried.get(lanes, (0, least))
        effort.tried[lanes] = (done + 1, min(best, least))
        if effort.over:
            break
    return None


def fewest(paths: PathSet, exact: ExactSearch, *, rounds: int, limit: int | None = None) -> LaneOrders:
    """Orders that serve all pairs in as few lanes as are found.

    One quick result first, on tori by `diagonal_orders`, in large networks then those of `grown`; then `fewer`.

    Parameters
    ----------
    rounds : int
        Most rounds for one number of lanes.
    limit : int, optional
        Most lanes; more raise `RelationError`.
    """
    effort, hops = exact.effort, exact.question.hops

    def longer(lanes: int, first: int, rounds: int = 1, share: float = SHARE) -> LaneOrders | None:
        return search(paths, lanes, effort, first=first, rounds=rounds, hops=hops, share=share)

    def exactly(lanes: int, share: float) -> LaneOrders | None:
        keys = exact.keys(lanes, share)
        return None if keys is None else LaneOrders(keys, paths.nearer)

    best = diagonal_orders(exact.question.network, paths, hops) or one_by_one(paths, [effort.seed, 0], hops, limit)
    with effort.until_interrupted():
        if limit is not None and len(best) > limit:
            within = longer(limit, 0, rounds)
            if within is None:
                left = effort.tried[limit][1]
                raise RelationError(f"no routes in {limit} lanes were found; {left} pairs of routers were left over")
            best = within
        effort.reached(len(best))
        large = hops is None and paths.nearer.size >= GROWN
        if large and exact.low < len(best):
            for better in grown(paths, effort, exact.low, len(best)):
                best = better
                effort.reached(len(best))
        for better in fewer(best, exact, exactly, longer, rounds=rounds, halved=not large):
            best = better
            effort.reached(len(best))
    return best


def fewer(
    best: LaneOrders, exact: ExactSearch, exactly: Exactly, longer: Longer, *, rounds: int, halved: bool = True
) -> Iterator[LaneOrders]:
    """Yield orders in fewer and fewer lanes than are known.

    First by `from_below`; then by halving between the lower bound and what is known; then in one lane less, exactly,
    and if that leaves it open by longer rounds. At last those that are still open, exactly, from the fewest up.

    Parameters
    ----------
    exactly : callable(int, float)
        Orders of the lanes within a share of the time that is left; None if they are impossible or it is left open.
    longer : callable(int, int, int, float)
        Orders of the lanes by annealing: the number of its first round, rounds, and the share of the time that is
        left for each; None if none were found.
    halved : bool
        Whether numbers of lanes between the lower bound and what is known are tried by halving.
    """
    for known in from_below(best, exact, exactly, longer):
        best = known
        yield best
    low, high = exact.low, len(best) if halved else exact.low
    while low < high and not exact.effort.over:
        lanes = min((low + high) // 2, 2 * low) if high - low > 3 else low
        orders = longer(lanes, 0, min(rounds, FIRST_ROUNDS), SHARE)
        if orders is None:
            low = lanes + 1
        else:
            best, high = orders, lanes
            yield best
    spent = FIRST_ROUNDS
    while exact.low < len(best) and spent < rounds and not exact.effort.over:
        orders = exactly(len(best) - 1, SHARE) if spent == FIRST_ROUNDS else None
        if exact.low < len(best) and orders is None:
            orders = longer(len(best) - 1, spent, 1, SHARE)
        if orders is None:
            spent += 1
        else:
            best, spent = orders, FIRST_ROUNDS
            yield best
    for lanes in range(exact.low, len(best) - 1):
        orders = exactly(lanes, SHARE)
        if orders is not None:
            yield orders
        if exact.low <= lanes:
            return


def from_below(best: LaneOrders, exact: ExactSearch, exactly: Exactly, longer: Longer) -> Iterator[LaneOrders]:
    """Refute numbers of lanes from the lowest up; yield the first possible number, or stop at an open one.

    Each is tried by a short annealing before, which is sooner done where it is enough; but not where pairs have few
    shortest paths, of which the solver needs no more than seconds.
    """
    while exact.low < len(best) and not exact.effort.over:
        lanes = exact.low
        if not exact.fits(lanes):
            return
        at_once = exact.few_paths and exact.question.demand is not None
        orders = (None if at_once else longer(lanes, 0, 1, BELOW)) or exactly(lanes, BELOW)
        if orders is not None:
            yield orders
        if exact.low == lanes:
            return


def grown(
    paths: PathSet, effort: SearchEffort, low: int, most: int, heat: tuple[float, float] = GROWN_HEAT
) -> Iterator[LaneOrders]:
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
    orders = _with_more(paths, np.zeros((0, paths.source.size)), effort.seed, low, most)
    spent = 0
    while low <= len(orders.key) < most and spent < GROWN_ROUNDS:
        moves = ROUND * orders.key.size << spent
        aims = Aims(spare=SPARE)
        *_, (unserved, _) = annealed(paths, orders, moves, heat, effort, aims=aims, share=GROWN_SHARE, halved=True)
        if unserved == 0:
            most, spent = len(orders.key), 0
            yield LaneOrders(orders.key.copy(), paths.nearer)
            orders = orders_of(paths, np.delete(orders.key, _least_needed(paths, orders), axis=0))
        elif len(orders.key) + 1 < most and not effort.over:
            # The next round begins hot, and may not cool in the time that is left.
            for whole in _completed(paths, orders, effort.seed, most):
                most = len(whole)
                yield whole
            if len(orders.key) + 1 < most:
                orders = _with_more(paths, orders.key, effort.seed)
        else:
            spent += 1
        if effort.over:
            break
    else:
        return
    if orders.unserved:
        yield from _completed(paths, orders, effort.seed, most)


def _completed(paths: PathSet, orders: Orders, seed: int, most: int) -> Iterator[LaneOrders]:
    """Yield orders with lanes that serve the rest, if they are fewer than `most` then."""
    more = islice(lane_after_lane(rest_of(paths, orders), [seed, len(orders.key)]), most)
    if len(whole := np.array([*orders.key, *more])) < most:
        yield LaneOrders(whole, paths.nearer)


def _with_more(paths: PathSet, key: Floats, seed: int, low: int = 1, most: int = 1) -> Orders:
    """Orders with one lane more, or the first that serve `COVERED`: at least `low`, fewer than `most` if possible."""
    orders = orders_of(paths, key)
    enough = (1 - COVERED) * orders.unserved
    for more in lane_after_lane(rest_of(paths, orders), [seed, len(key)]):
        orders = orders_of(paths, np.array([*orders.key, more]))
        if len(orders.key) >= low and (orders.unserved <= enough or len(orders.key) + 1 >= most):
            break
    return orders


def _least_needed(paths: PathSet, orders: Orders) -> int:
    """The lane that serves fewest pairs which no other serves."""
    once, twice = np.zeros_like(paths.wanted), np.zeros_like(paths.wanted)
    for cover in orders.cover:
        once, twice = once | cover, twice | (once & cover)
    return int(np.argmin([bits_in(cover & paths.wanted & ~twice).sum() for cover in orders.cover]))
