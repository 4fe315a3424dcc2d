"""The array model of a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import grouped
from unknot._base.errors import NetworkError, visible
from unknot._base.numbers import is_whole
from unknot._base.output import to_frame
from unknot._base.shown import Drawn
from unknot.network.bandwidth import Bandwidth as Bandwidth
from unknot.network.bandwidth import Bandwidths as Bandwidths
from unknot.network.bandwidth import kept
from unknot.network.graph import to_networkx
from unknot.network.parts import IntArray as IntArray
from unknot.network.parts import Origin as Origin
from unknot.network.parts import dimension_names, latencies_of, numbered, routers_of, terminals_alone, without
from unknot.network.parts import frozen as frozen

if TYPE_CHECKING:
    import networkx as nx
    import pandas

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Network(Drawn):
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
            self._set(key, routers_of(self, key, getattr(self, key)))
        if self.source.shape != self.target.shape:
            raise NetworkError(
                f"network {self.name!r}: {self.source.size} channel sources, {self.target.size} targets"
            )
        inject = np.arange(self.num_routers) if self.inject is None else self.inject
        eject = inject if self.eject is None else self.eject
        self._set("latency", latencies_of(self.name, self.num_channels, self.latency))
        self._set("bandwidth", kept(self.name, self.num_channels, self.bandwidth))
        self._set("inject", routers_of(self, "inject", inject))
        self._set("eject", routers_of(self, "eject", eject))
        if self.inject.shape != self.eject.shape:
            raise NetworkError(f"network {self.name!r}: {self.inject.size} terminals inject, {self.eject.size} eject")
        self._check_coordinates()
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

    def _check_coordinates(self) -> None:
        if self.coordinates is None:
            return
        coordinates, radices = frozen(self.coordinates), tuple(int(k) for k in self.radices)
        if coordinates.shape != (self.num_routers, len(radices)):
            raise NetworkError(
                f"network {self.name!r}: coordinates of shape {coordinates.shape}, "
                f"but {self.num_routers} routers in {len(radices)} dimensions"
            )
        if coordinates.size and ((coordinates < 0) | (coordinates >= np.array(radices))).any():
            raise NetworkError(f"network {self.name!r}: a coordinate lies outside the radices {radices}")
        names = tuple(self.dimensions) or dimension_names(len(radices))
        if len(names) != len(radices):
            raise NetworkError(f"network {self.name!r}: {len(names)} dimension names for {len(radices)} radices")
        self._set("coordinates", coordinates)
        self._set("radices", radices)
        self._set("dimensions", names)

    @property
    def num_channels(self) -> int:
        """Number of directed channels."""
        return int(self.source.size)

    @property
    def num_terminals(self) -> int:
        """Number of terminals."""
        return int(self.inject.size)

    @cached_property
    def outgoing(self) -> tuple[Offsets, IntArray]:
        """Channels by source: ``channels[first[r]:first[r + 1]]`` leave router r, in index order."""
        return grouped(self.source, self.num_routers)

    @cached_property
    def incoming(self) -> tuple[Offsets, IntArray]:
        """Channels by target: ``channels[first[r]:first[r + 1]]`` enter router r, in index order."""
        return grouped(self.target, self.num_routers)

    def router_name(self, router: int) -> str:
        """Label, else coordinates, else number of a router (after faults, its number before them)."""
        if self.router_labels is not None:
            return visible(self.router_labels[router])
        if self.coordinates is not None:
            return "(" + ",".join(str(c) for c in self.coordinates[router].tolist()) + ")"
        return f"r{router if self.origin is None else self.origin.routers[router]}"

    def terminal_name(self, terminal: int) -> str:
        """Label of a terminal, else ``t`` and its number (after faults, its number before them)."""
        if self.terminal_labels is not None:
            return visible(self.terminal_labels[terminal])
        return f"t{terminal if self.origin is None else self.origin.terminals[terminal]}"

    def channel_name(self, channel: int) -> str:
        """Source and target of a channel, with port numbers where they are known."""
        ends = [self.router_name(int(self.source[channel])), self.router_name(int(self.target[channel]))]
        if self.ports is not None:
            ends = [f"{end}[{port}]" for end, port in zip(ends, self.ports[channel].tolist(), strict=True)]
            return "→".join(ends)
        twins = self.between(int(self.source[channel]), int(self.target[channel]))
        return "→".join(ends) + (f"#{twins.index(channel)}" if len(twins) > 1 else "")

    def between(self, source: int, target: int) -> list[int]:
        """Return the channels from one router to another."""
        first, channels = self.outgoing
        leaving = channels[first[source] : first[source + 1]]
        return [int(c) for c in leaving[self.target[leaving] == target]]

    def router(self, name: str | int) -> int:
        """Index of a router given by index, label, or coordinates text such as ``(3,4)``."""
        return numbered(self, name, "router", self.num_routers, self.router_labels, self.router_name)

    def terminal(self, name: str | int) -> int:
        """Index of a terminal given by index or name, or by the name of a router that has a single one.

        Without names of terminals, the name of a router comes before an index in text.
        """
        own = self._alone.get(name.replace(" ", "")) if isinstance(name, str) else None
        if own is not None:
            return own
        return numbered(self, name, "terminal", self.num_terminals, self.terminal_labels, self.terminal_name)

    @cached_property
    def _alone(self) -> dict[str, int]:
        return terminals_alone(self)

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
        return without(self, routers, channels, links)

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
        """The network as a NetworkX graph; `unknot.network.from_networkx` takes it back."""
        return to_networkx(self)

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
