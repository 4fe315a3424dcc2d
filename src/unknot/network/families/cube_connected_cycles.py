"""Cube-connected cycles."""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.network.families.links import affordable, linked, simple, whole


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
    around = simple(here, n * corner + (position + 1) % n)
    across = simple(here, n * (corner ^ (1 << position)) + position)
    cycles = [latency, latency if cube_latency is None else cube_latency]
    return linked(
        f"cube_connected_cycles({n})",
        n * 2**n,
        np.concatenate([around[0], across[0]]),
        np.concatenate([around[1], across[1]]),
        latency=np.repeat(cycles, [around[0].size, across[0].size]),
        coordinates=np.stack([corner, position], axis=1),
        radices=(2**n, n),
        dimensions=("corner", "position"),
    )
