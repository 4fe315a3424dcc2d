"""Networks without their failed routers and channels; see `Network.without`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError
from unknot.network.origin import Origin, frozen

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
