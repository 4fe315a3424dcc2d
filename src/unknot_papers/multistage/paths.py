"""The paths of pairs of terminals through the stages: how many there are, and their switches."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.memory import require
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages


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
