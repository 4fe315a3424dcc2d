"""Parts shared by the families: checks of sizes, links turned into channels sorted by source."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import offsets
from unknot._base.errors import NetworkError, shown
from unknot._base.numbers import is_whole
from unknot.network import Network
from unknot.network.parts import Places
from unknot.network.stages import STAGE_AND_ROW

Ints = npt.NDArray[np.integer[Any]]
MAX_CHANNELS = 2**28
MOST_LABELS = 2**16
"""Most routers that are given names; more are known by coordinates or numbers alone."""


def whole(family: str, what: str, number: Any, least: int, most: float = MAX_CHANNELS) -> int:
    """Return a size as a whole number within its limits; an error names the limits."""
    if not is_whole(number) or not least <= number <= most:
        limits = f"of at least {least}" if most >= MAX_CHANNELS else f"from {least} to {most}"
        raise NetworkError(f"{family}: {what} must be a whole number {limits}, got {shown(number)}")
    return int(number)


def affordable(name: str, routers: int, channels: int, terminals: int = 0, dimensions: int = 1) -> None:
    """Refuse a network of more channels than are numbered, or than fit the memory, before any of it is made."""
    for count, what in ((channels, "channels"), (routers, "routers"), (terminals, "terminals")):
        if count > MAX_CHANNELS:
            raise NetworkError(f"{name}: {shown(count)} {what}; the limit is {MAX_CHANNELS}")
    memory.require(name, memory.of_network(routers, channels, terminals, dimensions))


def latencies(name: str, latency: int | Sequence[int], count: int, of_what: str) -> list[int]:
    """Latencies of several kinds of links, from a single number or from a list."""
    cycles = [latency] * count if isinstance(latency, (int, np.integer)) else list(latency)
    if len(cycles) != count:
        raise NetworkError(f"{name}: one latency, or {count} {of_what}, are needed; got {len(cycles)}")
    return [whole(name, "a latency", each, 1) for each in cycles]


def linked(
    name: str,
    routers: int,
    *kinds: tuple[Ints, Ints],
    latency: int | Sequence[int],
    concentration: int = 1,
    inject: Ints | None = None,
    radices: tuple[int, ...] = (),
    **places: Any,
) -> Network:
    """The network of links u–v: two channels each, sorted by source and then in the order of the links.

    Parameters
    ----------
    kinds : pairs of int arrays, shape (links,)
        The ends u and v of the links of each kind.
    latency : int or sequence of int
        Cycles of all links, or of those of each kind.
    concentration : int
        Terminals at each router, unless `inject` says where they are.
    inject : int array, optional
        The router of each terminal.
    radices : tuple of int
        Positions of the dimensions, in which routers are numbered, the last one counting least.
    places
        Further fields of `Places`.
    """
    none = np.empty(0, dtype=np.int64)
    u, v = (np.concatenate([none, *(ends[i] for ends in kinds)]) for i in (0, 1))
    cycles = np.repeat(np.broadcast_to(latency, len(kinds)), [ends.size for ends, _ in kinds])
    router = np.arange(routers)
    seats = np.repeat(router, concentration) if inject is None else inject
    if radices:
        places = {"coordinates": np.stack(np.unravel_index(router, radices), axis=1), "radices": radices} | places
    ends, each = (np.append(u, v), np.append(v, u)), np.append(cycles, cycles)
    return directed(name, routers, *ends, latency=each, inject=seats, **places)


def directed(
    name: str, routers: int, u: Ints, v: Ints, *, latency: Any, inject: Ints | None = None, **places: Any
) -> Network:
    """The network of channels u→v, sorted by source and then in the order they are given."""
    order = np.argsort(u, kind="stable")
    cycles = np.broadcast_to(np.asarray(latency), u.shape)
    return Network(name, routers, u[order], v[order], cycles[order], inject, places=Places(**places))


def simple(u: Ints, v: Ints) -> tuple[Ints, Ints]:
    """Each pair of different routers once, ordered."""
    low, high = np.minimum(u, v).astype(np.int64), np.maximum(u, v).astype(np.int64)
    base = int(high.max(initial=0)) + 1
    keys = np.unique((low * base + high)[low != high])
    return keys // base, keys % base


Numbers = npt.NDArray[np.int64]
Wiring = Callable[[Numbers], Numbers]

MAX_LABELLED = 2**17
"""Most switches that get labels; in a larger network they are called by their coordinates."""


def straight(line: Numbers) -> Numbers:
    """Line x to line x."""
    return line


def staged(
    name: str,
    rows: Sequence[int],
    ports: Sequence[int],
    targets: Callable[[int, Numbers], Any],
    terminals: int,
    latency: int,
    ends: tuple[Wiring, Wiring] = (straight, straight),
) -> Network:
    """A network of stages, if it is affordable.

    Parameters
    ----------
    rows : sequence of int
        Switches of each stage.
    ports : sequence of int
        For all stages but the last, output ports of a switch.
    targets : callable
        From such a stage and its rows, one below the other, to the rows of the next stage that the ports lead to.
    ends : pair of Wiring
        From terminals to input lines of the first stage, and from output lines of the last stage to terminals.
    """
    first = offsets(rows)
    total = int(first[-1])
    affordable(name, total, sum(map(operator.mul, rows, ports)), terminals, 2)
    switch, line = np.arange(total, dtype=np.int32), np.arange(terminals, dtype=np.int64)
    source, target = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int32)]
    for stage, width in enumerate(ports):
        row = np.arange(rows[stage], dtype=np.int64)[:, None]
        to = np.broadcast_to(targets(stage, row), (rows[stage], width))
        source.append(np.repeat(switch[first[stage] : first[stage + 1]], width))
        target.append((first[stage + 1] + to).ravel().astype(np.int32))
    eject = np.empty(terminals, dtype=np.int64)
    eject[ends[1](line)] = line // (terminals // rows[-1])
    coordinates = np.empty((total, 2), dtype=np.int32)
    coordinates[:, 0] = np.repeat(np.arange(len(rows)), rows)
    coordinates[:, 1] = np.arange(total) - first[coordinates[:, 0]]
    labels = None
    if total <= MAX_LABELLED:
        labels = tuple(f"s{stage}r{row}" for stage, row in coordinates.tolist())
    return Network(
        name=name,
        num_routers=total,
        source=np.concatenate(source),
        target=np.concatenate(target),
        wires=latency,
        inject=ends[0](line) // (terminals // rows[0]),
        eject=first[-2] + eject,
        places=Places(
            coordinates=coordinates, radices=(len(rows), max(rows)), dimensions=STAGE_AND_ROW, router_labels=labels
        ),
    )


def from_lines(name: str, k: int, lines: int, wirings: Sequence[Wiring], latency: int) -> Network:
    """Stages of k × k switches between which `lines` lines are permuted.

    The first wiring takes terminals to the input lines of the first stage, the last one the output lines of the last
    stage to terminals; line x is at port x mod k of switch x // k.
    """
    into, *between, out = wirings

    def targets(stage: int, row: Numbers) -> Any:
        return between[stage](k * row + np.arange(k)) // k

    rows = [lines // k] * (len(between) + 1)
    return staged(name, rows, [k] * len(between), targets, lines, latency, (into, out))


def shuffle(k: int, size: int) -> Wiring:
    """Within blocks of `size` lines, the perfect k-shuffle: the leading digit of x becomes the last."""
    return lambda line: line - line % size + line % size * k % size + line % size * k // size


def unshuffle(k: int, size: int) -> Wiring:
    """Within blocks of `size` lines, the inverse of the k-shuffle: the last digit of x becomes the leading."""
    return lambda line: line - line % size + line % size // k + line % k * (size // k)


def digits(name: str, terminals: int, k: int, least: int = 1) -> int:
    """The n with `terminals` = k to the n.

    Raises
    ------
    NetworkError
        If there is none of at least `least`.
    """
    for what, number, low in (("the number of terminals", terminals, 2), ("the size of a switch, k,", k, 2)):
        whole(name, what, number, low, math.inf)
    n, power = 0, 1
    while power < terminals:
        n, power = n + 1, power * k
    if power != terminals or n < least:
        few = f"{k}, {k * k}, {k**3}, …" if least == 1 else f"{k**least}, {k ** (least + 1)}, …"
        raise NetworkError(f"{name}: the number of terminals must be a power of {k} ({few}), got {shown(terminals)}")
    return n


def powered(family: str, terminals: int, k: int = 2, *, least: int = 1) -> tuple[str, int]:
    """The name of a network, which leaves switches of two ports out, and its `digits`."""
    name = f"{family}({terminals})" if k == 2 else f"{family}({terminals}, {k})"
    return name, digits(name, terminals, k, least)
