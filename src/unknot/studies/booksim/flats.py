"""Routing functions of BookSim on concentrated meshes, flattened butterflies and dragonflies."""

from __future__ import annotations

from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built
from unknot.studies.booksim.requirements import UnfitError, addresses, at_least, in_halves


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


def _flatfly(built: Built, vcs: int, name: str, both: bool) -> Relation:
    virtual, channel, k, n = VirtualChannels(built.network, vcs), built.channel, built.k, built.n
    router, first, home = virtual.router, virtual.first, built.network.eject
    terminals, half = built.network.num_terminals, vcs // 2

    def rule(at: int, address: int, out: Out) -> int:
        here, there, back = router[at], home[address % terminals], address // terminals
        for j in range(n):
            i = n - 1 - j if back else j
            a, b = here // k**i % k, there // k**i % k
            if a != b:
                port = first[channel[here, (k - 1) * i + b - int(b > a)]]
                low, high = 0, vcs
                if both:
                    low, high = (half, vcs) if back else (0, half)
                for v in range(low, high):
                    out[v - low] = port + v
                return high - low
        out[0] = EJECT
        return 1

    ends = addresses(built, 2 if both else 1)
    return Relation(built.network, virtual, rule, name=f"{name} of BookSim", destination=ends, claims_minimal=True)


def flatfly_min(built: Built, vcs: int, faithful: bool) -> Relation:
    """`ran_min`: the lowest dimension first."""
    return _flatfly(built, vcs, "ran_min", False)


def flatfly_xyyx(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimensions rising or falling, half of the VCs each."""
    in_halves(vcs, faithful)
    return _flatfly(built, vcs, "xyyx", True)


def flatfly_valiant(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere, half of the VCs before it; phase two also begins at the router of the destination."""
    if vcs % 2:
        raise UnfitError(f"an even number of VCs is wanted, half for each phase, got {vcs}")
    virtual, channel, k, n = VirtualChannels(built.network, vcs), built.channel, built.k, built.n
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    terminals, half, total = built.network.num_terminals, vcs // 2, virtual.total
    routers = built.network.num_routers

    def rule(at: int, address: int, out: Out) -> int:
        waypoint, here, there = address // terminals, router[at], home[address % terminals]
        if here == there:
            out[0] = EJECT
            return 1
        late = (at < total and at - first[of[at]] >= half) or here == waypoint
        goal = there if late else waypoint
        for i in range(n):
            a, b = here // k**i % k, goal // k**i % k
            if a != b:
                port, low = first[channel[here, (k - 1) * i + b - int(b > a)]], half if late else 0
                for v in range(half):
                    out[v] = port + low + v
                return half
        return 0

    ends = addresses(built, routers)
    return Relation(built.network, virtual, rule, name="valiant of BookSim", destination=ends)


def dragonfly_min(built: Built, vcs: int, faithful: bool) -> Relation:
    """To the group of the destination by the one global channel; VC 0 before it, VC 1 on it and behind it."""
    at_least(vcs, 2)
    virtual, channel, p = VirtualChannels(built.network, vcs), built.channel, built.k
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    a, total = 2 * p, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        group, goal = here // a, there // a
        kind = at - first[of[at]] if at < total else 0
        way = goal - int(goal > group)
        exit_router = there if group == goal else group * a + way // p
        if exit_router == here:
            port, kind = a - 1 + way % p, 1
        else:
            port = exit_router % a - int(here < exit_router)
        out[0] = first[channel[here, port]] + kind
        return 1

    return Relation(built.network, virtual, rule, name="min of BookSim")
