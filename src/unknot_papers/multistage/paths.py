"""The paths of pairs of terminals through the stages: how many, which, and how many that share nothing."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from unknot._base.compressed_rows import positions
from unknot._base.errors import NetworkError, UnknotError
from unknot._base.memory import require
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages

MAX_PATHS = 1_000_000
"""Most paths that are listed at once."""


def count_paths(network: Network) -> npt.NDArray[np.int64]:
    """Number of paths of every pair of terminals, by dynamic programming from stage to stage.

    Returns
    -------
    int64 array, shape (terminals, terminals)
        Row: source; column: destination.

    Notes
    -----
    O(channels × terminals) time, O(rows × terminals) memory.
    """
    view = stages(network)
    to, column = np.unique(network.eject, return_inverse=True)
    require(f"the numbers of paths of {network.name}", 8 * (network.num_routers + network.num_terminals) * to.size)
    paths = np.zeros((network.num_routers, to.size), dtype=np.int64)
    paths[to, np.arange(to.size)] = 1
    order = view.stage[network.source]
    for stage in reversed(range(view.count - 1)):
        channels = np.flatnonzero(order == stage)
        np.add.at(paths, network.source[channels], paths[network.target[channels]])
    return np.asarray(paths[np.ix_(network.inject, column)])


def all_paths(network: Network, source: int | str, destination: int | str) -> IntArray:
    """Every path of a pair.

    Returns
    -------
    int32 array, shape (paths, stages − 1)
        The channels of each path, in lexicographic order.

    Raises
    ------
    UnknotError
        If there are more than `MAX_PATHS`.
    """
    view = stages(network)
    start, end = network.terminal(source), network.terminal(destination)
    alive = _towards(network, int(network.eject[end]), view.count)
    first, channels = network.outgoing
    at = np.array([network.inject[start]] if alive[network.inject[start]] else [], dtype=np.int64)
    paths = np.empty((at.size, 0), dtype=np.int32)
    for _ in range(view.count - 1):
        count = first[at + 1] - first[at]
        parent = np.repeat(np.arange(at.size), count)
        taken = channels[positions(first, at)]
        kept = alive[network.target[taken]]
        paths = np.concatenate([paths[parent[kept]], taken[kept, None]], axis=1)
        at = network.target[taken[kept]].astype(np.int64)
        if at.size > MAX_PATHS:
            raise UnknotError(f"{network.name}: the pair has more than {MAX_PATHS} paths; count_paths counts them")
    return paths


def disjoint_paths(
    network: Network, source: int | str, destination: int | str, apart: Literal["links", "switches"] = "links"
) -> IntArray:
    """A largest set of paths of a pair that share no link, or no switch but the first and the last.

    By maximum flow (Menger): there is no larger set.

    Returns
    -------
    int32 array, shape (paths, stages − 1)
        The channels of each path.

    Raises
    ------
    NetworkError
        If `apart` is neither ``"links"`` nor ``"switches"``.
    """
    import networkx as nx

    if apart not in ("links", "switches"):
        raise NetworkError(f"paths can share no 'links' or no 'switches'; got {apart!r}")
    last = stages(network).count - 1
    start, end = int(network.inject[network.terminal(source)]), int(network.eject[network.terminal(destination)])
    if not last:
        return np.empty((int(start == end), 0), dtype=np.int32)
    graph = channel_graph(network)
    search = nx.edge_disjoint_paths if apart == "links" else nx.node_disjoint_paths
    try:
        paths = [[~node for node in path[1::2]] for path in search(graph, start, end)]
    except nx.NetworkXNoPath:
        paths = []
    return np.array(sorted(paths), dtype=np.int32).reshape(-1, last)


def channel_graph(network: Network, load: npt.ArrayLike = 0) -> Any:
    """The switches as a graph, each channel a node between two of them, so that parallel links are apart.

    Channel c is node −1 − c; the edge that leads to it has its `load` as an attribute.
    """
    import networkx as nx

    graph = nx.empty_graph(network.num_routers, create_using=nx.DiGraph)
    loads = np.broadcast_to(load, network.num_channels).tolist()
    for channel, ends in enumerate(zip(network.source.tolist(), network.target.tolist(), loads, strict=True)):
        graph.add_edge(ends[0], ~channel, load=ends[2])
        graph.add_edge(~channel, ends[1], load=0)
    return graph


def routers_of(network: Network, source: int, paths: npt.ArrayLike) -> IntArray:
    """The switches along paths of channels: shape (…, stages)."""
    channels = np.asarray(paths, dtype=np.int64)
    start = np.broadcast_to(network.inject[source], channels.shape[:-1])[..., None]
    return np.concatenate([start, network.target[channels]], axis=-1).astype(np.int32)


def _towards(network: Network, router: int, depth: int) -> npt.NDArray[np.bool_]:
    """Switches with a path to `router`."""
    reaches = np.zeros(network.num_routers, dtype=bool)
    reaches[router] = True
    for _ in range(depth - 1):
        reaches[network.source[reaches[network.target]]] = True
    return reaches
