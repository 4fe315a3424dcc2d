"""Parts shared by the families: checks of sizes, links turned into channels sorted by source."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.errors import NetworkError, shown
from unknot.network import Network

Ints = npt.NDArray[np.integer[Any]]
MAX_CHANNELS = 2**28
MOST_LABELS = 2**16
"""Most routers that are given names; more are known by coordinates or numbers alone."""


def whole(family: str, what: str, value: object, least: int, most: float = MAX_CHANNELS) -> int:
    """A size that is a whole number in its limits, or an error that says which are wanted."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        limits = f"of at least {least}" if most >= MAX_CHANNELS else f"from {least} to {most}"
        raise NetworkError(f"{family}: {what} must be a whole number {limits}, got {shown(value)}")
    return int(value)


def affordable(name: str, routers: int, channels: int, terminals: int = 0, dimensions: int = 1) -> None:
    """Refuse a network of more channels than are numbered, or than fit the memory, before any of it is made."""
    for count, what in ((channels, "channels"), (routers, "routers"), (terminals, "terminals")):
        if count > MAX_CHANNELS:
            raise NetworkError(f"{name}: {shown(count)} {what}; the limit is {MAX_CHANNELS}")
    memory.require(name, memory.of_network(routers, channels, terminals, dimensions))


def linked(name: str, routers: int, u: Ints, v: Ints, *, latency: Any = 1, **more: Any) -> Network:
    """The network of links u–v: two channels each, sorted by source and then in the order of the links.

    Parameters
    ----------
    latency : int or array_like of int, shape (links,)
    more
        Further attributes of the `Network`.
    """
    cycles = np.broadcast_to(np.asarray(latency), u.shape)
    return directed(
        name,
        routers,
        np.concatenate([u, v]),
        np.concatenate([v, u]),
        latency=np.concatenate([cycles, cycles]),
        **more,
    )


def directed(name: str, routers: int, u: Ints, v: Ints, *, latency: Any = 1, **more: Any) -> Network:
    """The network of channels u→v, sorted by source and then in the order they are given."""
    order = np.argsort(u, kind="stable")
    cycles = np.broadcast_to(np.asarray(latency), u.shape)
    return Network(name, routers, u[order], v[order], cycles[order], **more)


def simple(u: Ints, v: Ints) -> tuple[Ints, Ints]:
    """Each pair of different routers once, ordered."""
    low, high = np.minimum(u, v).astype(np.int64), np.maximum(u, v).astype(np.int64)
    base = int(high.max(initial=0)) + 1
    keys = np.unique((low * base + high)[low != high])
    return keys // base, keys % base
