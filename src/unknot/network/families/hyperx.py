"""HyperX, the flattened butterfly and the complete graph: products of complete graphs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.families.links import affordable, whole


def hyperx(shape: Sequence[int], concentration: int = 1, *, latency: int | Sequence[int] = 1) -> Network:
    """A HyperX: routers that differ in one coordinate are linked (Ahn, Binkert, Davis, McLaren & Schreiber 2009).

    Dimension 0 is the low digit of a router's number. Channels are sorted by source, then by dimension, then by the
    coordinate they lead to.

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
    return _product(f"hyperx([{', '.join(map(str, sides))}]{more})", sides, concentration, latency)


def flattened_butterfly(k: int, n: int, *, concentration: int | None = None, latency: int = 1) -> Network:
    """The k-ary n-flat of Kim, Dally & Abts (2007): n − 1 dimensions of k completely linked routers.

    Every router has `concentration` terminals, by default k: k^n in all.

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
    return _product(name, [k] * (n - 1), k if concentration is None else concentration, latency)


def _product(name: str, sides: list[int], concentration: int, latency: int | Sequence[int]) -> Network:
    whole(name, "the concentration", concentration, 0)
    cycles = [latency] * len(sides) if isinstance(latency, (int, np.integer)) else list(latency)
    if len(cycles) != len(sides):
        raise NetworkError(f"{name}: one latency, or one for each of the {len(sides)} dimensions, is wanted")
    routers, degree = math.prod(sides), sum(sides) - len(sides)
    affordable(name, routers, routers * degree, routers * concentration, len(sides))
    number = np.arange(routers, dtype=np.int32)
    coordinates = np.empty((routers, len(sides)), dtype=np.int32)
    target = np.empty((routers, degree), dtype=np.int32)
    stride, column = 1, 0
    for i, side in enumerate(sides):
        at = coordinates[:, i] = number // stride % side
        others = np.arange(side - 1)
        others = others + (others >= at[:, None])
        target[:, column : column + side - 1] = number[:, None] + stride * (others - at[:, None])
        column += side - 1
        stride *= side
    return Network(
        name,
        routers,
        np.repeat(number, degree),
        target.ravel(),
        np.tile(np.repeat(np.array(cycles, dtype=np.int32), [side - 1 for side in sides]), routers),
        inject=np.repeat(number, concentration),
        coordinates=coordinates,
        radices=tuple(sides),
    )


def complete(n: int, *, latency: int = 1) -> Network:
    """`n` routers, every two of them linked.

    Examples
    --------
    >>> complete(5)
    <Network complete(5): 5 routers, 20 channels, 5 terminals>
    """
    whole("complete", "the number of routers", n, 1)
    affordable(f"complete({n})", n, n * (n - 1))
    router = np.arange(n, dtype=np.int32)
    others = router[: n - 1] + (router[: n - 1] >= router[:, None])
    source = np.repeat(router, n - 1)
    return Network(f"complete({n})", n, source, others.ravel(), latency)
