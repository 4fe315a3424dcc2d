"""Products of lines and rings: line, ring, mesh, torus, hypercube.

Dimension 0 is the low digit of a router's number. Channels are sorted by source router, then by port:
``2 i`` leads up and ``2 i + 1`` leads down dimension i. A ring of two routers is one link.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unknot._base.errors import NetworkError, shown
from unknot.network import Network
from unknot.network.families.links import affordable, whole

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


def hypercube(n: int, *, latency: int = 1) -> Network:
    """A hypercube of `n` dimensions: router numbers that differ in one bit are linked.

    References
    ----------
    C. L. Seitz: The cosmic cube. Communications of the ACM, 28(1), 1985, 22–33. doi:10.1145/2465.2467.

    Examples
    --------
    >>> hypercube(4)
    <Network hypercube(4): 16 routers, 64 channels, 16 terminals>
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= 27:
        raise NetworkError(f"hypercube({shown(n)}): the dimension must be a whole number from 0 to 27")
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
    number = np.arange(routers, dtype=np.int32)
    coordinates = np.empty((routers, len(sides)), dtype=np.int32)
    target = np.empty((routers, 2 * len(sides)), dtype=np.int32)
    exists = np.zeros((routers, 2 * len(sides)), dtype=bool)
    stride = 1
    for i, k in enumerate(sides):
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
        latency=latency,
        coordinates=coordinates if sides else None,
        radices=tuple(int(k) for k in sides),
    )
