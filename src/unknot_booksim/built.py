"""A network as BookSim numbers it: routers, ports and nodes, and limits of its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.network import Network
from unknot_booksim.configuration import Configuration

Channels = npt.NDArray[np.int32]
Links = list[tuple[int, int, int, int]]
"""Source router, its output port, target router and latency of each channel."""
NO_PORTS: Channels = np.zeros((0, 0), dtype=np.int32)
"""Of networks whose routing asks for no port."""
MOST_ROUTERS, MOST_CHANNELS = 2**16, 2_000_000


@dataclass(frozen=True, eq=False)
class Built:
    """A network as BookSim numbers it.

    Attributes
    ----------
    network : Network
    channel : int32 array, shape (routers, ports)
        Channel that leaves a router by an output port between routers, counted from 0; −1: none.
    k, n, c : int
    """

    network: Network
    channel: Channels
    k: int
    n: int
    c: int = 1


def made(name: str, routers: int, links: Links, inject: Any, eject: Any, k: int, n: int, c: int = 1) -> Built:
    source, port, target, latency = np.array(links, dtype=np.int64).reshape(-1, 4).T
    order = np.lexsort((port, source))
    channel = np.full((routers, int(port.max(initial=0)) + 1), -1, dtype=np.int32)
    channel[source[order], port[order]] = np.arange(order.size)
    channel.setflags(write=False)
    network = Network(
        wires=latency[order] if order.size else 1,
        name=name,
        num_routers=routers,
        source=source[order],
        target=target[order],
        inject=np.array(inject),
        eject=np.array(eject),
    )
    return Built(network, channel, k, n, c)


def sizes_of(configuration: Configuration, most_n: int = 20) -> tuple[int, int]:
    """The keys k and n, after a check of the size that they give."""
    k, n = configuration.whole("k", 1), configuration.whole("n", 1, most_n)
    if k**n > MOST_ROUTERS:
        raise configuration.error(
            "n" if "n" in configuration else "k", f"{k}^{n} routers are more than {MOST_ROUTERS}"
        )
    return k, n


def few(configuration: Configuration, channels: int) -> None:
    """Refuse a network of too many channels."""
    if channels > MOST_CHANNELS:
        name = configuration.text("topology")
        raise configuration.error("k", f"this {name} has {channels} channels; the limit is {MOST_CHANNELS}")
