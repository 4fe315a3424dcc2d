"""Products of lines and rings: line, ring, mesh, torus, hypercube.

Dimension 0 is the low digit of a router's number. Channels are sorted by source router, then by port:
``2 i`` leads up and ``2 i + 1`` leads down dimension i. A ring of two routers is one link.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unknot.errors import NetworkError
from unknot.network import Network

MAX_ROUTERS = 2**27


def line(k: int, *, latency: int = 1) -> Network:
    """A line (path) of `k` routers."""
    return _grid(f"line({k})", [k], [False], latency)


def ring(k: int, *, latency: int = 1) -> Network:
    """A ring of `k` routers, channels both ways round."""
    return _grid(f"ring({k})", [k], [True], latency)


def mesh(*sides: int, latency: int = 1) -> Network:
    """A mesh: the product of lines of the given sides.

    Examples
    --------
    >>> mesh(4, 3).num_channels
    34
    """
    return _grid(f"mesh({', '.join(map(str, sides))})", sides, [False] * len(sides), latency)


def torus(*sides: int, latency: int = 1) -> Network:
    """A torus: the product of rings of the given sides.

    Examples
    --------
    >>> torus(8, 8).num_channels
    256
    """
    return _grid(f"torus({', '.join(map(str, sides))})", sides, [True] * len(sides), latency)


def hypercube(n: int, *, latency: int = 1) -> Network:
    """A hypercube of `n` dimensions: router numbers that differ in one bit are linked."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= 27:
        raise NetworkError(f"hypercube({n}): the dimension must be a whole number from 0 to 27")
    return _grid(f"hypercube({n})", [2] * n, [False] * n, latency)


def _grid(name: str, sides: Sequence[int], wraps: Sequence[bool], latency: int) -> Network:
    if not sides and not name.startswith("hypercube"):
        raise NetworkError(f"{name}: at least one side is needed, as in {name.split('(')[0]}(8, 8)")
    for side in sides:
        if isinstance(side, bool) or not isinstance(side, (int, np.integer)) or side < 1:
            raise NetworkError(f"{name}: a side must be a whole number of at least 1, got {side!r}")
    routers = math.prod(int(k) for k in sides)
    if routers > MAX_ROUTERS:
        raise NetworkError(f"{name}: {routers} routers; the limit is {MAX_ROUTERS}")
    number = np.arange(routers, dtype=np.int32)
    coordinates = np.empty((routers, len(sides)), dtype=np.int32)
    target = np.empty((routers, 2 * len(sides)), dtype=np.int32)
    exists = np.zeros((routers, 2 * len(sides)), dtype=bool)
    stride = 1
    for i, (k, wrap) in enumerate(zip(sides, wraps, strict=True)):
        at = coordinates[:, i] = number // stride % k
        for sign, last in ((0, k - 1), (1, 0)):
            step, jump = (stride, -stride * (k - 1)) if sign == 0 else (-stride, stride * (k - 1))
            edge = at == last
            target[:, 2 * i + sign] = number + np.where(edge, np.int32(jump), np.int32(step))
            exists[:, 2 * i + sign] = (k > 2) | ~edge if wrap else ~edge
        stride *= int(k)
    kept = np.flatnonzero(exists.ravel())
    return Network(
        name=name,
        num_routers=routers,
        source=(kept // max(1, 2 * len(sides))).astype(np.int32),
        target=target.ravel()[kept],
        latency=latency,  # type: ignore[arg-type]
        coordinates=coordinates if sides else None,
        radices=tuple(int(k) for k in sides),
    )
