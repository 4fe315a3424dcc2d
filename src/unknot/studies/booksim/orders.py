"""Addresses, numbers of VCs and dimension order of BookSim's routings on meshes, tori and flattened butterflies.

Whatever a packet draws is part of its address: ``draw × terminals + destination``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unknot._base.errors import UnknotError
from unknot.network import grid
from unknot.network.model import IntArray
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built

MOST_ADDRESSES = 2**24
PortOf = Callable[[int, int, int, int], int]
"""The output port by own digit, digit of the destination, dimension, and what was drawn."""
VcRange = Callable[[int, int, int, int], tuple[int, int]]
"""The VCs, from one to before another, by router, destination, next dimension, and what was drawn."""


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
        raise UnfitError(f"at least {least} VCs are wanted, got {vcs}")


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
        raise UnfitError(f"an even number of VCs is wanted, half for each phase, got {vcs}")


def _digits(built: Built) -> IntArray:
    """Return the digits of each router: shape (routers, dimensions)."""
    return (np.arange(built.network.num_routers)[:, None] // built.k ** np.arange(built.n) % built.k).astype(np.int32)


def on_mesh(a: int, b: int, i: int, drawn: int) -> int:
    """Return the port of a mesh."""
    return 2 * i + int(b < a)


def on_torus(built: Built) -> PortOf:
    """Return what names the port of a torus; of two ways that are equally short, the draw has a bit for each."""
    k = built.k

    def port_of(a: int, b: int, i: int, drawn: int) -> int:
        up = (b - a) % k
        return 2 * i + ((drawn >> i) & 1 if 2 * up == k else int(2 * up > k))

    return port_of


def on_flatfly(built: Built) -> PortOf:
    """Return what names the port of a flattened butterfly."""
    k = built.k

    def port_of(a: int, b: int, i: int, drawn: int) -> int:
        return (k - 1) * i + b - int(b > a)

    return port_of


def every_vc(vcs: int) -> VcRange:
    """Return the range of all VCs."""

    def every(here: int, to: int, i: int, drawn: int) -> tuple[int, int]:
        return 0, vcs

    return every


def half_by_order(vcs: int) -> VcRange:
    """Return the lower half of the VCs for rising dimensions, the upper one for falling ones."""
    half = vcs // 2

    def of_order(here: int, to: int, i: int, drawn: int) -> tuple[int, int]:
        return (half, vcs) if drawn else (0, half)

    return of_order


def own_vcs(built: Built, vcs: int) -> VcRange:
    """Return VCs of its own for each destination."""
    each = vcs // built.network.num_terminals

    def of_destination(here: int, to: int, i: int, drawn: int) -> tuple[int, int]:
        return to * each, (to + 1) * each

    return of_destination


def in_order(
    built: Built, vcs: int, name: str, port_of: PortOf, range_of: VcRange, *, draws: int = 1, both: bool = False
) -> Relation:
    """Dimension order on a range of the VCs; with `both`, packets that draw 1 take the last dimension first."""
    virtual, channel, position = VirtualChannels(built.network, vcs), built.channel, _digits(built)
    if built.network.coordinates is not None:
        channel, position = grid(built.network).channel, grid(built.network).coordinates
    router, first, home, terminals = virtual.router, virtual.first, built.network.eject, built.network.num_terminals
    dims = position.shape[1]

    def rule(at: int, address: int, out: Out) -> int:
        to, drawn = address % terminals, address // terminals
        here, there = router[at], home[to]
        for j in range(dims):
            i = dims - 1 - j if both and drawn else j
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            low, high = range_of(here, to, i, drawn)
            port = first[channel[here, port_of(a, b, i, drawn)]]
            for v in range(low, high):
                out[v - low] = port + v
            return high - low
        out[0] = EJECT
        return 1

    ends = addresses(built, 2 if both else draws)
    return Relation(built.network, virtual, rule, name=f"{name} of BookSim", destination=ends, claims_minimal=True)
