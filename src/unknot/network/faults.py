"""Networks without their failed routers and channels, and the names of channels; see `Network.without`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError

IntArray = npt.NDArray[np.int32]


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
        raise NetworkError(f"whole numbers are wanted, got {array.dtype} values")
    if array.size and array.dtype.itemsize >= 4 and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
        raise NetworkError(f"numbers must fit 32 bits; the largest here is {array.max()}, the smallest {array.min()}")
    array = np.array(array, dtype=np.int32, order="C")
    array.setflags(write=False)
    return array


if TYPE_CHECKING:
    from unknot.network.model import Network


def without(
    network: Network,
    routers: Iterable[int | str],
    channels: Iterable[int],
    links: Iterable[tuple[int | str, int | str]],
) -> Network:
    """The network of the survivors, which remembers where each of them stood."""
    dead_router = np.zeros(network.num_routers, dtype=bool)
    dead_router[[network.router(r) for r in routers]] = True
    dead = dead_router[network.source] | dead_router[network.target]
    for channel in channels:
        if not 0 <= int(channel) < network.num_channels:
            raise NetworkError(
                f"network {network.name!r} has no channel {channel}: the last is {network.num_channels - 1}"
            )
        dead[int(channel)] = True
    for a, b in ((network.router(a), network.router(b)) for a, b in links):
        gone = network.between(a, b) + network.between(b, a)
        if not gone:
            raise NetworkError(f"network {network.name!r}: no link {network.router_name(a)}–{network.router_name(b)}")
        dead[gone] = True
    keep_r, keep_c = np.flatnonzero(~dead_router), np.flatnonzero(~dead)
    keep_t = np.flatnonzero(~(dead_router[network.inject] | dead_router[network.eject]))
    new = np.cumsum(~dead_router) - 1
    old = network.origin
    return type(network)(
        name=f"{network.name.removesuffix(' with faults')} with faults",
        num_routers=keep_r.size,
        source=new[network.source[keep_c]],
        target=new[network.target[keep_c]],
        latency=network.latency[keep_c],
        bandwidth=network.bandwidth[keep_c],
        inject=new[network.inject[keep_t]],
        eject=new[network.eject[keep_t]],
        coordinates=None if network.coordinates is None else network.coordinates[keep_r],
        radices=network.radices,
        dimensions=network.dimensions,
        router_labels=_picked(network.router_labels, keep_r),
        terminal_labels=_picked(network.terminal_labels, keep_t),
        ports=None if network.ports is None else network.ports[keep_c],
        origin=Origin(
            frozen(keep_r if old is None else old.routers[keep_r]),
            frozen(keep_c if old is None else old.channels[keep_c]),
            frozen(keep_t if old is None else old.terminals[keep_t]),
        ),
    )


def _picked(labels: tuple[str, ...] | None, keep: npt.NDArray[np.int64]) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels[i] for i in keep.tolist())


def channels_of(network: Network, channel: int | str) -> list[int]:
    """The channels that a number or a text names.

    Raises
    ------
    NetworkError
        If there are none.
    """
    if isinstance(channel, (int, np.integer)):
        if not 0 <= channel < network.num_channels:
            raise NetworkError(
                f"network {network.name!r} has no channel {channel}: they are 0 to {network.num_channels - 1}"
            )
        return [int(channel)]
    ends = re.split(r"\s*(<->|↔|->|→)\s*", channel.strip())
    if len(ends) != 3:
        raise NetworkError(f"{channel!r} is no channel; name it by its routers, such as (1,1)->(1,2)")
    start, arrow, stop = ends
    if arrow in ("->", "→") and re.search(r"[#\[]", stop):
        name = f"{start}→{stop}".replace(" ", "")
        if exact := [c for c in range(network.num_channels) if network.channel_name(c).replace(" ", "") == name]:
            return exact
    a, b = network.router(start), network.router(stop)
    channels = network.between(a, b) + (network.between(b, a) if arrow in ("<->", "↔") else [])
    if not channels:
        raise NetworkError(
            f"network {network.name!r} has no channel from {network.router_name(a)} to {network.router_name(b)}"
        )
    return channels
