"""Routing functions of BookSim that compare queues in the source router.

What a packet may draw is part of its address, and so is what it may decide: proofs hold for every decision.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot.routing.contract import Decision
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.studies.booksim.flats import by_waypoint, dragonfly_port, flatfly_xyyx
from unknot.studies.booksim.meshes import xy_yx
from unknot.studies.booksim.networks import Built
from unknot.studies.booksim.tori import MOST_ADDRESSES, UnfitError, addresses

SHORTER = Decision(weight=1, margin=-1)
"""The other order only if its queue is shorter; the own one is drawn, so equal queues are drawn between."""
FLATFLY_MARGIN, DRAGONFLY_MARGIN = 2, 30
"""In favour of minimal routing, in flits times hops, and in flits."""
MOST_PAIRS = 2**26
"""Most pairs of a source and an address."""


def adaptive_xy_yx(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimensions rising or falling, half of the VCs each: by the shorter queue in the source router."""
    return replace(xy_yx(built, vcs, faithful), name="adaptive_xy_yx of BookSim", decides=SHORTER)


def adaptive_xyyx(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimensions rising or falling, half of the VCs each: by the shorter queue in the source router."""
    return replace(flatfly_xyyx(built, vcs, faithful), name="adaptive_xyyx of BookSim", decides=SHORTER)


def flatfly_ugal(built: Built, vcs: int, faithful: bool) -> Relation:
    """UGAL in rising order of dimensions: half of the VCs up to the waypoint, half behind it."""
    return _flatfly_ugal(built, vcs, "ugal", 1)


def flatfly_ugal_xyyx(built: Built, vcs: int, faithful: bool) -> Relation:
    """UGAL with dimensions rising or falling: a quarter of the VCs for each, up to the waypoint and behind it."""
    return _flatfly_ugal(built, vcs, "ugal_xyyx", 2)


def _flatfly_ugal(built: Built, vcs: int, name: str, orders: int) -> Relation:
    """UGAL by waypoints in the box of source and destination; that of the source itself is minimal routing."""
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
        by_waypoint(built, vcs, name, orders),
        may_use=np.tile(inside.reshape(terminals, -1), orders),
        direct=network.inject[:, None] * terminals + np.arange(terminals)[None, :],
        compares="UGAL-L",
        decides=Decision(weight=0, margin=FLATFLY_MARGIN, blocks=orders),
        source="Singh 2005",
    )


def dragonfly_ugal(built: Built, vcs: int, faithful: bool) -> Relation:
    """UGAL by any router: VC 0 up to it, VC 1 to the group of the destination, VC 2 there.

    A waypoint in the source group is minimal routing; the address of the source router stands for it. VC 0 is used in
    the group that packets leave and in that of their waypoints alike.
    """
    if vcs != 3:
        raise UnfitError(f"3 VCs are wanted, in BookSim too, got {vcs}")
    virtual, channel, port_of = VirtualChannels(built.network, vcs), built.channel, dragonfly_port(built)
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
        port = port_of(here, goal)
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
