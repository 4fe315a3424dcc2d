"""Weighted adaptive routing on HyperX networks: DimWAR and OmniWAR (McDonald, Isaev, Flores, Davis & Kim 2019).

A header may take deroutes: a hop within a dimension to another position than the destination's. DimWAR takes the
dimensions in ascending order, in each at most one deroute; the first hop in a dimension is on VC class 0, the hop
after a deroute on class 1, so 2 VCs. OmniWAR takes the dimensions in any order, hop i on VC class i, and deroutes as
long as there are classes for the hops that then remain. It needs one VC per dimension and one per deroute; a header
with fewer dimensions to go may deroute as well. Both pass the classes in one order: no cycle of dependencies under
any switching technique, and so no need of escape channels or of atomic allocation. Not minimal where a dimension has
three positions or more.

Which output a header takes is decided once in each router, by the least product of congestion and hops that remain:
the selection function `least_weight`. Other selection functions take deroutes as the second tier that they are here.

DAL (Ahn et al. 2009) is not here: it keeps in the header in which dimensions it has derouted.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import complete_product, enough_vcs
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

SOURCE = "McDonald, Isaev, Flores, Davis & Kim 2019"


@takes_network
def hyperx_dimwar(network: Network, vcs: int = 2) -> Relation:
    """Dimension order with at most one deroute in each dimension.

    Parameters
    ----------
    vcs : int
        VCs per channel, at least 2, in two classes.

    Raises
    ------
    RelationError
        If there are too few VCs; `NetworkError` if the network is not a product of complete graphs.

    References
    ----------
    N. McDonald, M. Isaev, A. Flores, A. Davis, J. Kim: Practical and efficient incremental adaptive routing for
    HyperX networks. SC 2019.

    Examples
    --------
    >>> from unknot.network.families import hyperx
    >>> hyperx_dimwar(hyperx([4, 4]))
    <Relation hyperx_dimwar on hyperx([4, 4]), 192 VCs>
    """
    product = complete_product(network, "hyperx_dimwar")
    if vcs < 2:
        raise RelationError(f"hyperx_dimwar on {network.name}: two classes of VCs need 2 VCs; got {vcs}")
    virtual = VirtualChannels(network, vcs)
    coordinates, port, start, dimension = product.coordinates, product.port, product.start, product.dimension
    radices, dimensions, half = np.array(network.radices), product.start.size, vcs // 2
    router, first, at_channel = virtual.router, virtual.first, virtual.channel
    home, total = network.eject, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        for i in range(dimensions):
            goal = coordinates[there, i]
            if coordinates[here, i] == goal:
                continue
            derouted = at < total and dimension[at_channel[at]] == i
            low, high = (half, vcs) if derouted else (0, half)
            count = 0
            for v in range(low, high):
                out[count] = first[port[here, start[i] + goal]] + v
                count += 1
            if not derouted:
                for position in range(radices[i]):
                    if position != goal and position != coordinates[here, i]:
                        for v in range(low, high):
                            out[count] = first[port[here, start[i] + position]] + v + TIER
                            count += 1
            return count
        out[0] = EJECT
        return 1

    return Relation(
        network,
        virtual,
        rule,
        name="hyperx_dimwar",
        claims=ACYCLIC,
        claims_minimal=max(network.radices) < 3,
        source=SOURCE,
        commits=True,
        selection="least_weight",
    )


@takes_network
def hyperx_omniwar(network: Network, vcs: int | None = None, *, deroutes: int | None = None) -> Relation:
    """Dimensions in any order, hop i on VC class i, deroutes as long as classes last.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, at least one for each dimension of more than one position; by default one more. The first
        classes have one more where classes cannot have as many.
    deroutes : int, optional
        Deroutes of a packet, each of which takes a VC class; by default as many as there are VCs for, at most one for
        each dimension. No route has more hops than dimensions and deroutes.

    Raises
    ------
    RelationError
        If there are too few VCs; `NetworkError` if the network is not a product of complete graphs.

    References
    ----------
    N. McDonald, M. Isaev, A. Flores, A. Davis, J. Kim: Practical and efficient incremental adaptive routing for
    HyperX networks. SC 2019.

    Examples
    --------
    >>> from unknot.network.families import hyperx
    >>> hyperx_omniwar(hyperx([4, 4]))
    <Relation hyperx_omniwar on hyperx([4, 4]), 288 VCs>
    """
    product = complete_product(network, "hyperx_omniwar")
    if deroutes is not None and deroutes < 0:
        raise RelationError(f"hyperx_omniwar on {network.name}: deroutes is a number from 0, got {deroutes}")
    least = product.hops + (deroutes or 0)
    count = enough_vcs(network, least + (deroutes is None) if vcs is None else vcs, least, "hyperx_omniwar")
    classes = least if deroutes is not None else min(count, 2 * product.hops)
    virtual = VirtualChannels(network, count)
    share = -(-np.arange(classes + 1) * count // classes)
    coordinates, port, start = product.coordinates, product.port, product.start
    radices, dimensions = np.array(network.radices), product.start.size
    router, first, at_channel = virtual.router, virtual.first, virtual.channel
    home, total = network.eject, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        hop = 0
        while at < total and share[hop] <= at - first[at_channel[at]]:
            hop += 1
        remain = 0
        for i in range(dimensions):
            remain += coordinates[here, i] != coordinates[there, i]
        if remain == 0:
            out[0] = EJECT
            return 1
        deroute = classes - hop > remain
        offered = 0
        for i in range(dimensions):
            goal = coordinates[there, i]
            for position in range(radices[i]):
                if coordinates[here, i] == goal or position == coordinates[here, i]:
                    continue
                if position == goal or deroute:
                    for v in range(share[hop], share[hop + 1]):
                        out[offered] = first[port[here, start[i] + position]] + v + (0 if position == goal else TIER)
                        offered += 1
        return offered

    return Relation(
        network,
        virtual,
        rule,
        name="hyperx_omniwar",
        claims=ACYCLIC,
        claims_minimal=classes == 1 or max(network.radices) < 3,
        source=SOURCE,
        commits=True,
        selection="least_weight",
    )
