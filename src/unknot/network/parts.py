"""Parts of a network beside its graph, and arrays, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import IntArray as IntArray
from unknot._base.errors import NetworkError
from unknot.network.bandwidth import Bandwidth, kept

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Origin:
    """Routers, channels and terminals of a faulty network as they were numbered in the whole one.

    Attributes
    ----------
    routers, channels, terminals : int32 arrays
        Index in the original network of each surviving router, channel and terminal.
    """

    routers: IntArray
    channels: IntArray
    terminals: IntArray


def frozen(values: Any) -> IntArray:
    """An int32 copy-if-needed that nobody can write to."""
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iub":
        raise NetworkError(f"whole numbers are needed, got {array.dtype} values")
    if array.size and array.dtype.itemsize >= 4 and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
        raise NetworkError(f"numbers must fit 32 bits; the largest here is {array.max()}, the smallest {array.min()}")
    array = np.array(array, dtype=np.int32, order="C")
    array.setflags(write=False)
    return array


def routers_of(network: str, limit: int, key: str, stated: Any) -> IntArray:
    """Return the routers that an argument names, checked."""
    array = frozen(stated)
    if array.ndim != 1:
        raise NetworkError(f"network {network!r}: {key} must have one dimension, got {array.ndim}")
    if array.size and (int(array.min()) < 0 or int(array.max()) >= limit):
        at = int(np.flatnonzero((array < 0) | (array >= limit))[0])
        raise NetworkError(
            f"network {network!r}: {key}[{at}] is {array[at]}, but routers are numbered 0 to {limit - 1}"
        )
    return array


def dimension_names(count: int) -> tuple[str, ...]:
    """Return the names of dimensions where none are given."""
    return tuple("xyz"[:count]) if count <= 3 else tuple(f"d{i}" for i in range(count))


def latencies_of(network: str, channels: int, stated: Any) -> IntArray:
    """Return the latency of each channel from one for all or one for each, checked."""
    cycles = np.asarray(stated)
    array = frozen(np.full(channels, cycles) if cycles.ndim == 0 else cycles)
    if array.shape != (channels,):
        raise NetworkError(f"network {network!r}: {array.size} latencies for {channels} channels")
    if channels and int(array.min()) < 1:
        at = int(np.argmin(array))
        raise NetworkError(f"network {network!r}: latency[{at}] is {array[at]}; it must be at least 1 cycle")
    return array


def positions_of(
    network: str, routers: int, coordinates: Any, radices: Sequence[int], dimensions: Sequence[str]
) -> tuple[IntArray, tuple[int, ...], tuple[str, ...]]:
    """Return coordinates, radices and names of dimensions, checked."""
    array, sizes = frozen(coordinates), tuple(int(k) for k in radices)
    if array.shape != (routers, len(sizes)):
        raise NetworkError(
            f"network {network!r}: coordinates of shape {array.shape}, but {routers} routers in {len(sizes)} "
            "dimensions"
        )
    if array.size and ((array < 0) | (array >= np.array(sizes))).any():
        raise NetworkError(f"network {network!r}: a coordinate lies outside the radices {sizes}")
    names = tuple(dimensions) or dimension_names(len(sizes))
    if len(names) != len(sizes):
        raise NetworkError(f"network {network!r}: {len(names)} dimension names for {len(sizes)} radices")
    return array, sizes, names


@dataclass(frozen=True, eq=False)
class Wires:
    """Wires of the channels of a network.

    Parameters
    ----------
    latency : int or array_like of int, shape (channels,)
        Cycles a flit spends on the wire, at least 1.
    bandwidth : number, text or sequence of these, one for each channel
        Flits per cycle: a fraction of whole numbers up to 1000, such as 2 or ``"1/4"``. A channel of p/q passes p
        flits in q cycles. Kept as float64.
    ports : array_like of int, shape (channels, 2), optional
        Port number of each channel at its source and at its target (InfiniBand numbering).

    Examples
    --------
    >>> Wires(latency=3).bandwidth
    1
    """

    latency: npt.ArrayLike = 1
    bandwidth: Bandwidth | npt.ArrayLike | Sequence[Bandwidth] = 1
    ports: npt.ArrayLike | None = None

    def checked(self, network: str, channels: int) -> Wires:
        """Return them with read-only arrays; NetworkError where they do not fit the channels of a network."""
        latency, bandwidth = latencies_of(network, channels, self.latency), kept(network, channels, self.bandwidth)
        ports = None if self.ports is None else frozen(self.ports)
        if ports is not None and ports.shape != (channels, 2):
            raise NetworkError(f"network {network!r}: ports must have shape ({channels}, 2)")
        return Wires(latency, bandwidth, ports)


@dataclass(frozen=True, eq=False)
class Places:
    """Positions and names of routers and terminals.

    Parameters
    ----------
    coordinates : array_like of int, shape (routers, dimensions), optional
        Position of each router.
    radices : sequence of int, optional
        Number of positions in each dimension; required with coordinates.
    dimensions : sequence of str, optional
        Names of the dimensions; by default x, y, z or d0, d1, ….
    router_labels, terminal_labels : sequence of str, optional
        Names used in every message.
    origin : Origin, optional
        Numbers before faults; set by `Network.without`.

    Examples
    --------
    >>> Places([[0], [1]], radices=[2], terminal_labels=["a", "b"]).terminal_labels
    ['a', 'b']
    """

    coordinates: npt.ArrayLike | None = None
    radices: Sequence[int] = ()
    dimensions: Sequence[str] = ()
    router_labels: Sequence[str] | None = None
    terminal_labels: Sequence[str] | None = None
    origin: Origin | None = None

    def checked(self, network: str, routers: int, terminals: int) -> Places:
        """Return them with read-only arrays; NetworkError where they do not fit a network."""
        of_routers = _labels(network, "router_labels", self.router_labels, routers)
        of_terminals = _labels(network, "terminal_labels", self.terminal_labels, terminals)
        made = replace(self, router_labels=of_routers, terminal_labels=of_terminals)
        if self.coordinates is None:
            return made
        at, radices, names = positions_of(network, routers, self.coordinates, self.radices, self.dimensions)
        return replace(made, coordinates=at, radices=radices, dimensions=names)


def _labels(network: str, key: str, labels: Sequence[str] | None, count: int) -> tuple[str, ...] | None:
    if labels is not None and len(labels) != count:
        raise NetworkError(f"network {network!r}: {len(labels)} {key}, but {count} needed")
    return None if labels is None else tuple(str(label) for label in labels)
