"""Routing on HyperX networks and flattened butterflies: in dimension order, minimal adaptive, DimWAR and OmniWAR.

In each dimension every position is one hop from every other. Dimension order takes the dimensions in ascending order,
one hop each, so that no hop leads back to a lower dimension, with any number of VCs (Ahn, Binkert, Davis, McLaren &
Schreiber 2009). Minimal adaptive routing takes them in any order, on the VC whose index is the number of hops that
remain after this one: 1 VC for each dimension, which are passed from the highest to the lowest (Kim, Dally & Abts
2007).

The weighted adaptive routings of McDonald, Isaev, Flores, Davis & Kim (2019) add deroutes: hops within a dimension to
another position than the destination's. DimWAR takes the dimensions in ascending order, in each at most one deroute;
the first hop in a dimension is on VC class 0, the hop after a deroute on class 1, so 2 VCs. OmniWAR takes the
dimensions in any order, hop i on VC class i, and deroutes as long as there are classes for the hops that then remain.
It needs one VC per dimension and one per deroute; a header with fewer dimensions to go may deroute as well. Neither
is minimal where a dimension has three positions or more. Which output a header takes is decided once in each router,
by the least product of congestion and hops that remain: the selection function `least_weight`. Other selection
functions take deroutes as the second tier that they are here. DAL (Ahn et al. 2009) is not here: it keeps in the
header in which dimensions it has derouted.

All four pass dimensions or VC classes in one order: no cycle of dependencies under any switching technique, and so no
need of escape channels or of atomic allocation.

Raises
------
RelationError
    If there are too few VCs; `NetworkError` if the network is not a product of complete graphs.

References
----------
N. McDonald, M. Isaev, A. Flores, A. Davis, J. Kim: Practical and efficient incremental adaptive routing for
HyperX networks. SC 2019.
"""

from __future__ import annotations

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import CompleteProduct, complete_product
from unknot.routing.parts import Preference
from unknot.routing.relation import TIER, Out, Relation, by_steps
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels, enough_vcs

WAR = "McDonald, Isaev, Flores, Davis & Kim 2019"


@takes_network
def hyperx_dimension_order(network: Network, vcs: int = 1) -> Relation:
    """One dimension after the other; minimal, and deterministic up to the VC.

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
    virtual, share = VirtualChannels(network, vcs), np.array([0, vcs])
    return _relation(virtual, product, share, "hyperx_dimension_order", "Ahn et al. 2009", in_order=True)


@takes_network
def hyperx_dimwar(network: Network, vcs: int = 2) -> Relation:
    """Dimension order with at most one deroute in each dimension.

    Parameters
    ----------
    vcs : int
        VCs per channel, at least 2, in two classes.

    Examples
    --------
    >>> from unknot.network.families import hyperx
    >>> hyperx_dimwar(hyperx([4, 4]))
    <Relation hyperx_dimwar on hyperx([4, 4]), 192 VCs>
    """
    product = complete_product(network, "hyperx_dimwar")
    enough_vcs(network, vcs, 2, "hyperx_dimwar", "two classes of VCs need 2 VCs")
    virtual, share = VirtualChannels(network, vcs), np.array([0, vcs // 2, vcs])
    return _relation(virtual, product, share, "hyperx_dimwar", WAR, in_order=True, deroutes=True)


@takes_network
def hyperx_minimal(network: Network, vcs: int | None = None) -> Relation:
    """Minimal adaptive: dimensions in any order, the VC by the hops that remain.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, shared out among the numbers of hops that may remain; at least, and by default, one for each
        dimension of more than one position.

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
    count = enough_vcs(network, vcs, product.hops, "hyperx_minimal", _as_many(product.hops))
    virtual, share = VirtualChannels(network, count), np.arange(product.hops + 1) * count // product.hops
    return _relation(virtual, product, share, "hyperx_minimal", "Kim, Dally & Abts 2007")


@takes_network
def hyperx_omniwar(network: Network, vcs: int | None = None, *, deroutes: int | None = None) -> Relation:
    """Adaptive: dimensions in any order, hop i on VC class i, deroutes as long as classes last.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, at least one for each dimension of more than one position; by default one more. The first
        classes have one more where classes cannot have as many.
    deroutes : int, optional
        Deroutes of a packet, each of which takes a VC class; by default as many as there are VCs for, at most one for
        each dimension. No route has more hops than dimensions and deroutes.

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
    own = least + (deroutes is None) if vcs is None else vcs
    count = enough_vcs(network, own, least, "hyperx_omniwar", _as_many(least))
    classes = least if deroutes is not None else min(count, 2 * product.hops)
    virtual = VirtualChannels(network, count)
    share = -(-np.arange(classes + 1) * count // classes)
    return _relation(virtual, product, share, "hyperx_omniwar", WAR, deroutes=True)


def _as_many(hops: int) -> str:
    return f"routes of {hops} hops need as many VCs"


def _relation(
    virtual: VirtualChannels,
    product: CompleteProduct,
    share: Ints,
    name: str,
    source: str,
    *,
    in_order: bool = False,
    deroutes: bool = False,
) -> Relation:
    """The relation of a routing, VC class k being the VCs from share[k] on.

    The class is that of the hops done, in the dimension where they are taken in order, if there are deroutes; else
    that of the hops that remain. With deroutes a header commits to the output of least weight.
    """
    from unknot.routing.rules_kernel import offered

    coordinates, port, start, dimension = product.coordinates, product.port, product.start, product.dimension
    network, classes = virtual.network, share.size - 1
    radices, dimensions = np.array(network.radices), product.start.size
    first, at_channel, total = virtual.first, virtual.channel, virtual.total

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        remain, begin, end = 0, 0, dimensions
        for i in range(dimensions - 1, -1, -1):
            if coordinates[here, i] != coordinates[there, i]:
                remain, begin = remain + 1, i
        hop = 0
        if in_order:
            remain, end = 1, begin + 1
            hop = 1 if deroutes and at < total and dimension[at_channel[at]] == begin else 0
        elif not deroutes:
            hop = remain - 1
        elif at < total:
            while share[hop] <= at - first[at_channel[at]]:
                hop += 1
        free, low, many = deroutes and classes - hop > remain, share[hop], share[hop + 1] - share[hop]
        count = 0
        for i in range(begin, end):
            goal, own = coordinates[there, i], coordinates[here, i]
            if own == goal:
                continue
            count = offered(out, count, first[port[here, start[i] + goal]] + low, many)
            for position in range(radices[i] if free else 0):
                if position != goal and position != own:
                    count = offered(out, count, first[port[here, start[i] + position]] + low + TIER, many)
        return count

    return by_steps(
        virtual,
        step,
        name,
        ACYCLIC,
        minimal=not deroutes or classes == 1 or max(network.radices) < 3,
        source=source,
        commits=deroutes,
        preference=Preference(selection="least_weight" if deroutes else None),
    )
