"""Incremental triangular meshes, grown at random."""

from __future__ import annotations

import numpy as np

from unknot._base.errors import NetworkError, shown
from unknot.network import Network
from unknot.network.families.links import affordable
from unknot.network.model import IntArray
from unknot_papers.itm.mesh import grow, network_of


def itm(n: int, kind: str = "exterior", *, degree: int | None = None, extra: int = 0, seed: int = 1) -> Network:
    """A random incremental triangular mesh of `n` routers, and more links if wanted.

    Parameters
    ----------
    n : int
        Routers, at least 3; the network of the same seed with more routers contains it.
    kind : {"exterior", "general"}
        Whether a new router may only be joined to the ends of an edge on the boundary, or to those of any edge.
    degree : int, optional
        Most links of a router within the mesh, at least 4.
    extra : int
        Further links between routers that have none, drawn at random: an irregular network that has a mesh in it.
    seed : int

    Raises
    ------
    NetworkError
        If an argument makes no sense.

    References
    ----------
    P. Liu and others: Incremental switch-based network architecture. National Taiwan University, report NSC
    90-2213-E-002-144, 2002.

    Examples
    --------
    >>> itm(12, seed=1)
    <Network itm(12, exterior, seed=1): 12 routers, 42 channels, 12 terminals>
    """
    if isinstance(n, int) and isinstance(extra, int):
        affordable(f"itm({shown(n)})", 2 * n, 8 * n + 2 * max(0, extra))
    mesh = grow(n, kind, degree=degree, seed=seed)
    most = n * (n - 1) // 2 - mesh.edges.shape[0]
    if isinstance(extra, bool) or not isinstance(extra, (int, np.integer)) or not 0 <= extra <= min(most, 1 << 24):
        raise NetworkError(f"itm: there is room for 0 to {min(most, 1 << 24)} links beside the mesh, got {extra!r}")
    options = "".join(
        f", {name}={value}" for name, value in (("degree", degree), ("extra", extra or None)) if value is not None
    )
    name = f"itm({n}, {kind}{options}, seed={seed})"
    if not extra:
        return network_of(mesh, name)
    ends = np.concatenate([mesh.edges, _others(mesh.edges, n, int(extra), seed)])
    pairs = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2)
    return Network(name, n, pairs[:, 0], pairs[:, 1])


def _others(edges: IntArray, n: int, count: int, seed: int) -> IntArray:
    """Distinct links that are not among some edges: int32 array, shape (count, 2)."""
    random = np.random.default_rng((seed, 1))
    taken = np.unique(edges[:, 0].astype(np.int64) * n + edges[:, 1])
    links = np.zeros(0, dtype=np.int64)
    while links.size < count:
        u, v = np.sort(random.integers(n, size=(2, 2 * count + 8)), axis=0)
        fresh = np.setdiff1d((u * n + v)[u != v], taken)
        links = np.concatenate([links, random.permutation(fresh)[: count - links.size]])
        taken = np.union1d(taken, links)
    return np.column_stack([links // n, links % n]).astype(np.int32)
