"""O1TURN: half of the packets by XY, half by YX, on two-dimensional meshes.

A packet is given one of the two dimension orders when it is created, with equal chance, and keeps it. Each order has
half of the VCs to itself, so 2 or any greater even number. Every terminal has two addresses, one for each order; the
simulator draws one. Minimal; every route turns at most once. Seo et al. (2005) call it deadlock-free, since each
order is in its own VCs; no cycle of dependencies is left, which settles every switching technique. Its worst-case
throughput is close to the best an oblivious minimal routing can have on a mesh.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def o1turn(network: Network, vcs: int = 2) -> Relation:
    """XY in the lower half of the VCs, YX in the upper half.

    Parameters
    ----------
    vcs : int
        VCs per channel, an even number.

    Raises
    ------
    RelationError
        If the number is odd or the network is not a mesh of two dimensions; `NetworkError` if it has no coordinates.

    References
    ----------
    D. Seo, A. Ali, W.-T. Lim, N. Rafique, M. Thottethodi: Near-optimal worst-case throughput routing for two-
    dimensional mesh networks. ISCA 2005, 432–443.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> o1turn(mesh(4, 4))
    <Relation o1turn on mesh(4, 4), 96 VCs>
    """
    from unknot.routing.rules_kernel import offered

    product = mesh_grid(network, "o1turn", dimensions=2)
    virtual = VirtualChannels(network, vcs)
    if vcs % 2:
        raise RelationError(
            f"o1turn gives each of its two orders half of the VCs of a channel; {vcs} cannot be halved"
        )
    at_position, channel = product.coordinates, product.channel
    router, first = virtual.router, virtual.first
    home, terminals, half = network.eject, network.num_terminals, vcs // 2

    def rule(at: int, address: int, out: Out) -> int:
        here, there, order = router[at], home[address % terminals], address // terminals
        for k in range(2):
            i = k ^ order
            a, b = at_position[here, i], at_position[there, i]
            if a == b:
                continue
            port = channel[here, 2 * i + (0 if a < b else 1)]
            if port < 0:
                return 0
            return int(offered(out, 0, first[port] + order * half, half))
        out[0] = EJECT
        return 1

    names = [network.terminal_name(t) for t in range(terminals)]
    return Relation(
        network,
        virtual,
        rule,
        name="o1turn",
        destination=np.tile(np.arange(terminals, dtype=np.int32), 2),
        claims=ACYCLIC,
        claims_minimal=True,
        address_labels=tuple(f"{name} by {order}" for order in ("XY", "YX") for name in names),
        source="Seo, Ali, Lim, Rafique & Thottethodi 2005",
    )
