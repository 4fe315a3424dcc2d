"""Minimal adaptive routing on meshes of any dimension: LCFAA, VBA, Schwiebert & Jayasimha's, and planar-adaptive.

The first three, fully adaptive, differ in the VCs that they take at a router inside an n-dimensional mesh, and in
what they ask for them.

LCFAA (Deng & Yang), 3n − 1 VCs: VC 0 is on every channel; VC 1 only on those that lead down dimension 1, 2, … (not
dimension 0). The VCs 0 form virtual network 0, the VCs 1 network 1; both offer every shortest path. A message that
has used network 1 stays there. One that has not takes a free VC of network 0. When none is free it waits for network
0, as long as it must still move in dimension 0 or up some dimension; only when nothing but moves down the dimensions
1, 2, … is left may it go over to network 1, and that is what it waits for then. Deng & Yang claim it deadlock-free
under every switching technique they name, with the fewest VCs known.

VBA (Deng & Yang), 2n · 2^(n−1) VCs: with 2^(n−1) VCs on every channel, 2^n virtual networks are formed that share no
VC: one for each choice of a direction in every dimension, made of one VC of every channel that leads in a chosen
direction. A message is injected into the network of its own directions (a dimension in which it need not move counts
as upward), takes any shortest path there and never leaves it. Deng & Yang claim it deadlock-free under every
switching technique they name, since no virtual network has a cycle.

Schwiebert & Jayasimha (1993, 1995), 4n − 2 VCs: dimension 0 has one VC on each channel, every other dimension two. A
header may take any channel that brings it nearer, with one restriction: VC 0 of a dimension above 0 only when it need
not go down a lower dimension any more. In two dimensions this is the algorithm known as opt-y: the first VC of the
vertical channels is closed to packets that still have to go west. Blocked headers wait for all they may take. The
authors prove it deadlock-free for wormhole switching and say that it extends to n dimensions with 4n − 2 VCs, the
fewest that a fully adaptive algorithm with equal routers can do with. Nothing is claimed for other techniques. The
paper of Schwiebert & Jayasimha has not been read for this: the form in more than two dimensions is derived from the
count and from this argument. A blocked packet waits among others for the lowest dimension that it must go down or,
when there is none, for any way up, and such waits never close a cycle, although the dependency graph has cycles.

References
----------
B. Deng, X. Yang: BNR: the tool to analyse and design the minimal deadlock-free fully adaptive routing algorithm.
Computer Engineering & Science.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.contract import ATOMIC
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import NO_WAIT, TIER, Out, Relation, by_steps
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import MAX_VCS, VirtualChannels


@takes_network
def lcfaa(network: Network) -> Relation:
    """Low-cost fully adaptive routing: 3n − 1 VCs per router of an n-dimensional mesh.

    Raises
    ------
    RelationError
        If the network has wrap links; `NetworkError` if it has no dimensions.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> lcfaa(mesh(4, 4))
    <Relation lcfaa on mesh(4, 4), 60 VCs>
    """
    product = mesh_grid(network, "lcfaa")
    coordinates, channel = product.coordinates, product.channel
    virtual = VirtualChannels(network, np.where(product.down & (product.dimension > 0), 2, 1))
    first, num_vcs, index, dimensions = virtual.first, virtual.total, virtual.index, product.radices.size

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        over = coordinates[here, 0] == coordinates[there, 0]
        for i in range(dimensions):
            over = over and coordinates[there, i] <= coordinates[here, i]
        used = at < num_vcs and index[at] == 1
        count = 0
        for i in range(dimensions):
            if coordinates[here, i] == coordinates[there, i]:
                continue
            port = channel[here, 2 * i + (1 if coordinates[there, i] < coordinates[here, i] else 0)]
            if port < 0:
                continue
            if not used:
                out[count] = first[port] + (NO_WAIT if over else 0)
                count += 1
            if over:
                out[count] = first[port] + 1 + TIER
                count += 1
        return count

    return by_steps(virtual, step, "lcfaa", ATOMIC, minimal=True, source="Deng & Yang")


@takes_network
def vba(network: Network) -> Relation:
    """Minimal fully adaptive routing in one virtual network for each class of messages.

    The VC of class φ on a channel of dimension i has the index whose binary digits are those of φ (digit j is 1 when
    φ goes down dimension j) without digit i.

    Raises
    ------
    RelationError
        If the network has wrap links, or its dimensions would take more than `MAX_VCS` VCs;
        `NetworkError` if it has no dimensions.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> vba(mesh(3, 3, 3))
    <Relation vba on mesh(3, 3, 3), 432 VCs>
    """
    product = mesh_grid(network, "vba")
    coordinates, channel, dimension = product.coordinates, product.channel, product.dimension
    dimensions = product.radices.size
    share = 2 ** max(0, dimensions - 1)
    if network.num_channels * share > MAX_VCS:
        raise RelationError(
            f"vba needs 2^(n−1) VCs on every channel: on {network.name}, of {dimensions} dimensions, more than "
            f"{MAX_VCS} in all"
        )
    virtual = VirtualChannels(network, share)
    first, num_vcs = virtual.first, virtual.total
    along = dimension[virtual.channel].astype(np.int64)
    down = product.down[virtual.channel]
    low = virtual.index & ((1 << along) - 1)
    kind_of = low + (down.astype(np.int64) << along) + ((virtual.index - low) << 1)

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        kind = 0
        if at < num_vcs:
            kind = kind_of[at]
        else:
            for i in range(dimensions):
                if coordinates[there, i] < coordinates[here, i]:
                    kind += 1 << i
        count = 0
        for i in range(dimensions):
            port = channel[here, 2 * i + ((kind >> i) & 1)]
            if coordinates[here, i] != coordinates[there, i] and port >= 0:
                rest = kind & ((1 << i) - 1)
                out[count] = first[port] + rest + ((kind >> (i + 1)) << i)
                count += 1
        return count

    return by_steps(virtual, step, "vba", ATOMIC, minimal=True, source="Deng & Yang")


@takes_network
def schwiebert(network: Network) -> Relation:
    """Minimal fully adaptive, one VC on channels of dimension 0 and two on all others.

    Raises
    ------
    RelationError
        If the network is not a mesh or hypercube; `NetworkError` if it has no coordinates.

    References
    ----------
    L. Schwiebert, D. N. Jayasimha: Optimal fully adaptive minimal wormhole routing for meshes. Journal of Parallel
    and Distributed Computing, 27(1), 1995, 56–70.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> schwiebert(mesh(4, 4))
    <Relation schwiebert on mesh(4, 4), 72 VCs>
    """
    product = mesh_grid(network, "schwiebert")
    coordinates, channel, dimensions = product.coordinates, product.channel, product.radices.size
    virtual = VirtualChannels(network, np.where(product.dimension == 0, 1, 2))
    first = virtual.first

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        count, descends = 0, False
        for i in range(dimensions):
            a, b = coordinates[here, i], coordinates[there, i]
            if a == b:
                continue
            port = channel[here, 2 * i + (0 if a < b else 1)]
            if port >= 0:
                if i == 0 or not descends:
                    out[count] = first[port]
                    count += 1
                if i > 0:
                    out[count] = first[port] + 1
                    count += 1
            descends = descends or b < a
        return count

    return by_steps(
        virtual, step, "schwiebert", {"wormhole": True}, minimal=True, source="Schwiebert & Jayasimha 1993, 1995"
    )


@takes_network
def planar_adaptive(network: Network) -> Relation:
    """Adaptive in one plane of two dimensions after the other; 1, 3, …, 3, 2 VCs in the dimensions of a mesh.

    Plane i is spanned by the dimensions i and i + 1. In it a message takes shortest steps of both dimensions in any
    order until it need not move in dimension i any more; then it goes on in plane i + 1. A plane uses VC 2 of its
    first dimension and VCs 0 and 1 of its second: messages that go up the first dimension use VC 0, those that go
    down use VC 1, so that the plane falls into an increasing and a decreasing network without cycles. A dimension
    between others thus has 3 VCs, the first only the one called 2, the last only 0 and 1: 1, 3, …, 3, 2. A plane
    whose first dimension needs no move is skipped, and who comes to the last dimension that way uses its VC 0. On a
    line there is one VC. Minimal, not fully adaptive from three dimensions on. Chien & Kim claim it deadlock-free for
    wormhole switching.

    Raises
    ------
    RelationError
        If the network has wrap links; `NetworkError` if it has no dimensions.

    References
    ----------
    A. A. Chien, J. H. Kim: Planar-adaptive routing: low-cost adaptive networks for multiprocessors. ISCA 1992,
    268–277.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> planar_adaptive(mesh(3, 3, 3))
    <Relation planar_adaptive on mesh(3, 3, 3), 216 VCs>
    """
    product = mesh_grid(network, "planar_adaptive")
    coordinates, channel, dimension = product.coordinates, product.channel, product.dimension
    last = product.radices.size - 1
    counts = np.full(network.num_channels, 3)
    counts[dimension == last] = 2
    counts[dimension == 0] = 1
    virtual = VirtualChannels(network, counts)
    first, num_vcs, index, along = virtual.first, virtual.total, virtual.index, dimension[virtual.channel]
    down = product.down[virtual.channel]

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        plane = 0
        while coordinates[here, plane] == coordinates[there, plane]:
            plane += 1
        below = coordinates[there, plane] < coordinates[here, plane]
        port = channel[here, 2 * plane + (1 if below else 0)]
        count = 0
        if plane == last:
            vc = 0
            if at < num_vcs and along[at] == last:
                vc = index[at]
            elif at < num_vcs and along[at] == last - 1 and (last == 1 or index[at] == 2) and down[at]:
                vc = 1
            if port >= 0:
                out[count] = first[port] + vc
                count += 1
            return count
        if port >= 0:
            out[count] = first[port] + (0 if plane == 0 else 2)
            count += 1
        a, b = coordinates[here, plane + 1], coordinates[there, plane + 1]
        port = channel[here, 2 * plane + 2 + (1 if b < a else 0)]
        if a != b and port >= 0:
            out[count] = first[port] + (1 if below else 0)
            count += 1
        return count

    return by_steps(virtual, step, "planar_adaptive", {"wormhole": True}, minimal=True, source="Chien & Kim 1992")
