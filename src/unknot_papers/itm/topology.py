"""Incremental triangular meshes (ITM): a triangle grown by joining each new router to both ends of an edge.

In the GENERAL kind any edge may be used, and again (these graphs are the 2-trees). In the EXTERIOR kind an edge is
used once, while it lies on the boundary (these are the triangulated polygons, or maximal outerplanar graphs).

Source: Liu et al. 2002, "Incremental triangular mesh".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import NetworkError, shown
from unknot._base.numbers import is_whole, require_whole
from unknot._base.shown import Brief
from unknot.network import Network
from unknot.network.families.links import affordable
from unknot.network.model import IntArray

KINDS = ("exterior", "general")
LEAST_DEGREE = 4
"""Least cap of the degree with which a mesh of any size can be grown."""


@dataclass(frozen=True, eq=False, repr=False)
class TriangularMesh(Brief):
    """Incremental triangular mesh: the order of its routers, and the edge each is added to.

    Attributes
    ----------
    order : int32 array, shape (routers,)
        Routers in an order in which they may be added; the first three form the triangle.
    parents : int32 array, shape (routers, 2)
        The ends of the edge each router was added to, by router; −1 for the first two of the order.
    """

    order: IntArray
    parents: IntArray

    @property
    def num_routers(self) -> int:
        return int(self.order.size)

    @cached_property
    def edges(self) -> IntArray:
        """The 2n − 3 edges, lower router first: int32 array, shape (edges, 2)."""
        children = self.order[2:]
        ends = [(self.order[:2])[None, :]]
        ends += [np.column_stack([self.parents[children, side], children]) for side in (0, 1)]
        return np.sort(np.concatenate(ends), axis=1).astype(np.int32)

    @cached_property
    def facets(self) -> IntArray:
        """The n − 2 triangles in the order in which they came: int32 array, shape (facets, 3)."""
        children = self.order[2:]
        return np.column_stack([self.parents[children], children]).astype(np.int32)

    @cached_property
    def uses(self) -> IntArray:
        """Number of facets each edge lies in, in the order of `edges`: int32 array, shape (edges,)."""
        n = np.int64(self.num_routers)
        keys = self.edges[:, 0] * n + self.edges[:, 1]
        by_key = np.argsort(keys)
        corners = np.sort(self.facets, axis=1).astype(np.int64)
        sides = np.concatenate([corners[:, a] * n + corners[:, b] for a, b in ((0, 1), (0, 2), (1, 2))])
        edges = by_key[np.searchsorted(keys[by_key], sides)]
        return np.bincount(edges, minlength=keys.size).astype(np.int32)

    @cached_property
    def exterior(self) -> Flags:
        """Mask of edges that lie in one facet only: bool array, shape (edges,)."""
        return np.asarray(self.uses == 1)

    def carries(self, network: Network) -> Flags:
        """Which channels of a network, parallel ones included, join routers that the mesh joins."""
        n, ends = np.int64(network.num_routers), self.edges.astype(np.int64)
        low, high = np.minimum(network.source, network.target), np.maximum(network.source, network.target)
        return np.isin(low * n + high, ends[:, 0] * n + ends[:, 1])

    @property
    def kind(self) -> str:
        """`exterior` if it could have been grown by exterior edges alone, else `general`."""
        return "exterior" if int(self.uses.max(initial=0)) <= 2 else "general"

    @cached_property
    def circle(self) -> IntArray | None:
        """The circular order of the routers along the exterior edges, from router 0; None for the general kind.

        int32 array, shape (routers,); O(routers): each router is spliced in between its parents.
        """
        if self.kind == "general":
            return None
        order, parents = self.order.tolist(), self.parents.tolist()
        after = dict(zip(order[:3], [*order[1:3], order[0]], strict=True))
        for v in order[3:]:
            x, y = parents[v]
            if after[y] == x:
                x, y = y, x
            after[x], after[v] = v, y
        circle = [0]
        while len(circle) < len(order):
            circle.append(after[circle[-1]])
        return np.array(circle, dtype=np.int32)


def grow(n: int, kind: str = "exterior", *, degree: int | None = None, seed: int = 1) -> TriangularMesh:
    """Grow a random incremental triangular mesh.

    Parameters
    ----------
    n : int
        Routers, at least 3.
    kind : {"exterior", "general"}
    degree : int, optional
        Most links of a router, at least 4. An edge is then used only if one of its ends keeps room for a further
        link, so that growth never comes to an end.
    seed : int
        The same seed gives the same mesh; a larger one begins with the smaller.

    Raises
    ------
    NetworkError
        If an argument makes no sense.
    """
    require_whole("itm: the number of routers", n, 3, 1 << 24, error=NetworkError)
    if kind not in KINDS:
        raise NetworkError(f"itm: the kind is {' or '.join(map(repr, KINDS))}, got {kind!r}")
    if degree is not None:
        require_whole("itm: a cap on the degree", degree, LEAST_DEGREE, error=NetworkError)
    require_whole("itm: the seed", seed, 0, error=NetworkError)
    most = n if degree is None else degree
    parents, edges, links = [(-1, -1), (-1, -1), (0, 1)], [(0, 1), (0, 2), (1, 2)], [2, 2, 2]
    draw = np.random.default_rng(seed).random
    while len(parents) < n:
        k = int(draw() * len(edges))
        x, y = edges[k]
        # An edge is open while both ends have less than the most links, and one of them less than one below.
        full = max(links[x], links[y]) >= most or min(links[x], links[y]) >= most - 1
        if full or kind == "exterior":
            edges[k] = edges[-1]
            edges.pop()
        if not full:
            edges += [(x, len(parents)), (y, len(parents))]
            parents.append((x, y))
            links[x] += 1
            links[y] += 1
            links.append(2)
    return TriangularMesh(np.arange(n, dtype=np.int32), np.array(parents, dtype=np.int32))


def network_of(mesh: TriangularMesh, name: str) -> Network:
    """The network whose links are the edges of a mesh."""
    return _linked(name, mesh.num_routers, mesh.edges)


def _linked(name: str, routers: int, ends: IntArray) -> Network:
    pairs = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2)
    return Network(name, routers, pairs[:, 0], pairs[:, 1])


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
    if not is_whole(extra) or not 0 <= extra <= min(most, 1 << 24):
        raise NetworkError(f"itm: there is room for 0 to {min(most, 1 << 24)} links beside the mesh, got {extra!r}")
    options = "".join(
        f", {name}={value}" for name, value in (("degree", degree), ("extra", extra or None)) if value is not None
    )
    name = f"itm({n}, {kind}{options}, seed={seed})"
    return _linked(name, n, np.concatenate([mesh.edges, _others(mesh.edges, n, int(extra), seed)]))


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
