"""Networks of words, in which a channel leads from a word to its shifts: de Bruijn, Kautz, shuffle-exchange.

Routers are words, numbered in alphabetical order and, up to 65,536 of them, labelled by themselves.

Parameters
----------
diameter : int
    Letters D of a word, at least 1.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families.links import MAX_CHANNELS, MOST_LABELS, Ints, affordable, linked, simple, whole
from unknot.network.families.links import directed as one_way


def de_bruijn(degree: int, diameter: int, *, directed: bool = True, latency: int = 1) -> Network:
    """The de Bruijn network B(d, D): each word of D letters has channels to the words after a shift by one letter.

    Router u has channels to d·u + 0 … d·u + d − 1 modulo d^D, loops at the words of one letter included; between any
    two routers a route of D hops is spelled by the letters of the destination (de Bruijn 1946).

    Parameters
    ----------
    degree : int
        Letters d of the alphabet, at least 1.
    directed : bool
        False: UB(d, D), the simple undirected graph without loops and double links.

    References
    ----------
    N. G. de Bruijn: A combinatorial problem. Proceedings of the Koninklijke Nederlandse Akademie van Wetenschappen,
    49, 1946, 758–764.
    M. R. Samatham, D. K. Pradhan: The de Bruijn multiprocessor network: a versatile parallel processing and sorting
    network for VLSI. IEEE Transactions on Computers, 38(4), 1989, 567–581.

    Examples
    --------
    >>> de_bruijn(2, 4)
    <Network de_bruijn(2, 4): 16 routers, 32 channels, 16 terminals>
    """
    name, routers = _sized("de_bruijn", degree, diameter, directed, degree)
    u = np.repeat(np.arange(routers), degree)
    v = degree * u % routers + np.tile(np.arange(degree), routers)
    digits = _digits(np.arange(routers), degree, diameter) if routers <= MOST_LABELS else None
    return _shown(name, routers, u, v, directed, latency, digits)


def kautz(degree: int, diameter: int, *, directed: bool = True, latency: int = 1) -> Network:
    """The Kautz network K(d, D): words of D of d + 1 letters, no two neighbours alike, with channels to their shifts.

    d^D + d^(D−1) routers, more than any other family known by a formula has at degree d and diameter D (Kautz 1968);
    there are no loops.

    Parameters
    ----------
    degree : int
        Letters other than the one before, d, at least 1.
    directed : bool
        False: the simple undirected graph.

    References
    ----------
    W. H. Kautz: Bounds on directed (d, k) graphs. Theory of Cellular Logic Networks and Machines, SRI Project 7258,
    1968.

    Examples
    --------
    >>> kautz(2, 3)
    <Network kautz(2, 3): 12 routers, 24 channels, 12 terminals>
    """
    name, routers = _sized("kautz", degree, diameter, directed, degree + 1)
    tail = routers // (degree + 1)
    # A word is its first letter and, for each further one, its rank among the letters unlike its predecessor.
    letter, ranks = np.divmod(np.repeat(np.arange(routers), degree), tail)
    second, ranks = np.divmod(ranks * degree + np.tile(np.arange(degree), routers), tail)
    u, v = np.repeat(np.arange(routers), degree), (second + (second >= letter)) * tail + ranks
    digits = None
    if routers <= MOST_LABELS:
        digits = _digits(np.arange(routers), degree, diameter)
        digits[:, 0] = np.arange(routers) // tail
        for i in range(1, diameter):
            digits[:, i] += digits[:, i] >= digits[:, i - 1]
    return _shown(name, routers, u, v, directed, latency, digits)


def shuffle_exchange(n: int, *, latency: int = 1) -> Network:
    """The shuffle-exchange network of 2^n words of bits: exchange flips the last bit, shuffle turns the word round.

    Links in both directions, without loops and double links (Stone 1971). n is at least 1.

    Parameters
    ----------
    n : int
        Bits of a word.

    References
    ----------
    H. S. Stone: Parallel processing with the perfect shuffle. IEEE Transactions on Computers, C-20(2), 1971, 153–161.
    doi:10.1109/T-C.1971.223205.

    Examples
    --------
    >>> shuffle_exchange(4)
    <Network shuffle_exchange(4): 16 routers, 42 channels, 16 terminals>
    """
    routers = 2 ** whole("shuffle_exchange", "the number of bits", n, 1, 26)
    affordable(f"shuffle_exchange({n})", routers, 4 * routers)
    u = np.arange(routers)
    pairs = simple(np.tile(u, 2), np.concatenate([u ^ 1, 2 * u % routers + u // (routers // 2)]))
    labels = _labels(_digits(u, 2, n)) if routers <= MOST_LABELS else None
    return linked(f"shuffle_exchange({n})", routers, pairs, latency=latency, router_labels=labels)


def _sized(family: str, degree: int, diameter: int, both: bool, letters: int) -> tuple[str, int]:
    """Name and number of routers: letters · degree^(diameter − 1)."""
    whole(family, "the degree", degree, 1)
    whole(family, "the diameter", diameter, 1, 64)
    if not isinstance(both, bool):
        raise NetworkError(f"{family}: directed must be True or False, got {both!r}")
    name = f"{family}({degree}, {diameter}{'' if both else ', directed=False'})"
    routers = letters * degree ** (diameter - 1)
    affordable(name, routers, routers * degree)
    return name, routers


def _shown(name: str, routers: int, u: Ints, v: Ints, directed: bool, latency: int, digits: Ints | None) -> Network:
    labels = None if digits is None else _labels(digits)
    if directed:
        return one_way(name, routers, u, v, latency=latency, router_labels=labels)
    return linked(name, routers, simple(u, v), latency=latency, router_labels=labels)


def _digits(numbers: Ints, base: int, length: int) -> Ints:
    """The digits of numbers, the highest first: shape (numbers, length)."""
    powers = [min(base**i, MAX_CHANNELS) for i in range(length - 1, -1, -1)]
    return numbers[:, None] // np.array(powers, dtype=np.int64) % base


def _labels(digits: Ints) -> tuple[str, ...]:
    between = "" if digits.max(initial=0) < 10 else "."
    return tuple(between.join(map(str, word)) for word in digits.tolist())


def cube_connected_cycles(n: int, *, latency: int = 1, cube_latency: int | None = None) -> Network:
    """A hypercube of n dimensions whose corners are rings of n routers, one for each dimension.

    n · 2^n routers of degree 3. Router (c, i), number n·c + i, is linked to (c, i ± 1) on its ring and to
    (c xor 2^i, i) across dimension i (Preparata & Vuillemin 1981). Coordinates are ``corner`` and ``position``.

    Parameters
    ----------
    n : int
        Dimensions, 1 to 22.
    latency : int
        Cycles of the links of the rings.
    cube_latency : int, optional
        Cycles of the links of the hypercube; by default `latency`.

    References
    ----------
    F. P. Preparata, J. Vuillemin: The cube-connected cycles: a versatile network for parallel computation.
    Communications of the ACM, 24(5), 1981, 300–309. doi:10.1145/358645.358660.

    Examples
    --------
    >>> cube_connected_cycles(3)
    <Network cube_connected_cycles(3): 24 routers, 72 channels, 24 terminals>
    """
    whole("cube_connected_cycles", "the number of dimensions", n, 1, 22)
    affordable(f"cube_connected_cycles({n})", n * 2**n, 3 * n * 2**n, n * 2**n, 2)
    corner, position = np.divmod(np.arange(n * 2**n), n)
    here = n * corner + position
    return linked(
        f"cube_connected_cycles({n})",
        n * 2**n,
        simple(here, n * corner + (position + 1) % n),
        simple(here, n * (corner ^ (1 << position)) + position),
        latency=[latency, latency if cube_latency is None else cube_latency],
        radices=(2**n, n),
        dimensions=("corner", "position"),
    )
