"""Minimal routing on HyperX networks and flattened butterflies.

In each dimension every position is one hop from every other. Dimension order takes the dimensions in ascending order,
one hop each, so that no hop leads back to a lower dimension, with any number of VCs (Ahn, Binkert, Davis, McLaren &
Schreiber 2009). Minimal adaptive routing takes them in any order, on the VC whose index is the number of hops that
remain after this one: 1 VC for each dimension, which are passed from the highest to the lowest (Kim, Dally & Abts
2007). So neither has a cycle of dependencies under any switching technique.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import complete_product, enough_vcs
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def hyperx_dimension_order(network: Network, vcs: int = 1) -> Relation:
    """One dimension after the other; minimal, and deterministic up to the VC.

    Parameters
    ----------
    vcs : int
        VCs per channel, all candidates alike.

    Raises
    ------
    NetworkError
        If the network is not a product of complete graphs.

    References
    ----------
    J. H. Ahn, N. Binkert, A. Davis, M. McLaren, R. S. Schreiber: HyperX: topology, routing, and packaging of
    efficient large-scale networks. SC 2009.

    Examples
    --------
    >>> from unknot.network.families import hyperx
    >>> hyperx_dimension_order(hyperx([4, 4]))
    <Relation hyperx_dimension_order on hyperx([4, 4]), 96 VCs>
    """
    product = complete_product(network, "hyperx_dimension_order")
    coordinates, port, start, dimensions = product.coordinates, product.port, product.start, product.start.size
    virtual = VirtualChannels(network, vcs)
    router, first, home = virtual.router, virtual.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        for i in range(dimensions):
            if coordinates[here, i] != coordinates[there, i]:
                for v in range(vcs):
                    out[v] = first[port[here, start[i] + coordinates[there, i]]] + v
                return vcs
        out[0] = EJECT
        return 1

    return Relation(
        network,
        virtual,
        rule,
        name="hyperx_dimension_order",
        claims=ACYCLIC,
        claims_minimal=True,
        source="Ahn et al. 2009",
    )


@takes_network
def hyperx_minimal(network: Network, vcs: int | None = None) -> Relation:
    """Dimensions in any order, the VC by the hops that remain.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, shared out among the numbers of hops that may remain; at least, and by default, one for each
        dimension of more than one position.

    Raises
    ------
    RelationError
        If there are too few VCs; `NetworkError` if the network is not a product of complete graphs.

    References
    ----------
    J. Kim, W. J. Dally, D. Abts: Flattened butterfly: a cost-efficient topology for high-radix networks. ISCA 2007,
    126–137. doi:10.1145/1250662.1250679.

    Examples
    --------
    >>> from unknot.network.families import hyperx
    >>> hyperx_minimal(hyperx([4, 4]))
    <Relation hyperx_minimal on hyperx([4, 4]), 192 VCs>
    """
    product = complete_product(network, "hyperx_minimal")
    coordinates, port, start, dimensions = product.coordinates, product.port, product.start, product.start.size
    count = enough_vcs(network, vcs, product.hops, "hyperx_minimal")
    share = np.arange(product.hops + 1) * count // product.hops
    virtual = VirtualChannels(network, count)
    router, first, home = virtual.router, virtual.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        hops = 0
        for i in range(dimensions):
            hops += coordinates[here, i] != coordinates[there, i]
        if hops == 0:
            out[0] = EJECT
            return 1
        offered = 0
        for i in range(dimensions):
            if coordinates[here, i] != coordinates[there, i]:
                for v in range(share[hops - 1], share[hops]):
                    out[offered] = first[port[here, start[i] + coordinates[there, i]]] + v
                    offered += 1
        return offered

    return Relation(
        network,
        virtual,
        rule,
        name="hyperx_minimal",
        claims=ACYCLIC,
        claims_minimal=True,
        source="Kim, Dally & Abts 2007",
    )
