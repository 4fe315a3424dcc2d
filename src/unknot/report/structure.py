"""Networks without coordinates whose structure shows from their channels: chains, trees, stages, two sides."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.network import Network

Places = npt.NDArray[np.complex128]
Levels = npt.NDArray[np.int64]

LAYERED_LEAVES = 40
"""Most leaves of a tree that is drawn in layers; a larger one is drawn in circles round its root."""


def by_structure(network: Network) -> Places | None:
    """Positions of the routers of a chain, ring, tree, multistage or complete bipartite network, else None."""
    links = _links(network)
    if not _connected(network.num_routers, links):
        return None
    order = _chain(network.num_routers, links)
    if order is not None:
        closed = len(links) == network.num_routers
        place = np.empty(network.num_routers, dtype=np.complex128)
        place[order] = in_a_row(np.arange(len(order)), len(order), closed)
        return place
    if len(links) == network.num_routers - 1:
        return _tree(network.num_routers, links)
    stage = _stages(network)
    if stage is not None:
        rows = _spread(network, stage)
        between = max(1.6, 1.15 * float(np.ptp(rows)) / max(int(stage.max()), 1))
        return np.asarray(stage * between + 1j * rows, dtype=np.complex128)
    return _two_sides(network, links)


def in_a_row(position: npt.NDArray[np.integer], k: int, closed: bool) -> Places:
    """Places of positions 0 … k − 1 of a ring (a circle, or a cogwheel if it is long) or of a line (in rows)."""
    if closed and k > 160:
        return np.asarray(_cogwheel(k)[position], dtype=np.complex128)
    if closed:
        return in_a_circle(position, k)
    columns = k if k <= 24 else int(np.ceil(np.sqrt(2.0 * k)))
    row, column = np.divmod(position, columns)
    return np.asarray(np.where(row % 2 == 0, column, columns - 1 - column) + 1j * row, dtype=np.complex128)


def in_a_circle(position: npt.NDArray[np.integer], k: int) -> Places:
    """Places of positions 0 … k − 1 on a circle, from the top to the right."""
    turn = 2j * np.pi * position / k - 0.5j * np.pi
    return np.asarray(np.exp(turn) * (0.5 / np.sin(np.pi / k)), dtype=np.complex128)


def layered(network: Network, layer: Levels) -> Places:
    """Layers above each other, the first at the bottom."""
    x = _spread(network, layer)
    return x + 1j * (int(layer.max()) - layer) * _between(layer)


def _cogwheel(k: int) -> Places:
    """Places all along the outline of a cogwheel, where a long ring has more room than on a circle."""
    reach = (np.sqrt(18.0 + 3.18 * k) - 4.24) / 1.59
    teeth = max(3, round(0.61 * reach))
    spoke = np.exp(1j * np.pi * np.arange(2 * teeth + 1) / teeth - 0.5j * np.pi)
    radii = np.array([[0.35, 1.0], [1.0, 0.35]]) * reach
    corners = (spoke[:, None] * radii[np.arange(2 * teeth + 1) % 2]).ravel()[:-1]
    run = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(corners)))])
    at = np.arange(k) * run[-1] / k
    places = np.interp(at, run, corners.real) + 1j * np.interp(at, run, corners.imag)
    return np.asarray(places * k / run[-1], dtype=np.complex128)


def _links(network: Network) -> npt.NDArray[np.int64]:
    """Pairs of different routers that some channel joins, each once."""
    pairs = np.stack([network.source, network.target], axis=1).astype(np.int64)
    pairs.sort(axis=1)
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def _neighbours(routers: int, links: npt.NDArray[np.int64]) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(routers)]
    for u, v in links.tolist():
        neighbours[u].append(v)
        neighbours[v].append(u)
    return neighbours


def _connected(routers: int, links: npt.NDArray[np.int64]) -> bool:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(routers, routers))
    return int(connected_components(graph, directed=False)[0]) == 1


def _chain(routers: int, links: npt.NDArray[np.int64]) -> list[int] | None:
    """The routers along a line or round a ring, if the network is one."""
    degree = np.bincount(links.ravel(), minlength=routers)
    if degree.max() > 2:
        return None
    near = _neighbours(routers, links)
    ends = np.flatnonzero(degree == 1)
    order = [int(ends[0]) if ends.size else 0]
    last = -1
    while len(order) < routers:
        here = order[-1]
        order.append(next(v for v in sorted(near[here]) if v != last and (v != order[0] or len(order) < 2)))
        last = here
    return order


def _tree(routers: int, links: npt.NDArray[np.int64]) -> Places:
    """A tree from its centre: in layers, or in circles if it is a star or has many leaves."""
    near = _neighbours(routers, links)
    root = _centre(near)
    depth = np.zeros(routers, dtype=np.int64)
    slot = np.zeros(routers)
    leaves = 0
    parent = {root: root}
    order, stack = [], [root]
    while stack:
        here = stack.pop()
        order.append(here)
        children = [v for v in near[here] if v != parent[here]]
        for child in reversed(children):
            parent[child], depth[child] = here, depth[here] + 1
        stack += reversed(children)
        if not children:
            slot[here] = leaves
            leaves += 1
    for here in reversed(order):
        children = [v for v in near[here] if v != parent[here]]
        if children:
            slot[here] = 0.5 * (slot[children[0]] + slot[children[-1]])
    deepest = int(depth.max())
    if deepest > 1 and leaves <= LAYERED_LEAVES:
        return slot + 1j * depth * max(1.2, leaves / (3.0 * deepest))
    count = np.bincount(depth)
    rim = max(1.2 * deepest, *(count[1:] * deepest / (2 * np.pi * np.arange(1, deepest + 1))))
    reach = rim * depth / deepest
    if deepest == 1 and leaves > 100:
        reach = reach * (1.0 - 0.12 * (slot % 5))
    return np.asarray(reach * np.exp(2j * np.pi * slot / leaves - 0.5j * np.pi), dtype=np.complex128)


def _centre(near: list[list[int]]) -> int:
    """The router of a tree whose farthest one is nearest, found by taking off leaves; of two, the first."""
    degree = [len(links) for links in near]
    leaves = [r for r, links in enumerate(degree) if links <= 1]
    left = len(near)
    while left > 2:
        left -= len(leaves)
        inner = []
        for leaf in leaves:
            for v in near[leaf]:
                degree[v] -= 1
                if degree[v] == 1:
                    inner.append(v)
        leaves = inner
    return min(leaves)


def _stages(network: Network) -> Levels | None:
    """The stage of each router, if every channel leads to the next stage."""
    stage = np.full(network.num_routers, -1, dtype=np.int64)
    waiting = np.bincount(network.target, minlength=network.num_routers)
    stage[waiting == 0] = 0
    for level in range(network.num_routers):
        leaving = np.flatnonzero(stage[network.source] == level)
        if not leaving.size:
            break
        stage[network.target[leaving]] = level + 1
    if (stage < 0).any() or not (stage[network.target] == stage[network.source] + 1).all():
        return None
    return stage


def _two_sides(network: Network, links: npt.NDArray[np.int64]) -> Places | None:
    """Two rows, if every router of one is linked to every one of the other and to no other."""
    side = np.ones(network.num_routers, dtype=bool)
    first = links[(links == 0).any(axis=1)].sum(axis=1)
    side[first] = False
    many, few = int(side.sum()), int((~side).sum())
    crossing = side[links[:, 0]] != side[links[:, 1]]
    if not few or len(links) != many * few or not crossing.all():
        return None
    return layered(network, np.where(side if many < few else ~side, 1, 0))


def _between(layer: Levels) -> float:
    """Distance of two layers."""
    depth = max(int(layer.max()), 1)
    return max(1.6, float(np.bincount(layer).max()) / (3.0 * depth))


def _spread(network: Network, layer: Levels) -> npt.NDArray[np.float64]:
    """Positions along the layers: in order of number, or by the mean of the neighbours where that is much shorter."""
    x = np.zeros(network.num_routers)
    width = max(float(np.bincount(layer).max()), 2.0)
    depth = int(layer.max())
    degree = np.bincount(np.concatenate([network.source, network.target]), minlength=network.num_routers)

    def place(members: npt.NDArray[np.int64], keys: npt.NDArray[np.float64]) -> None:
        ordered = members[np.lexsort((members, keys))]
        x[ordered] = (np.arange(ordered.size) + 0.5) * width / ordered.size

    def run() -> float:
        return float(np.abs(x[network.source] - x[network.target]).sum())

    for level in range(depth + 1):
        members = np.flatnonzero(layer == level)
        place(members, np.zeros(members.size))
    in_order, plain = x.copy(), run()
    for _ in range(8):
        for level in [*range(1, depth + 1), *range(depth - 1, -1, -1)]:
            total = np.bincount(network.source, weights=x[network.target], minlength=network.num_routers)
            total += np.bincount(network.target, weights=x[network.source], minlength=network.num_routers)
            members = np.flatnonzero(layer == level)
            place(members, np.round(total[members] / np.maximum(degree[members], 1), 6))
    return in_order if plain <= 1.15 * run() else x
