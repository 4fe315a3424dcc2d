"""The array model of a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError
from unknot._base.frames import to_frame
from unknot._base.numbers import is_whole
from unknot._base.older import takes_parts
from unknot.network.bandwidth import Bandwidth as Bandwidth
from unknot.network.bandwidth import Bandwidths as Bandwidths
from unknot.network.bandwidth import written
from unknot.network.names import Named
from unknot.network.parts import IntArray as IntArray
from unknot.network.parts import Offsets as Offsets
from unknot.network.parts import Origin as Origin
from unknot.network.parts import Places as Places
from unknot.network.parts import Wires as Wires
from unknot.network.parts import frozen as frozen
from unknot.network.parts import routers_of

if TYPE_CHECKING:
    import networkx as nx
    import pandas


@takes_parts(wires=Wires, places=Places)
@dataclass(frozen=True, eq=False, init=False, repr=False)
class Network(Named):
    """Routers joined by directed channels, with terminals that inject and eject.

    A bidirectional link is two channels. Parallel channels are legal. Arrays are converted to int32, checked
    and made read-only; memory is 12 bytes per channel (20 where bandwidths differ), 8 per terminal, 4 per router and
    dimension.

    Parameters
    ----------
    name : str
        How the network is called in messages and reports.
    num_routers : int
        Routers are 0 … num_routers − 1.
    source, target : array_like of int, shape (channels,)
        The router at which each channel begins and ends.
    wires : Wires, int or array_like of int, shape (channels,)
        Latency, bandwidth and ports of channels; the latency alone stands for wires of bandwidth 1.
    inject, eject : array_like of int, shape (terminals,), optional
        The router where each terminal injects and ejects; by default one terminal per router.
    places : Places, optional
        Coordinates and names of routers and terminals.

    Attributes
    ----------
    latency, bandwidth, ports
        As in `wires`, arrays checked and read-only.
    coordinates, radices, dimensions, router_labels, terminal_labels, origin
        As in `places`.

    Raises
    ------
    NetworkError
        If any array has the wrong shape or an index is out of range.

    Examples
    --------
    >>> pair = Network("two routers", 2, source=[0, 1], target=[1, 0], wires=Wires(latency=3))
    >>> pair.num_channels, pair.num_terminals, pair.latency.tolist()
    (2, 2, [3, 3])
    """

    name: str
    num_routers: int
    source: IntArray
    target: IntArray
    wires: Wires
    inject: IntArray
    eject: IntArray
    places: Places

    def __init__(
        self,
        name: str,
        num_routers: int,
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        wires: Wires | npt.ArrayLike = 1,
        inject: npt.ArrayLike | None = None,
        eject: npt.ArrayLike | None = None,
        places: Places | None = None,
    ) -> None:
        if not is_whole(num_routers) or num_routers < 1:
            raise NetworkError(f"network {name!r}: it needs at least one router, got {num_routers!r}")
        inject = np.arange(num_routers) if inject is None else inject
        ends = {"source": source, "target": target, "inject": inject, "eject": inject if eject is None else eject}
        made = {key: routers_of(name, num_routers, key, stated) for key, stated in ends.items()}
        channels, terminals = made["source"].size, made["inject"].size
        if channels != made["target"].size:
            raise NetworkError(f"network {name!r}: {channels} channel sources, {made['target'].size} targets")
        if terminals != made["eject"].size:
            raise NetworkError(f"network {name!r}: {terminals} terminals inject, {made['eject'].size} eject")
        if not isinstance(places, Places | None):
            raise NetworkError(f"{name}: expected Places(…), got {places!r}")
        wires = (wires if isinstance(wires, Wires) else Wires(wires)).checked(name, channels)
        places = (places or Places()).checked(name, num_routers, terminals)
        self.__dict__.update(vars(wires) | vars(places) | made)
        self.__dict__.update(name=name, num_routers=int(num_routers), wires=wires, places=places)

    @property
    def numbering(self) -> Origin:
        """Numbers of routers, channels and terminals in the first network of the chain; without faults their own."""
        sizes = self.num_routers, self.num_channels, self.num_terminals
        return self.origin or Origin(*(frozen(np.arange(size)) for size in sizes))

    def without(
        self,
        routers: Iterable[int | str] = (),
        channels: Iterable[int] = (),
        links: Iterable[tuple[int | str, int | str]] = (),
    ) -> Network:
        """The network that is left when some routers and channels have failed.

        Parameters
        ----------
        routers : iterable of int or str
            Failed routers; their channels and terminals go with them.
        channels : iterable of int
            Failed directed channels.
        links : iterable of (int or str, int or str)
            Pairs of routers between which every channel, in both directions, has failed.

        Returns
        -------
        Network
            Its `origin` maps every survivor to its index in the first network of the chain.
        """
        dead_router = np.zeros(self.num_routers, dtype=bool)
        dead_router[[self.router(r) for r in routers]] = True
        dead = dead_router[self.source] | dead_router[self.target]
        for channel in channels:
            if not 0 <= int(channel) < self.num_channels:
                raise NetworkError(
                    f"network {self.name!r} has no channel {channel}: the last is {self.num_channels - 1}"
                )
            dead[int(channel)] = True
        for a, b in ((self.router(a), self.router(b)) for a, b in links):
            gone = self.between(a, b) + self.between(b, a)
            if not gone:
                raise NetworkError(f"network {self.name!r}: no link {self.router_name(a)}–{self.router_name(b)}")
            dead[gone] = True
        keep_r, keep_c = np.flatnonzero(~dead_router), np.flatnonzero(~dead)
        keep_t = np.flatnonzero(~(dead_router[self.inject] | dead_router[self.eject]))
        new = np.cumsum(~dead_router) - 1
        old = self.numbering
        origin = Origin(frozen(old.routers[keep_r]), frozen(old.channels[keep_c]), frozen(old.terminals[keep_t]))
        return replace(
            self,
            name=f"{self.name.removesuffix(' with faults')} with faults",
            num_routers=keep_r.size,
            source=new[self.source[keep_c]],
            target=new[self.target[keep_c]],
            wires=Wires(
                latency=self.latency[keep_c],
                bandwidth=self.bandwidth[keep_c],
                ports=None if self.ports is None else self.ports[keep_c],
            ),
            inject=new[self.inject[keep_t]],
            eject=new[self.eject[keep_t]],
            places=replace(
                self.places,
                coordinates=None if self.coordinates is None else self.coordinates[keep_r],
                router_labels=_picked(self.router_labels, keep_r),
                terminal_labels=_picked(self.terminal_labels, keep_t),
                origin=origin,
            ),
        )

    def with_bandwidth(self, bandwidth: Bandwidth | npt.ArrayLike | Sequence[Bandwidth]) -> Network:
        """The same network with other bandwidths: one for all channels, or one for each.

        Examples
        --------
        >>> from unknot.network.families import ring
        >>> ring(4).with_bandwidth("1/4").bandwidth.tolist()[:2]
        [0.25, 0.25]
        """
        return replace(self, wires=replace(self.wires, bandwidth=bandwidth))

    def to_networkx(self) -> nx.MultiDiGraph:
        """The network as a NetworkX graph, an edge for each channel; `from_networkx` reads it back identical.

        Nodes are router numbers with `label` and `coordinates`; edges are keyed by channel number and carry
        `latency`, `ports` and, where any is not 1, `bandwidth`; the graph carries name, terminals, radices and
        dimension names.

        Examples
        --------
        >>> import networkx as nx
        >>> from unknot.network.families import hypercube
        >>> graph = hypercube(3).to_networkx()
        >>> graph.number_of_nodes(), graph.number_of_edges(), nx.is_strongly_connected(graph)
        (8, 24, True)
        """
        import networkx as nx

        described = describe(self)
        graph = nx.MultiDiGraph(**described.graph)
        graph.add_nodes_from(enumerate(described.nodes))
        graph.add_edges_from((u, v, channel, edge) for channel, (u, v, edge) in enumerate(described.edges))
        return graph

    def to_frame(self) -> pandas.DataFrame:
        """A data frame with one line for each channel: source, target, latency, bandwidth, name; needs pandas."""
        columns: dict[str, list[Any]] = {
            key: getattr(self, key).tolist() for key in ("source", "target", "latency", "bandwidth")
        }
        columns["name"] = [self.channel_name(c) for c in range(self.num_channels)]
        return to_frame([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        arrays = ("source", "target", "latency", "bandwidth", "inject", "eject", "coordinates", "ports")
        plain = ("num_routers", "radices", "dimensions", "router_labels", "terminal_labels")
        return all(getattr(self, k) == getattr(other, k) for k in plain) and all(
            np.array_equal(getattr(self, k), getattr(other, k)) for k in arrays
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"<Network {self.name}: {self.num_routers} routers, {self.num_channels} channels, "
            f"{self.num_terminals} terminals>"
        )


def _picked(labels: tuple[str, ...] | None, keep: Ints) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels[i] for i in keep.tolist())


@dataclass(frozen=True)
class Description:
    """A network as attributes: of the graph, of each router, of each channel (source, target, attributes)."""

    graph: dict[str, Any]
    nodes: list[dict[str, Any]]
    edges: list[tuple[int, int, dict[str, Any]]]


def describe(network: Network) -> Description:
    """The attributes from which `unknot.network.interchange.from_attributes` makes the same network."""
    graph: dict[str, Any] = {"name": network.name, "inject": network.inject.tolist(), "eject": network.eject.tolist()}
    if network.terminal_labels is not None:
        graph["terminal_labels"] = list(network.terminal_labels)
    graph |= {"radices": list(network.radices), "dimensions": list(network.dimensions)}
    nodes: list[dict[str, Any]] = [{} for _ in range(network.num_routers)]
    if network.coordinates is not None:
        for node, row in zip(nodes, network.coordinates.tolist(), strict=True):
            node["coordinates"] = tuple(row)
    if network.router_labels is not None:
        for node, label in zip(nodes, network.router_labels, strict=True):
            node["label"] = label
    rows = zip(network.source.tolist(), network.target.tolist(), network.latency.tolist(), strict=True)
    edges: list[tuple[int, int, dict[str, Any]]] = [(u, v, {"latency": cycles}) for u, v, cycles in rows]
    if (network.bandwidth != 1).any():
        for (_, _, attributes), rate in zip(edges, network.bandwidth.tolist(), strict=True):
            attributes["bandwidth"] = written(rate)
    if network.ports is not None:
        for (_, _, attributes), pair in zip(edges, network.ports.tolist(), strict=True):
            attributes["ports"] = tuple(pair)
    return Description(graph, nodes, edges)
