"""One way from router to router: what most routing functions of BookSim have in common, and the VCs that they take.

Whatever a packet draws is part of its address: ``draw × terminals + destination``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from unknot._base.errors import UnknotError
from unknot.routing.contract import Decision
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built

MOST_ADDRESSES = 2**24
PortOf = Callable[[int, int, int], int]
"""The output port at one router on the way to another, by what was drawn."""
VcRange = Callable[[int, int, int, int], tuple[int, int]]
"""The VCs, from one to before another, by input VC, destination, output port, and what was drawn."""


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


def every_vc(vcs: int) -> VcRange:
    """Return the range of all VCs."""

    def every(at: int, to: int, port: int, drawn: int) -> tuple[int, int]:
        return 0, vcs

    return every


def half_by_order(vcs: int) -> VcRange:
    """Return the lower half of the VCs for rising dimensions, the upper one for falling ones."""
    half = vcs // 2

    def of_order(at: int, to: int, port: int, drawn: int) -> tuple[int, int]:
        return (half, vcs) if drawn else (0, half)

    return of_order


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
    """By one port at each router, on a range of its VCs."""
    network, channel = built.network, built.channel
    router, first, home, terminals = virtual.router, virtual.first, network.eject, network.num_terminals

    def rule(at: int, address: int, out: Out) -> int:
        to, drawn = address % terminals, address // terminals
        here, there = router[at], home[to]
        if here == there:
            out[0] = EJECT
            return 1
        port = port_of(here, there, drawn)
        low, high = range_of(at, to, port, drawn)
        vc = first[channel[here, port]]
        for v in range(low, high):
            out[v - low] = vc + v
        return high - low

    ends = addresses(built, draws)
    return Relation(network, virtual, rule, name=f"{name} of BookSim", destination=ends, claims_minimal=minimal)


SHORTER = Decision(weight=1, margin=-1)
"""The other order only if its queue is shorter; the own one is drawn, so equal queues are drawn between."""


def in_order(built: Built, vcs: int, faithful: bool, *, name: str, on: Callable[[Built], PortOf]) -> Relation:
    """The lowest dimension first."""
    return one_port(built, VirtualChannels(built.network, vcs), name, on(built), every_vc(vcs))


def in_either_order(built: Built, vcs: int, faithful: bool, *, name: str, on: Callable[[Built], PortOf]) -> Relation:
    """Dimensions rising or falling, drawn for each packet, each order in half of the VCs."""
    in_halves(vcs, faithful)
    return one_port(built, VirtualChannels(built.network, vcs), name, on(built), half_by_order(vcs), draws=2)


def in_shorter_order(built: Built, vcs: int, faithful: bool, *, name: str, on: Callable[[Built], PortOf]) -> Relation:
    """Dimensions rising or falling, half of the VCs each: by the shorter queue in the source router."""
    return replace(in_either_order(built, vcs, faithful, name=name, on=on), decides=SHORTER)
