"""The turn model: west-first, north-last and negative-first routing on meshes and hypercubes, and odd-even turns.

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
from unknot.routing.contract import ACYCLIC, towards_home
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import TIER, Out, Relation, by_steps
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
    first = virtual.first

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        count = 0
        for stage in range(2):
            left = False
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
                break
        return count

    return by_steps(virtual, step, name, ACYCLIC, minimal=True, source="Glass & Ni 1992")


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
    first = minimal_one.vcs.first

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
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

    rule = towards_home(minimal_one.vcs, step)
    return replace(
        minimal_one,
        rule=rule,
        name="p_cube, non-minimal",
        published=replace(minimal_one.published, claims_minimal=dimensions < 2),
    )


@takes_network
def odd_even(network: Network, vcs: int = 1) -> Relation:
    """Minimal adaptive routing under the odd-even turn model.

    Where a packet may turn depends on whether its column is odd or even: no packet turns from east to north or south
    in an even column, and none from north or south to west in an odd column. Columns are positions in dimension 0 and
    count from 0; east is up. This is the minimal routing function of Chiu (2000): eastbound packets leave their row
    in odd columns or in the column where they started, and do not go on along it into an even last column; westbound
    packets leave their row in even columns. A packet in an even column that is not moving east started there, so the
    channel it came by is enough. Any number of VCs, one is enough. Chiu proves it deadlock-free for wormhole
    switching: the rightmost column of a cycle would have to hold a forbidden turn. So there is no cycle of
    dependencies, and every switching technique is settled.

    Raises
    ------
    RelationError
        If the network is not a mesh of two dimensions; `NetworkError` if it has no coordinates.

    References
    ----------
    G.-M. Chiu: The odd-even turn model for adaptive routing. IEEE Transactions on Parallel and Distributed Systems,
    11(7), 2000, 729–738. doi:10.1109/71.877831.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> odd_even(mesh(4, 4))
    <Relation odd_even on mesh(4, 4), 48 VCs>
    """
    from unknot.routing.rules_kernel import offered

    product = mesh_grid(network, "odd_even", dimensions=2)
    at_position, channel, dimension = product.coordinates, product.channel, product.dimension
    virtual = VirtualChannels(network, vcs)
    first, at_channel, num_vcs = virtual.first, virtual.channel, virtual.total

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        column, last = at_position[here, 0], at_position[there, 0]
        across, up = last - column, at_position[there, 1] - at_position[here, 1]
        started_here = at >= num_vcs or dimension[at_channel[at]] == 1
        if across > 0:
            row = up == 0 or last % 2 == 1 or across != 1
            leave = column % 2 == 1 or started_here
        else:
            row = across < 0
            leave = column % 2 == 0 or across == 0
        count = 0
        for i in range(2):
            allowed = row if i == 0 else leave and up != 0
            port = channel[here, 2 * i + (1 if (across if i == 0 else up) < 0 else 0)]
            if allowed and port >= 0:
                count = offered(out, count, first[port], vcs)
        return count

    return by_steps(virtual, step, "odd_even", ACYCLIC, minimal=True, source="Chiu 2000")
