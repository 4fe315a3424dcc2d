"""Routing functions of BookSim on concentrated meshes, flattened butterflies and dragonflies."""

from __future__ import annotations

from collections.abc import Callable

from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built
from unknot.studies.booksim.tori import (
    addresses,
    at_least,
    even,
    every_vc,
    half_by_order,
    in_halves,
    in_order,
    on_flatfly,
)


def _cmesh(built: Built, vcs: int, name: str, express: int, both: bool) -> Relation:
    """Dimension order on a concentrated mesh; channels along the edge are taken for more than `express` hops."""
    virtual, channel, k = VirtualChannels(built.network, vcs), built.channel, built.k
    router, first, home = virtual.router, virtual.first, built.network.eject
    terminals, half = built.network.num_terminals, vcs // 2

    def rule(at: int, address: int, out: Out) -> int:
        here, there, back = router[at], home[address % terminals], address // terminals
        if here == there:
            out[0] = EJECT
            return 1
        x, y = there % k - here % k, there // k - here // k
        in_y = x == 0 if back == 0 else y != 0
        far, side = (y, here % k) if in_y else (x, here // k)
        if express > 0 and abs(far) > express and (side == 0 or side == k - 1):
            port = (0 if in_y else 2) + int(side == 0)
        else:
            port = (2 if in_y else 0) + int(far < 0)
        low, high = 0, vcs
        if both:
            low, high = (half, vcs) if back else (0, half)
        for v in range(low, high):
            out[v - low] = first[channel[here, port]] + v
        return high - low

    ends = addresses(built, 2 if both else 1)
    return Relation(built.network, virtual, rule, name=f"{name} of BookSim", destination=ends)


def cmesh_dor(built: Built, vcs: int, faithful: bool) -> Relation:
    """x, then y, by the express channels along the edges for half a side or more."""
    return _cmesh(built, vcs, "dor", max(built.k // 2 - 1, 1), False)


def cmesh_dor_no_express(built: Built, vcs: int, faithful: bool) -> Relation:
    """x, then y."""
    return _cmesh(built, vcs, "dor_no_express", 0, False)


def cmesh_xy_yx(built: Built, vcs: int, faithful: bool) -> Relation:
    """XY and YX order, half of the VCs each. BookSim takes express channels from 2 hops on, on any mesh.

    So beyond 4 × 4 its packets go to and fro between the ends of an express channel for ever.
    """
    in_halves(vcs, faithful)
    return _cmesh(built, vcs, "xy_yx", 1 if faithful else max(built.k // 2 - 1, 1), True)


def cmesh_xy_yx_no_express(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimension order in either order, half of the VCs each."""
    in_halves(vcs, faithful)
    return _cmesh(built, vcs, "xy_yx_no_express", 0, True)


def flatfly_min(built: Built, vcs: int, faithful: bool) -> Relation:
    """`ran_min`: the lowest dimension first."""
    return in_order(built, vcs, "ran_min", on_flatfly(built), every_vc(vcs))


def flatfly_xyyx(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimensions rising or falling, half of the VCs each."""
    in_halves(vcs, faithful)
    return in_order(built, vcs, "xyyx", on_flatfly(built), half_by_order(vcs), both=True)


def flatfly_valiant(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere, half of the VCs before it; phase two also begins at the router of the destination."""
    even(vcs)
    return by_waypoint(built, vcs, "valiant", passing=False)


def by_waypoint(built: Built, vcs: int, name: str, orders: int = 1, *, passing: bool = True) -> Relation:
    """Dimension order to a waypoint and from there on, each phase in its own VCs.

    Address: ``(order × routers + waypoint) × terminals + destination``. With `passing`, packets on their way to the
    waypoint pass the router of their destination.
    """
    virtual, channel, k, n = VirtualChannels(built.network, vcs), built.channel, built.k, built.n
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    terminals, routers, total = built.network.num_terminals, built.network.num_routers, virtual.total
    block, each = terminals * routers, vcs // (2 * orders)

    def rule(at: int, address: int, out: Out) -> int:
        order, here, there = address // block, router[at], home[address % terminals]
        waypoint = address % block // terminals
        if here == there and (at >= total or not passing):
            out[0] = EJECT
            return 1
        late = here == waypoint or (at < total and (at - first[of[at]]) // each % 2 == 1)
        goal = there if late else waypoint
        for j in range(n):
            i = n - 1 - j if order else j
            a, b = here // k**i % k, goal // k**i % k
            if a != b:
                low = first[channel[here, (k - 1) * i + b - int(b > a)]] + (2 * order + int(late)) * each
                for v in range(each):
                    out[v] = low + v
                return each
        out[0] = EJECT
        return 1

    ends = addresses(built, orders * routers)
    return Relation(built.network, virtual, rule, name=f"{name} of BookSim", destination=ends)


def dragonfly_port(built: Built) -> Callable[[int, int], int]:
    """Return what names the port from a router towards another; from ``2k − 1`` on they are global."""
    p, a = built.k, 2 * built.k

    def port_of(here: int, goal: int) -> int:
        group, far = here // a, goal // a
        way = far - int(far > group)
        exit_router = goal if group == far else group * a + way // p
        return a - 1 + way % p if exit_router == here else exit_router % a - int(here < exit_router)

    return port_of


def dragonfly_min(built: Built, vcs: int, faithful: bool) -> Relation:
    """To the group of the destination by the one global channel; VC 0 before it, VC 1 on it and behind it."""
    at_least(vcs, 2)
    virtual, channel, port_of = VirtualChannels(built.network, vcs), built.channel, dragonfly_port(built)
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    outward, total = 2 * built.k - 1, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        port = port_of(here, there)
        kind = 1 if port >= outward else at - first[of[at]] if at < total else 0
        out[0] = first[channel[here, port]] + kind
        return 1

    return Relation(built.network, virtual, rule, name="min of BookSim")
