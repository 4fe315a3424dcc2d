"""Parts of a network: arrays that are checked, parts by their names, and what is left without some of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, near

if TYPE_CHECKING:
    from unknot.network.model import Network


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
        raise NetworkError(f"whole numbers are needed, got {array.dtype} values")
    if array.size and array.dtype.itemsize >= 4 and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
        raise NetworkError(f"numbers must fit 32 bits; the largest here is {array.max()}, the smallest {array.min()}")
    array = np.array(array, dtype=np.int32, order="C")
    array.setflags(write=False)
    return array


def origin_of(network: Network) -> Origin:
    """The origin of a network, which without faults is the network itself."""
    sizes = network.num_routers, network.num_channels, network.num_terminals
    return network.origin or Origin(*(frozen(np.arange(size)) for size in sizes))


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
    old = origin_of(network)
    return replace(
        network,
        name=f"{network.name.removesuffix(' with faults')} with faults",
        num_routers=keep_r.size,
        source=new[network.source[keep_c]],
        target=new[network.target[keep_c]],
        latency=network.latency[keep_c],
        bandwidth=network.bandwidth[keep_c],
        inject=new[network.inject[keep_t]],
        eject=new[network.eject[keep_t]],
        coordinates=None if network.coordinates is None else network.coordinates[keep_r],
        router_labels=_picked(network.router_labels, keep_r),
        terminal_labels=_picked(network.terminal_labels, keep_t),
        ports=None if network.ports is None else network.ports[keep_c],
        origin=Origin(frozen(old.routers[keep_r]), frozen(old.channels[keep_c]), frozen(old.terminals[keep_t])),
    )


def survivors(whole: Network, left: Network) -> Origin:
    """Numbers in a network of the routers, channels and terminals that failures left of it.

    Raises
    ------
    NetworkError
        If the other is not what failures left of the one.
    """
    one, other, places = origin_of(whole), origin_of(left), list[IntArray]()
    for kind in ("routers", "channels", "terminals"):
        numbers, kept = getattr(one, kind), getattr(other, kind)
        places.append(frozen(np.searchsorted(numbers, kept)))
        alike = np.array_equal(numbers[places[-1].clip(max=numbers.size - 1)], kept)
        if not alike or (left.origin is None and left != whole):
            raise NetworkError(f"{left.name} is not what faults left of {whole.name}")
    return Origin(*places)


def _picked(labels: tuple[str, ...] | None, keep: npt.NDArray[np.int64]) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels[i] for i in keep.tolist())


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
