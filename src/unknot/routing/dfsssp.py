"""DFSSSP, deadlock-free single-source-shortest-path routing, on any network.

One destination after the other gets a tree of shortest paths, the lightest by weights that count the routes so far
on every channel, so that load is spread evenly (Hoefler, Schneider & Lumsdaine 2009). Then the routes are shared
out among layers: all begin in the first; as long as its dependency graph has a cycle, the routes that use one
dependency of it (the one of the fewest routes) move on to the next layer, and so on. A layer is a VC of every
channel, and a message never changes its layer, so there is no deadlock under any switching technique (Domke,
Hoefler & Nagel 2011). The number of VCs is the number of layers that come out. Minimal and deterministic. Where
there are more VCs than layers, the paper spreads routes over all of them; here a layer has several VCs instead.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.routing.layers import Routes, cycle_breaking, layered
from unknot.routing.paths import distances_to_homes, require_ways
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network


@takes_network
def dfsssp(network: Network, vcs: int | None = None) -> Relation:
    """Balanced shortest paths in layers made by breaking cycles.

    4 bytes for each router and terminal, 2 for each router and router that ejects, and while cycles are sought 8 for
    each hop of all routes.

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
    J. Domke, T. Hoefler, W. E. Nagel: Deadlock-free oblivious routing for arbitrary topologies. IPDPS 2011.

    Examples
    --------
    >>> from unknot.network.families import irregular
    >>> dfsssp(irregular(12, 4, 1))
    <Relation dfsssp (2 layers) on irregular(12, 4, 1, seed=1), 92 VCs>
    """
    routes = balanced_routes(network)
    layer, layers = cycle_breaking(routes)
    return layered(routes, layer, layers, vcs, "dfsssp", "Domke, Hoefler & Nagel 2011")


def balanced_routes(network: Network) -> Routes:
    """The routes of SSSP, a row for each terminal: of the shortest paths those on which the fewest routes run yet."""
    from unknot.routing.layers_kernel import balanced_channels

    distances = distances_to_homes(network, "dfsssp")
    require_ways(network, distances.table, distances.homes, "dfsssp")
    terminals = np.arange(network.num_terminals)
    sending = np.bincount(network.inject, minlength=network.num_routers).astype(np.int64)
    table = np.empty((network.num_terminals, network.num_routers), dtype=np.int32)
    balanced_channels(
        *network.outgoing,
        network.source,
        network.target,
        distances.table,
        distances.column,
        terminals,
        sending,
        table,
    )
    table.setflags(write=False)
    return Routes(network, table, network.eject.astype(np.int64), terminals)
