"""Relations whose wormhole question the fixpoints leave open: free under store-and-forward, and hard to decide.

Found by a search among random tables on small meshes, for what is left over once the cheap tests are done.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np

from tests.strategies import table_relation
from unknot.network import Network, grid
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, NO_WAIT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels

SIGNS = "-0+"
WAYS = ("+x", "-x", "+y", "-y")

FREE_THREE_WIDE = {
    "--": "(-x0) -x1 -y0 (-y1)", "-0": "-x0 -x1", "-+": "-x0 -x1 +y0", "0-": "-y0 (-y1)", "0+": "+y0 +y1",
    "+-": "(+x0) +x1 -y0 -y1", "+0": "+x0 +x1", "++": "+x0 +x1 +y0",
}  # fmt: skip
"""Free on meshes three routers wide, as far as tried; a deadlock on 4×4."""

FREE_FOUR_WIDE = {
    "--": "-x0 -x1 (-y1)", "-0": "-x0", "-+": "-x0 -x1", "0-": "-y0 -y1", "0+": "+y0 +y1",
    "+-": "(+x0) (+x1) (-y0) -y1", "+0": "+x0 +x1", "++": "+x0 +x1 +y1",
}  # fmt: skip
"""Free on meshes four routers wide, as far as tried; a deadlock on 5×5."""


def by_signs(network: Network, table: Mapping[str, str], vcs: int = 2) -> Relation:
    """Minimal routing on a two-dimensional mesh, given by the signs of what is left to go in x and y.

    An entry lists the VCs that may be taken, as way and number; those in parentheses are not waited for.
    """
    product = grid(network)
    virtual = VirtualChannels(network, vcs)
    may, waits = np.zeros((9, 4, vcs), dtype=bool), np.zeros((9, 4, vcs), dtype=bool)
    for signs, entry in table.items():
        kind = 3 * SIGNS.index(signs[0]) + SIGNS.index(signs[1])
        for name in entry.split():
            way, number = WAYS.index(name.strip("()")[:2]), int(name.strip("()")[2:])
            may[kind, way, number] = True
            waits[kind, way, number] = "(" not in name
    coordinates, channel = product.coordinates, product.channel
    router, first, home = virtual.router, virtual.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        kind = 0
        for i in range(2):
            a, b = coordinates[here, i], coordinates[there, i]
            kind = 3 * kind + (0 if b < a else 1 if b == a else 2)
        count = 0
        for way in range(4):
            for v in range(vcs):
                if may[kind, way, v]:
                    out[count] = first[channel[here, way]] + v + (0 if waits[kind, way, v] else NO_WAIT)
                    count += 1
        return count

    return Relation(network, virtual, rule, name="by_signs")


def beside(one: Relation, other: Relation) -> Relation:
    """Two relations on one network that has no channel between them."""
    a, b = one.network, other.network
    joined = {
        name: np.concatenate([getattr(a, name), getattr(b, name) + a.num_routers])
        for name in ("source", "target", "inject", "eject")
    }
    network = Network("two", a.num_routers + b.num_routers, **joined)
    virtual = VirtualChannels(network, np.concatenate([one.vcs.counts, other.vcs.counts]))
    vcs, addresses, terminals = one.num_vcs, one.num_addresses, a.num_terminals
    first, second = one.rule, other.rule

    def rule(at: int, address: int, out: Out) -> int:
        local = at if at < vcs + other.num_vcs else at - other.num_vcs
        if address < addresses:
            return first(local, address, out)
        injected = at >= vcs + other.num_vcs
        count = second(at - vcs - (terminals if injected else 0), address - addresses, out)
        for k in range(count):
            if out[k] & EJECT != EJECT:
                out[k] += vcs
        return count

    may_use = np.zeros((network.num_terminals, addresses + other.num_addresses), dtype=bool)
    may_use[:terminals, :addresses] = may_use[terminals:, addresses:] = True
    return Relation(network, virtual, rule, name="beside", addresses=Addressing(may_use=may_use))


def one_sender(network: Network, seed: int, most: int = 2) -> Relation:
    """One terminal sends, and every header has one to `most` random channels to go on, detours and loops included.

    Under virtual cut-through, 4 of the first 80 on a mesh 4×4 and 6 on a mesh 5×5 have a configuration near the first
    one found to which no order of injections leads; all of them have another.
    """
    rng = random.Random(seed)
    virtual, terminals = VirtualChannels(network, 1), network.num_terminals
    first, leaving = network.outgoing
    may_use = np.zeros((terminals, terminals), dtype=bool)
    may_use[rng.randrange(terminals)] = True
    table: dict[tuple[int, int], list[int]] = {}
    for address in range(terminals):
        for at in range(virtual.total + terminals):
            here = int(virtual.router[at])
            near = leaving[first[here] : first[here + 1]].tolist()
            home = here == network.eject[address]
            table[at, address] = [EJECT] if home else rng.sample(near, min(rng.randint(1, most), len(near)))
    return table_relation(network, virtual, table, may_use=may_use, name="one_sender")


def mostly_ranked(network: Network, seed: int, astray: float = 0.02) -> Relation:
    """Almost every header waits for one random VC that is ranked above its own, and may go on over any others.

    So VCs drain one after the other while packets may go round.
    """
    rng = random.Random(seed)
    virtual = VirtualChannels(network, 1)
    first, leaving = network.outgoing
    rank = rng.sample(range(virtual.total), virtual.total)
    table: dict[tuple[int, int], list[int]] = {}
    for address in range(network.num_terminals):
        for at in range(virtual.total + network.num_terminals):
            here = int(virtual.router[at])
            near = leaving[first[here] : first[here + 1]].tolist()
            floor = rank[at] if at < virtual.total and rng.random() >= astray else -1
            higher = [vc for vc in near if rank[vc] > floor]
            if here == network.eject[address] and rng.random() < 0.5:
                table[at, address] = [EJECT]
            elif higher:
                waits = rng.choice(higher)
                others = rng.sample(near, min(rng.randint(0, 3), len(near)))
                table[at, address] = [waits, *(vc + NO_WAIT for vc in others if vc != waits)]
    return table_relation(network, virtual, table, name="mostly_ranked")
