"""VBA: a virtual network for each class of messages, on meshes of any dimension.

With 2^(n−1) VCs on every channel of an n-dimensional mesh, 2^n virtual networks are formed that share no VC: one for
each choice of a direction in every dimension, made of one VC of every channel that leads in a chosen direction. A
message is injected into the network of its own directions (a dimension in which it need not move counts as upward),
takes any shortest path there and never leaves it. Minimal, fully adaptive, 2n · 2^(n−1) VCs at a router inside the
mesh. Deng & Yang claim it deadlock-free under every switching technique they name, since no virtual network has a
cycle.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.contract import ATOMIC
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import MAX_VCS, VirtualChannels


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

    References
    ----------
    B. Deng, X. Yang: BNR: the tool to analyse and design the minimal deadlock-free fully adaptive routing algorithm.
    Computer Engineering & Science.

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
            f"vba wants 2^(n−1) VCs on every channel: on {network.name}, of {dimensions} dimensions, more than "
            f"{MAX_VCS} in all"
        )
    virtual = VirtualChannels(network, share)
    router, first, home, num_vcs = virtual.router, virtual.first, network.eject, virtual.total
    along = dimension[virtual.channel].astype(np.int64)
    down = product.down[virtual.channel]
    low = virtual.index & ((1 << along) - 1)
    kind_of = low + (down.astype(np.int64) << along) + ((virtual.index - low) << 1)

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
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

    return Relation(network, virtual, rule, name="vba", claims=ATOMIC, claims_minimal=True, source="Deng & Yang")
