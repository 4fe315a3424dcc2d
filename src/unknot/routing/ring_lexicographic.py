"""The lexicographic rule on rings, and dimension by dimension on products of rings and lines.

The VC (i, c) is VC i of the channel that leaves position c of a ring, counted the way the ring is gone round. A
header takes, of the channel it needs, the VC that comes next after its own in lexicographic order: it starts on VC
0 and goes over to VC 1 where the positions start again from 0. On every route the VCs ascend, so there is no cycle
of dependencies under any switching technique (Dally & Seitz 1987; Bermond & Syska 1992, sections 4.2 and 5.2). A
ring in both directions is two rings, and the shorter way is taken, upward when both are equal; a ring with one
direction is gone round that way.

On a product the dimensions are taken in ascending order, each by its own rule: 2 VCs on rings, 1 on lines, so that
the number of VCs is the maximum over the factors (section 5.3). On meshes and hypercubes this is e-cube. Minimal
and deterministic. `dimension_order` with a crossing dateline takes the same routes, but starts routes that do not
wrap on VC 1.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network, grid
from unknot.network.grid import whole_grid
from unknot.routing.contract import ACYCLIC
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def ring_lexicographic(network: Network) -> Relation:
    """The lexicographic rule of Dally & Seitz, with 2 VCs per channel on rings and 1 on lines.

    Raises
    ------
    NetworkError
        If the network is not a ring or a whole product of rings and lines.

    References
    ----------
    W. J. Dally, C. L. Seitz: Deadlock-free message routing in multiprocessor interconnection networks. IEEE
    Transactions on Computers, C-36(5), 1987, 547–553. doi:10.1109/TC.1987.1676939.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> ring_lexicographic(torus(5))
    <Relation ring_lexicographic on torus(5), 20 VCs>
    """
    from unknot.routing.rules_kernel import towards

    product = grid(network)
    if whole_grid(network) is None:
        raise NetworkError(
            f"ring_lexicographic on {network.name}: routers or channels of the product of rings and lines miss; "
            "use a routing for any network, such as hop_number"
        )
    coordinates, radices, wraps, channel = product.coordinates, product.radices, product.wraps, product.channel
    has, dimension = product.directions, product.dimension
    virtual = VirtualChannels(network, np.where(wraps[dimension], 2, 1))
    router, first, at_channel, home = virtual.router, virtual.first, virtual.channel, network.eject
    source, num_vcs, dimensions = network.source, virtual.total, radices.size

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        for i in range(dimensions):
            a, k = coordinates[here, i], radices[i]
            directions = towards(a, coordinates[there, i], k, wraps[i], has[i])
            if directions == 0:
                continue
            sign = 0 if directions & 1 else 1
            index = 0
            if at < num_vcs and wraps[i] and dimension[at_channel[at]] == i:
                index = at - first[at_channel[at]]
                before = coordinates[source[at_channel[at]], i]
                if (sign == 0 and a <= before) or (sign == 1 and (k - a) % k <= (k - before) % k):
                    index += 1
            out[0] = first[channel[here, 2 * i + sign]] + index
            return 1
        out[0] = EJECT
        return 1

    return Relation(
        network,
        virtual,
        rule,
        name="ring_lexicographic",
        claims=ACYCLIC,
        claims_minimal=True,
        source="Dally & Seitz 1987",
    )
