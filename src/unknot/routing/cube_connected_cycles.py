"""Deterministic routing on cube-connected cycles with 3 VCs.

A header goes round its ring downward, position n − 1, …, 1, 0, n − 1, …; at position i it crosses dimension i when
the corners differ there, and when all dimensions are right it goes on to the position of its destination. It begins
on VC 0 and changes to the next VC whenever it passes from position 0 to n − 1. The pairs (VC, position) are
therefore passed in one order, and so there is no cycle of dependencies under any switching technique. All
dimensions are right after one turn, which begins on VC 0 and ends on VC 1, and another part of a turn brings the
header home, if need be on VC 2: 3 VCs on the channels of the rings, 2 on those across. Bermond & Syska (1992,
section 5.4) quote the number 3 from Dally & Seitz (1987). Neither minimal nor adaptive.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.meshes import Ints, channels_to, joined, pairs
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def cube_connected_cycles(network: Network) -> Relation:
    """Round the ring, crossing where the corners differ.

    Raises
    ------
    NetworkError
        If the network is not cube-connected cycles of at least 3 dimensions.

    References
    ----------
    W. J. Dally, C. L. Seitz: Deadlock-free message routing in multiprocessor interconnection networks. IEEE
    Transactions on Computers, C-36(5), 1987, 547–553. doi:10.1109/TC.1987.1676939.

    Examples
    --------
    >>> from unknot.network import families
    >>> cube_connected_cycles(families.cube_connected_cycles(3))
    <Relation cube_connected_cycles on cube_connected_cycles(3), 192 VCs>
    """
    corner, position, number = _corners(network)
    n = number.shape[1]
    around = channels_to(network, number[corner, (position - 1) % n])
    across = channels_to(network, number[corner ^ (1 << position), position])
    crosses = np.zeros(network.num_channels, dtype=bool)
    crosses[across] = True
    virtual = VirtualChannels(network, np.where(crosses, 2, 3))
    router, first, at_channel = virtual.router, virtual.first, virtual.channel
    home, num_vcs = network.eject, virtual.total

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        if here == there:
            out[0] = EJECT
            return 1
        i = position[here]
        lap = 0
        if at < num_vcs:
            lap = at - first[at_channel[at]]
            if not crosses[at_channel[at]] and i == n - 1:
                lap += 1
        port = across[here] if (corner[here] ^ corner[there]) >> i & 1 else around[here]
        out[0] = first[port] + lap
        return 1

    return Relation(network, virtual, rule, name="cube_connected_cycles", claims=ACYCLIC, source="Dally & Seitz 1987")


def _corners(network: Network) -> tuple[Ints, Ints, Ints]:
    """Corner and position of every router, and the router at each corner and position; or a refusal.

    The last coordinate is the position on a ring; those before are the bits of the corner, the lowest first, or the
    corner itself.
    """
    refusal = NetworkError(
        f"cube_connected_cycles on {network.name}: it needs a ring of n ≥ 3 routers at each corner of a hypercube "
        "of n dimensions, with coordinates for corner and position, such as cube_connected_cycles(4)"
    )
    if network.coordinates is None or len(network.radices) < 2:
        raise refusal
    n, bits = network.radices[-1], network.radices[:-1]
    if n < 3 or n > 25 or bits not in ((2,) * n, (2**n,)) or network.num_routers != n * 2**n:
        raise refusal
    weights: npt.NDArray[np.int64] = 1 << np.arange(len(bits), dtype=np.int64)
    corner = network.coordinates[:, :-1].astype(np.int64) @ weights
    position = network.coordinates[:, -1].astype(np.int64)
    routers = np.arange(network.num_routers)
    number = np.full((2**n, n), -1, dtype=np.int64)
    number[corner, position] = routers
    if (number < 0).any():
        raise refusal
    around = pairs(routers.size, routers, number[corner, (position + 1) % n], True)
    across = pairs(routers.size, routers, number[corner ^ (1 << position), position], True)
    if not np.array_equal(joined(network), np.union1d(around, across)):
        raise refusal
    return corner, position, number
