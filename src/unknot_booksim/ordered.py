"""One way from router to router: what most routing functions of BookSim have in common, and the VCs that they take.

Whatever a packet draws is part of its address: ``draw × terminals + destination``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import UnknotError
from unknot.network.model import IntArray
from unknot.routing.contract import Detour
from unknot.routing.parts import Addressing, Preference, Published
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot_booksim.built import Built

MOST_ADDRESSES = 2**24
PortOf = Callable[[int, int, int], int]
"""The output port at one router on the way to another, by what was drawn."""
VcRange = Callable[[int, int, int, int], tuple[int, int]]
"""The VCs, from one to before another, by input VC, destination, output port, and what was drawn."""
Way = Callable[[int, int, int, int], tuple[int, int, int]]
"""Output port and its VCs, from one to before another, by input VC, router, destination, and what was drawn.

The port is `ARRIVED` where the packet leaves the network.
"""
ARRIVED = -1


class UnfitError(UnknotError):
    """A routing function that cannot be had with some value of a key."""

    def __init__(self, message: str, key: str = "num_vcs") -> None:
        self.key = key
        super().__init__(message)


def addresses(built: Built, draws: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Destination of each address, `draws` blocks of all terminals."""
    terminals = built.network.num_terminals
    if draws * terminals > MOST_ADDRESSES:
        raise UnfitError(
            f"{draws} ways that a packet can draw × {terminals} terminals are more than {MOST_ADDRESSES}", "k"
        )
    return np.tile(np.arange(terminals, dtype=np.int32), draws)


def at_least(vcs: int, least: int) -> None:
    """Refuse fewer VCs than a routing function takes."""
    if vcs < least:
        raise UnfitError(f"at least {least} VCs are needed, got {vcs}")


def in_halves(vcs: int, faithful: bool) -> None:
    """Refuse VCs that cannot be divided among two classes as asked."""
    at_least(vcs, 2)
    if faithful and vcs % 2:
        raise UnfitError(
            f"BookSim's halves of {vcs} VCs share the middle one, which is not built; take an even number"
        )


def even(vcs: int) -> None:
    """Refuse an odd number of VCs."""
    if vcs % 2:
        raise UnfitError(f"an even number of VCs is needed, half for each phase, got {vcs}")


def in_parts(vcs: int, parts: int = 1) -> VcRange:
    """Return the VCs in parts, one for each order that can be drawn."""

    def of_part(at: int, to: int, port: int, drawn: int) -> tuple[int, int]:
        return drawn % parts * vcs // parts, (drawn % parts + 1) * vcs // parts

    return of_part


def by_way(
    built: Built,
    virtual: VirtualChannels,
    name: str,
    way: Way,
    *,
    draws: int = 1,
    may_use: Flags | None = None,
    **more: Any,
) -> Relation:
    """By one port at each router, on a range of its VCs; `more` are further parts of the relation."""
    channel, router, first, terminals = built.channel, virtual.router, virtual.first, built.network.num_terminals

    def rule(at: int, address: int, out: Out) -> int:
        here = router[at]
        port, low, high = way(at, here, address % terminals, address // terminals)
        if port < 0:
            out[0] = EJECT
            return 1
        vc = first[channel[here, port]]
        for v in range(low, high):
            out[v - low] = vc + v
        return high - low

    own = Addressing(addresses(built, draws), may_use)
    return Relation(built.network, virtual, rule, name=f"{name} of BookSim", addresses=own, **more)


def one_port(
    built: Built,
    virtual: VirtualChannels,
    name: str,
    port_of: PortOf,
    range_of: VcRange,
    *,
    draws: int = 1,
    minimal: bool | None = True,
) -> Relation:
    """By the port towards the router of the destination."""
    home = built.network.eject

    def way(at: int, here: int, to: int, drawn: int) -> tuple[int, int, int]:
        if here == home[to]:
            return ARRIVED, 0, 0
        port = port_of(here, home[to], drawn)
        low, high = range_of(at, to, port, drawn)
        return port, low, high

    return by_way(built, virtual, name, way, draws=draws, published=Published(claims_minimal=minimal))


def by_dimension(position: IntArray, *, lines: bool) -> PortOf:
    """Return the ports of dimension order, the lowest first, or the highest for packets that draw 1.

    Dimensions are `lines` of two ports at each router, or complete graphs.
    """
    dims, k = position.shape[1], int(position.max(initial=0)) + 1

    def port_of(here: int, there: int, drawn: int) -> int:
        for j in range(dims):
            i = dims - 1 - j if drawn else j
            a, b = position[here, i], position[there, i]
            if a != b:
                return 2 * i + int(b < a) if lines else (k - 1) * i + b - int(b > a)
        return ARRIVED

    return port_of


SHORTER = Detour(weight=1, margin=-1)
"""The other order only if its queue is shorter; the own one is drawn, so equal queues are drawn between."""


def in_order(
    built: Built, vcs: int, faithful: bool, *, name: str, on: Callable[[Built], PortOf], orders: int = 1
) -> Relation:
    """The lowest dimension first; with two `orders` rising or falling, as packets draw, in half of the VCs each."""
    if orders > 1:
        in_halves(vcs, faithful)
    return one_port(built, VirtualChannels(built.network, vcs), name, on(built), in_parts(vcs, orders), draws=orders)


def in_shorter_order(built: Built, vcs: int, faithful: bool, *, name: str, on: Callable[[Built], PortOf]) -> Relation:
    """Dimensions rising or falling, half of the VCs each: by the shorter queue in the source router."""
    relation = in_order(built, vcs, faithful, name=name, on=on, orders=2)
    return replace(relation, preference=Preference(decides=SHORTER))
