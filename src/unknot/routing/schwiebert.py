"""Fully adaptive minimal routing on meshes with 4n − 2 VCs per router.

Dimension 0 has one VC on each channel, every other dimension two. A header may take any channel that brings it
nearer, with one restriction: VC 0 of a dimension above 0 only when it has no way left to go down a lower dimension.
In two dimensions this is the algorithm known as opt-y: the first VC of the vertical channels is closed to packets
that still have to go west. Blocked headers wait for all they may take. Schwiebert & Jayasimha (1993, 1995) prove it
deadlock-free for wormhole switching and say that it extends to n dimensions with 4n − 2 VCs, the fewest that a fully
adaptive algorithm with equal routers can do with. Nothing is claimed for other techniques.

Their text has not been read for this: the form in more than two dimensions is derived from the count and from this
argument. A blocked packet waits among others for the lowest dimension that it must go down or, when there is none,
for any way up, and such waits never close a cycle, although the dependency graph has cycles.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


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
    router, first, home = virtual.router, virtual.first, network.eject

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        count, left, descends = 0, False, False
        for i in range(dimensions):
            a, b = coordinates[here, i], coordinates[there, i]
            if a == b:
                continue
            left = True
            port = channel[here, 2 * i + (0 if a < b else 1)]
            if port >= 0:
                if i == 0 or not descends:
                    out[count] = first[port]
                    count += 1
                if i > 0:
                    out[count] = first[port] + 1
                    count += 1
            descends = descends or b < a
        if left:
            return count
        out[0] = EJECT
        return 1

    return Relation(
        network,
        virtual,
        rule,
        name="schwiebert",
        claims={"wormhole": True},
        claims_minimal=True,
        source="Schwiebert & Jayasimha 1993, 1995",
    )
