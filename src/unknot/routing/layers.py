"""Deterministic routes on any network, shared out among layers of virtual lanes: LASH and DFSSSP.

Every layer has its own VC on each channel, and the routes of a layer close no cycle of dependencies. A header stays
in the layer it was sent in, which its address names, as a service level does in InfiniBand: the address of a terminal
in layer l is l · terminals + terminal. So there is no deadlock under any switching technique, and the number of VCs
is the number of layers that come out. Both are minimal and deterministic.

LASH, layered shortest-path routing (Skeie, Lysne & Theiss 2002), takes one shortest path for each source and
destination router. Path after path is put into the first layer in which it closes no cycle with those that are
already there, and a new layer is opened when there is none. The number of layers depends on the network and on the
paths. The paper ends by levelling the layers, which is left out here: it changes no count.

DFSSSP, deadlock-free single-source-shortest-path routing (Domke, Hoefler & Nagel 2011), gives one destination after
the other a tree of shortest paths, the lightest by weights that count the routes so far on every channel, so that
load is spread evenly (Hoefler, Schneider & Lumsdaine 2009). All routes begin in the first layer; as long as its
dependency graph has a cycle, the routes that use one dependency of it (the one of the fewest routes) move on to the
next layer, and so on. Where there are more VCs than layers, the paper spreads routes over all of them; here a layer
has several VCs instead.

Parameters
----------
vcs : int, optional
    VCs per channel: at least the number of layers (the default). More are shared out among the layers.

Raises
------
RelationError
    If there are too few VCs, with the number of layers that are needed, or the network is too large;
    `NetworkError` if some terminal has no way to another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints, ranks
from unknot._base.errors import RelationError
from unknot._base.kernels.lazy_kernel import CHANNELS, is_small, plainly
from unknot.network import Network
from unknot.network.model import IntArray, Offsets
from unknot.routing.lane_tables import tabled, terminals
from unknot.routing.paths import distances_to_homes, require_ways
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

Layers = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Routes:
    """One route from every router to each of some routers.

    Attributes
    ----------
    network : Network
    next_channel : int32 array, shape (rows, routers)
        The channel taken at each router; −1 at the end of the route and where there is no way.
    home : int64 array, shape (rows,)
        The router at which the routes of a row end.
    row : int64 array, shape (terminals,)
        The row by which each terminal is reached.
    """

    network: Network
    next_channel: IntArray
    home: Ints
    row: Ints

    @cached_property
    def sources(self) -> Ints:
        """Routers at which some terminal injects."""
        return np.unique(self.network.inject).astype(np.int64)

    @cached_property
    def lines(self) -> tuple[Offsets, IntArray, IntArray]:
        """Dependencies: where those of each channel begin, the channel each leads to, the place of each channel."""
        return *self.network.turns, ranks(self.network.source).astype(np.int32)


def first_fit(routes: Routes) -> tuple[Layers, int]:
    """The layer of each route, [row, router], and the number of layers, when each takes the first it fits into.

    16 bytes per channel and 2 per dependency for each of up to 64 layers.
    """
    from unknot.routing.layers_kernel import MOST_LAYERS
    from unknot.routing.layers_kernel import first_fit as fit

    network = routes.network
    layer = np.zeros(routes.next_channel.shape, dtype=np.int8)
    with plainly(is_small(layer.size, fit)):
        used = fit(
            routes.next_channel.reshape(-1), routes.home, routes.sources, network.target, *routes.lines,
            layer.reshape(-1),
        )  # fmt: skip
    if used < 0:
        raise RelationError(f"{network.name}: its routes need more than {MOST_LAYERS} layers")
    return layer, max(1, int(used))


def cycle_breaking(routes: Routes) -> tuple[Layers, int]:
    """The layer of each route, and the number of layers, when the weakest dependency of each cycle moves on.

    All begin in layer 0; as long as a layer has a cycle, the routes of its dependency with the fewest move on.
    """
    from unknot.routing.layers_kernel import break_cycles

    network = routes.network
    sending = network.terminals_at
    layer = np.zeros(routes.next_channel.shape, dtype=np.int8)
    with plainly(is_small(layer.size, break_cycles)):
        for current in range(127):
            if not break_cycles(
                routes.next_channel.reshape(-1), routes.home, routes.sources, sending, network.target, *routes.lines,
                layer.reshape(-1), current,
            ):  # fmt: skip
                return layer, current + 1
    raise RelationError(f"{network.name}: its routes need more than 127 layers")


def _layered(
    routes: Routes, share_out: Callable[[Routes], tuple[Layers, int]], vcs: int | None, name: str, source: str
) -> Relation:
    """The relation of routes that are shared out among layers."""
    (layer, layers), addresses = share_out(routes), terminals(routes.network, None, routes.row)
    return tabled(addresses, routes.next_channel, layer.T, layers, vcs=vcs, name=name, word="layer", source=source)


@takes_network
def lash(network: Network, vcs: int | None = None) -> Relation:
    """Shortest paths in as many layers as keep each free of cycles.

    6 bytes for each router and each router that ejects, and one for each terminal, layer and terminal.

    References
    ----------
    T. Skeie, O. Lysne, I. Theiss: Layered shortest path (LASH) routing in irregular system area networks. IPDPS 2002.

    Examples
    --------
    >>> from unknot.network.families import irregular
    >>> lash(irregular(12, 4, 1))
    <Relation lash (2 layers) on irregular(12, 4, 1, seed=1), 92 VCs>
    """
    return _layered(shortest_routes(network), first_fit, vcs, "lash", "Skeie, Lysne & Theiss 2002")


def shortest_routes(network: Network) -> Routes:
    """The shortest paths of LASH: at every router the first channel that leads nearer to the destination."""
    distances = distances_to_homes(network, "lash")
    require_ways(network, distances.table < 0, distances.homes, "lash")
    table = np.full(distances.table.shape, -1, dtype=np.int32)
    channels = network.outgoing[1][::-1]  # backwards: of several that lead nearer, the first is written last
    source, target = network.source[channels], network.target[channels]
    for row, hops in zip(table, distances.table, strict=True):
        nearer = (hops[source] > 0) & (hops[target] == hops[source] - 1)
        row[source[nearer]] = channels[nearer]
    return Routes(network, table, distances.homes, distances.column)


@takes_network
def dfsssp(network: Network, vcs: int | None = None) -> Relation:
    """Balanced shortest paths in layers made by breaking cycles.

    4 bytes for each router and terminal, 2 for each router and router that ejects, and while cycles are sought 8 for
    each hop of all routes.

    References
    ----------
    J. Domke, T. Hoefler, W. E. Nagel: Deadlock-free oblivious routing for arbitrary topologies. IPDPS 2011.

    Examples
    --------
    >>> from unknot.network.families import irregular
    >>> dfsssp(irregular(12, 4, 1))
    <Relation dfsssp (2 layers) on irregular(12, 4, 1, seed=1), 92 VCs>
    """
    return _layered(balanced_routes(network), cycle_breaking, vcs, "dfsssp", "Domke, Hoefler & Nagel 2011")


def balanced_routes(network: Network) -> Routes:
    """The routes of SSSP, a row for each terminal: of the shortest paths those on which the fewest routes run yet."""
    from unknot.routing.layers_kernel import balanced_channels

    distances = distances_to_homes(network, "dfsssp")
    require_ways(network, distances.table < 0, distances.homes, "dfsssp")
    sinks = np.arange(network.num_terminals)
    sending = network.terminals_at
    table = np.empty((network.num_terminals, network.num_routers), dtype=np.int32)
    with plainly(is_small(sinks.size * network.num_channels // CHANNELS, balanced_channels)):
        balanced_channels(
            *network.outgoing, network.target, distances.table.reshape(-1), distances.column, sinks, sending,
            table.reshape(-1),
        )  # fmt: skip
    return Routes(network, table, network.eject.astype(np.int64), sinks)
