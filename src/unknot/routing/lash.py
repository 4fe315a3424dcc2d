"""LASH, layered shortest-path routing, on any network.

One shortest path for each source and destination router. Path after path is put into the first layer in which it
closes no cycle of dependencies with those that are already there, and a new layer is opened when there is none. A
layer is a VC of every channel, and a message never changes its layer, so there is no deadlock under any switching
technique (Skeie, Lysne & Theiss 2002). The number of VCs is the number of layers that come out; it depends on the
network and on the paths. Minimal and deterministic. The paper ends by levelling the layers, which is left out here:
it changes no count.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.routing.layers import Routes, first_fit, layered
from unknot.routing.paths import distances_to_homes, require_ways
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network


@takes_network
def lash(network: Network, vcs: int | None = None) -> Relation:
    """Shortest paths in as many layers as keep each free of cycles.

    6 bytes for each router and each router that ejects, and one for each terminal, layer and terminal.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel: at least the number of layers (the default). More are shared out among the layers.

    Raises
    ------
    RelationError
        If there are too few VCs, with the number of layers that are needed, or the network is too large;
        `NetworkError` if some terminal has no way to another.

    References
    ----------
    T. Skeie, O. Lysne, I. Theiss: Layered shortest path (LASH) routing in irregular system area networks. IPDPS 2002.

    Examples
    --------
    >>> from unknot.network.families import irregular
    >>> lash(irregular(12, 4, 1))
    <Relation lash (2 layers) on irregular(12, 4, 1, seed=1), 92 VCs>
    """
    routes = shortest_routes(network)
    layer, layers = first_fit(routes)
    return layered(routes, layer, layers, vcs, "lash", "Skeie, Lysne & Theiss 2002")


def shortest_routes(network: Network) -> Routes:
    """The shortest paths of LASH: at every router the first channel that leads nearer to the destination."""
    from unknot.routing.layers_kernel import first_channels

    distances = distances_to_homes(network, "lash")
    require_ways(network, distances.table, distances.homes, "lash")
    table = np.empty(distances.table.shape, dtype=np.int32)
    first_channels(*network.outgoing, network.target, distances.table, table)
    table.setflags(write=False)
    return Routes(network, table, distances.homes, distances.column)
