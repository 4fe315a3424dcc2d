"""Graphs of permutations: star graph, pancake graph, bubble-sort graph."""

from __future__ import annotations

import math

import numpy as np

from unknot.network import Network
from unknot.network.families.links import affordable, whole

MOST_LETTERS = 10


def star_graph(n: int, *, latency: int = 1) -> Network:
    """The star graph of n letters: n! permutations, linked when the first letter changes places with another one.

    Degree n − 1, diameter ⌊3(n − 1) / 2⌋ (Akers, Harel & Krishnamurthy 1987). Coordinates are the letters; routers
    are numbered by them, the last one counting most.

    References
    ----------
    S. B. Akers, B. Krishnamurthy: A group-theoretic model for symmetric interconnection networks. IEEE Transactions
    on Computers, 38(4), 1989, 555–566. doi:10.1109/12.21148.

    Examples
    --------
    >>> star_graph(4)
    <Network star_graph(4): 24 routers, 72 channels, 24 terminals>
    """
    return _permutation_graph(
        "star_graph", n, [_swapped(n, 0, i) for i in range(1, _letters("star_graph", n))], latency
    )


def pancake(n: int, *, latency: int = 1) -> Network:
    """The pancake graph of n letters: n! permutations, linked when some first letters are turned round.

    Degree n − 1 (Akers & Krishnamurthy 1989); coordinates and numbers as in the star graph.

    References
    ----------
    S. B. Akers, B. Krishnamurthy: A group-theoretic model for symmetric interconnection networks. IEEE Transactions
    on Computers, 38(4), 1989, 555–566. doi:10.1109/12.21148.

    Examples
    --------
    >>> pancake(4)
    <Network pancake(4): 24 routers, 72 channels, 24 terminals>
    """
    moves = [[*range(i - 1, -1, -1), *range(i, n)] for i in range(2, _letters("pancake", n) + 1)]
    return _permutation_graph("pancake", n, moves, latency)


def bubble_sort(n: int, *, latency: int = 1) -> Network:
    """The bubble-sort graph of n letters: n! permutations, linked when two neighbouring letters change places.

    Degree n − 1, diameter n(n − 1) / 2 (Akers & Krishnamurthy 1989); coordinates and numbers as in the star graph.

    References
    ----------
    S. B. Akers, B. Krishnamurthy: A group-theoretic model for symmetric interconnection networks. IEEE Transactions
    on Computers, 38(4), 1989, 555–566. doi:10.1109/12.21148.

    Examples
    --------
    >>> bubble_sort(4)
    <Network bubble_sort(4): 24 routers, 72 channels, 24 terminals>
    """
    moves = [_swapped(n, i, i + 1) for i in range(_letters("bubble_sort", n) - 1)]
    return _permutation_graph("bubble_sort", n, moves, latency)


def _letters(family: str, n: int) -> int:
    return whole(family, "the number of letters", n, 1, MOST_LETTERS)


def _swapped(n: int, i: int, j: int) -> list[int]:
    letters = list(range(n))
    letters[i], letters[j] = j, i
    return letters


def _permutation_graph(family: str, n: int, moves: list[list[int]], latency: int) -> Network:
    """Permutations of n letters, each linked to those whose letter i is its letter move[i]; moves undo themselves."""
    routers = math.factorial(n)
    affordable(f"{family}({n})", routers, routers * len(moves), routers, n)
    known = np.zeros((1, 1), dtype=np.int32)
    for letters in range(2, n + 1):
        known = np.concatenate([np.insert(known, place, letters - 1, axis=1) for place in range(letters)])
    weight = np.int64(n) ** np.arange(n)
    known = known[np.argsort(known @ weight)]
    keys = known @ weight
    target = np.empty((routers, len(moves)), dtype=np.int32)
    for i, move in enumerate(moves):
        target[:, i] = np.searchsorted(keys, known[:, move] @ weight)
    return Network(
        f"{family}({n})",
        routers,
        np.repeat(np.arange(routers, dtype=np.int32), len(moves)),
        target.ravel(),
        latency,
        coordinates=known,
        radices=(n,) * n,
    )
