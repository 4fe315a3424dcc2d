"""Groups of routers that stand for one node each in the drawing of a large network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import levels
from unknot.report.phrases import span
from unknot.report.placement import LEADING, clusters, scattered

MOST_GROUPS = 100
MOST_SEARCHED = 20_000
"""Most routers of a network whose groups are searched for by their channels alone."""

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Groups:
    """A network whose routers are gathered in groups.

    Attributes
    ----------
    network : Network
    of : int64 array, shape (routers,)
        Group of each router.
    names : tuple of str
    coordinates : int64 array, shape (groups, dimensions), or None
        Where groups of a grid stand.
    """

    network: Network
    of: Numbers
    names: tuple[str, ...]
    coordinates: Numbers | None = None

    @property
    def sizes(self) -> Numbers:
        """Routers of each group."""
        return np.bincount(self.of, minlength=len(self.names))

    @cached_property
    def between(self) -> tuple[Network, Numbers]:
        """The network of groups, a channel for each ordered pair that has some, and which it is of each channel."""
        source, target = self.of[self.network.source], self.of[self.network.target]
        across = source != target
        pairs, place = np.unique(np.stack([source[across], target[across]], axis=1), axis=0, return_inverse=True)
        channel = np.full(self.network.num_channels, -1, dtype=np.int64)
        channel[across] = place.ravel()
        at = self.coordinates
        made = Network(
            self.network.name, len(self.names), pairs[:, 0], pairs[:, 1],
            inject=np.unique(self.of[self.network.inject]),
            coordinates=None if at is None else at.astype(np.int32),
            radices=() if at is None else tuple(int(k) + 1 for k in at.max(axis=0)), router_labels=self.names,
        )  # fmt: skip
        return made, channel


def groups(network: Network) -> Groups | None:
    """The groups of a network: those its coordinates name, tiles of a grid, subtrees, else what hangs together.

    What hangs together is found by the Louvain method (V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre,
    Fast unfolding of communities in large networks, J. Stat. Mech., 2008) as NetworkX has it.

    Returns
    -------
    Groups or None
        At least two and at most `MOST_GROUPS`; None where there are none.
    """
    for search in (_named, _tiles, _subtrees, _communities):
        grouping = search(network)
        if grouping is not None and 1 < len(grouping.names) <= min(MOST_GROUPS, network.num_routers - 1):
            return grouping
    return None


def _named(network: Network) -> Groups | None:
    cluster = clusters(network)
    if cluster is None or network.coordinates is None:
        return None
    count = LEADING[network.dimensions]
    first = np.unique(cluster, return_index=True)[1]
    word = network.dimensions[0] if count == 1 else "group"
    names = [f"{word} {','.join(map(str, network.coordinates[r, :count].tolist()))}" for r in first.tolist()]
    return Groups(network, cluster, tuple(names))


def _tiles(network: Network) -> Groups | None:
    at = network.coordinates
    if at is None or "level" in network.dimensions or "stage" in network.dimensions or scattered(network):
        return None
    radices = np.array(network.radices, dtype=np.int64)
    side = np.ones_like(radices)
    while np.prod(-(-radices // side), dtype=float) > MOST_GROUPS:
        side[np.argmax(-(-radices // side))] += 1
    tile, of = np.unique(at // side, axis=0, return_inverse=True)
    names = [
        ",".join(
            span(int(t * s), int(min((t + 1) * s, k)) - 1, "–") for t, s, k in zip(row, side, radices, strict=True)
        )
        for row in tile.tolist()
    ]
    return Groups(network, of.reshape(-1).astype(np.int64), tuple(names), tile.astype(np.int64))


def _subtrees(network: Network) -> Groups | None:
    """Group routers by the subtrees below the top level, and that level; else by level."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    level = levels(network)
    if level is None or level.max() < 1:
        return None
    below = level < level.max()
    kept = below[network.source] & below[network.target]
    ends = (np.ones(int(kept.sum())), (network.source[kept], network.target[kept]))
    label = connected_components(coo_matrix(ends, shape=(network.num_routers,) * 2), directed=False)[1]
    label = np.where(below, label, -1)
    of = np.unique(label, return_inverse=True)[1].reshape(-1).astype(np.int64)
    if 2 < of.max() + 1 <= MOST_GROUPS:
        return Groups(network, of, ("top", *(f"subtree {i}" for i in range(int(of.max())))))
    return Groups(network, level, tuple(f"level {i}" for i in range(int(level.max()) + 1)))


def _communities(network: Network) -> Groups | None:
    if network.num_routers > MOST_SEARCHED:
        return None
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(zip(network.source.tolist(), network.target.tolist(), strict=True))
    communities = sorted(nx.community.louvain_communities(graph, seed=1), key=min)
    of = np.zeros(network.num_routers, dtype=np.int64)
    for i, members in enumerate(communities):
        of[list(members)] = i
    return Groups(network, of, tuple(f"group {i}" for i in range(len(communities))))


def totals(channel: Numbers, values: npt.NDArray[np.float64], count: int) -> npt.NDArray[np.float64]:
    """Sum of the values of the channels behind each channel between groups."""
    inside = channel >= 0
    return np.asarray(np.bincount(channel[inside], weights=values[inside], minlength=count), dtype=np.float64)


def busiest(channel: Numbers, values: npt.NDArray[np.float64], count: int) -> IntArray:
    """The channel with the highest value behind each channel between groups."""
    order = np.argsort(values, kind="stable")
    order = order[channel[order] >= 0]
    hottest = np.zeros(count, dtype=np.int32)
    hottest[channel[order]] = order
    return hottest
