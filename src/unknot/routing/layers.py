"""Deterministic routes shared out among layers of virtual lanes: what LASH and DFSSSP have in common.

Every layer has its own VC on each channel, and the routes of a layer close no cycle of dependencies. A header stays
in the layer it was sent in, which its address names, as a service level does in InfiniBand: the address of a
terminal in layer l is l · terminals + terminal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unknot._base.compressed_rows import positions
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.model import IntArray, Offsets
from unknot.routing.contract import ACYCLIC
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels

Ints = npt.NDArray[np.int64]
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
        first, channels = self.network.outgoing
        place = np.empty(self.network.num_channels, dtype=np.int32)
        place[channels] = np.arange(channels.size) - first[self.network.source[channels]]
        return *_joined(self.network.outgoing, self.network.target), place


def first_fit(routes: Routes) -> tuple[Layers, int]:
    """The layer of each route, [row, router], and the number of layers, when each takes the first it fits into.

    8 bytes per channel and 2 per dependency for each of up to 64 layers.
    """
    from unknot.routing.layers_kernel import MOST_LAYERS
    from unknot.routing.layers_kernel import first_fit as fit

    network = routes.network
    line_first, after, place = routes.lines
    into_first, into = _joined(network.incoming, network.source)
    layer = np.zeros(routes.next_channel.shape, dtype=np.int8)
    used = fit(
        routes.next_channel, routes.home, routes.sources, network.target, line_first, after, into_first, into, place,
        layer,
    )  # fmt: skip
    if used < 0:
        raise RelationError(f"{network.name}: its routes need more than {MOST_LAYERS} layers")
    return layer, max(1, int(used))


def cycle_breaking(routes: Routes) -> tuple[Layers, int]:
    """The layer of each route, and the number of layers, when the weakest dependency of each cycle moves on.

    All begin in layer 0; as long as a layer has a cycle, the routes of its dependency
    with the fewest of them move to the next layer.
    """
    from unknot.routing.layers_kernel import break_cycles

    network = routes.network
    sending = np.bincount(network.inject, minlength=network.num_routers).astype(np.int64)
    layer = np.zeros(routes.next_channel.shape, dtype=np.int8)
    for current in range(127):
        if not break_cycles(
            routes.next_channel, routes.home, routes.sources, sending, network.target, *routes.lines,
            layer, current,
        ):  # fmt: skip
            return layer, current + 1
    raise RelationError(f"{network.name}: its routes need more than 127 layers")


def _joined(rows: tuple[Offsets, IntArray], end: IntArray) -> tuple[Offsets, IntArray]:
    """Return for every channel the channels listed for the router at its `end`, in compressed rows."""
    first, channels = rows
    return np.cumsum([0, *np.diff(first)[end].tolist()]), channels[positions(first, end)]


def layered(routes: Routes, layer: Layers, layers: int, vcs: int | None, name: str, source: str) -> Relation:
    """The relation of routes in layers: layer l has VC l, and every `layers`-th after it; refused with fewer VCs."""
    network = routes.network
    if vcs is None:
        vcs = layers
    if vcs < layers:
        raise RelationError(
            f"{name} on {network.name}: its routes need {layers} layers, and so as many VCs; got {vcs}"
        )
    virtual = VirtualChannels(network, vcs)
    router, first, terminals = virtual.router, virtual.first, network.num_terminals
    table, row, eject = routes.next_channel, routes.row, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, terminal, level = router[at], address % terminals, address // terminals
        if here == eject[terminal]:
            out[0] = EJECT
            return 1
        count = 0
        for v in range(level, vcs, layers):
            out[count] = first[table[row[terminal], here]] + v
            count += 1
        return count

    chosen = layer[np.ix_(routes.row, network.inject)].T
    return Relation(
        network,
        virtual,
        rule,
        name=f"{name} ({layers} layer{'s' * (layers > 1)})",
        destination=np.tile(np.arange(terminals, dtype=np.int32), layers),
        may_use=np.ascontiguousarray(np.concatenate([chosen == level for level in range(layers)], axis=1)),
        claims=ACYCLIC,
        claims_minimal=True,
        address_labels=tuple(
            f"{network.terminal_name(t)} in layer {level}" for level in range(layers) for t in range(terminals)
        ),
        source=source,
    )
