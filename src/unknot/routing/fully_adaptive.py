"""Minimal fully adaptive routing on meshes, hypercubes and tori, without any restriction.

A header may take any VC of any channel that brings it nearer to its destination. It makes no claim: with one VC it
deadlocks as soon as four routers form a square or a ring is long enough. It is the yardstick of adaptivity and the
textbook example of why routing functions are restricted.
"""

from __future__ import annotations

from unknot.network import Network, grid
from unknot.routing.relation import EJECT, Out, Relation, VirtualChannels


def fully_adaptive(network: Network, vcs: int = 1) -> Relation:
    """Every shortest path on (part of) a product of lines and rings, on every VC.

    Parameters
    ----------
    vcs : int
        VCs per channel, all offered alike.

    Raises
    ------
    NetworkError
        If the network is not a product of lines and rings.
    """
    from unknot.routing.grid_kernel import towards

    product = grid(network)
    coordinates, radices, wraps, channel = product.coordinates, product.radices, product.wraps, product.channel
    places = VirtualChannels(network, vcs)
    router, first, home, dimensions = places.router, places.first, network.eject, radices.size

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        count = 0
        for i in range(dimensions):
            ways = towards(coordinates[here, i], coordinates[there, i], radices[i], wraps[i])
            for sign in range(2):
                port = channel[here, 2 * i + sign]
                if ways & (1 << sign) and port >= 0:
                    for v in range(vcs):
                        out[count] = first[port] + v
                        count += 1
        return count

    return Relation(network, places, rule, name="fully_adaptive", claims_minimal=True)
