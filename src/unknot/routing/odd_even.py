"""Odd-even turn model routing on two-dimensional meshes.

Where a packet may turn depends on whether its column is odd or even: no packet turns from east to north or south in
an even column, and none from north or south to west in an odd column. Columns are positions in dimension 0 and count
from 0; east is up. This is the minimal routing function of Chiu (2000): eastbound packets leave their row in odd
columns or in the column where they started, and do not go on along it into an even last column; westbound packets
leave their row in even columns. A packet in an even column that is not moving east started there, so the channel it
came by is enough. Any number of VCs, one is enough. Chiu proves it deadlock-free for wormhole switching: the
rightmost column of a cycle would have to hold a forbidden turn. So there is no cycle of dependencies, and every
switching technique is settled.
"""

from __future__ import annotations

from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def odd_even(network: Network, vcs: int = 1) -> Relation:
    """Minimal adaptive routing under the odd-even turn model.

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
    router, first, at_channel = virtual.router, virtual.first, virtual.channel
    home, num_vcs = network.eject, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        column, last = at_position[here, 0], at_position[there, 0]
        across, up = last - column, at_position[there, 1] - at_position[here, 1]
        if across == 0 and up == 0:
            out[0] = EJECT
            return 1
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

    return Relation(network, virtual, rule, name="odd_even", claims=ACYCLIC, claims_minimal=True, source="Chiu 2000")
