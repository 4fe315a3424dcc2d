"""Routing functions of BookSim on meshes and tori."""

from __future__ import annotations

from unknot.network import grid
from unknot.routing import romm as romm_relation
from unknot.routing import valiant as valiant_relation
from unknot.routing.parts import Addressing, Published
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot_booksim.built import Built
from unknot_booksim.ordered import (
    ARRIVED,
    PortOf,
    UnfitError,
    addresses,
    at_least,
    by_dimension,
    by_way,
    even,
    in_halves,
    one_port,
)


def on_mesh(built: Built) -> PortOf:
    """Dimension order on a mesh."""
    return by_dimension(grid(built.network).coordinates, lines=True)


def romm(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint in the box of source and destination."""
    even(vcs)
    return romm_relation(built.network, vcs)


def valiant(built: Built, vcs: int, faithful: bool) -> Relation:
    """Valiant routing over a random waypoint; as in BookSim, a packet at its destination in phase one
    may take any VC.
    """
    even(vcs)
    return _passing(built, vcs) if faithful else valiant_relation(built.network, vcs)


def _passing(built: Built, vcs: int) -> Relation:
    """Valiant's routing as BookSim has it on meshes, with its fault."""
    virtual, port_of, home = VirtualChannels(built.network, vcs), on_mesh(built), built.network.eject
    source, of, index, half, total = built.network.source, virtual.channel, virtual.index, vcs // 2, virtual.total

    def way(at: int, here: int, to: int, waypoint: int) -> tuple[int, int, int]:
        goal = home[to]
        # A packet that left the router of its destination is in phase one, whatever its VC.
        late = here == home[waypoint] or (at < total and index[at] >= half and source[of[at]] != goal)
        there = goal if late else home[waypoint]
        if here == there:
            return ARRIVED, 0, 0
        port = port_of(here, there, 0)
        return port, half if late and here != goal else 0, vcs if late or here == goal else half

    return by_way(built, virtual, "valiant", way, draws=built.network.num_terminals)


def planar_adapt(built: Built, vcs: int, faithful: bool) -> Relation:
    """Two dimensions at a time, VCs in three parts; BookSim keeps the first direction only."""
    at_least(vcs, 3)
    position, dims, virtual = grid(built.network).coordinates, built.n, VirtualChannels(built.network, vcs)
    router, first, home, part = virtual.router, virtual.first, built.network.eject, vcs // 3
    channel, port_of = built.channel, on_mesh(built)

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        port = port_of(here, there, 0)
        count = vcs - 2 * part
        for v in range(count):
            out[v] = first[channel[here, port]] + 2 * part + v
        i = (port // 2 + 1) % dims
        a, b = position[here, i], position[there, i]
        if a != b and not faithful:
            low = part if port % 2 else 0
            for v in range(low, low + part):
                c = channel[here, 2 * i + int(b < a)]
                out[count] = first[c] + v
                count += 1
        return count

    return Relation(
        built.network, virtual, rule, name="planar_adapt of BookSim", published=Published(claims_minimal=True)
    )


def min_adapt(built: Built, vcs: int, faithful: bool) -> Relation:
    """Minimal adaptive routing; dimension order in VC 0 of a mesh, or with a dateline in VCs 0 and 1 of a torus.

    A packet does not leave these VCs again. BookSim means to offer every direction, but keeps the first one only; on
    tori it takes VC 3 only instead of VCs 2 on, and goes down where both ways are equally short.
    """
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    wraps = bool(product.wraps.any())
    at_least(vcs, 4 if wraps else 2)
    position, channel, dims, sizes = product.coordinates, product.channel, built.n, product.radices
    router, first, home, of = virtual.router, virtual.first, built.network.eject, virtual.channel
    along, terminals, total = product.dimension, built.network.num_terminals, virtual.total
    escapes = 2 if wraps else 1
    low, high = (3, 4) if wraps and faithful else (escapes, vcs)

    def rule(at: int, address: int, out: Out) -> int:
        here, there, drawn = router[at], home[address % terminals], address // terminals
        index = at - first[of[at]] if at < total else escapes
        count = 0
        for i in range(dims):
            a, b = position[here, i], position[there, i]
            if a == b:
                continue
            k = sizes[i]
            twice = 2 * ((b - a) % k)
            ahead, behind = (twice <= k, twice >= k) if wraps else (a < b, b < a)
            if count == 0:
                back = (drawn >> i) & 1 if ahead and behind else int(behind)
                kind = int(wraps and b < a)
                if index < escapes and along[of[at]] == i:
                    kind = index
                out[0] = first[channel[here, 2 * i + back]] + kind + TIER
                count = 1
                if index < escapes:
                    return 1
            elif faithful:
                return count
            for back in range(2):
                if (behind if back else ahead) and not (faithful and behind and not back):
                    for v in range(low, high):
                        out[count] = first[channel[here, 2 * i + back]] + v
                        count += 1
        if count:
            return count
        # In allocators that know priorities adaptive VCs go before those of the escape and of the destination.
        out[0] = EJECT + TIER if faithful else EJECT
        return 1

    ends = addresses(built, 1 << dims if wraps else 1)
    return Relation(
        built.network,
        virtual,
        rule,
        name="min_adapt of BookSim",
        addresses=Addressing(ends),
        published=Published(claims_minimal=True),
    )


def odd_even(built: Built, vcs: int, faithful: bool) -> Relation:
    """Ways of a fork that names them after odd-even turns, in all VCs but 0, beside dimension order in VC 0.

    Packets to the right go down or up first in an even column, those to the left keep to the left in an odd one; else
    both ways are open. A packet does not leave VC 0 again.
    """
    at_least(vcs, 2)
    position, channel, port_of = grid(built.network).coordinates, built.channel, on_mesh(built)
    if position.shape[1] != 2:
        raise UnfitError(f"2 dimensions are needed, got {position.shape[1]}", "n")
    virtual, home = VirtualChannels(built.network, vcs), built.network.eject
    router, first, of, total = virtual.router, virtual.first, virtual.channel, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        out[0] = first[channel[here, port_of(here, there, 0)]] + TIER
        if at < total and at == first[of[at]]:
            return 1
        across, down = position[there, 0] - position[here, 0], position[there, 1] - position[here, 1]
        odd, count = position[here, 0] % 2 == 1, 1
        for port in range(4):
            if port < 2:
                is_open = across != 0 and (odd or across < 0 or down == 0) and (across < 0) == (port == 1)
            else:
                is_open = down != 0 and not (odd and across < 0) and (down < 0) == (port == 3)
            for v in range(1, vcs if is_open else 1):
                out[count] = first[channel[here, port]] + v
                count += 1
        return count

    return Relation(built.network, virtual, rule, name="oddeven of BookSim", published=Published(claims_minimal=True))


def around(built: Built, vcs: int, faithful: bool, *, balanced: bool) -> Relation:
    """Dimension order on a torus, half of the VCs for each class, which a packet draws or gets on entering a ring.

    An address holds, for each dimension, which way to go where both are equally short, and if `balanced` the class
    where either will do.
    """
    in_halves(vcs, faithful)
    product, virtual = grid(built.network), VirtualChannels(built.network, vcs)
    position, dims, sizes, along = product.coordinates, built.n, product.radices, product.dimension
    router, of, index, total = virtual.router, virtual.channel, virtual.index, virtual.total
    home, half = built.network.eject, vcs // 2

    def port_of(here: int, there: int, drawn: int) -> int:
        for i in range(dims):
            k = sizes[i]
            up = (position[there, i] - position[here, i]) % k
            if up:
                return 2 * i + ((drawn >> i) & 1 if 2 * up == k else int(2 * up > k))
        return ARRIVED

    def of_ring(at: int, to: int, port: int, drawn: int) -> tuple[int, int]:
        i, back = port // 2, port % 2
        a, b, middle = position[router[at], i], position[home[to], i], (sizes[i] - 1) // 2
        wraps, past_middle = (a < b, b <= middle < a) if back else (b < a, a <= middle < b)
        if at < total and along[of[at]] == i:
            kind = min(index[at] // half, 1)
        elif balanced and past_middle:
            kind = 0
        elif balanced and not wraps:
            kind = (drawn >> (dims + i)) & 1
        else:
            kind = int(balanced or b < a)
        return (half, vcs) if kind else (0, half)

    name = "dim_order_bal" if balanced else "dim_order"
    return one_port(built, virtual, name, port_of, of_ring, draws=1 << (2 * dims if balanced else dims))


def valiant_torus(built: Built, vcs: int, faithful: bool) -> Relation:
    """A waypoint anywhere, with datelines in both phases; BookSim stops with a failed assertion at any load."""
    if faithful:
        raise UnfitError("BookSim stops with a failed assertion at any load (routefunc.cpp)", "routing_function")
    if vcs % 4:
        raise UnfitError(f"a multiple of 4 VCs is needed, a quarter for each phase and class, got {vcs}")
    return valiant_relation(built.network, vcs)
