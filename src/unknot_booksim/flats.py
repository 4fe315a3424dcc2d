"""Routing functions of BookSim on concentrated meshes, flattened butterflies and dragonflies.

UGAL compares queues in the source router: a packet draws a waypoint, and goes directly where that costs less.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from unknot.network.model import IntArray
from unknot.routing.contract import Detour
from unknot.routing.parts import Preference, Published
from unknot.routing.relation import Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot_booksim.built import Built
from unknot_booksim.ordered import (
    ARRIVED,
    MOST_ADDRESSES,
    PortOf,
    UnfitError,
    at_least,
    by_dimension,
    by_way,
    even,
    in_halves,
    in_parts,
    one_port,
)

FLATFLY_MARGIN, DRAGONFLY_MARGIN = 2, 30
"""In favour of minimal routing, in flits times hops, and in flits."""
MOST_PAIRS = 2**26
"""Most pairs of a source and an address."""


def cmesh(
    built: Built,
    vcs: int,
    faithful: bool,
    *,
    name: str,
    both: bool = False,
    express: bool = True,
    decides: Detour | None = None,
) -> Relation:
    """x, then y, on a concentrated mesh; `both`: XY and YX order, half of the VCs each.

    With `express`, half a side or more is gone by the channels along the edges. Of both orders BookSim takes them
    from 2 hops on, on any mesh: beyond 4 × 4 its packets go to and fro between the ends of such a channel for ever.
    `decides`: a packet takes the order with the shorter queue, as in a fork.
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

    virtual, orders = VirtualChannels(built.network, vcs), 2 if both else 1
    relation = one_port(built, virtual, name, port_of, in_parts(vcs, orders), draws=orders, minimal=None)
    return relation if decides is None else replace(relation, preference=Preference(decides=decides))


def _digits(built: Built) -> IntArray:
    """Coordinates of the routers of a flattened butterfly."""
    return np.arange(built.network.num_routers)[:, None] // built.k ** np.arange(built.n) % built.k


def on_flatfly(built: Built) -> PortOf:
    """Dimension order on a flattened butterfly."""
    return by_dimension(_digits(built), lines=False)


def flatfly_valiant(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere, half of the VCs before it; phase two also begins at the router of the destination."""
    even(vcs)
    return _by_waypoint(built, vcs, "valiant", passing=False)


def _by_waypoint(
    built: Built, vcs: int, name: str, orders: int = 1, *, passing: bool = True, **more: Any
) -> Relation:
    """Dimension order to a waypoint and from there on, each phase in its own VCs.

    Address: ``(order × routers + waypoint) × terminals + destination``. With `passing`, packets on their way to the
    waypoint pass the router of their destination.
    """
    virtual, port_of, routers = VirtualChannels(built.network, vcs), on_flatfly(built), built.network.num_routers
    home, index, total, each = built.network.eject, virtual.index, virtual.total, vcs // (2 * orders)

    def way(at: int, here: int, to: int, drawn: int) -> tuple[int, int, int]:
        order, waypoint, there = drawn // routers, drawn % routers, home[to]
        late = here == waypoint or (at < total and index[at] // each % 2 == 1)
        goal = there if late else waypoint
        if here == goal or (here == there and (at >= total or not passing)):
            return ARRIVED, 0, 0
        low = (2 * order + int(late)) * each
        return port_of(here, goal, order), low, low + each

    return by_way(built, virtual, name, way, draws=orders * routers, **more)


def flatfly_ugal(built: Built, vcs: int, faithful: bool, *, orders: int = 1) -> Relation:
    """UGAL by waypoints in the box of source and destination; that of the source itself is minimal routing.

    Dimensions rise, with half of the VCs up to the waypoint and half behind it; or they rise or fall,
    with a quarter of the VCs for each order up to the waypoint and behind it.
    """
    if vcs % (2 * orders):
        what = "half for each phase" if orders == 1 else "a quarter for each order and phase"
        raise UnfitError(f"VCs are a multiple of {2 * orders}, {what}, got {vcs}")
    network, terminals, routers = built.network, built.network.num_terminals, built.network.num_routers
    block = terminals * routers
    if block * orders > MOST_ADDRESSES or block * orders * terminals > MOST_PAIRS:
        raise UnfitError(f"{block * orders} addresses by waypoint are too many for {terminals} terminals", "k")
    digits = _digits(built)
    source, to = (digits[at] for at in (network.inject, network.eject))
    # A waypoint has the digits that source and destination share.
    inside = np.ones((terminals, routers, terminals), dtype=bool)
    for i in range(built.n):
        alike = source[:, i][:, None] == to[:, i][None, :]
        inside &= ~alike[:, None, :] | (digits[:, i][None, :, None] == source[:, i][:, None, None])
    return _by_waypoint(
        built,
        vcs,
        "ugal" if orders == 1 else "ugal_xyyx",
        orders,
        may_use=np.tile(inside.reshape(terminals, -1), orders),
        preference=_minimal_or_not(built, Detour(weight=0, margin=FLATFLY_MARGIN, blocks=orders)),
        published=Published(source="Singh 2005"),
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
    """To the group of the destination by its single global channel, on VC 0 before and VC 1 from the
    global channel on.
    """
    at_least(vcs, 2)
    virtual, outward = VirtualChannels(built.network, vcs), 2 * built.k - 1
    index, total = virtual.index, virtual.total

    def of_way(at: int, to: int, port: int, drawn: int) -> tuple[int, int]:
        vc = 1 if port >= outward else index[at] if at < total else 0
        return vc, vc + 1

    return one_port(built, virtual, "min", _dragonfly_port(built), of_way, minimal=None)


def dragonfly_ugal(built: Built, vcs: int, faithful: bool) -> Relation:
    """UGAL by any router: VC 0 up to it, VC 1 to the group of the destination, VC 2 there.

    A waypoint in the source group is minimal routing; the address of the source router stands for it. VC 0 is used in
    the group that packets leave and in that of their waypoints alike.
    """
    if vcs != 3:
        raise UnfitError(f"3 VCs are needed, in BookSim too, got {vcs}")
    virtual, port_of, a = VirtualChannels(built.network, vcs), _dragonfly_port(built), 2 * built.k
    home, index, total = built.network.eject, virtual.index, virtual.total

    def way(at: int, here: int, to: int, waypoint: int) -> tuple[int, int, int]:
        there = home[to]
        if at < total:
            phase = 1 if index[at] == 0 and here == waypoint else index[at]
        else:
            phase = 2 if there // a == here // a else int(waypoint // a == here // a)
        goal = there if phase else waypoint
        if here == goal:
            return ARRIVED, 0, 0
        port = port_of(here, goal, 0)
        vc = 2 if phase and port >= a - 1 else phase
        return port, vc, vc + 1

    return by_way(
        built,
        virtual,
        "ugal",
        way,
        draws=built.network.num_routers,
        preference=_minimal_or_not(built, Detour(weight=2, margin=DRAGONFLY_MARGIN)),
        published=Published(source="Kim, Dally, Scott & Abts 2008"),
    )


def _minimal_or_not(built: Built, detour: Detour) -> Preference:
    """The choice between a waypoint and the direct way, whose waypoint is the own router."""
    terminals = np.arange(built.network.num_terminals)
    own = built.network.inject[:, None] * terminals.size + terminals
    return Preference(own, "UGAL-L", decides=detour)
