"""p-cube routing on hypercubes.

Written as bits, a packet at router c for router d first clears bits that are 1 in c and 0 in d, in any order; when
none is left it sets those that are 0 in c and 1 in d, in any order. This is negative-first routing on a hypercube.
The non-minimal version may in its first stage also clear bits that are 1 in both, as long as there are bits it must
clear, and sets them again in the second stage. Any number of VCs, one is enough. Glass & Ni (1992) prove it
deadlock-free: channels that clear a bit lead from higher to lower numbers of ones, and come before all that set one;
so the dependency graph is acyclic and every switching technique is settled. Even the non-minimal version takes at
most as many hops as there are dimensions in each stage.
"""

from __future__ import annotations

from dataclasses import replace

from unknot.network import Network
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.turn_model import negative_first
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def p_cube(network: Network, vcs: int = 1, *, minimal: bool = True) -> Relation:
    """First clear bits, then set bits.

    Parameters
    ----------
    vcs : int
        VCs per channel, all candidates alike.
    minimal : bool
        Whether a packet goes on shortest paths only; else detours are tried after them, where the source has them.

    Raises
    ------
    RelationError
        If the network is not a hypercube; `NetworkError` if it has no coordinates.

    References
    ----------
    C. J. Glass, L. M. Ni: The turn model for adaptive routing. ISCA 1992, 278–287; Journal of the ACM, 41(5), 1994,
    874–902. doi:10.1145/185675.185682.

    Examples
    --------
    >>> from unknot.network.families import hypercube
    >>> p_cube(hypercube(4))
    <Relation p_cube on hypercube(4), 64 VCs>
    """
    product = mesh_grid(network, "p_cube", radix=2)
    if minimal:
        return replace(negative_first(network, vcs), name="p_cube")
    bits, channel, dimensions = product.coordinates, product.channel, product.radices.size
    virtual = VirtualChannels(network, vcs)
    router, first, home = virtual.router, virtual.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        clearing = False
        for i in range(dimensions):
            clearing = clearing or bits[here, i] > bits[there, i]
        count = 0
        for i in range(dimensions):
            detour = clearing and bits[here, i] == 1 and bits[there, i] == 1
            differs = bits[here, i] > bits[there, i] if clearing else bits[here, i] < bits[there, i]
            port = channel[here, 2 * i + bits[here, i]]
            if (differs or detour) and port >= 0:
                for v in range(vcs):
                    out[count] = first[port] + v + (TIER if detour else 0)
                    count += 1
        return count

    minimal_one = negative_first(network, vcs)
    return replace(minimal_one, vcs=virtual, rule=rule, name="p_cube, non-minimal", claims_minimal=dimensions < 2)
