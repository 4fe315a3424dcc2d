"""Placing the routers of a damaged network on the places of a whole one, from a few that are known.

Each placed router gives a mark to every pair of a neighbour and a place beside its own; the pair with most marks is
placed next (percolation matching: Yartseva & Grossglauser 2013). A cable in the wrong place marks a wrong pair once,
which seldom is the most.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush


def placed(
    neighbours: Sequence[set[int]], beside: Sequence[Sequence[int]], start: dict[int, int], rounds: int = 2
) -> dict[int, int]:
    """Return the place of each router, as far as some neighbour is placed.

    Parameters
    ----------
    neighbours : sequence of set of int
        Of each router.
    beside : sequence of sequence of int
        Places beside each place.
    start : dict of int to int
        Places of the first routers.
    rounds : int
        How often routers with few neighbours beside them are taken out and placed anew.

    Examples
    --------
    >>> ring = [{1, 3}, {0, 2}, {1, 3}, {2, 0}]
    >>> placed(ring, [[1, 3], [0, 2], [1, 3], [2, 0]], {0: 2, 1: 3, 3: 1})
    {0: 2, 1: 3, 3: 1, 2: 0}
    """
    place = _grown(neighbours, beside, start)
    for _ in range(rounds):
        badly = {router for router in place if _fit(router, place, neighbours, beside) < 0.5}
        if not badly and len(place) == len(neighbours):
            break
        kept = {router: at for router, at in place.items() if router not in badly}
        again = _grown(neighbours, beside, kept)
        if again == place:
            break
        place = again
    return place


def _fit(
    router: int, place: dict[int, int], neighbours: Sequence[set[int]], beside: Sequence[Sequence[int]]
) -> float:
    """The share of a router's neighbours that stand beside it."""
    around = set(beside[place[router]])
    return sum(place.get(other) in around for other in neighbours[router]) / max(len(neighbours[router]), 1)


def _grown(neighbours: Sequence[set[int]], beside: Sequence[Sequence[int]], start: dict[int, int]) -> dict[int, int]:
    place: dict[int, int] = {}
    taken: set[int] = set()
    marks: dict[tuple[int, int], int] = {}
    heap: list[tuple[int, int, int, int]] = []

    def put(router: int, at: int) -> None:
        place[router] = at
        taken.add(at)
        free = [spot for spot in beside[at] if spot not in taken]
        for other in neighbours[router]:
            if other in place:
                continue
            for spot in free:
                pair = (other, spot)
                marks[pair] = count = marks.get(pair, 0) + 1
                heappush(heap, (-count, len(place), other, spot))

    for router, at in start.items():
        put(router, at)
    while heap:
        count, _, router, at = heappop(heap)
        if router in place or at in taken or marks[router, at] != -count:
            continue
        put(router, at)
    return place
