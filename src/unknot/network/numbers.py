"""What a network is given and asked for: arrays that are checked, and routers and terminals by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import NetworkError, near
from unknot.network.faults import IntArray, frozen

if TYPE_CHECKING:
    from unknot.network.model import Network

_INDEX = re.compile(r"[0-9]{1,18}")


def routers_of(network: Network, key: str, stated: Any) -> IntArray:
    """Return the routers that an argument names, checked."""
    array = frozen(stated)
    if array.ndim != 1:
        raise NetworkError(f"network {network.name!r}: {key} must have one dimension, got {array.ndim}")
    limit = network.num_routers
    if array.size and (int(array.min()) < 0 or int(array.max()) >= limit):
        at = int(np.flatnonzero((array < 0) | (array >= limit))[0])
        raise NetworkError(
            f"network {network.name!r}: {key}[{at}] is {array[at]}, but routers are numbered 0 to {limit - 1}"
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


def terminals_alone(network: Network) -> dict[str, int]:
    """Return the only terminal at a router, by the name of the router where no other router or terminal has it."""
    routers = np.bincount(network.inject, minlength=network.num_routers)
    terminals = {
        network.router_name(r).replace(" ", ""): t
        for t, (r, out) in enumerate(zip(network.inject.tolist(), network.eject.tolist(), strict=True))
        if routers[r] == 1 and r == out
    }
    labels = Counter(label.replace(" ", "") for label in network.router_labels or ())
    taken = {label.replace(" ", "") for label in network.terminal_labels or ()}
    return {name: t for name, t in terminals.items() if labels[name] < 2 and name not in taken}


def numbered(
    network: Network,
    name: str | int,
    kind: str,
    count: int,
    labels: Sequence[str] | None,
    name_of: Callable[[int], str],
) -> int:
    """Return the number of a router or terminal that is named by its number, label or coordinates."""
    text = str(name).replace(" ", "")
    if isinstance(name, (int, np.integer)) or (labels is None and _INDEX.fullmatch(name.strip())):
        if 0 <= int(name) < count:
            return int(name)
        raise NetworkError(f"network {network.name!r} has no {kind} {name}: {kind}s are numbered 0 to {count - 1}")
    names = labels if labels is not None else [name_of(i) for i in range(count)]
    matches = [index for index, known in enumerate(names) if known.replace(" ", "") == text]
    if len(matches) > 1:
        raise NetworkError(
            f"network {network.name!r} has {len(matches)} {kind}s called {name!r}; give the number of one of them, "
            f"such as {matches[0]} or {matches[1]}"
        )
    if matches:
        return matches[0]
    raise NetworkError(f"network {network.name!r} has no {kind} called {name!r}; {near(str(name), names[:2000])}")
