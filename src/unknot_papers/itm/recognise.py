"""Is a network an incremental triangular mesh? Is it chordal? With the construction, or the reason why not."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from unknot.compressed_rows import starts
from unknot.errors import NetworkError
from unknot.network import Network
from unknot.network.model import IntArray, Offsets
from unknot.shown import Brief
from unknot_papers.itm.mesh import TriangularMesh


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


@dataclass(frozen=True, repr=False)
class Chordal(Brief):
    """The answer of `chordal`.

    Attributes
    ----------
    order : int32 array, shape (routers,), or None
        Routers so ordered that the earlier neighbours of each are joined to each other; None if no order is so.
    hole : tuple of int
        If not chordal: routers of a cycle of four or more links without a chord.
    """

    order: IntArray | None
    hole: tuple[int, ...] = ()


def recognise(network: Network) -> Recognised:
    """Take a network apart, router by router, if it is an incremental triangular mesh.

    Parallel channels count once. O(routers + channels · log(degree)).
    """
    from unknot_papers.itm.mesh_kernel import take_apart

    n = network.num_routers
    one_way = lone_channel(network)
    if one_way is not None:
        return Recognised(None, f"channel {network.channel_name(one_way)} has none back: a mesh has links both ways")
    first, neighbour = neighbours(network)
    links = neighbour.size // 2
    if n < 3:
        return Recognised(None, f"a mesh has at least 3 routers, and there are {n}")
    if links != 2 * n - 3:
        return Recognised(None, f"a mesh of {n} routers has {2 * n - 3} links, and there are {links}")
    order, parents = np.empty(n, dtype=np.int32), np.full((n, 2), -1, dtype=np.int32)
    stuck = take_apart(first, neighbour, order, parents)
    if stuck == -1:
        low, high = sorted(order[:2].tolist())
        order[:2] = low, high
        return Recognised(TriangularMesh(order, parents))
    if stuck == -2:
        return Recognised(
            None,
            "after taking off routers with two joined neighbours, every router left has three or more neighbours",
        )
    return Recognised(
        None,
        f"after taking off routers with two joined neighbours, router {network.router_name(stuck)} has no two "
        "neighbours left that are joined",
    )


def circle(network: Network) -> IntArray:
    """The routers of an exterior mesh along its boundary: int32 array, shape (routers,).

    Raises
    ------
    NetworkError
        If the network is none.
    """
    found = recognise(network)
    if found.mesh is None:
        raise NetworkError(found.reason)
    if found.mesh.circle is None:
        raise NetworkError("it is a triangular mesh of the general kind, whose exterior edges form no single cycle")
    return found.mesh.circle


def chordal(network: Network) -> Chordal:
    """Decide whether every cycle of four or more links has a chord.

    Links are taken both ways, parallel ones once. O(routers + channels · log(degree)) if it is chordal; the hole of
    one that is not may take a search for each pair of neighbours of a router.
    """
    from unknot_papers.itm.mesh_kernel import search_cardinality

    first, neighbour = neighbours(network)
    order, place = np.empty(network.num_routers, dtype=np.int64), np.empty(network.num_routers, dtype=np.int64)
    broken = search_cardinality(first, neighbour, order, place)
    if broken < 0:
        return Chordal(order.astype(np.int32))
    rows = [neighbour[first[v] : first[v + 1]].tolist() for v in range(network.num_routers)]
    for middle in [int(broken), *range(network.num_routers)]:
        hole = _hole_at(rows, middle)
        if hole:
            return Chordal(None, hole)
    raise AssertionError("a graph that is not chordal has a hole")


def _hole_at(rows: list[list[int]], middle: int) -> tuple[int, ...]:
    """A chordless cycle through a router, if there is one: a shortest way round between two of its neighbours."""
    near = set(rows[middle])
    for u in rows[middle]:
        apart = near - {u} - set(rows[u])
        came = {u: -1}
        todo = deque([u])
        while todo and apart:
            at = todo.popleft()
            for w in rows[at]:
                if w in came or w == middle or (w in near and w not in apart):
                    continue
                came[w] = at
                if w in apart:
                    way = [w]
                    while came[way[-1]] >= 0:
                        way.append(came[way[-1]])
                    return (middle, *way[::-1])
                todo.append(w)
    return ()


def neighbours(network: Network) -> tuple[Offsets, IntArray]:
    """Distinct neighbours of each router by links in either direction, ascending, as compressed rows."""
    n = np.int64(network.num_routers)
    source, target = network.source.astype(np.int64), network.target.astype(np.int64)
    other = source != target
    keys = np.unique(np.concatenate([source * n + target, target * n + source])[np.tile(other, 2)])
    return starts(keys // n, network.num_routers), (keys % n).astype(np.int32)


def lone_channel(network: Network) -> int | None:
    """A channel without one back between the same routers."""
    n = np.int64(network.num_routers)
    there = network.source * n + network.target
    back = network.target * n + network.source
    alone = np.flatnonzero(~np.isin(there, back))
    return int(alone[0]) if alone.size else None
