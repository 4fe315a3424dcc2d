"""Dimension order as BookSim has it, the addresses and numbers of VCs of its routings, and its routings on tori.

Whatever a packet draws is part of its address: ``draw × terminals + destination``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unknot._base.errors import UnknotError
from unknot.network import grid
from unknot.network.model import IntArray
from unknot.routing import valiant as valiant_relation
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built


def _around(built: Built, vcs: int, name: str, balanced: bool) -> Relation:
    """Dimension order on a torus, half of the VCs for each class, which a packet draws or gets on entering a ring.

    An address holds, for each dimension, which way to go where both are equally short, and if `balanced` the class
    where either will do.
    """
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, channel, dims, k = product.coordinates, product.channel, product.radices.size, built.k
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    along, terminals, half, total = product.dimension, built.network.num_terminals, vcs // 2, virtual.total
    middle = (k - 1) // 2

    def rule(at: int, address: int, out: Out) -> int:
        here, there, drawn = router[at], home[address % terminals], address // terminals
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            up = (b - a) % k
            back = (drawn >> i) & 1 if 2 * up == k else int(2 * up > k)
            if at < total and along[of[at]] == i:
                kind = min((at - first[of[at]]) // half, 1)
            elif balanced and ((not back and a <= middle < b) or (back and b <= middle < a)):
                kind = 0
            elif balanced and not ((not back and a > b) or (back and a < b)):
                kind = (drawn >> (dims + i)) & 1
            elif balanced:
                kind = 1
            else:
                kind = int(b < a)
            low, high = (half, vcs) if kind else (0, half)
            port = first[channel[here, 2 * i + back]]
            for v in range(low, high):
                out[v - low] = port + v
            return high - low
        out[0] = EJECT
        return 1

    ends = addresses(built, 1 << (2 * dims if balanced else dims))
    return Relation(built.network, virtual, rule, name=name, destination=ends, claims_minimal=True)


def dim_order_torus(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimension order with a dateline: class 1 where the packet will wrap going up, or will not going down."""
    in_halves(vcs, faithful)
    return _around(built, vcs, "dim_order of BookSim", False)


def dim_order_bal(built: Built, vcs: int, faithful: bool) -> Relation:
    """`dim_order` with two datelines a ring, and either class where a packet crosses none."""
    in_halves(vcs, faithful)
    return _around(built, vcs, "dim_order_bal of BookSim", True)


def valiant_torus(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere, with datelines in both phases; BookSim stops with a failed assertion at any load."""
    if faithful:
        raise UnfitError("BookSim stops with a failed assertion at any load (routefunc.cpp)", "routing_function")
    if vcs % 4:
        raise UnfitError(f"a multiple of 4 VCs is wanted, a quarter for each phase and class, got {vcs}")
    return valiant_relation(built.network, vcs)


def min_adapt_torus(built: Built, vcs: int, faithful: bool) -> Relation:
    """Minimal adaptive routing in VCs 2 on; dimension order with a dateline in VCs 0 and 1, which a packet keeps.

    BookSim takes VC 3 only instead of VCs 2 on, keeps the first direction, and goes down where both ways are equally
    short.
    """
    at_least(vcs, 4)
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, channel, dims, k = product.coordinates, product.channel, product.radices.size, built.k
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    along, terminals, total = product.dimension, built.network.num_terminals, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there, drawn = router[at], home[address % terminals], address // terminals
        index = at - first[of[at]] if at < total else 2
        count = 0
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            up = (b - a) % k
            if count == 0:
                back = (drawn >> i) & 1 if 2 * up == k else int(2 * up > k)
                kind = int(b < a)
                if index < 2 and along[of[at]] == i:
                    kind = index
                out[0] = first[channel[here, 2 * i + back]] + kind + TIER
                count = 1
                if index < 2:
                    return 1
            elif faithful:
                return count
            for back in range(2):
                if faithful:
                    if back == int(2 * up >= k):
                        out[count] = first[channel[here, 2 * i + back]] + 3
                        count += 1
                elif (2 * up <= k and back == 0) or (2 * up >= k and back == 1):
                    for v in range(2, vcs):
                        out[count] = first[channel[here, 2 * i + back]] + v
                        count += 1
        if count:
            return count
        out[0] = EJECT
        return 1

    ends = addresses(built, 1 << dims)
    return Relation(built.network, virtual, rule, name="min_adapt of BookSim", destination=ends, claims_minimal=True)


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


def in_order(
    built: Built, vcs: int, name: str, port_of: PortOf, range_of: VcRange, *, both: bool = False
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

    ends = addresses(built, 2 if both else 1)
    return Relation(built.network, virtual, rule, name=f"{name} of BookSim", destination=ends, claims_minimal=True)
