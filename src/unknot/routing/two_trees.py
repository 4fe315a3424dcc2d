"""Two-tree routing on any network: up one tree to a root, down another to the destination.

An in-tree leads from every router to the root by a shortest path, an out-tree from the root to every router. A
header goes to the root on VCs of the first and then on VCs of the second, so there is no cycle of dependencies
under any switching technique (Bermond & Syska 1992, proposition 5.2). Every path has at most 2 D hops, D the
diameter. A channel that lies in both trees has 2 VCs, any other 1. Where all links go both ways no channel is in
both, since one tree only climbs and the other only descends: 1 VC is enough there.

Neither minimal nor adaptive, and the root is a point of congestion. With ``bypass`` a header turns round at the
first router from which the out-tree leads down to its destination, which the paper proposes as an improvement.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.errors import NetworkError
from unknot.network import Network, distances_from
from unknot.network.model import IntArray
from unknot.routing.paths import root_named
from unknot.routing.relation import EJECT, Out, Relation, VirtualChannels
from unknot.switching import SWITCHINGS


def two_trees(network: Network, *, root: int | str = "best", bypass: bool = False) -> Relation:
    """Up an in-tree to a root and down an out-tree, with at most 2 VCs per channel.

    Nothing is tabulated for pairs: O(routers + channels) time and memory for a given root.

    Parameters
    ----------
    root : int or str
        A router, by number or name; ``best`` takes one that is least far from all terminals and they from it.
    bypass : bool
        Whether a header may turn round before the root, where its destination lies below in the out-tree.

    Raises
    ------
    NetworkError
        If there is no such router, or it does not reach every terminal, or is not reached by it.
    """
    from unknot.routing.paths_kernel import depth_first

    top = root_named(network, root)
    near, far = distances_from(network, top, reverse=True), distances_from(network, top)
    for reached, ports, words in ((near, network.inject, "from {} to"), (far, network.eject, "to {} from")):
        lost = np.flatnonzero(reached[ports] < 0)
        if lost.size:
            where = words.format(f"router {network.router_name(int(ports[lost[0]]))}")
            raise NetworkError(f"two_trees on {network.name}: no way {where} the root {network.router_name(top)}")
    toward = np.full(network.num_routers, -1, dtype=np.int32)
    up = _tree(near, network.source, network.target)
    toward[network.source[up]] = up
    down = _tree(far, network.target, network.source)
    down = down[np.lexsort((network.target[down], network.source[down]))]
    first_child = np.zeros(network.num_routers + 1, dtype=np.int64)
    np.cumsum(np.bincount(network.source[down], minlength=network.num_routers), out=first_child[1:])
    child = network.target[down]
    rank = np.empty(network.num_routers, dtype=np.int32)
    depth_first(first_child, child, top, rank)
    last = rank + _sizes(far, network.source[down], child)

    shared = np.intersect1d(up, down)
    counts = np.ones(network.num_channels, dtype=np.int32)
    counts[shared] = 2
    places = VirtualChannels(network, counts)
    router, first, home, num_vcs = places.router, places.first, network.eject, places.total
    falls = np.zeros(num_vcs + network.num_terminals, dtype=bool)
    falls[first[down] + counts[down] - 1] = True

    def rule(at: int, address: int, out: Out) -> int:
        here, there = router[at], home[address]
        turned = falls[at] or here == top or (bypass and rank[here] <= rank[there] and rank[there] < last[here])
        if here == there and (turned or at >= num_vcs):
            out[0] = EJECT
        elif not turned:
            out[0] = first[toward[here]]
        else:
            low, high = first_child[here], first_child[here + 1] - 1
            while low < high:
                middle = (low + high + 1) // 2
                if rank[child[middle]] <= rank[there]:
                    low = middle
                else:
                    high = middle - 1
            out[0] = first[down[low] + 1] - 1
        return 1

    return Relation(
        network,
        places,
        rule,
        name=f"two_trees from {network.router_name(top)}" + (", with bypass" if bypass else ""),
        claims=dict.fromkeys(SWITCHINGS, True),
        source="Bermond & Syska 1992",
    )


def _tree(distance: IntArray, member: IntArray, parent: IntArray) -> npt.NDArray[np.int64]:
    """For every router that has a way the channel to a parent one hop nearer: the lowest router, then channel."""
    closer = np.flatnonzero((distance[member] > 0) & (distance[parent] == distance[member] - 1))
    closer = closer[np.lexsort((closer, parent[closer], member[closer]))]
    _, one = np.unique(member[closer], return_index=True)
    return closer[one]


def _sizes(far: IntArray, parent: IntArray, child: IntArray) -> IntArray:
    """Routers in the subtree below each router, itself included."""
    size = np.ones(far.size, dtype=np.int32)
    for level in range(int(far.max()), 0, -1):
        here = far[child] == level
        np.add.at(size, parent[here], size[child[here]])
    return size
