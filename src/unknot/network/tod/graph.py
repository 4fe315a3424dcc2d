"""Graphs as arrays: what the operations of the language work on, and the way to and from networks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.parts import Places, Wires, dimension_names
from unknot.network.tod.syntax import MisfitError

Keys = npt.NDArray[np.int64]
WIRE = np.dtype([("latency", np.int32), ("bandwidth", np.float64)])
"""What operations on graphs carry along with a channel."""
WireRows = npt.NDArray[np.void]
Joints = tuple[IntArray, IntArray, WireRows]
"""Sources, targets and wires of channels."""
MOST_NAMES = 2**16
"""Most routers that get names made of their coordinates; more are known by the coordinates themselves."""


@dataclass(frozen=True)
class Dimension:
    """One coordinate of the routers of a graph.

    Attributes
    ----------
    size : int
        Positions are 0 … size − 1.
    names : tuple of str, optional
        Names of the positions; without them a position is called by its number.
    straight : bool
        Whether the positions are those of a line or ring, so that a coordinate says where a router stands.
    """

    size: int
    names: tuple[str, ...] | None = None
    straight: bool = False


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels, ports and dimension names of a network; operations on graphs forget them."""

    router_labels: tuple[str, ...] | None = None
    terminal_labels: tuple[str, ...] | None = None
    ports: IntArray | None = None
    dimension_names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed multigraph whose nodes have coordinates; a link is two channels.

    Arrays of other integers are converted.

    Attributes
    ----------
    coordinates : int32 array, shape (routers, dimensions)
        Identity of routers: two routers, also of different graphs, are the same when these (or the names they
        stand for) are equal.
    dimensions : tuple of Dimension
    source, target : int32 arrays, shape (channels,)
    wire : array of `WIRE`, shape (channels,)
        Latencies may be given instead, for bandwidths of 1.
    terminals : pair of int32 arrays, optional
        Routers where each terminal injects and ejects; by default one terminal per router.
    shown : Shown
    """

    coordinates: npt.NDArray[Any]
    dimensions: tuple[Dimension, ...]
    source: npt.NDArray[Any]
    target: npt.NDArray[Any]
    wire: Any
    terminals: tuple[IntArray, IntArray] | None = None
    shown: Labels = Labels()

    def __post_init__(self) -> None:
        for name in ("coordinates", "source", "target"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.int32))
        if np.asarray(self.wire).dtype != WIRE:
            object.__setattr__(self, "wire", wires(self.channels, self.wire))

    @property
    def routers(self) -> int:
        return int(self.coordinates.shape[0])

    @property
    def channels(self) -> int:
        return int(self.source.size)

    @cached_property
    def radices(self) -> tuple[int, ...]:
        return tuple(d.size for d in self.dimensions)

    @property
    def joints(self) -> Joints:
        """Sources, targets and wires of the channels."""
        return self.source, self.target, self.wire

    def joined(self, source: Any, target: Any, wire: Any) -> Graph:
        """The routers with other channels, without what is shown of a network."""
        return Graph(self.coordinates, self.dimensions, source, target, wire, self.terminals)

    @cached_property
    def ordered(self) -> Graph:
        """Sort the channels by source, otherwise in the order they have."""
        if self.channels < 2 or bool((self.source[1:] >= self.source[:-1]).all()):
            return self
        order = np.argsort(self.source, kind="stable")
        return self.joined(*(column[order] for column in self.joints))

    @cached_property
    def full(self) -> bool:
        """Whether the routers are all the positions there can be, numbered with dimension 0 as the low digit."""
        total = 1
        for size in self.radices:
            total *= size
        if total != self.routers:
            return False
        stride = 1
        number = np.zeros(self.routers, dtype=np.int64)
        for i, size in enumerate(self.radices):
            number += self.coordinates[:, i].astype(np.int64) * stride
            stride *= size
        return bool((number == np.arange(self.routers)).all())

    def counts(self) -> Keys:
        """Terminals of each router."""
        if self.terminals is None:
            return np.ones(self.routers, dtype=np.int64)
        inject, eject = self.terminals
        if not np.array_equal(inject, eject):
            raise MisfitError(
                "it has terminals that inject and eject at different routers; no operation can follow that"
            )
        return np.bincount(inject, minlength=self.routers)

    def router_name(self, router: int) -> str:
        """Names or numbers of the coordinates of a router, as in ``(3,4)``."""
        parts = [
            str(c) if d.names is None else d.names[c]
            for c, d in zip(self.coordinates[router].tolist(), self.dimensions, strict=True)
        ]
        return parts[0] if len(parts) == 1 else f"({','.join(parts)})"


def wires(channels: int, latency: Any = 1, bandwidth: Any = 1.0) -> WireRows:
    """Latency and bandwidth of channels, from single values or from lists."""
    made = np.empty(channels, dtype=WIRE)
    made["latency"], made["bandwidth"] = latency, bandwidth
    return made


def seats(counts: Keys) -> tuple[IntArray, IntArray] | None:
    """Where each terminal injects and ejects, by the numbers of terminals of the routers; None: one at each."""
    at = np.repeat(np.arange(counts.size, dtype=np.int32), counts)
    return None if bool((counts == 1).all()) else (at, at)


def numbered(routers: int) -> IntArray:
    """Coordinates of routers that are called by their numbers."""
    return np.arange(routers, dtype=np.int32)[:, None]


def from_network(network: Network, *, straight: bool = False) -> Graph:
    """The graph of a network. Without coordinates, its routers are called by their labels or numbers."""
    n = network.num_routers
    if network.coordinates is not None:
        coordinates = network.coordinates
        dimensions = tuple(Dimension(k, straight=True) for k in network.radices)
        names = network.dimensions if network.dimensions != dimension_names(len(dimensions)) else ()
        labels = network.router_labels
    elif n == 1 and straight:
        coordinates, dimensions, names, labels = np.empty((1, 0), dtype=np.int32), (), (), network.router_labels
    else:
        unique = network.router_labels is not None and len(set(network.router_labels)) == n
        coordinates, names = numbered(n), ()
        dimensions = (Dimension(n, network.router_labels if unique else None, straight),)
        labels = None if unique else network.router_labels
    alone = np.arange(n)
    default = np.array_equal(network.inject, alone) and np.array_equal(network.eject, alone)
    return Graph(
        coordinates,
        dimensions,
        network.source,
        network.target,
        wires(network.num_channels, network.latency, network.bandwidth),
        None if default else (network.inject, network.eject),
        Labels(labels, network.terminal_labels, network.ports, names),
    )


def to_network(graph: Graph, name: str) -> Network:
    """The network of a graph, with coordinates and labels if the graph has them.

    Routers that are numbered with gaps are labelled by their numbers.
    """
    dimensions, labels = graph.dimensions, graph.shown.router_labels
    placed = len(dimensions) > 1 or (len(dimensions) == 1 and dimensions[0].straight)
    if labels is None and len(dimensions) > 0:
        named = any(d.names is not None for d in dimensions)
        gaps = not placed and not named and not graph.full
        if graph.routers > MOST_NAMES and (gaps or len(dimensions) > 1):
            placed = True
        elif named or gaps:
            labels = tuple(graph.router_name(r) for r in range(graph.routers))
    inject, eject = graph.terminals if graph.terminals is not None else (None, None)
    return Network(
        name=name,
        num_routers=graph.routers,
        source=graph.source,
        target=graph.target,
        wires=Wires(latency=graph.wire["latency"], bandwidth=graph.wire["bandwidth"], ports=graph.shown.ports),
        inject=inject,
        eject=eject,
        places=Places(
            coordinates=graph.coordinates if placed else None,
            radices=graph.radices if placed else (),
            dimensions=graph.shown.dimension_names if placed else (),
            router_labels=labels,
            terminal_labels=graph.shown.terminal_labels,
        ),
    )
