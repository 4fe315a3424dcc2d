"""Routing functions of BookSim on concentrated meshes, flattened butterflies and dragonflies.

UGAL compares queues in the source router: a packet draws a waypoint, and goes directly where that costs less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot.routing.contract import Decision
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.networks import Built
from unknot.studies.booksim.ordered import (
    MOST_ADDRESSES,
    PortOf,
    UnfitError,
    addresses,
    at_least,
    even,
    every_vc,
    half_by_order,
    in_halves,
    one_port,
)

FLATFLY_MARGIN, DRAGONFLY_MARGIN = 2, 30
"""In favour of minimal routing, in flits times hops, and in flits."""
MOST_PAIRS = 2**26
"""Most pairs of a source and an address."""


def cmesh(built: Built, vcs: int, faithful: bool, *, name: str, both: bool = False, express: bool = True) -> Relation:
    """x, then y, on a concentrated mesh; `both`: XY and YX order, half of the VCs each.

    With `express`, half a side or more is gone by the channels along the edges. Of both orders BookSim takes them
    from 2 hops on, on any mesh: beyond 4 × 4 its packets go to and fro between the ends of such a channel for ever.
    """
    if both:
        in_halves(vcs, faithful)
    k = built.k
    near = 1 if both and faithful else max(k // 2 - 1, 1)

    def port_of(here: int, there: int, back: int) -> int:
        x, y = there % k - here % k, there // k - here // k
        in_y = x == 0 if back == 0 else y != 0
        far, side = (y, here % k) if in_y else (x, here // k)
        if express and abs(far) > near and (side == 0 or side == k - 1):
            return (0 if in_y else 2) + int(side == 0)
        return (2 if in_y else 0) + int(far < 0)

    range_of, virtual = half_by_order(vcs) if both else every_vc(vcs), VirtualChannels(built.network, vcs)
    return one_port(built, virtual, name, port_of, range_of, draws=2 if both else 1, minimal=None)


def on_flatfly(built: Built) -> PortOf:
    """Dimension order on a flattened butterfly: lowest dimension first, or highest for packets that draw 1."""
    k, n = built.k, built.n

    def port_of(here: int, there: int, drawn: int) -> int:
        for j in range(n):
            i = n - 1 - j if drawn else j
            a, b = here // k**i % k, there // k**i % k
            if a != b:
                port: int = (k - 1) * i + b - int(b > a)
                return port
        return -1

    return port_of


def flatfly_valiant(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere, half of the VCs before it; phase two also begins at the router of the destination."""
    even(vcs)
    return _by_waypoint(built, vcs, "valiant", passing=False)


def _by_waypoint(built: Built, vcs: int, name: str, orders: int = 1, *, passing: bool = True) -> Relation:
    """Dimension order to a waypoint and from there on, each phase in its own VCs.

    Address: ``(order × routers + waypoint) × terminals + destination``. With `passing`, packets on their way to the
    waypoint pass the router of their destination.
    """
    virtual, channel, port_of = VirtualChannels(built.network, vcs), built.channel, on_flatfly(built)
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
        if here == goal:
            out[0] = EJECT
            return 1
        low = first[channel[here, port_of(here, goal, order)]] + (2 * order + int(late)) * each
        for v in range(each):
            out[v] = low + v
        return each

    ends = addresses(built, orders * routers)
    return Relation(built.network, virtual, rule, name=f"{name} of BookSim", destination=ends)


def flatfly_ugal(built: Built, vcs: int, faithful: bool, *, orders: int = 1) -> Relation:
    """UGAL by waypoints in the box of source and destination; that of the source itself is minimal routing.

    Dimensions rise, with half of the VCs up to the waypoint and half behind it; or they rise or fall,
    with a quarter of the VCs for each order up to the waypoint and behind it.
    """
    if vcs % (2 * orders):
        what = "half for each phase" if orders == 1 else "a quarter for each order and phase"
        raise UnfitError(f"VCs are a multiple of {2 * orders}, {what}, got {vcs}")
    network, k, n = built.network, built.k, built.n
    terminals, routers = network.num_terminals, network.num_routers
    block = terminals * routers
    if block * orders > MOST_ADDRESSES or block * orders * terminals > MOST_PAIRS:
        raise UnfitError(f"{block * orders} addresses by waypoint are too many for {terminals} terminals", "k")
    digits = np.arange(routers)[:, None] // k ** np.arange(n) % k
    source, to = (digits[at] for at in (network.inject, network.eject))
    # A waypoint has the digits that source and destination share.
    inside = np.ones((terminals, routers, terminals), dtype=bool)
    for i in range(n):
        alike = source[:, i][:, None] == to[:, i][None, :]
        inside &= ~alike[:, None, :] | (digits[:, i][None, :, None] == source[:, i][:, None, None])
    return replace(
        _by_waypoint(built, vcs, "ugal" if orders == 1 else "ugal_xyyx", orders),
        may_use=np.tile(inside.reshape(terminals, -1), orders),
        direct=network.inject[:, None] * terminals + np.arange(terminals)[None, :],
        compares="UGAL-L",
        decides=Decision(weight=0, margin=FLATFLY_MARGIN, blocks=orders),
        source="Singh 2005",
    )


def _dragonfly_port(built: Built) -> PortOf:
    """Return what names the port from a router towards another; from ``2k − 1`` on they are global."""
    p, a = built.k, 2 * built.k

    def port_of(here: int, goal: int, drawn: int) -> int:
        group, far = here // a, goal // a
        way = far - int(far > group)
        exit_router = goal if group == far else group * a + way // p
        return a - 1 + way % p if exit_router == here else exit_router % a - int(here < exit_router)

    return port_of


def dragonfly_min(built: Built, vcs: int, faithful: bool) -> Relation:
    """To the group of the destination by the one global channel; VC 0 before it, VC 1 on it and behind it."""
    at_least(vcs, 2)
    virtual = VirtualChannels(built.network, vcs)
    first, of, outward, total = virtual.first, virtual.channel, 2 * built.k - 1, virtual.total

    def of_way(at: int, to: int, port: int, drawn: int) -> tuple[int, int]:
        vc = 1 if port >= outward else at - first[of[at]] if at < total else 0
        return vc, vc + 1

    return one_port(built, virtual, "min", _dragonfly_port(built), of_way, minimal=None)


def dragonfly_ugal(built: Built, vcs: int, faithful: bool) -> Relation:
    """UGAL by any router: VC 0 up to it, VC 1 to the group of the destination, VC 2 there.

    A waypoint in the source group is minimal routing; the address of the source router stands for it. VC 0 is used in
    the group that packets leave and in that of their waypoints alike.
    """
    if vcs != 3:
        raise UnfitError(f"3 VCs are needed, in BookSim too, got {vcs}")
    virtual, channel, port_of = VirtualChannels(built.network, vcs), built.channel, _dragonfly_port(built)
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    terminals, a, total = built.network.num_terminals, 2 * built.k, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        waypoint, here, there = address // terminals, router[at], home[address % terminals]
        if at < total:
            phase = at - first[of[at]]
            if phase == 0 and here == waypoint:
                phase = 1
        elif there // a == here // a:
            phase = 2
        else:
            phase = int(waypoint // a == here // a)
        goal = waypoint if phase == 0 else there
        if here == goal:
            out[0] = EJECT
            return 1
        port = port_of(here, goal, 0)
        if port >= a - 1 and phase == 1:
            phase = 2
        out[0] = first[channel[here, port]] + phase
        return 1

    return Relation(
        built.network,
        virtual,
        rule,
        name="ugal of BookSim",
        destination=addresses(built, built.network.num_routers),
        direct=built.network.inject[:, None] * terminals + np.arange(terminals)[None, :],
        compares="UGAL-L",
        decides=Decision(weight=2, margin=DRAGONFLY_MARGIN),
        source="Kim, Dally, Scott & Abts 2008",
    )
