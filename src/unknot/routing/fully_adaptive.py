"""Minimal fully adaptive routing on any network, without any restriction.

A header may take any VC of any channel that brings it nearer to its destination. It makes no claim about deadlock:
with one VC it deadlocks as soon as four routers form a square or a ring is long enough. It is the yardstick of
adaptivity and the textbook example of why routing functions are restricted.
"""

from __future__ import annotations

import numpy as np

from unknot.errors import RelationError
from unknot.network import Network, distances_from, grid
from unknot.routing.relation import EJECT, Out, Relation, Rule, VirtualChannels

MAX_DISTANCES = 250_000_000
"""Most distances (routers × routers with terminals) that are tabulated for a network without coordinates."""


def fully_adaptive(network: Network, vcs: int = 1) -> Relation:
    """Every shortest path, on every VC.

    On products of lines and rings a step is judged by coordinates; on other networks by a table of distances, 4 bytes
    for each router and each router that ejects.

    Parameters
    ----------
    vcs : int
        VCs per channel, all offered alike.

    Raises
    ------
    RelationError
        If the network has no coordinates and is too large for a table.
    """
    places = VirtualChannels(network, vcs)
    rule = _by_table(network, places, vcs) if network.coordinates is None else _by_coordinates(network, places, vcs)
    return Relation(network, places, rule, name="fully_adaptive", claims_minimal=True)


def _by_coordinates(network: Network, places: VirtualChannels, vcs: int) -> Rule:
    from unknot.routing.grid_kernel import towards

    product = grid(network)
    coordinates, radices, wraps, channel = product.coordinates, product.radices, product.wraps, product.channel
    has = product.ways
    router, first, home, dimensions = places.router, places.first, network.eject, radices.size

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        count = 0
        for i in range(dimensions):
            ways = towards(coordinates[here, i], coordinates[there, i], radices[i], wraps[i], has[i])
            for sign in range(2):
                port = channel[here, 2 * i + sign]
                if ways & (1 << sign) and port >= 0:
                    for v in range(vcs):
                        out[count] = first[port] + v
                        count += 1
        return count

    return rule


def _by_table(network: Network, places: VirtualChannels, vcs: int) -> Rule:
    homes, column = np.unique(network.eject, return_inverse=True)
    if network.num_routers * homes.size > MAX_DISTANCES:
        raise RelationError(
            f"fully_adaptive on {network.name}: a network without coordinates needs a table of distances, and "
            f"{network.num_routers} × {homes.size} are more than {MAX_DISTANCES}"
        )
    distance = np.empty((network.num_routers, homes.size), dtype=np.int32)
    for i, router in enumerate(homes.tolist()):
        distance[:, i] = distances_from(network, router, reverse=True)
    (leaving, channels), target = network.outgoing, network.target
    at_router, first, home = places.router, places.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = at_router[at], column[address]
        if here == home[address]:
            out[0] = EJECT
            return 1
        count = 0
        for k in range(leaving[here], leaving[here + 1]):
            c = channels[k]
            if distance[here, there] == distance[target[c], there] + 1 and distance[here, there] > 0:
                for v in range(vcs):
                    out[count] = first[c] + v
                    count += 1
        return count

    return rule
