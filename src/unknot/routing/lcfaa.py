"""LCFAA: fully adaptive routing on meshes with one more VC on some channels only.

VC 0 is on every channel; VC 1 only on those that lead down dimension 1, 2, … (not dimension 0): 3n − 1 VCs at a
router inside an n-dimensional mesh. The VCs 0 form virtual network 0, the VCs 1 network 1; both offer every shortest
path. A message that has used network 1 stays there. One that has not takes a free VC of network 0. When none is free
it waits for network 0, as long as it must still move in dimension 0 or up some dimension; only when nothing but moves
down the dimensions 1, 2, … is left may it go over to network 1, and that is what it waits for then. Minimal. Deng &
Yang claim it fully adaptive and deadlock-free under every switching technique they name, with the fewest VCs known.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.routing.contract import ATOMIC
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, NO_WAIT, TIER, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def lcfaa(network: Network) -> Relation:
    """Low-cost fully adaptive routing: 3n − 1 VCs per router of an n-dimensional mesh.

    Raises
    ------
    RelationError
        If the network has wrap links; `NetworkError` if it has no dimensions.

    References
    ----------
    B. Deng, X. Yang: BNR: the tool to analyse and design the minimal deadlock-free fully adaptive routing algorithm.
    Computer Engineering & Science.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> lcfaa(mesh(4, 4))
    <Relation lcfaa on mesh(4, 4), 60 VCs>
    """
    product = mesh_grid(network, "lcfaa")
    coordinates, channel = product.coordinates, product.channel
    down = product.down
    virtual = VirtualChannels(network, np.where(down & (product.dimension > 0), 2, 1))
    router, first, home = virtual.router, virtual.first, network.eject
    num_vcs, index, dimensions = virtual.total, virtual.index, product.radices.size

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
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

    return Relation(network, virtual, rule, name="lcfaa", claims=ATOMIC, claims_minimal=True, source="Deng & Yang")
