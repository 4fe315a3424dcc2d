"""Routing functions of BookSim on tori."""

from __future__ import annotations

from unknot.network import grid
from unknot.routing import valiant as valiant_relation
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built
from unknot.studies.booksim.orders import UnfitError, addresses, at_least, in_halves, in_order, on_torus, own_vcs


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
    draws = 1 << built.n
    return in_order(built, vcs, "dim_order_ni", on_torus(built), own_vcs(built, vcs), draws=draws)


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
