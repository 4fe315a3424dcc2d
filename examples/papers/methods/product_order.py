"""Routing on Cartesian products of any networks, factor by factor.

The factors are gone through in ascending order, each by a routing of its own: in the copy of factor i that it is
in, a header goes to the position that its destination has there, and then on to factor i + 1. A channel has the VCs
that the routing of its factor gives it, so that their number is the maximum over the factors. Since no route comes
back to an earlier factor, a cycle of dependencies lies within one copy of one factor: what holds for all factors
under a switching technique holds for the product (Hilbers & Lukkien 1989; Bermond & Syska 1992, sections 5.3 and
5.5). Minimal where the routings of all factors are. For lines and rings `ring_lexicographic` and `dimension_order`
are such products already.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.routing.parts import Published
from unknot.routing.relation import EJECT, VC_MASK, Out, Relation, Rule
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@takes_network
def product_order(network: Network, factors: Sequence[Relation]) -> Relation:
    """The routings of the factors of a Cartesian product, one after the other.

    Parameters
    ----------
    network : Network
        With one dimension for each factor, such as the topology language makes of ``complete(4) * ring(5)``.
    factors : sequence of Relation
        For each dimension a routing of a network with as many routers as the dimension has positions, with one
        terminal at each router, in order.

    Raises
    ------
    RelationError
        If the factors are not of that kind; `NetworkError` if the network is not their Cartesian product.

    References
    ----------
    P. A. J. Hilbers, J. J. Lukkien: Deadlock-free message routing in multicomputer networks. Distributed Computing,
    3, 1989, 178–186.
    J.-C. Bermond, M. Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992, 149–158.

    Examples
    --------
    >>> from unknot.network import tod
    >>> from unknot.routing import hop_number, ring_lexicographic
    >>> factors = [hop_number(tod.network("complete(4)")), ring_lexicographic(tod.network("ring(5)"))]
    >>> product_order(tod.network("complete(4) * ring(5)"), factors)
    <Relation product_order of hop_number (first), ring_lexicographic on complete(4) * ring(5), 140 VCs>
    """
    coordinates, radices = network.coordinates, network.radices
    if coordinates is None or len(factors) != len(radices):
        raise NetworkError(
            f"product_order on {network.name}: it needs a network with one dimension for each of the {len(factors)} "
            f"factors, but this one has {len(radices)}"
        )
    for i, (factor, k) in enumerate(zip(factors, radices, strict=True)):
        whole = np.arange(k)
        alike = [factor.network.inject, factor.network.eject, factor.destination]
        if not all(np.array_equal(array, whole) for array in alike) or factor.may_use is not None:
            raise RelationError(
                f"product_order on {network.name}: factor {i} must route a network of {k} routers with a terminal "
                f"and an address for each in order; {factor.name} on {factor.network.name} does not"
            )
    dimension = np.argmax(coordinates[network.source] != coordinates[network.target], axis=1)
    ports = [_ports(network, factor.network, i, dimension == i) for i, factor in enumerate(factors)]
    counts, twin = np.ones(network.num_channels, dtype=np.int64), np.zeros(network.num_channels, dtype=np.int64)
    for factor, port in zip(factors, ports, strict=True):
        at, channel = np.nonzero(port >= 0)
        counts[port[at, channel]], twin[port[at, channel]] = factor.vcs.counts[channel], channel
    virtual = VirtualChannels(network, counts)
    router, first, at_channel, home, num_vcs = (
        virtual.router,
        virtual.first,
        virtual.channel,
        network.eject,
        virtual.total,
    )

    def arrived(at: int, address: int, out: Out) -> int:
        out[0] = EJECT
        return 1

    def within(i: int, later: Rule) -> Rule:
        """The rule from factor i on."""
        base, port, sources = factors[i].rule, ports[i], factors[i].num_vcs
        its_first, its_channel = factors[i].vcs.first, factors[i].vcs.channel

        def rule(at: int, address: int, out: Out) -> int:
            here = router[at]
            a, b = coordinates[here, i], coordinates[home[address], i]
            if a == b:
                return later(at, address, out)
            inner_at = sources + a
            if at < num_vcs and dimension[at_channel[at]] == i:
                inner_at = its_first[twin[at_channel[at]]] + at - first[at_channel[at]]
            count = base(inner_at, b, out)
            for k in range(count):
                vc = out[k] & VC_MASK
                out[k] += first[port[here, its_channel[vc]]] - its_first[its_channel[vc]]
            return count

        return rule

    rule: Rule = arrived
    for i in reversed(range(len(factors))):
        rule = within(i, rule)
    minimal = [factor.claims_minimal for factor in factors]
    return Relation(
        network,
        virtual,
        rule,
        name="product_order of " + ", ".join(factor.name for factor in factors),
        commits=any(factor.commits for factor in factors),
        published=Published(
            claims={t: True for t in SWITCHINGS if all(factor.claims.get(t) for factor in factors)},
            claims_minimal=True if all(minimal) else None,
            source="Hilbers & Lukkien 1989",
        ),
    )


def _ports(network: Network, factor: Network, i: int, mine: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Ints:
    """Return the product's channel for each router and channel of factor i; −1 at routers elsewhere in the factor."""
    assert network.coordinates is not None
    at, channels = network.coordinates[:, i], np.flatnonzero(mine)
    source, target = network.source[channels], network.target[channels]
    apart = (network.coordinates[source] != network.coordinates[target]).sum(axis=1) != 1
    # Channels of a router to one place, and those of the factor, are paired in the order of their numbers.
    order = np.lexsort((channels, at[target], source))
    theirs = np.lexsort((np.arange(factor.num_channels), factor.target, factor.source))
    theirs = theirs[factor.source[theirs] != factor.target[theirs]]
    begin = np.searchsorted(factor.source[theirs], np.arange(factor.num_routers + 1))
    degree = np.diff(begin)[at]
    origin = np.repeat(np.arange(network.num_routers), degree)
    rank = np.arange(origin.size) - np.repeat(np.cumsum(degree) - degree, degree)
    twin = theirs[begin[at[origin]] + rank]
    fits = origin.size == order.size and np.array_equal(origin, source[order])
    if apart.any() or not fits or not np.array_equal(factor.target[twin], at[target[order]]):
        raise NetworkError(f"product_order: dimension {i} of {network.name} is not made of copies of {factor.name}")
    port = np.full((network.num_routers, factor.num_channels), -1, dtype=np.int64)
    port[origin, twin] = channels[order]
    return port
