"""Two-tree routing on any network: up one tree to a root, down another to the destination.

An in-tree leads from every router to the root, an out-tree from the root to every router. A header goes to the root
on VCs of the first and then on VCs of the second, so there is no cycle of dependencies under any switching technique
(Bermond & Syska 1992, proposition 5.2). With breadth-first trees every path has at most 2 D hops, D the diameter. A
channel that lies in both trees has 2 VCs, any other 1. Where all links go both ways no channel is in both of two
breadth-first trees, since one only climbs and the other only descends: 1 VC is enough there. Others may share some.

Neither minimal nor adaptive, and the root is a point of congestion. With ``bypass`` a header turns round at the
first router from which the out-tree leads down to its destination, which the paper proposes as an improvement."""

from __future__ import annotations

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.errors import NetworkError, RelationError, require_known
from unknot.network import Network, distances_from
from unknot.network.model import IntArray
from unknot.routing.contract import ACYCLIC
from unknot.routing.paths import neighbours, preorder, root_named
from unknot.routing.relation import EJECT, Out, Relation, cited
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def two_trees(
    network: Network,
    *,
    root: int | str = "best",
    bypass: bool = False,
    up: str = "bfs",
    down: str = "bfs",
) -> Relation:
    """Up an in-tree to a root and down an out-tree, with at most 2 VCs per channel.

    Nothing is tabulated for pairs: O(routers + channels) time and memory for a given root.

    Parameters
    ----------
    root : int or str
        A router, by number or name; ``best`` takes one that is least far from all terminals and they from it.
    bypass : bool
        Whether a header may turn round before the root, where its destination lies below in the out-tree.
    up, down : {"bfs", "dfs"}
        The in-tree and the out-tree: of shortest paths, or of a depth-first search that tries neighbours in order of
        number.

    Raises
    ------
    RelationError
        If there is no such tree.
    NetworkError
        If there is no such router, or it does not reach every terminal, or is not reached by it.

    References
    ----------
    J.-C. Bermond, M. Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992, 149–158.

    Examples
    --------
    >>> from unknot.network.families import irregular
    >>> two_trees(irregular(12, 4, 1), root=0, up="dfs")
    <Relation two_trees from r0, dfs up, bfs down on irregular(12, 4, 1, seed=1), 46 VCs>
    """
    top = root_named(network, root)
    rising = spanning_tree(network, top, up, inward=True, needed_by="two_trees")
    toward = np.full(network.num_routers, -1, dtype=np.int32)
    toward[network.source[rising]] = rising
    falling = spanning_tree(network, top, down, inward=False, needed_by="two_trees")
    falling = falling[np.lexsort((network.target[falling], network.source[falling]))]
    first_child, child = neighbours(network.source[falling], network.target[falling], network.num_routers)
    rank = preorder(network.source[falling], network.target[falling], network.num_routers, top)
    last = rank + _sizes(rank, network.source[falling], child)

    shared = np.intersect1d(rising, falling)
    counts = np.ones(network.num_channels, dtype=np.int32)
    counts[shared] = 2
    virtual = VirtualChannels(network, counts)
    router, first, home, num_vcs = virtual.router, virtual.first, network.eject, virtual.total
    falls = np.zeros(num_vcs + network.num_terminals, dtype=bool)
    falls[first[falling] + counts[falling] - 1] = True

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
            out[0] = first[falling[low] + 1] - 1
        return 1

    return cited(
        virtual,
        rule,
        f"two_trees from {network.router_name(top)}"
        + ("" if up == down == "bfs" else f", {up} up, {down} down")
        + (", with bypass" if bypass else ""),
        ACYCLIC,
        source="Bermond & Syska 1992",
    )


def _sizes(rank: IntArray, parent: IntArray, child: IntArray) -> IntArray:
    """Routers in the subtree below each router, itself included; children before their parents."""
    size = [1] * rank.size
    order = np.argsort(-rank[child], kind="stable")
    for below, above in zip(child[order].tolist(), parent[order].tolist(), strict=True):
        size[above] += size[below]
    return np.array(size, dtype=np.int32)


SHAPES = ("bfs", "dfs")


def spanning_tree(network: Network, root: int, shape: str, *, inward: bool, needed_by: str) -> Ints:
    """Channels of a spanning tree in which every router has one channel towards the root (inward) or
    from the root.

    Parameters
    ----------
    shape : {"bfs", "dfs"}
        Shortest paths, by the lowest parent; or a depth-first search that tries neighbours in order of number.

    Returns
    -------
    int64 array
        One channel for each router that has a way, the root excepted, by router.

    Raises
    ------
    RelationError
        If there is no such shape.
    NetworkError
        If a terminal has no way to the root, or none from it.
    """
    member, parent = (network.source, network.target) if inward else (network.target, network.source)
    require_known(f"{needed_by}: unknown tree", shape, SHAPES, RelationError)
    if shape == "bfs":
        rank = distances_from(network, root, reverse=inward)
        worth = np.where(rank[parent] == rank[member] - 1, -parent, -network.num_routers)
    else:
        rank = preorder(parent, member, network.num_routers, root)
        worth = np.where(rank[parent] < rank[member], rank[parent], -network.num_routers)
    # The channel of every member but the root, of rank 0, whose parent is worth most; the lowest of several.
    legal = np.flatnonzero((rank[member] > 0) & (worth > -network.num_routers))
    legal = legal[np.lexsort((legal, -worth[legal], member[legal]))]
    tree = legal[np.unique(member[legal], return_index=True)[1]]
    joined = np.zeros(network.num_routers, dtype=bool)
    joined[member[tree]] = joined[root] = True
    lost = (network.inject if inward else network.eject)[~joined[network.inject if inward else network.eject]]
    if lost.size:
        where = f"router {network.router_name(int(lost[0]))}"
        words = f"from {where} to" if inward else f"to {where} from"
        raise NetworkError(f"{needed_by} on {network.name}: no way {words} the root {network.router_name(root)}")
    return tree
