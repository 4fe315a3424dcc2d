"""Routing functions of BookSim on meshes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot.network import grid
from unknot.routing import romm as romm_relation
from unknot.routing import valiant as valiant_relation
from unknot.routing.relation import EJECT, TIER, Out, Relation
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
    on_mesh,
)


def dim_order(built: Built, vcs: int, faithful: bool) -> Relation:
    """`dor`, `dim_order` on meshes."""
    return in_order(built, vcs, "dim_order", on_mesh, every_vc(vcs))


def next_hop_queues(built: Built, vcs: int, faithful: bool) -> Relation:
    """`dor`, `dim_order` on meshes with `noq`: VCs by the output port that a packet takes behind the channel."""
    position, dims, home = grid(built.network).coordinates, built.n, built.network.eject
    at_least(vcs, 2 * dims + 1)
    each = vcs // (2 * dims + 1)

    def of_next_port(here: int, to: int, i: int, drawn: int) -> tuple[int, int]:
        there, port = home[to], 2 * dims
        after = position[here, i] + (1 if position[here, i] < position[there, i] else -1)
        for d in range(dims - 1, i - 1, -1):
            beyond = after if d == i else position[here, d]
            if beyond != position[there, d]:
                port = 2 * d + int(position[there, d] < beyond)
        return port * each, (port + 1) * each

    return replace(
        in_order(built, vcs, "dim_order", on_mesh, of_next_port), name="dim_order of BookSim by next outputs"
    )


def xy_yx(built: Built, vcs: int, faithful: bool) -> Relation:
    """Dimensions rising or falling, drawn for each packet, each order in half of the VCs."""
    in_halves(vcs, faithful)
    return in_order(built, vcs, "xy_yx", on_mesh, half_by_order(vcs), both=True)


def romm(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint in the box of source and destination."""
    even(vcs)
    return romm_relation(built.network, vcs)


def valiant(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere. BookSim lets a packet that passes its destination in phase one take any VC there."""
    even(vcs)
    return _passing(built, vcs) if faithful else valiant_relation(built.network, vcs)


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
    total = virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        count, escaped = 0, at < total and at == first[of[at]]
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            port = first[channel[here, 2 * i + int(b < a)]]
            if count == 0:
                out[0] = port + TIER
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
