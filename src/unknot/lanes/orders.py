"""The search for orders of channels, one for each lane, by which shortest paths serve all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from unknot._base.errors import RelationError
from unknot.lanes.effort import Effort
from unknot.lanes.rooted import Found, beginning, one_by_one, orders_of, rooted
from unknot.lanes.tables import Hops
from unknot.lanes.ways import Floats, Ints, of_pairs, served

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, Ways

Begin = Callable[[int], "tuple[Floats, Ints | None]"]
Exact = Callable[[int], "Found | Literal[True] | None"]
TURNED = 0.3
"""Share of aimed moves that change the table, where it is free."""
HEATS = ((6.0, 0.7), (12.0, 1.5), (6.0, 0.7), (8.0, 0.4))
"""Temperatures at the beginning and at the end of a round, in turn."""
AIMED = 0.9
"""Share of moves that are aimed at a pair that is not served."""
ROUND = 100
"""Moves for each channel and lane of the first round."""
LARGE = 1 << 14
"""Channels × words from which a search begins with orders around roots, and not with random ones."""
QUICK, QUICK_SHARE = 20, 0.04
"""Moves for each channel of a single lane in large networks; share of the time that is left."""
SHARE = 0.5
"""Share of the time that is left, in which a round has to end."""
FIRST_ROUNDS = 3
"""Rounds for one number of lanes before the next one is tried."""


def search(
    ways: Ways,
    lanes: int,
    effort: Effort,
    *,
    first: int,
    rounds: int,
    hops: Hops | None = None,
    begin: Begin | None = None,
    roots: bool | None = None,
) -> Found | None:
    """Return orders of the lanes that serve all pairs, or None if `rounds` rounds of annealing found none.

    Parameters
    ----------
    first : int
        Number of the first round; each has twice the moves of the one before.
    hops : int array, shape (homes, routers), optional
        Of shortest paths, if routes have to be those of a table; by default every way may be taken.
    begin : callable(int), optional
        Makes keys and table with which a round begins, of its number; by default `beginning` does.
    roots : bool, optional
        Begin around roots, or with random keys; by default in turn, in large networks the former first.
    """
    for number in range(first, first + rounds):
        if begin is None:
            around = number % 2 == (ways.nearer.size <= LARGE) if roots is None else roots
            start, taken = beginning(ways, lanes, [effort.seed, 1000 * lanes + number], hops, roots=around)
        else:
            start, taken = begin(number)
        orders, unserved = orders_of(ways, start, taken)
        moves = ROUND * ways.source.size * lanes << number
        turned = 0.0 if hops is None else TURNED
        unserved, least = _round(ways, orders, unserved, moves, HEATS[number % len(HEATS)], effort, lanes, turned)
        if unserved == 0:
            return Found(orders.key, orders.taken)
        done, best = effort.tried.get(lanes, (0, least))
        effort.tried[lanes] = (done + 1, min(best, least))
        if effort.over:
            break
    return None


def fewest(
    ways: Ways,
    least: int,
    effort: Effort,
    *,
    rounds: int,
    exact: Exact,
    hops: Hops | None = None,
    limit: int | None = None,
) -> Found:
    """Orders that serve all pairs in as few lanes as are found.

    One quick result first; then fewer lanes by halving between `least` and what is known; then one lane less than
    that, exactly, and if that leaves it open by more rounds. At last those that are still open, exactly, from the
    fewest up.

    Parameters
    ----------
    least : int
        Fewer lanes are known to be impossible.
    rounds : int
        Most rounds for one number of lanes.
    exact : callable(int)
        Orders of the lanes, or True if they are impossible, or None.
    limit : int, optional
        RelationError if no more than so many lanes are found.
    """
    best = one_by_one(ways, [effort.seed, 0], hops, limit)
    try:
        if limit is not None and len(best) > limit:
            fewer = search(ways, limit, effort, first=0, rounds=rounds, hops=hops)
            if fewer is None:
                left = effort.tried[limit][1]
                raise RelationError(f"no routes in {limit} lanes were found; {left} pairs of routers were left over")
            best = fewer
        effort.found(len(best))
        if hops is None and ways.nearer.size > LARGE and len(best) > least:
            polished = _polished(ways, effort, len(best))
            if polished is not None:
                best = polished
                effort.found(len(best))
        for better in _fewer(ways, best, least, effort, rounds, exact, hops):
            best = better
            effort.found(len(best))
    except KeyboardInterrupt:
        effort.interrupted = True
    return best


def _polished(ways: Ways, effort: Effort, most: int) -> Found | None:
    """Orders one by one around roots, each annealed for a while on what the ones before leave; None if not fewer."""
    left, keys = ways.wanted, list[Floats]()
    while left.any():
        if effort.over or len(keys) + 1 >= most:
            return None
        rest = of_pairs(ways, left)
        orders, unserved = orders_of(rest, next(rooted(rest, [effort.seed, len(keys)]))[None])
        hot = max(2.0, 20.0 * int(np.count_nonzero(left)) / int(np.count_nonzero(ways.wanted)))
        moves = QUICK * ways.source.size
        _round(rest, orders, unserved, moves, (hot, hot / 10), effort, len(keys), 0.0, share=QUICK_SHARE)
        left = left & ~served(orders, rest.home)[0]
        keys.append(orders.key[0])
    return Found(np.array(keys), ways.nearer)


def _fewer(
    ways: Ways, best: Found, least: int, effort: Effort, rounds: int, exact: Exact, hops: Hops | None
) -> Iterator[Found]:
    low, high = least, len(best) + 1
    while low < high and not effort.over:
        lanes = (low + high) // 2 if high - low > 3 else low
        found = search(ways, lanes, effort, first=0, rounds=min(rounds, FIRST_ROUNDS), hops=hops)
        if found is None:
            low = lanes + 1
        else:
            best, high = found, lanes
            yield best
    spent = FIRST_ROUNDS
    while least < len(best) and spent < rounds and not effort.over:
        answer = exact(len(best) - 1) if spent == FIRST_ROUNDS else None
        if answer is True:
            return
        found = search(ways, len(best) - 1, effort, first=spent, rounds=1, hops=hops) if answer is None else answer
        if found is None:
            spent += 1
        else:
            best, spent = found, FIRST_ROUNDS
            yield best
    for lanes in range(least, len(best) - 1):
        answer = None if effort.over else exact(lanes)
        if answer is not True:
            if answer is not None:
                yield answer
            return


def _round(
    ways: Ways,
    orders: Orders,
    unserved: int,
    moves: int,
    heat: tuple[float, float],
    effort: Effort,
    stream: int,
    turned: float,
    *,
    share: float = SHARE,
) -> tuple[int, int]:
    """One annealing; how many pairs are not served at its end, and at its best."""
    from unknot.lanes.orders_kernel import anneal

    seed = np.random.default_rng([effort.seed, stream, moves]).integers(2**63)
    state = np.array([seed], dtype=np.uint64)
    least, lanes = unserved, len(orders.key)
    for count, now, then in effort.cooled(moves, heat, share=share, words=ways.nearer.size):
        if unserved == 0:
            return 0, 0
        unserved, low, made = anneal(ways, orders, state, count, now, then, AIMED, turned, unserved)
        effort.moves += int(made)
        unserved, least = int(unserved), min(least, int(low))
        effort.say(f"{lanes} lane{'s' * (lanes > 1)}: {unserved} pairs left")
    return unserved, least
