"""BookSim's routing functions as relations: which function a pair of names means; those on trees and files.

Whatever BookSim draws when it routes a packet is part of the address here, so that a header's candidates depend on
where it stands and on its address only, and what is proved holds for every draw.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from unknot._base.errors import near
from unknot._base.memory import require
from unknot.routing import destination_tag
from unknot.routing import nca as ancestor
from unknot.routing.parts import Addressing, Preference, Published
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot_booksim import flats, grids
from unknot_booksim.built import Built
from unknot_booksim.configuration import Configuration
from unknot_booksim.ordered import (
    SHORTER,
    UnfitError,
    addresses,
    by_dimension,
    in_order,
    in_parts,
    in_shorter_order,
    one_port,
)

Maker = Callable[[Built, int, bool], Relation]

MOST_VCS = 2**24
_PRIVATE = "it takes VCs of their own for each destination; {} is built"
NOT_BUILT = {
    ("mesh", "dim_order_ni"): _PRIVATE.format("dim_order"),
    ("mesh", "dim_order_pni"): _PRIVATE.format("dim_order"),
    ("torus", "dim_order_ni"): _PRIVATE.format("dim_order"),
    ("flatfly", "ugal_pni"): _PRIVATE.format("ugal"),
    ("mesh", "romm_ni"): "romm is built",
    ("mesh", "chaos"): "BookSim's router `chaos` cannot start",
    ("torus", "chaos"): "BookSim's router `chaos` cannot start",
    ("torus", "valiant_ni"): "BookSim stops with a failed assertion",
}
"""Routing functions that BookSim has and are not built, and why or what to use."""


def dest_tag(built: Built, vcs: int, faithful: bool) -> Relation:
    """By the digits of the destination, the highest first."""
    relation = destination_tag(built.network, vcs)
    return replace(relation, name="dest_tag of BookSim", published=replace(relation.published, claims_minimal=True))


def nca(built: Built, vcs: int, faithful: bool) -> Relation:
    """Up to a nearest common ancestor by ports drawn at each level, then down."""
    k, n, across = built.k, built.n, built.k ** (built.n - 1)

    def port_of(here: int, there: int, drawn: int) -> int:
        depth, place, leaf = here // across, here % across, there % across
        below: int = k ** (n - 1 - depth)
        if place // below != leaf // below:
            return k + drawn // below % k
        down: int = leaf % below // (below // k)
        return down

    virtual = VirtualChannels(built.network, vcs)
    return one_port(built, virtual, "nca", port_of, in_parts(vcs), draws=across)


def anca(built: Built, vcs: int, faithful: bool) -> Relation:
    """`nca` by the port with more credits of two that are drawn."""
    preference = Preference(selection="better_of_two")
    return replace(ancestor(built.network, vcs), name="anca of BookSim", preference=preference)


def qtree_nca(built: Built, vcs: int, faithful: bool) -> Relation:
    """Up to the nearest common ancestor, then down."""

    def port_of(here: int, there: int, drawn: int) -> int:
        below = there
        while below > here:
            above = (below - 1) // 4
            if above == here:
                return (below - 1) % 4
            below = above
        return 4

    return one_port(built, VirtualChannels(built.network, vcs), "nca", port_of, in_parts(vcs))


def tree4_nca(built: Built, vcs: int, faithful: bool) -> Relation:
    """Up to a nearest common ancestor by ports drawn at each level, then down, from the top through either of two."""

    def port_of(here: int, there: int, drawn: int) -> int:
        leaf = there - 12
        if here < 4:
            return leaf // 4 * 2 + drawn // 8
        if here >= 12:
            return 4 + drawn % 2
        return leaf % 4 if leaf // 4 == (here - 4) // 2 else 4 + drawn // 2 % 4

    return one_port(built, VirtualChannels(built.network, vcs), "nca", port_of, in_parts(vcs), draws=16)


def tree4_anca(built: Built, vcs: int, faithful: bool) -> Relation:
    """`tree4_nca` by any port up; BookSim means so, but keeps the first port only."""
    network, channel, home = built.network, built.channel, built.network.eject
    virtual = VirtualChannels(network, vcs)
    router, first, terminals = virtual.router, virtual.first, network.num_terminals

    def rule(at: int, address: int, out: Out) -> int:
        here, leaf, drawn = router[at], home[address % terminals] - 12, address // terminals
        if here - 12 == leaf:
            out[0] = EJECT
            return 1
        low, ports = 4, 2 if here >= 12 else 4
        if here < 4:
            low, ports = leaf // 4 * 2 + drawn, 1
        elif here < 12 and leaf // 4 == (here - 4) // 2:
            low, ports = leaf % 4, 1
        count = 0
        for port in range(low, low + (1 if faithful else ports)):
            for v in range(vcs):
                out[count] = first[channel[here, port]] + v
                count += 1
        return count

    ends = addresses(built, 2)
    return Relation(
        network,
        virtual,
        rule,
        name="anca of BookSim",
        addresses=Addressing(ends),
        published=Published(claims_minimal=True),
    )


def min_anynet(built: Built, vcs: int, faithful: bool) -> Relation:
    """One shortest way from each router to each other, found as BookSim finds it: Dijkstra's, low numbers first."""
    network, virtual = built.network, VirtualChannels(built.network, vcs)
    routers = network.num_routers
    require(f"the routing table of {network.name}", 4 * routers * routers)
    table = np.full((routers, routers), -1, dtype=np.int32)
    near: list[list[tuple[int, int, int]]] = []
    for r in range(routers):
        out = network.outgoing.at(r)
        near.append(sorted((int(network.target[c]), int(network.latency[c]), c) for c in out))
    for source in range(routers):
        distance, by = [2**62] * routers, [-1] * routers
        distance[source] = 0
        done = [False] * routers
        queue = [(0, source)]
        while queue:
            so_far, r = heapq.heappop(queue)
            if done[r]:
                continue
            done[r] = True
            for target, latency, c in near[r]:
                if so_far + latency < distance[target]:
                    distance[target] = so_far + latency
                    by[target] = c if r == source else by[r]
                    heapq.heappush(queue, (distance[target], target))
        table[source] = by
    table.setflags(write=False)
    home = network.eject
    if (table[np.ix_(np.unique(home), np.unique(home))] < 0).sum() > np.unique(home).size:
        raise UnfitError("some node has no way to another", "network_file")

    def towards(here: int, there: int, drawn: int) -> int:
        return there

    # The column of a router in this table stands for the port towards it.
    return one_port(replace(built, channel=table), virtual, "min", towards, in_parts(vcs), minimal=None)


def xy_anynet(built: Built, vcs: int, faithful: bool) -> Relation:
    """Along rows of routers, then along columns, as in a fork: routers are numbered row by row."""
    network, columns = built.network, built.k
    routers = network.num_routers
    if columns < 1 or routers % columns:
        raise UnfitError(f"{routers} routers are no multiple of {columns} in a row", "anynet_cols")
    near = {(a, b): c for c, (a, b) in enumerate(network.ends)}
    # Ports as on a mesh: right, left, down, up.
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
    table = np.full((routers, 4), -1, dtype=np.int32)
    for router in range(routers):
        x, y = router % columns, router // columns
        for port, (across, down) in enumerate(steps):
            if 0 <= x + across < columns and 0 <= y + down < routers // columns:
                other = router + across + columns * down
                if (router, other) not in near:
                    raise UnfitError(f"router {router} has no channel to router {other}", "network_file")
                table[router, port] = near[router, other]
    table.setflags(write=False)
    position = np.stack([np.arange(routers) % columns, np.arange(routers) // columns], axis=1).astype(np.int32)
    virtual = VirtualChannels(network, vcs)
    port_of = by_dimension(position, lines=True)
    return one_port(replace(built, channel=table), virtual, "xy", port_of, in_parts(vcs), minimal=None)


ROUTINGS: dict[tuple[str, str], Maker] = {
    ("mesh", "dor"): partial(in_order, name="dim_order", on=grids.on_mesh),
    ("mesh", "dim_order"): partial(in_order, name="dim_order", on=grids.on_mesh),
    ("mesh", "xy_yx"): partial(in_order, name="xy_yx", on=grids.on_mesh, orders=2),
    ("mesh", "adaptive_xy_yx"): partial(in_shorter_order, name="adaptive_xy_yx", on=grids.on_mesh),
    ("mesh", "romm"): grids.romm,
    ("mesh", "valiant"): grids.valiant,
    ("mesh", "min_adapt"): grids.min_adapt,
    ("mesh", "oddeven"): grids.odd_even,
    ("mesh", "planar_adapt"): grids.planar_adapt,
    ("torus", "dim_order"): partial(grids.around, balanced=False),
    ("torus", "dim_order_bal"): partial(grids.around, balanced=True),
    ("torus", "valiant"): grids.valiant_torus,
    ("torus", "min_adapt"): grids.min_adapt,
    ("fly", "dest_tag"): dest_tag,
    ("fattree", "nca"): nca,
    ("fattree", "anca"): anca,
    ("qtree", "nca"): qtree_nca,
    ("tree4", "nca"): tree4_nca,
    ("tree4", "anca"): tree4_anca,
    ("anynet", "min"): min_anynet,
    ("anynet", "xy"): xy_anynet,
    ("cmesh", "dor"): partial(flats.cmesh, name="dor"),
    ("cmesh", "dor_no_express"): partial(flats.cmesh, name="dor_no_express", express=False),
    ("cmesh", "xy_yx"): partial(flats.cmesh, name="xy_yx", both=True),
    ("cmesh", "xy_yx_no_express"): partial(flats.cmesh, name="xy_yx_no_express", both=True, express=False),
    ("cmesh", "adaptive_xy_yx"): partial(flats.cmesh, name="adaptive_xy_yx", both=True, decides=SHORTER),
    ("flatfly", "dor"): partial(in_order, name="dor", on=flats.on_flatfly),
    ("flatfly", "ran_min"): partial(in_order, name="ran_min", on=flats.on_flatfly),
    ("flatfly", "xyyx"): partial(in_order, name="xyyx", on=flats.on_flatfly, orders=2),
    ("flatfly", "valiant"): flats.flatfly_valiant,
    ("flatfly", "adaptive_xyyx"): partial(in_shorter_order, name="adaptive_xyyx", on=flats.on_flatfly),
    ("flatfly", "ugal"): flats.flatfly_ugal,
    ("flatfly", "ugal_xyyx"): partial(flats.flatfly_ugal, orders=2),
    ("dragonflynew", "min"): flats.dragonfly_min,
    ("dragonflynew", "ugal"): flats.dragonfly_ugal,
}
"""Routings by topology and `routing_function`."""


def relation_of(configuration: Configuration, built: Built) -> Relation:
    """The routing relation of a configuration.

    Raises
    ------
    UnknotError
        If BookSim has no such routing function, it is not built, or it takes other numbers of VCs.
    """
    topology, name = configuration.text("topology"), configuration.text("routing_function")
    vcs = configuration.whole("num_vcs", 1, 1024)
    if vcs * built.network.num_channels > MOST_VCS:
        raise configuration.error(
            "num_vcs", f"{vcs} VCs on each of {built.network.num_channels} channels are too many"
        )
    here = topology, name
    if here in NOT_BUILT:
        raise configuration.error("routing_function", f"{name} on {topology} is not built: {NOT_BUILT[here]}")
    if here not in ROUTINGS:
        known = [routing for where, routing in ROUTINGS if where == topology]
        raise configuration.error("routing_function", f"BookSim has no {name} on {topology}; {near(name, known)}")
    configuration.require("noq")
    try:
        return ROUTINGS[here](built, vcs, configuration.faithful)
    except UnfitError as error:
        raise configuration.error(error.key, f"{name} on {topology}: {error}") from None
