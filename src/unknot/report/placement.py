"""Positions of routers on paper; the same for the same network."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats, Ints, ranks
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import is_multistage, levels

MAX_DRAWN = 2000
"""Most routers of a network that is drawn."""
MOST_BY_HOPS = 300
"""Most routers whose distances on paper are made to agree with those in hops."""
ROOM = 0.62
"""Least distance of two routers where nothing else says where they stand."""

LEADING = {("group", "router"): 1, ("group", "level", "switch"): 1, ("corner", "position"): 1, ("side", "x", "y"): 2}
"""Number of leading coordinates that make a cluster, by the names of the coordinates."""

Places = npt.NDArray[np.complex128]


def placement(network: Network) -> Places:
    """Positions of the routers of a network.

    Networks with coordinates stand by these: a ring as a circle, a grid as a grid, three dimensions in oblique
    projection, further ones as grids of grids. Dimensions that wrap round are folded, so that no link of a torus is
    longer than two steps; groups (dragonfly, Slim Fly) stand on a circle. What is left stands in layers by the
    distance from the terminals when no channel stays within a layer, or else where distances on paper agree best with
    distances in hops (Kamada & Kawai 1989); many routers stand where springs between them balance (Fruchterman &
    Reingold 1991).

    Returns
    -------
    complex128 array, shape (routers,)
        x + iy with y downward; neighbours are about 1 apart.

    Notes
    -----
    O(routers²) time and memory for a network without coordinates.
    """
    if network.num_routers == 1:
        return np.zeros(1, dtype=np.complex128)
    staged = in_stages(network)
    if staged is not None:
        return staged
    level = levels(network)
    if level is not None and level.max() > 0 and "level" in network.dimensions[:1]:
        return layered(network, level)
    cluster = clusters(network)
    if cluster is not None:
        return _clustered(network, cluster)
    if network.coordinates is not None and network.coordinates.shape[1] > 0 and not scattered(network):
        return _by_coordinates(network, network.coordinates, network.radices)
    return layered(network, level) if level is not None and level.max() > 0 else _by_distance(network)


def scattered(network: Network) -> bool:
    """Whether coordinates are no places: most are not taken, and no channel changes one alone, as of permutations."""
    at = np.asarray(network.coordinates)
    few = 2.0 * network.num_routers < np.prod(network.radices, dtype=float)
    return few and not bool(((at[network.source] != at[network.target]).sum(axis=1) == 1).any())


def in_stages(network: Network) -> Places | None:
    """Positions of the switches of a network whose coordinates are stage and row, else None."""
    if network.coordinates is None or not is_multistage(network):
        return None
    count, rows = network.radices
    stage, row = network.coordinates.T
    used = np.zeros(count, dtype=np.int64)
    np.maximum.at(used, stage, row + 1)
    between = max(1.8, rows * 1.1 / max(count - 1, 1))
    stretch = (rows - 1) / np.maximum(used - 1, 1)
    y = np.where(used[stage] > 1, row * stretch[stage], (rows - 1) / 2)
    return np.asarray(stage * between + 1j * y, dtype=np.complex128)


def clusters(network: Network) -> Ints | None:
    """The cluster of each router, counted from 0, or None where there are none, or all are of one router."""
    count = LEADING.get(network.dimensions)
    if count is None or network.coordinates is None:
        return None
    names, cluster = np.unique(network.coordinates[:, :count], axis=0, return_inverse=True)
    return cluster.reshape(-1).astype(np.int64) if 1 < len(names) < network.num_routers else None


def in_a_row(position: npt.NDArray[np.integer], k: int, closed: bool) -> Places:
    """Places of positions 0 … k − 1 of a ring (a circle) or of a line (in rows)."""
    if closed:
        return in_a_circle(position, k)
    columns = k if k <= 24 else int(np.ceil(np.sqrt(2.0 * k)))
    row, column = np.divmod(position, columns)
    return np.asarray(np.where(row % 2 == 0, column, columns - 1 - column) + 1j * row, dtype=np.complex128)


def in_a_circle(position: npt.NDArray[np.integer], k: int) -> Places:
    """Places of positions 0 … k − 1 on a circle, from the top to the right."""
    turn = 2j * np.pi * position / k - 0.5j * np.pi
    return np.asarray(np.exp(turn) * (0.5 / np.sin(np.pi / k)), dtype=np.complex128)


def layered(network: Network, layer: Ints) -> Places:
    """Layers above each other, the first at the bottom."""
    x = _spread(network, layer)
    return x + 1j * (int(layer.max()) - layer) * _between(layer)


def _between(layer: Ints) -> float:
    """Distance of two layers."""
    depth = max(int(layer.max()), 1)
    return max(1.6, float(np.bincount(layer).max()) / (3.0 * depth))


def _spread(network: Network, layer: Ints) -> Floats:
    """Positions along the layers: in order of number, or by the mean of the neighbours where that is much shorter."""
    x = np.zeros(network.num_routers)
    width = max(float(np.bincount(layer).max()), 2.0)
    depth = int(layer.max())
    degree = np.bincount(np.concatenate([network.source, network.target]), minlength=network.num_routers)

    def place(members: Ints, keys: Floats) -> None:
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


def _clustered(network: Network, cluster: Ints) -> Places:
    """Each cluster a circle, turned so that its routers stand towards their neighbours in other clusters.

    Groups stand on a circle, other clusters as the routers of the network in which every cluster is one router. A
    group with levels stands in two rows, the leaves outside.
    """
    count = int(cluster.max()) + 1
    across = cluster[network.source] != cluster[network.target]
    if network.dimensions[0] == "corner":
        ends = np.unique(np.stack([cluster[network.source], cluster[network.target]])[:, across], axis=1)
        centre = placement(Network("clusters", count, ends[0], ends[1]))
    else:
        centre = in_a_circle(np.arange(count), count)
    outward = np.where(np.abs(centre) > 1e-9, centre / np.maximum(np.abs(centre), 1e-9), -1j)
    size = np.bincount(cluster)
    if "level" in network.dimensions:
        level, rank = np.asarray(network.coordinates)[:, 1:].T
        beside = (rank - (network.radices[2] - 1) / 2) * 1j
        offset = (np.where(level == 0, 0.7, -0.7) + beside) * outward[cluster]
    else:
        radius = np.where(size > 1, 0.5 / np.sin(np.pi / np.maximum(size, 2)), 0.0)
        spoke = np.exp(2j * np.pi * ranks(cluster) / size[cluster])
        pull = centre[cluster[network.target]] - centre[cluster[network.source]]
        pull[across] /= np.abs(pull[across])
        turn = np.zeros(count, dtype=np.complex128)
        np.add.at(turn, cluster[network.source], pull * spoke[network.source].conj())
        turn = np.where(np.abs(turn) > 1e-9, turn / np.maximum(np.abs(turn), 1e-9), outward)
        offset = (radius * turn)[cluster] * spoke
    apart = np.abs(centre[:, None] - centre[None, :]) + np.where(np.eye(count, dtype=bool), np.inf, 0.0)
    spread = (2 * float(np.abs(offset).max()) + 1.2) / float(apart.min())
    return np.asarray(spread * centre[cluster] + offset, dtype=np.complex128)


def _by_coordinates(network: Network, at: IntArray, radices: tuple[int, ...]) -> Places:
    wide = [i for i, k in enumerate(radices) if k > 1]
    if len(wide) == 1:
        i = wide[0]
        return in_a_row(at[:, i], radices[i], wraps(network, i))
    along = []
    width = height = 0.0
    for rank, i in enumerate(wide):
        k = radices[i]
        if rank == 0:
            step = complex(1.0, 0.0)
        elif rank == 1:
            step = complex(0.0, -1.0)
        elif rank == 2:
            step = complex(0.84, -0.66) / k
        elif rank % 2:
            step = complex(width + 0.9, -0.16)
        else:
            step = complex(0.16, -(height + 0.9))
        along.append(step * (fold(at[:, i], k) if k > 3 and wraps(network, i) else at[:, i]))
        width += abs(step.real) * (k - 1)
        height += abs(step.imag) * (k - 1)
    return np.sum(along, axis=0) if along else np.zeros(network.num_routers, dtype=np.complex128)


def fold(position: npt.NDArray[np.integer], k: int) -> Ints:
    """The order 0, k − 1, 1, k − 2, … of the positions of a ring: neighbours stand at most two places apart."""
    return np.asarray(np.where(2 * position < k, 2 * position, 2 * (k - position) - 1), dtype=np.int64)


def wraps(network: Network, i: int) -> bool:
    """Whether a dimension is a ring: its channels lead to the next position or from one end to the other."""
    at, k = np.asarray(network.coordinates)[:, i], network.radices[i]
    apart = np.abs(at[network.source] - at[network.target])
    return k > 2 and bool((apart == k - 1).any()) and bool(np.isin(apart, (0, 1, k - 1)).all())


def _by_distance(network: Network) -> Places:
    """Positions whose distances agree with those in hops, or of many routers balance springs; neighbours 1 apart."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(network.ends)
    if nx.density(graph) >= 1:
        return in_a_circle(np.arange(network.num_routers), network.num_routers)
    if network.num_routers > MOST_BY_HOPS:
        position = nx.spring_layout(graph, seed=1)
    else:
        hops = dict(nx.all_pairs_shortest_path_length(graph))
        apart = max(max(reached.values()) for reached in hops.values()) + 1.5
        position = nx.kamada_kawai_layout(graph, dist={a: {b: hops[a].get(b, apart) for b in graph} for a in graph})
    z = np.array([complex(*position[router]) for router in graph])
    z *= np.exp(-0.5j * np.angle((z**2).sum()))  # the longest extent lies level
    linked = np.abs(z[network.source] - z[network.target])
    return _spaced(z / (linked[linked > 0].mean() if linked.any() else np.abs(z).max()))


def _spaced(z: Places) -> Places:
    """Push apart routers that stand closer to each other than `ROOM`."""
    from scipy.spatial import cKDTree

    z = z + 1e-6 * np.exp(1j * np.arange(len(z)))
    for _ in range(60):
        pairs = cKDTree(np.stack([z.real, z.imag], axis=1)).query_pairs(ROOM, output_type="ndarray")
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        if not len(pairs):
            break
        apart = z[pairs[:, 0]] - z[pairs[:, 1]]
        push = 0.3 * (1.02 * ROOM - np.abs(apart)) * apart / np.abs(apart)
        np.add.at(z, pairs[:, 0], push)
        np.add.at(z, pairs[:, 1], -push)
    return z
