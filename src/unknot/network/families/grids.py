"""Products of lines and rings: line, ring, mesh, torus, hypercube.

Dimension 0 is the low digit of a router's number. Channels are sorted by source router, then by port:
``2 i`` leads up and ``2 i + 1`` leads down dimension i. A ring of two routers is one link.

Parameters
----------
*sides : int
    Routers in each dimension.
k : int
    Number of routers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, shown
from unknot.network import Network
from unknot.network.families.links import affordable, latencies, whole
from unknot.network.model import IntArray
from unknot.network.parts import Places

MAX_ROUTERS = 2**27
MAX_DIMENSIONS = 64


def line(k: int, *, latency: int = 1) -> Network:
    """A line (path) of `k` routers.

    Examples
    --------
    >>> line(4)
    <Network line(4): 4 routers, 6 channels, 4 terminals>
    """
    return _grid("line", [k], False, latency)


def ring(k: int, *, latency: int = 1) -> Network:
    """A ring of `k` routers, channels both ways round.

    Examples
    --------
    >>> ring(4)
    <Network ring(4): 4 routers, 8 channels, 4 terminals>
    """
    return _grid("ring", [k], True, latency)


def mesh(*sides: int, latency: int = 1) -> Network:
    """A mesh: the product of lines of the given sides.

    References
    ----------
    W. J. Dally: Performance analysis of k-ary n-cube interconnection networks. IEEE Transactions on Computers, 39(6),
    1990, 775–785. doi:10.1109/12.53599.

    Examples
    --------
    >>> mesh(4, 3).num_channels
    34
    """
    return _grid("mesh", sides, False, latency)


def torus(*sides: int, latency: int = 1) -> Network:
    """A torus: the product of rings of the given sides.

    References
    ----------
    W. J. Dally: Performance analysis of k-ary n-cube interconnection networks. IEEE Transactions on Computers, 39(6),
    1990, 775–785. doi:10.1109/12.53599.

    Examples
    --------
    >>> torus(8, 8).num_channels
    256
    """
    return _grid("torus", sides, True, latency)


def twisted_torus(*sides: int, twist: int | None = None, latency: int = 1) -> Network:
    """A torus whose wrap-around channels, but for those of dimension 0, also lead `twist` positions up dimension 0.

    With sides 2a and a, or 2a, a and a, the twist a makes the rectangular and the doubly twisted torus: distances are
    shorter and channels evenly loaded, as in a torus of equal sides.

    Parameters
    ----------
    *sides : int
        Positions of each dimension, at least 3 in each.
    twist : int, optional
        By default half of the first side.

    Raises
    ------
    NetworkError
        If a side is no whole number of at least 3, or there is one side only.

    References
    ----------
    J. M. Cámara, M. Moretó, E. Vallejo, R. Beivide, J. Miguel-Alonso, C. Martínez, J. Navaridas: Twisted torus
    topologies for enhanced interconnection networks. IEEE TPDS 21(12), 2010, 1765–1778.

    Examples
    --------
    >>> twisted_torus(8, 4)
    <Network twisted_torus(8, 4): 32 routers, 128 channels, 32 terminals>
    """
    if len(sides) < 2:
        raise NetworkError("twisted_torus: at least two sides are needed, as in twisted_torus(8, 4)")
    for side in sides:
        whole("twisted_torus", "a side", side, 3)
    by = whole("twisted_torus", "the twist", sides[0] // 2 if twist is None else twist, 0, sides[0] - 1)
    plain = torus(*sides, latency=latency)
    at = plain.coordinates
    assert at is not None
    here, there = at[plain.source].copy(), at[plain.target]
    step = there - here
    wraps = (np.abs(step) > 1) & (np.arange(len(sides)) > 0)
    # A step from the last position to the first one has a negative difference and is a step up.
    turned = np.where(step[wraps] < 0, by, -by)
    where = np.flatnonzero(wraps.any(axis=1))
    low = there[where, 0]
    target = plain.target.copy()
    target[where] += ((low + turned) % sides[0] - low).astype(target.dtype)
    more = "" if twist is None else f", twist={twist}"
    return Network(
        f"twisted_torus({', '.join(map(str, sides))}{more})", plain.num_routers, plain.source, target, plain.latency
    )


def hypercube(n: int, *, latency: int = 1) -> Network:
    """A hypercube of `n` dimensions: router numbers that differ in one bit are linked.

    Parameters
    ----------
    n : int
        Number of dimensions.

    References
    ----------
    C. L. Seitz: The cosmic cube. Communications of the ACM, 28(1), 1985, 22–33. doi:10.1145/2465.2467.

    Examples
    --------
    >>> hypercube(4)
    <Network hypercube(4): 16 routers, 64 channels, 16 terminals>
    """
    whole(f"hypercube({shown(n)})", "the dimension", n, 0, 27)
    return _grid("hypercube", [2] * n, False, latency, f"hypercube({n})")


def _grid(family: str, sides: Sequence[int], wrap: bool, latency: int, name: str = "") -> Network:
    if not sides and not name:
        raise NetworkError(f"{family}(): at least one side is needed, as in {family}(8, 8)")
    written = ", ".join(map(shown, sides[:MAX_DIMENSIONS]))
    name = name or f"{family}({written})"
    for side in sides:
        whole(name, "a side", side, 1, math.inf)
    if len(sides) > MAX_DIMENSIONS:
        raise NetworkError(f"{family}: {len(sides)} dimensions; the limit is {MAX_DIMENSIONS}")
    routers = math.prod(int(k) for k in sides)
    if routers > MAX_ROUTERS:
        raise NetworkError(f"{name}: {shown(routers)} routers; the limit is {MAX_ROUTERS}")
    affordable(name, routers, 2 * len(sides) * routers, routers, len(sides))
    return _product(name, [_steps(int(k), wrap and k > 2) for k in sides], latency, 1)


def _steps(k: int, wrap: bool) -> IntArray:
    """The next positions up and down a line or ring, −1 for none: shape (k, 2)."""
    to = np.arange(k, dtype=np.int32)[:, None] + np.array([1, -1], dtype=np.int32)
    return to % k if wrap else np.where(to < k, to, -1)


def _others(k: int) -> IntArray:
    """All other positions, ascending: shape (k, k − 1)."""
    to = np.arange(k - 1, dtype=np.int32)
    return to + (to >= np.arange(k)[:, None])


def _product(name: str, factors: Sequence[IntArray], latency: npt.ArrayLike, concentration: int) -> Network:
    """The product of graphs, each given by the positions to which channels lead from each position, −1 for none."""
    sides, widths = [len(to) for to in factors], [to.shape[1] for to in factors]
    routers, degree = math.prod(sides), sum(widths)
    number = np.arange(routers, dtype=np.int32)
    coordinates = np.empty((routers, len(sides)), dtype=np.int32)
    target = np.empty((routers, degree), dtype=np.int32)
    stride, column = 1, 0
    for i, to in enumerate(factors):
        at = coordinates[:, i] = number // stride % sides[i]
        steps = np.where(to < 0, 0, to - np.arange(sides[i], dtype=np.int32)[:, None])[at]
        target[:, column : column + widths[i]] = np.where(steps, number[:, None] + stride * steps, -1)
        stride, column = stride * sides[i], column + widths[i]
    kept = np.flatnonzero(target.ravel() >= 0)
    return Network(
        name,
        routers,
        (kept // max(1, degree)).astype(np.int32),
        target.ravel()[kept],
        latency,
        inject=np.repeat(number, concentration),
        places=Places(coordinates=coordinates if sides else None, radices=tuple(sides)),
    )


def hyperx(shape: Sequence[int], concentration: int = 1, *, latency: int | Sequence[int] = 1) -> Network:
    """A HyperX: routers that differ in one coordinate are linked (Ahn, Binkert, Davis, McLaren & Schreiber 2009).

    Channels are sorted by source, then by dimension, then by the coordinate they lead to.

    Parameters
    ----------
    shape : sequence of int
        Positions S_1, S_2, … of each dimension.
    concentration : int
        Terminals T at each router.
    latency : int or sequence of int
        Cycles of all links, or of those of each dimension.

    References
    ----------
    J. H. Ahn, N. Binkert, A. Davis, M. McLaren, R. S. Schreiber: HyperX: topology, routing, and packaging of
    efficient large-scale networks. SC 2009.

    Examples
    --------
    >>> hyperx([4, 3]).num_channels
    60
    """
    if isinstance(shape, str) or not isinstance(shape, Sequence) or not len(shape):
        raise NetworkError(
            f"hyperx: the shape is a list of the positions in each dimension, as in [4, 4]; got {shape!r}"
        )
    sides = [whole("hyperx", "each number of the shape", side, 1) for side in shape]
    more = "" if concentration == 1 else f", {concentration}"
    return _complete(f"hyperx([{', '.join(map(str, sides))}]{more})", sides, concentration, latency)


def flattened_butterfly(k: int, n: int, *, concentration: int | None = None, latency: int = 1) -> Network:
    """The k-ary n-flat of Kim, Dally & Abts (2007): n − 1 dimensions of k completely linked routers.

    Every router has `concentration` terminals, by default k: k^n in all.

    Parameters
    ----------
    k : int
        Routers in each dimension.
    n : int
        Dimensions, plus one.
    concentration : int or None
        Terminals of each router.

    References
    ----------
    J. Kim, W. J. Dally, D. Abts: Flattened butterfly: a cost-efficient topology for high-radix networks. ISCA 2007,
    126–137. doi:10.1145/1250662.1250679.

    Examples
    --------
    >>> flattened_butterfly(4, 3)
    <Network flattened_butterfly(4, 3): 16 routers, 96 channels, 64 terminals>
    """
    whole("flattened_butterfly", "the number k of positions", k, 1)
    whole("flattened_butterfly", "the number n of stages", n, 2, 64)
    more = "" if concentration is None else f", concentration={concentration}"
    name = f"flattened_butterfly({k}, {n}{more})"
    return _complete(name, [k] * (n - 1), k if concentration is None else concentration, latency)


def _complete(name: str, sides: list[int], concentration: int, latency: int | Sequence[int]) -> Network:
    """The product of complete graphs."""
    whole(name, "the concentration", concentration, 0)
    cycles = latencies(name, latency, len(sides), "for the dimensions")
    routers, degree = math.prod(sides), sum(sides) - len(sides)
    affordable(name, routers, routers * degree, routers * concentration, len(sides))
    of_channels = np.tile(np.repeat(np.array(cycles, dtype=np.int32), [side - 1 for side in sides]), routers)
    return _product(name, [_others(k) for k in sides], of_channels, concentration)


def complete(n: int, *, latency: int = 1) -> Network:
    """`n` routers, every two of them linked.

    Parameters
    ----------
    n : int
        Number of routers.

    Examples
    --------
    >>> complete(5)
    <Network complete(5): 5 routers, 20 channels, 5 terminals>
    """
    whole("complete", "the number of routers", n, 1)
    affordable(f"complete({n})", n, n * (n - 1))
    return Network(f"complete({n})", n, np.repeat(np.arange(n), n - 1), _others(n).ravel(), latency)
