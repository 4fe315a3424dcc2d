"""The turn model: west-first, north-last and negative-first routing on meshes and hypercubes.

Of the turns a packet may make, just enough are forbidden that no cycle of them is left: some directions must be taken
before all others. A packet first goes adaptively in those of them that bring it nearer, then adaptively in the rest.
In two dimensions west-first starts with west, north-last ends with north, negative-first starts with west and south;
west is down and north is up, in dimensions 0 and 1. In more dimensions west-first becomes all-but-one-negative-first
and north-last all-but-one-positive-last, as Glass and Ni generalise them. These are the minimal versions. Any number
of VCs, one is enough; all are candidates alike. Glass & Ni (1992) prove them deadlock-free by a numbering of the
channels along which every route climbs, which settles every switching technique. Partially adaptive: some pairs have
one path.

References
----------
C. J. Glass, L. M. Ni: The turn model for adaptive routing. ISCA 1992, 278–287; Journal of the ACM, 41(5), 1994,
874–902. doi:10.1145/185675.185682.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, TIER, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def west_first(network: Network, vcs: int = 1) -> Relation:
    """Down every dimension but the last first, then up those and both ways in the last.

    Raises
    ------
    RelationError
        If the network is not a mesh or hypercube; `NetworkError` if it has no coordinates.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> west_first(mesh(4, 4))
    <Relation west_first on mesh(4, 4), 48 VCs>
    """
    return turn_model(network, "west_first", lambda i, last: (False, i < last), vcs)


@takes_network
def north_last(network: Network, vcs: int = 1) -> Relation:
    """Up every dimension but the first last, after all ways down and up the first.

    Parameters, errors and reference as for `west_first`.

    Parameters
    ----------
    vcs : int
        VCs per channel.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> north_last(mesh(4, 4))
    <Relation north_last on mesh(4, 4), 48 VCs>
    """
    return turn_model(network, "north_last", lambda i, last: (i == 0, True), vcs)


@takes_network
def negative_first(network: Network, vcs: int = 1) -> Relation:
    """Down in all dimensions first, then up.

    Parameters, errors and reference as for `west_first`.

    Parameters
    ----------
    vcs : int
        VCs per channel.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> negative_first(mesh(4, 4))
    <Relation negative_first on mesh(4, 4), 48 VCs>
    """
    return turn_model(network, "negative_first", lambda i, last: (False, True), vcs)


def turn_model(network: Network, name: str, stage_one: Callable[[int, int], tuple[bool, bool]], vcs: int) -> Relation:
    """Minimal adaptive routing in two stages: first some directions, then the others.

    Parameters
    ----------
    stage_one : callable
        Takes a dimension and the last one; whether the way up, and the way down, belong to the first stage.
    """
    from unknot.routing.rules_kernel import offered

    product = mesh_grid(network, name)
    coordinates, channel, dimensions = product.coordinates, product.channel, product.radices.size
    early = np.array([stage_one(i, dimensions - 1) for i in range(dimensions)], dtype=bool).reshape(dimensions, 2)
    virtual = VirtualChannels(network, vcs)
    router, first, home = virtual.router, virtual.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        for stage in range(2):
            count, left = 0, False
            for i in range(dimensions):
                a, b = coordinates[here, i], coordinates[there, i]
                sign = 0 if a < b else 1
                if a == b or early[i, sign] == (stage == 1):
                    continue
                left = True
                port = channel[here, 2 * i + sign]
                if port >= 0:
                    count = offered(out, count, first[port], vcs)
            if left:
                return count
        out[0] = EJECT
        return 1

    return Relation(network, virtual, rule, name=name, claims=ACYCLIC, claims_minimal=True, source="Glass & Ni 1992")


@takes_network
def p_cube(network: Network, vcs: int = 1, *, minimal: bool = True) -> Relation:
    """First clear bits, then set bits.

    Parameters
    ----------
    minimal : bool
        Whether a packet goes on shortest paths only; else detours are tried after them, where the source has them.

    Raises
    ------
    RelationError
        If the network is not a hypercube; `NetworkError` if it has no coordinates.

    Examples
    --------
    >>> from unknot.network.families import hypercube
    >>> p_cube(hypercube(4))
    <Relation p_cube on hypercube(4), 64 VCs>
    """
    from unknot.routing.rules_kernel import offered

    product = mesh_grid(network, "p_cube", radix=2)
    minimal_one = negative_first(network, vcs)
    if minimal:
        return replace(minimal_one, name="p_cube")
    bits, channel, dimensions = product.coordinates, product.channel, product.radices.size
    router, first, home = minimal_one.vcs.router, minimal_one.vcs.first, network.eject

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
                count = offered(out, count, first[port] + (TIER if detour else 0), vcs)
        return count

    return replace(minimal_one, rule=rule, name="p_cube, non-minimal", claims_minimal=dimensions < 2)
