"""Routing functions of BookSim on meshes and tori."""

from __future__ import annotations

import numpy as np

from unknot.errors import UnknotError
from unknot.network import grid
from unknot.routing import romm as romm_relation
from unknot.routing import valiant as valiant_relation
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built

MOST_ADDRESSES = 2**24


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


def _ordered(built: Built, vcs: int, name: str, draws: int, kind: int) -> Relation:
    """Dimension order.

    Kind 0: all VCs, 1: by destination, 2: by the next coordinate, 3: half for each order, 4: by the output port after
    the next hop.
    """
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, channel, dims = product.coordinates, product.channel, product.radices.size
    router, first, home = virtual.router, virtual.first, built.network.eject
    terminals, half = built.network.num_terminals, vcs // 2
    each = vcs // (1, terminals, int(product.radices[0]), 1, 2 * dims + 1)[kind]

    def rule(at: int, address: int, out: Out) -> int:
        to, back = address % terminals, address // terminals
        here, there = router[at], home[to]
        for j in range(dims):
            i = dims - 1 - j if back else j
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            low, high = 0, vcs
            if kind == 1 or kind == 2:
                low = (to if kind == 1 else b) * each
                high = low + each
            elif kind == 3 and back:
                low = half
            elif kind == 3:
                high = half
            elif kind == 4:
                after, left = a + (1 if a < b else -1), 2 * dims
                for d in range(dims - 1, i - 1, -1):
                    beyond = after if d == i else position[here, d]
                    if beyond != position[there, d]:
                        left = 2 * d + int(position[there, d] < beyond)
                low, high = left * each, (left + 1) * each
            port = first[channel[here, 2 * i + int(b < a)]]
            for v in range(low, high):
                out[v - low] = port + v
            return high - low
        out[0] = EJECT
        return 1

    return Relation(built.network, virtual, rule, name=name, destination=addresses(built, draws), claims_minimal=True)


def dim_order(built: Built, vcs: int, faithful: bool) -> Relation:
    """`dor`, `dim_order` on meshes."""
    return _ordered(built, vcs, "dim_order of BookSim", 1, 0)


def next_hop_queues(built: Built, vcs: int, faithful: bool) -> Relation:
    """`dor`, `dim_order` on meshes with `noq`: VCs by the output port that a packet takes behind the channel."""
    at_least(vcs, 2 * built.n + 1)
    return _ordered(built, vcs, "dim_order of BookSim by next outputs", 1, 4)


def dim_order_ni(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimension order with VCs of its own for each destination."""
    at_least(vcs, built.network.num_terminals)
    return _ordered(built, vcs, "dim_order_ni of BookSim", 1, 1)


def dim_order_pni(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimension order with VCs for each coordinate that a dimension is left at."""
    at_least(vcs, built.k)
    return _ordered(built, vcs, "dim_order_pni of BookSim", 1, 2)


def xy_yx(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimensions rising or falling, drawn for each packet, each order in half of the VCs."""
    in_halves(vcs, faithful)
    return _ordered(built, vcs, "xy_yx of BookSim", 2, 3)


def romm(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint in the box of source and destination."""
    _even(vcs)
    return romm_relation(built.network, vcs)


def valiant(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere. BookSim lets a packet that passes its destination in phase one take any VC there."""
    _even(vcs)
    return _passing(built, vcs) if faithful else valiant_relation(built.network, vcs)


def _even(vcs: int) -> None:
    if vcs % 2:
        raise UnfitError(f"an even number of VCs is wanted, half for each phase, got {vcs}")


def _passing(built: Built, vcs: int) -> Relation:
    """Valiant's routing as BookSim has it on meshes, with its fault."""
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, channel, dims = product.coordinates, product.channel, product.radices.size
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    source, terminals, half, total = built.network.source, built.network.num_terminals, vcs // 2, virtual.total
    addresses(built, terminals)

    def rule(at: int, address: int, out: Out) -> int:
        waypoint, to = address // terminals, address % terminals
        here, goal = router[at], home[to]
        # A packet that left the router of its destination is in phase one, whatever its VC.
        late = at < total and at - first[of[at]] >= half and source[of[at]] != goal
        if here == home[waypoint]:
            late = True
        there = goal if late else home[waypoint]
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            port = first[channel[here, 2 * i + int(b < a)]]
            low, high = (half, vcs) if late else (0, half)
            if here == goal:
                low, high = 0, vcs
            for v in range(low, high):
                out[v - low] = port + v
            return high - low
        out[0] = EJECT
        return 1

    ends = np.tile(np.arange(terminals, dtype=np.int32), terminals)
    return Relation(built.network, virtual, rule, name="valiant of BookSim", destination=ends)


def min_adapt_mesh(built: Built, vcs: int, faithful: bool) -> Relation:
    """Minimal adaptive routing in VCs 1 on; dimension order in VC 0, which a packet does not leave again.

    BookSim means to offer every direction, but keeps the first one only.
    """
    at_least(vcs, 2)
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, channel, dims = product.coordinates, product.channel, product.radices.size
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    total, escape = virtual.total, 0 if faithful else TIER

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        count, escaped = 0, at < total and at == first[of[at]]
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            port = first[channel[here, 2 * i + int(b < a)]]
            if count == 0:
                out[0] = port + escape
                count = 1
                if escaped:
                    return 1
            elif faithful:
                return count
            for v in range(1, vcs):
                out[count] = port + v
                count += 1
        if count:
            return count
        out[0] = EJECT
        return 1

    return Relation(built.network, virtual, rule, name="min_adapt of BookSim", claims_minimal=True)


def planar_adapt(built: Built, vcs: int, faithful: bool) -> Relation:
    """Two dimensions at a time, VCs in three parts; BookSim keeps the first direction only."""
    at_least(vcs, 3)
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, channel, dims = product.coordinates, product.channel, product.radices.size
    router, first, home, part = virtual.router, virtual.first, built.network.eject, vcs // 3

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        plane = 0
        while plane < dims and position[here, plane] == position[there, plane]:
            plane += 1
        if plane == dims:
            out[0] = EJECT
            return 1
        a, b = position[here, plane], position[there, plane]
        count = vcs - 2 * part
        port = first[channel[here, 2 * plane + int(b < a)]]
        for v in range(count):
            out[v] = port + 2 * part + v
        if faithful:
            return count
        i = (plane + 1) % dims
        c, d = position[here, i], position[there, i]
        if c != d:
            port = first[channel[here, 2 * i + int(d < c)]]
            low = 0 if a < b else part
            for v in range(low, low + part):
                out[count] = port + v
                count += 1
        return count

    return Relation(built.network, virtual, rule, name="planar_adapt of BookSim", claims_minimal=True)


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


def dim_order_ni_torus(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimension order with VCs of its own for each destination, and no dateline."""
    at_least(vcs, built.network.num_terminals)
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, channel, dims, k = product.coordinates, product.channel, product.radices.size, built.k
    router, first, home, terminals = virtual.router, virtual.first, built.network.eject, built.network.num_terminals
    each = vcs // terminals

    def rule(at: int, address: int, out: Out) -> int:
        to, drawn = address % terminals, address // terminals
        here, there = router[at], home[to]
        for i in range(dims):
            up = (position[there, i] - position[here, i]) % k
            if up:
                back = (drawn >> i) & 1 if 2 * up == k else int(2 * up > k)
                port = first[channel[here, 2 * i + back]]
                for v in range(each):
                    out[v] = port + to * each + v
                return each
        out[0] = EJECT
        return 1

    ends = addresses(built, 1 << dims)
    return Relation(
        built.network, virtual, rule, name="dim_order_ni of BookSim", destination=ends, claims_minimal=True
    )


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
    escape = 0 if faithful else TIER

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
                out[0] = first[channel[here, 2 * i + back]] + kind + escape
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
