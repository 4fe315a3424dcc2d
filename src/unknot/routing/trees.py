"""Spanning trees of a network, as channels: breadth-first, depth-first, or given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, RelationError, near
from unknot.network import Network, distances_from
from unknot.network.model import IntArray
from unknot.routing.paths import neighbours

Ints = npt.NDArray[np.int64]
SHAPES = ("bfs", "dfs")


def spanning_tree(
    network: Network, root: int, shape: str | Sequence[int] | IntArray, *, inward: bool, wanted_by: str
) -> Ints:
    """Channels of a tree in which every router has one towards the root (inward) or from it.

    Parameters
    ----------
    shape : {"bfs", "dfs"} or sequence of int
        Shortest paths, by the lowest parent; a depth-first search that tries neighbours in order of number; or the
        channels themselves, one for each router but the root.

    Returns
    -------
    int64 array
        One channel for each router that has a way, the root excepted, by router.

    Raises
    ------
    RelationError
        If there is no such shape, or given channels form no tree.
    NetworkError
        If a terminal has no way to the root, or none from it.
    """
    member, parent = (network.source, network.target) if inward else (network.target, network.source)
    if not isinstance(shape, str):
        tree = _given(network, root, shape, member, parent, f"{wanted_by}: the tree {'up' if inward else 'down'}")
    elif shape == "bfs":
        far = distances_from(network, root, reverse=inward)
        tree = _by_parent(member, np.where(far[parent] == far[member] - 1, -parent, -network.num_routers), far)
    elif shape == "dfs":
        rank = _preorder(network, root, parent, member)
        tree = _by_parent(member, np.where(rank[parent] < rank[member], rank[parent], -network.num_routers), rank)
    else:
        raise RelationError(f"{wanted_by}: unknown tree {shape!r}; {near(shape, SHAPES)}")
    joined = np.zeros(network.num_routers, dtype=bool)
    joined[member[tree]] = joined[root] = True
    lost = (network.inject if inward else network.eject)[~joined[network.inject if inward else network.eject]]
    if lost.size:
        where = f"router {network.router_name(int(lost[0]))}"
        words = f"from {where} to" if inward else f"to {where} from"
        raise NetworkError(f"{wanted_by} on {network.name}: no way {words} the root {network.router_name(root)}")
    return tree


def _by_parent(member: IntArray, worth: Ints, rank: IntArray) -> Ints:
    """The channel of every member but the root, of rank 0, whose parent is worth most; the lowest of several."""
    legal = np.flatnonzero((rank[member] > 0) & (worth > -rank.size))
    legal = legal[np.lexsort((legal, -worth[legal], member[legal]))]
    _, one = np.unique(member[legal], return_index=True)
    return np.asarray(legal[one], dtype=np.int64)


def _preorder(network: Network, root: int, parent: IntArray, member: IntArray) -> IntArray:
    """Preorder number of every router that a depth-first search from the root reaches, else −1."""
    from unknot.routing.paths_kernel import depth_first

    rank = np.empty(network.num_routers, dtype=np.int32)
    depth_first(*neighbours(parent, member, network.num_routers), root, rank)
    return rank


def _given(
    network: Network, root: int, channels: Sequence[int] | IntArray, member: IntArray, parent: IntArray, what: str
) -> Ints:
    chosen = np.asarray(channels) if len(channels) else np.zeros(0, dtype=np.int64)
    if (
        chosen.ndim != 1
        or chosen.dtype.kind not in "iu"
        or not ((chosen >= 0) & (chosen < network.num_channels)).all()
    ):
        raise RelationError(f"{what}: channels 0 to {network.num_channels - 1} of {network.name} are wanted")
    chosen = chosen[np.argsort(member[chosen], kind="stable")].astype(np.int64)
    twice = np.flatnonzero(np.diff(member[chosen]) == 0)
    if twice.size:
        raise RelationError(f"{what} has two channels of router {network.router_name(int(member[chosen[twice[0]]]))}")
    rank = _preorder(network, root, parent[chosen], member[chosen])
    lost = np.flatnonzero((rank[member[chosen]] < 0) | (member[chosen] == root))
    if lost.size:
        name = network.channel_name(int(chosen[lost[0]]))
        raise RelationError(f"{what}: {name} is not part of a tree with the root {network.router_name(root)}")
    return chosen
