"""The array model of a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError
from unknot._base.frames import to_frame
from unknot._base.numbers import is_whole
from unknot.network.bandwidth import Bandwidth as Bandwidth
from unknot.network.bandwidth import Bandwidths as Bandwidths
from unknot.network.bandwidth import kept, written
from unknot.network.names import Named
from unknot.network.parts import IntArray as IntArray
from unknot.network.parts import Offsets as Offsets
from unknot.network.parts import Origin as Origin
from unknot.network.parts import frozen as frozen
from unknot.network.parts import latencies_of, positions_of, routers_of

if TYPE_CHECKING:
    import networkx as nx
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
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
    latency : int or array_like of int, shape (channels,)
        Cycles a flit spends on the wire, at least 1.
    inject, eject : array_like of int, shape (terminals,), optional
        The router where each terminal injects and ejects; by default one terminal per router.
    coordinates : array_like of int, shape (routers, dimensions), optional
        Position of each router.
    radices : sequence of int, optional
        Number of positions in each dimension; required with coordinates.
    dimensions : sequence of str, optional
        Names of the dimensions; by default x, y, z or d0, d1, ….
    router_labels, terminal_labels : sequence of str, optional
        Names used in every message.
    ports : array_like of int, shape (channels, 2), optional
        Port number of each channel at its source and at its target (InfiniBand numbering).
    origin : Origin, optional
        Set by `without`.
    bandwidth : number, text or sequence of these, one for each channel
        Flits per cycle: a fraction of whole numbers up to 1000, such as 2 or ``"1/4"``. A channel of p/q passes p
        flits in q cycles. Kept as float64.

    Raises
    ------
    NetworkError
        If any array has the wrong shape or an index is out of range.

    Examples
    --------
    >>> pair = Network("two routers", 2, source=[0, 1], target=[1, 0], latency=3)
    >>> pair.num_channels, pair.num_terminals, pair.latency.tolist()
    (2, 2, [3, 3])
    """

    name: str
    num_routers: int
    source: IntArray
    target: IntArray
    latency: IntArray = 1  # type: ignore[assignment]
    inject: IntArray = None  # type: ignore[assignment]
    eject: IntArray = None  # type: ignore[assignment]
    coordinates: IntArray | None = None
    radices: tuple[int, ...] = ()
    dimensions: tuple[str, ...] = ()
    router_labels: tuple[str, ...] | None = None
    terminal_labels: tuple[str, ...] | None = None
    ports: IntArray | None = None
    origin: Origin | None = field(default=None, compare=False)
    bandwidth: Bandwidths = 1  # type: ignore[assignment]

    if TYPE_CHECKING:  # arguments may be of more types than attributes are

        def __init__(
            self,
            name: str,
            num_routers: int,
            source: npt.ArrayLike,
            target: npt.ArrayLike,
            latency: npt.ArrayLike = 1,
            inject: npt.ArrayLike | None = None,
            eject: npt.ArrayLike | None = None,
            coordinates: npt.ArrayLike | None = None,
            radices: Sequence[int] = (),
            dimensions: Sequence[str] = (),
            router_labels: Sequence[str] | None = None,
            terminal_labels: Sequence[str] | None = None,
            ports: npt.ArrayLike | None = None,
            origin: Origin | None = None,
            bandwidth: Bandwidth | npt.ArrayLike | Sequence[Bandwidth] = 1,
        ) -> None: ...

    def __post_init__(self) -> None:
        if not is_whole(self.num_routers) or self.num_routers < 1:
            raise NetworkError(f"network {self.name!r}: it needs at least one router, got {self.num_routers!r}")
        self._set("num_routers", int(self.num_routers))
        for key in ("source", "target"):
            self._set(key, routers_of(self.name, self.num_routers, key, getattr(self, key)))
        if self.source.shape != self.target.shape:
            raise NetworkError(
                f"network {self.name!r}: {self.source.size} channel sources, {self.target.size} targets"
            )
        inject = np.arange(self.num_routers) if self.inject is None else self.inject
        eject = inject if self.eject is None else self.eject
        self._set("latency", latencies_of(self.name, self.num_channels, self.latency))
        self._set("bandwidth", kept(self.name, self.num_channels, self.bandwidth))
        self._set("inject", routers_of(self.name, self.num_routers, "inject", inject))
        self._set("eject", routers_of(self.name, self.num_routers, "eject", eject))
        if self.inject.shape != self.eject.shape:
            raise NetworkError(f"network {self.name!r}: {self.inject.size} terminals inject, {self.eject.size} eject")
        if self.coordinates is not None:
            position = positions_of(self.name, self.num_routers, self.coordinates, self.radices, self.dimensions)
            for key, value in zip(("coordinates", "radices", "dimensions"), position, strict=True):
                self._set(key, value)
        for key, count in (("router_labels", self.num_routers), ("terminal_labels", self.num_terminals)):
            labels = getattr(self, key)
            if labels is not None:
                self._set(key, tuple(str(label) for label in labels))
                if len(labels) != count:
                    raise NetworkError(f"network {self.name!r}: {len(labels)} {key}, but {count} needed")
        if self.ports is not None:
            self._set("ports", frozen(self.ports))
            if self.ports.shape != (self.num_channels, 2):
                raise NetworkError(f"network {self.name!r}: ports must have shape ({self.num_channels}, 2)")

    def _set(self, key: str, value: object) -> None:
        object.__setattr__(self, key, value)

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
        return replace(
            self,
            name=f"{self.name.removesuffix(' with faults')} with faults",
            num_routers=keep_r.size,
            source=new[self.source[keep_c]],
            target=new[self.target[keep_c]],
            latency=self.latency[keep_c],
            bandwidth=self.bandwidth[keep_c],
            inject=new[self.inject[keep_t]],
            eject=new[self.eject[keep_t]],
            coordinates=None if self.coordinates is None else self.coordinates[keep_r],
            router_labels=_picked(self.router_labels, keep_r),
            terminal_labels=_picked(self.terminal_labels, keep_t),
            ports=None if self.ports is None else self.ports[keep_c],
            origin=Origin(frozen(old.routers[keep_r]), frozen(old.channels[keep_c]), frozen(old.terminals[keep_t])),
        )

    def with_bandwidth(self, bandwidth: Bandwidth | npt.ArrayLike | Sequence[Bandwidth]) -> Network:
        """The same network with other bandwidths: one for all channels, or one for each.

        Examples
        --------
        >>> from unknot.network.families import ring
        >>> ring(4).with_bandwidth("1/4").bandwidth.tolist()[:2]
        [0.25, 0.25]
        """
        return replace(self, bandwidth=bandwidth)  # type: ignore[arg-type]

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
