"""Small graphs with names, good for tests: Petersen and its generalisations, cages, Hoffman & Singleton.

Parameters
----------
n : int
    Letters that are permuted.

References
----------
S. B. Akers, B. Krishnamurthy: A group-theoretic model for symmetric interconnection networks. IEEE Transactions
on Computers, 38(4), 1989, 555–566. doi:10.1109/12.21148.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families.links import Ints, affordable, linked, simple, whole
from unknot.network.parts import Places


def generalized_petersen(n: int, k: int, *, latency: int = 1) -> Network:
    """A ring of n routers, a star polygon {n/k} of n others, and a spoke from each router to its like (Watkins 1969).

    With (8, 3) the graph of Möbius & Kantor, with (10, 2) the dodecahedron, with (10, 3) the graph of Desargues.

    Parameters
    ----------
    n : int
        At least 3.
    k : int
        From 1 to less than n / 2.

    References
    ----------
    M. E. Watkins: A theorem on Tait colorings with an application to the generalized Petersen graphs. Journal of
    Combinatorial Theory, 6(2), 1969, 152–164.

    Examples
    --------
    >>> generalized_petersen(7, 2)
    <Network generalized_petersen(7, 2): 14 routers, 42 channels, 14 terminals>
    """
    whole("generalized_petersen", "n", n, 3)
    whole("generalized_petersen", "k", k, 1, (n - 1) // 2)
    affordable(f"generalized_petersen({n}, {k})", 2 * n, 6 * n, 2 * n)
    return _petersen(f"generalized_petersen({n}, {k})", n, k, latency)


def petersen(*, latency: int = 1) -> Network:
    """The Petersen graph: 10 routers, degree 3, diameter 2, girth 5; none of this degree and diameter is larger.

    References
    ----------
    J. Petersen: Sur le théorème de Tait. L'Intermédiaire des Mathématiciens, 5, 1898, 225–227.

    Examples
    --------
    >>> petersen()
    <Network petersen(): 10 routers, 30 channels, 10 terminals>
    """
    return _petersen("petersen()", 5, 2, latency)


def heawood(*, latency: int = 1) -> Network:
    """The Heawood graph: 14 routers, degree 3, diameter 3; the smallest one of this degree and girth 6.

    References
    ----------
    P. J. Heawood: Map-colour theorem. Quarterly Journal of Mathematics, 24, 1890, 332–338.

    Examples
    --------
    >>> heawood()
    <Network heawood(): 14 routers, 42 channels, 14 terminals>
    """
    return _chorded("heawood()", 14, [5, -5], latency)


def mcgee(*, latency: int = 1) -> Network:
    """The McGee graph: 24 routers, degree 3, diameter 4; the smallest one of this degree and girth 7.

    References
    ----------
    W. F. McGee: A minimal cubic graph of girth seven. Canadian Mathematical Bulletin, 3, 1960, 149–152.

    Examples
    --------
    >>> mcgee()
    <Network mcgee(): 24 routers, 72 channels, 24 terminals>
    """
    return _chorded("mcgee()", 24, [12, 7, -7], latency)


def tutte_coxeter(*, latency: int = 1) -> Network:
    """The graph of Tutte & Coxeter: 30 routers, degree 3, diameter 4; the smallest one of this degree and girth 8.

    References
    ----------
    W. T. Tutte: A family of cubical graphs. Mathematical Proceedings of the Cambridge Philosophical Society, 43(4),
    1947, 459–474.

    Examples
    --------
    >>> tutte_coxeter()
    <Network tutte_coxeter(): 30 routers, 90 channels, 30 terminals>
    """
    return _chorded("tutte_coxeter()", 30, [-13, -9, 7, -7, 9, 13], latency)


def pappus(*, latency: int = 1) -> Network:
    """The Pappus graph: 18 routers, degree 3, diameter 4, girth 6.

    References
    ----------
    H. S. M. Coxeter: Self-dual configurations and regular graphs. Bulletin of the American Mathematical Society, 56,
    1950, 413–455.

    Examples
    --------
    >>> pappus()
    <Network pappus(): 18 routers, 54 channels, 18 terminals>
    """
    return _chorded("pappus()", 18, [5, 7, -7, 7, -7, -5], latency)


def chordal_ring(n: int, chords: list[int], *, latency: int = 1) -> Network:
    """A ring of n routers with chords in the notation of Lederberg, Coxeter & Frucht.

    Router i has a chord to router i + chords[i modulo their number].

    Parameters
    ----------
    n : int
        Number of routers.
    chords : list[int]
        Distances of the chords.

    Raises
    ------
    NetworkError
        If a chord of one router is not also one of the router it leads to.

    References
    ----------
    R. Frucht: A canonical representation of trivalent Hamiltonian graphs. Journal of Graph Theory, 1(1), 1977, 45–60.

    Examples
    --------
    >>> chordal_ring(14, [5, -5])
    <Network chordal_ring(14, [5, -5]): 14 routers, 42 channels, 14 terminals>
    """
    whole("chordal_ring", "the number of routers", n, 3)
    affordable(f"chordal_ring({n}, …)", n, 3 * n, n)
    if isinstance(chords, str) or not hasattr(chords, "__len__") or not len(chords):
        raise NetworkError(f"chordal_ring: the chords are a list of numbers, as in [5, -5]; got {chords!r}")
    steps = [whole("chordal_ring", "a chord", chord, -n, n) for chord in chords]
    name = f"chordal_ring({n}, [{', '.join(map(str, steps))}])"
    to = (np.arange(n) + np.array(steps)[np.arange(n) % len(steps)]) % n
    lost = np.flatnonzero(to[to] != np.arange(n))
    if lost.size:
        raise NetworkError(f"{name}: the chord of router {lost[0]} leads to {to[lost[0]]}, whose own leads elsewhere")
    return _chorded(name, n, steps, latency)


def _chorded(name: str, n: int, chords: list[int], latency: int) -> Network:
    here = np.arange(n)
    chord = here + np.array(chords)[here % len(chords)]
    return linked(name, n, simple(np.tile(here, 2), np.concatenate([here + 1, chord]) % n), latency=latency)


def _petersen(name: str, n: int, k: int, latency: int) -> Network:
    here = np.arange(n)
    u = np.concatenate([here, here, n + here])
    v = np.concatenate([(here + 1) % n, n + here, n + (here + k) % n])
    return linked(name, 2 * n, simple(u, v), latency=latency)


MOST_LETTERS = 10


def star_graph(n: int, *, latency: int = 1) -> Network:
    """The star graph of n letters: n! permutations, linked when the first letter changes places with another one.

    Degree n − 1, diameter ⌊3(n − 1) / 2⌋ (Akers, Harel & Krishnamurthy 1987). Coordinates are the letters; routers
    are numbered by them, the last one counting most.

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
    letters, target = generated(n, moves)
    source = np.repeat(np.arange(routers), len(moves))
    return Network(
        f"{family}({n})", routers, source, target, latency, places=Places(coordinates=letters, radices=(n,) * n)
    )


def generated(
    letters: int, moves: Sequence[Sequence[int]], afford: Callable[[int], None] = lambda routers: None
) -> tuple[Ints, Ints]:
    """The permutations that some moves generate, by their last letters, and where each move leads from each.

    Parameters
    ----------
    moves : list of permutations of 0 … letters − 1
        A move leads to the permutation whose letter i is letter move[i].
    afford : callable
        Called with a bound on the permutations before more are looked for; raises when they are too many.
    """
    steps = np.array(moves, dtype=np.int64).reshape(len(moves), letters)
    weight = np.int64(max(letters, 1)) ** np.arange(letters, dtype=np.int64)
    fresh = known = np.arange(letters, dtype=np.int64)[None, :]
    keys = known @ weight
    while fresh.size and len(steps):
        afford(keys.size + fresh.shape[0] * len(steps))
        reached = np.concatenate([fresh[:, step] for step in steps])
        reached_keys, index = np.unique(reached @ weight, return_index=True)
        new = ~np.isin(reached_keys, keys, kind="sort")
        fresh = reached[index[new]]
        known, keys = np.concatenate([known, fresh]), np.concatenate([keys, reached_keys[new]])
    order = np.argsort(keys)
    known, keys = known[order], keys[order]
    target = np.array([np.searchsorted(keys, known[:, step] @ weight) for step in steps], dtype=np.int64)
    return known, target.reshape(len(moves), keys.size).T.ravel()
