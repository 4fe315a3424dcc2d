"""Messages that cannot meet, by the circular order of a mesh or by shortest paths; meshes grown step by step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network, distances_from
from unknot.network.model import IntArray
from unknot_papers.itm import TriangularMesh

Pair = tuple[int, int]


def positions(mesh: TriangularMesh) -> IntArray:
    """Place of each router in the circular order: int32 array, shape (routers,).

    Raises
    ------
    NetworkError
        If the mesh is of the general kind, which has no such order.
    """
    if mesh.circle is None:
        raise NetworkError(
            "a mesh of the general kind has no circular order: its exterior edges form no single cycle"
        )
    place = np.empty(mesh.num_routers, dtype=np.int32)
    place[mesh.circle] = np.arange(mesh.num_routers, dtype=np.int32)
    return place


def independent(place: Sequence[int] | IntArray, one: Pair, other: Pair) -> bool:
    """Whether w < x < y < z in the circular order for messages w → x and y → z, from some router on, in either sense.

    This is how the source (Liu et al. 2002) calls two messages that share no directed link: both go the same way
    round, in arcs that do not touch.

    Parameters
    ----------
    place : sequence of int
        As `positions` gives it.
    """
    n = len(place)
    w, x, y, z = (int(place[v]) for v in (*one, *other))
    for sense in (1, -1):
        x_, y_, z_ = (sense * (v - w) % n for v in (x, y, z))
        if 0 < x_ < y_ < z_:
            return True
    return False


def contention(network: Network, messages: Iterable[Pair]) -> list[tuple[int, int, int]]:
    """Messages, routers given, that may share a channel when each takes any of its shortest paths.

    Returns
    -------
    list of (int, int, int)
        Two messages by position and a channel both may use, one for each two messages that have any. O(messages ×
        channels + messages²).
    """
    used = [on_shortest_paths(network, source, target) for source, target in messages]
    pairs = []
    for i, one in enumerate(used):
        for j in range(i + 1, len(used)):
            both = np.flatnonzero(one & used[j])
            if both.size:
                pairs.append((i, j, int(both[0])))
    return pairs


def on_shortest_paths(network: Network, source: int, target: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Channels that lie on some shortest path between two routers: bool array, shape (channels,)."""
    there, back = distances_from(network, source), distances_from(network, target, reverse=True)
    length = there[network.source] + 1 + back[network.target]
    reached = (there[network.source] >= 0) & (back[network.target] >= 0)
    return np.asarray(reached & (length == there[target]))


def added(mesh: TriangularMesh, edge: tuple[int, int]) -> TriangularMesh:
    """The mesh with one more router, joined to both ends of an edge (AddNode of the paper).

    Raises
    ------
    NetworkError
        If there is no such edge.
    """
    low, high = sorted(edge)
    if not (mesh.edges == (low, high)).all(axis=1).any():
        raise NetworkError(f"a router is added at an edge of the mesh; {low}–{high} is none")
    order = np.append(mesh.order, mesh.num_routers).astype(np.int32)
    return TriangularMesh(order, np.vstack([mesh.parents, [[low, high]]]).astype(np.int32))
