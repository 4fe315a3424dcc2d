"""Planar-adaptive routing on meshes: adaptive in one plane of two dimensions after the other.

Plane i is spanned by the dimensions i and i + 1. In it a message takes shortest steps of both dimensions in any order
until it need not move in dimension i any more; then it goes on in plane i + 1. A plane uses VC 2 of its first
dimension and VCs 0 and 1 of its second: messages that go up the first dimension use VC 0, those that go down use VC
1, so that the plane falls into an increasing and a decreasing network without cycles. A dimension between others thus
has 3 VCs, the first only the one called 2, the last only 0 and 1: 1, 3, …, 3, 2. A plane whose first dimension needs
no move is skipped, and who comes to the last dimension that way uses its VC 0. On a line there is one VC. Minimal,
not fully adaptive from three dimensions on. Chien & Kim claim it deadlock-free for wormhole switching.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def planar_adaptive(network: Network) -> Relation:
    """Planar-adaptive routing; 1, 3, …, 3, 2 VCs in the dimensions of a mesh.

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
    router, first, home, num_vcs = virtual.router, virtual.first, network.eject, virtual.total
    index, along = virtual.index, dimension[virtual.channel]
    down = product.down[virtual.channel]

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
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

    return Relation(
        network,
        virtual,
        rule,
        name="planar_adaptive",
        claims={"wormhole": True},
        claims_minimal=True,
        source="Chien & Kim 1992",
    )
