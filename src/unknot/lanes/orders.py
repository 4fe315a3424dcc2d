"""The search for orders of channels, one for each lane, by which shortest paths serve all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from unknot._base.errors import RelationError
from unknot.lanes.effort import SHARE, SearchEffort, annealed
from unknot.lanes.exact import ExactSearch
from unknot.lanes.grown import grown
from unknot.lanes.path_set import Floats, Ints
from unknot.lanes.rooted import ServingOrders, beginning, diagonal_orders, one_by_one, orders_of
from unknot.lanes.tables import Hops

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import PathSet

Begin = Callable[[int], "tuple[Floats, Ints | None]"]
Exactly = Callable[[int, float], ServingOrders | None]
Longer = Callable[[int, int, int, float], ServingOrders | None]
TURNED = 0.3
"""Share of aimed moves that change the table, where it is free."""
HEATS = ((6.0, 0.7), (12.0, 1.5), (6.0, 0.7), (8.0, 0.4))
"""Temperatures at the beginning and at the end of a round, in turn."""
ROUND = 200
"""Moves for each channel and lane of the first round."""
LARGE = 1 << 14
"""Channels × words from which a search begins with orders around roots, and not with random ones."""
GROWN = 1 << 12
"""Channels × words from which lanes are grown before the search."""
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
) -> ServingOrders | None:
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
            start, taken = beginning(paths, lanes, [effort.seed, 1000 * lanes + number], hops, roots=roots)
        else:
            start, taken = begin(number)
        orders, unserved = orders_of(paths, start, taken)
        moves = ROUND * paths.source.size * lanes << number
        turned = 0.0 if hops is None else TURNED
        heat = HEATS[number % len(HEATS)]
        *_, (unserved, least) = annealed(paths, orders, unserved, moves, heat, effort, turned=turned, share=share)
        if unserved == 0:
            return ServingOrders(orders.key, orders.taken)
        done, best = effort.tried.get(lanes, (0, least))
        effort.tried[lanes] = (done + 1, min(best, least))
        if effort.over:
            break
    return None


def fewest(paths: PathSet, exact: ExactSearch, *, rounds: int, limit: int | None = None) -> ServingOrders:
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

    def longer(lanes: int, first: int, rounds: int = 1, share: float = SHARE) -> ServingOrders | None:
        return search(paths, lanes, effort, first=first, rounds=rounds, hops=hops, share=share)

    def exactly(lanes: int, share: float) -> ServingOrders | None:
        keys = exact.keys(lanes, share)
        return None if keys is None else ServingOrders(keys, paths.nearer)

    best = diagonal_orders(exact.question.network, paths, hops) or one_by_one(paths, [effort.seed, 0], hops, limit)
    try:
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
    except KeyboardInterrupt:
        effort.interrupted = True
    return best


def fewer(
    best: ServingOrders, exact: ExactSearch, exactly: Exactly, longer: Longer, *, rounds: int, halved: bool = True
) -> Iterator[ServingOrders]:
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


def from_below(best: ServingOrders, exact: ExactSearch, exactly: Exactly, longer: Longer) -> Iterator[ServingOrders]:
    """Refute numbers of lanes from the fewest up, until one is possible, which is yielded, or it is left open.

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
