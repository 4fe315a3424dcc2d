"""Paths of a pair of terminals that share no link, or no switch."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages


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
    # Each channel c is a node between two switches, −1 − c, so that parallel ones are apart.
    graph = nx.empty_graph(network.num_routers, create_using=nx.DiGraph)
    for channel, ends in enumerate(zip(network.source.tolist(), network.target.tolist(), strict=True)):
        nx.add_path(graph, [ends[0], ~channel, ends[1]])
    search = nx.edge_disjoint_paths if apart == "links" else nx.node_disjoint_paths
    try:
        paths = [[~node for node in path[1::2]] for path in search(graph, start, end)]
    except nx.NetworkXNoPath:
        paths = []
    return np.array(sorted(paths), dtype=np.int32).reshape(-1, last)
