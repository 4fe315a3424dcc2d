"""Is a network an incremental triangular mesh? Is it chordal? With the construction, or the reason why not."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from unknot._base.errors import NetworkError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.paths import lone_channel
from unknot_papers.itm.topology import TriangularMesh


@dataclass(frozen=True)
class Recognised:
    """The answer of `recognise`.

    Attributes
    ----------
    mesh : TriangularMesh or None
        How the network is built up, if it is an incremental triangular mesh; its `kind` says of which.
    reason : str
        Why it is none; empty if it is one.
    """

    mesh: TriangularMesh | None
    reason: str = ""


def recognise(network: Network) -> Recognised:
    """Take a network apart, router by router, if it is an incremental triangular mesh.

    Parallel channels count once. O(routers + channels · log(degree)).
    """
    n = network.num_routers
    one_way = lone_channel(network)
    if one_way is not None:
        return Recognised(None, f"channel {network.channel_name(one_way)} has none back: a mesh has links both ways")
    near = neighbour_sets(network)
    links = sum(map(len, near)) // 2
    if n < 3:
        return Recognised(None, f"a mesh has at least 3 routers, and there are {n}")
    if links != 2 * n - 3:
        return Recognised(None, f"a mesh of {n} routers has {2 * n - 3} links, the network has {links}")
    after = "after taking off routers with two joined neighbours"
    parents = np.full((n, 2), -1, dtype=np.int32)
    todo = [v for v in range(n) if len(near[v]) <= 2]
    removed: list[int] = []
    while len(removed) < n - 2:
        if not todo:
            return Recognised(None, f"{after}, every router left has three or more neighbours")
        v = todo.pop()
        pair = sorted(near[v])
        if len(pair) < 2 or pair[1] not in near[pair[0]]:
            name = network.router_name(v)
            return Recognised(None, f"{after}, router {name} has no two neighbours left that are joined")
        removed.append(v)
        parents[v] = pair
        for w in reversed(pair):
            near[w].discard(v)
            if len(near[w]) == 2:
                todo.append(w)
    rest = sorted(set(range(n)) - set(removed))
    return Recognised(TriangularMesh(np.array([*rest, *reversed(removed)], dtype=np.int32), parents))


def circle(network: Network) -> IntArray:
    """The routers of an exterior mesh along its boundary: int32 array, shape (routers,).

    Raises
    ------
    NetworkError
        If the network is none.
    """
    known = recognise(network)
    if known.mesh is None:
        raise NetworkError(known.reason)
    if known.mesh.circle is None:
        raise NetworkError("it is a triangular mesh of the general kind, whose exterior edges form no single cycle")
    return known.mesh.circle


def chordal(network: Network) -> bool:
    """Whether every cycle of four or more links has a chord.

    Links are taken both ways, parallel ones once. O(routers + channels · log(degree)).
    """
    near = neighbour_sets(network)
    order = _by_cardinality(near)
    place = {v: i for i, v in enumerate(order)}
    for v in order:
        earlier = {w for w in near[v] if place[w] < place[v]}
        last = max(earlier, key=place.__getitem__, default=v)
        if not earlier - {last} <= near[last]:
            return False
    return True


def _by_cardinality(near: list[set[int]]) -> list[int]:
    """Routers by maximum cardinality search: next comes one with the most neighbours before it (Tarjan & Yannakakis).

    If any order shows that a graph is chordal, this one does.
    """
    weight = [0] * len(near)
    order: dict[int, None] = {}
    heap = [(0, v) for v in range(len(near))]
    while heap:
        rank, v = heapq.heappop(heap)
        if v not in order and -rank == weight[v]:
            order[v] = None
            for w in near[v].difference(order):
                weight[w] += 1
                heapq.heappush(heap, (-weight[w], w))
    return list(order)


def neighbour_sets(network: Network) -> list[set[int]]:
    """The neighbours of each router, by channels in either direction, parallel ones once."""
    near: list[set[int]] = [set() for _ in range(network.num_routers)]
    for u, v in network.ends:
        if u != v:
            near[u].add(v)
            near[v].add(u)
    return near
