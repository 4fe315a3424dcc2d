"""Components, paths and short cycles of directed graphs; the hash of a network."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints, grouped
from unknot._base.errors import NetworkError
from unknot._base.kernels.lazy_kernel import CHANNELS, is_small, plainly
from unknot.network.model import Network
from unknot.network.parts import IntArray, Origin, frozen

N = TypeVar("N", bound=Hashable)


def digest(network: Network) -> str:
    """A hash of everything that makes up a network, its names included."""
    state = hashlib.sha256()
    for key in ("source", "target", "latency", "inject", "eject", "coordinates", "ports"):
        array = getattr(network, key)
        state.update(f"{key} {None if array is None else array.shape}".encode())
        if array is not None:
            state.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
    if (network.bandwidth != 1).any():
        state.update(b"bandwidth" + np.ascontiguousarray(network.bandwidth, dtype="<f8").tobytes())
    for key in ("num_routers", "radices", "dimensions", "router_labels", "terminal_labels"):
        state.update(repr((key, getattr(network, key))).encode())
    return state.hexdigest()


def survivors(whole: Network, left: Network) -> Origin:
    """Numbers in a network of the routers, channels and terminals that failures left of it.

    Raises
    ------
    NetworkError
        If the other is not what failures left of the one.
    """
    one, other, places = whole.numbering, left.numbering, list[IntArray]()
    for kind in ("routers", "channels", "terminals"):
        numbers, kept = getattr(one, kind), getattr(other, kind)
        places.append(frozen(np.searchsorted(numbers, kept)))
        alike = np.array_equal(numbers[places[-1].clip(max=numbers.size - 1)], kept)
        if not alike or (left.origin is None and left != whole):
            raise NetworkError(f"{left.name} is not what faults left of {whole.name}")
    return Origin(*places)


def strong_components(tail: npt.NDArray[Any], head: npt.NDArray[Any], nodes: int) -> tuple[IntArray, Flags]:
    """Number of each node's strongly connected component, and whether the node lies on a cycle.

    Edges between components lead from higher to lower numbers.
    """
    from unknot.network.graph_kernel import strong_components as label_components

    first, edges = grouped(tail, nodes)
    label, cyclic = np.empty(nodes, dtype=np.int32), np.empty(nodes, dtype=bool)
    with plainly(is_small((nodes + edges.size) // CHANNELS, label_components)):
        label_components(first, np.asarray(head)[edges].astype(np.int32), label, cyclic)
    return label, cyclic


def components(network: Network, left: Flags | None = None) -> tuple[IntArray, int]:
    """Find the strongly connected components, along directed channels.

    Parameters
    ----------
    network : Network
        The network.
    left : bool array, shape (channels,), optional
        Mask of the channels that are left; by default all.

    Returns
    -------
    int32 array, shape (routers,)
        Component of each router, from 0 on.
    int
        Number of components.

    Examples
    --------
    >>> from unknot.network import from_edges
    >>> part, count = components(from_edges([("a", "b"), ("b", "a"), ("b", "c")], directed=True))
    >>> part.tolist(), count
    ([1, 1, 0], 2)
    """
    on = slice(None) if left is None else left
    label, _ = strong_components(network.source[on], network.target[on], network.num_routers)
    return label, int(label.max(initial=-1)) + 1


def pairs(network: Network) -> Ints:
    """A number for the pair of routers that each channel joins."""
    return network.source.astype(np.int64) * network.num_routers + network.target


def channels_between(
    network: Network, source: npt.NDArray[Any], target: npt.NDArray[Any], *, last: bool = False
) -> Ints:
    """The first (or last) channel from each of some routers to another; −1 where there is none."""
    ends = pairs(network)
    order = np.argsort(ends, kind="stable")
    known, key = ends[order], source.astype(np.int64) * network.num_routers + target
    place = np.searchsorted(known, key, side="right" if last else "left") - last
    place = np.clip(place, 0, max(0, order.size - 1))
    return np.where(known[place] == key, order[place], -1) if order.size else np.full(key.shape, -1, dtype=np.int64)


LIGHT_STARTS = 200
"""Nodes through which light cycles are looked for at a time."""
LEAST_WEIGHT = 1e-7
"""Weight that is added to each edge, so that short cycles come first."""
NEAR = 1e-6
"""Difference from 1 that is an error of a solver of linear programs."""
STARTS = 256
"""Nodes from which a short cycle is looked for."""


def shortest_cycle(tail: npt.NDArray[Any], head: npt.NDArray[Any], most: int = STARTS) -> list[int]:
    """A shortest cycle of a graph, among those through `most` nodes on cycles, from its lowest node on; or none."""
    after = on_cycles(tail, head)
    starts, best = sorted(after), list[int]()
    for start in starts[:: max(1, len(starts) // most)]:
        best = cycle_through(start, after, len(best)) or best
    return from_lowest(best)


def on_cycles(tail: npt.NDArray[Any], head: npt.NDArray[Any]) -> dict[int, list[int]]:
    """The successors of each node on a cycle, over edges that are on cycles."""
    if not tail.size:
        return {}
    label, _ = strong_components(tail, head, int(max(tail.max(), head.max())) + 1)
    inside = label[tail] == label[head]
    after: dict[int, list[int]] = {}
    for a, b in zip(np.asarray(tail)[inside].tolist(), np.asarray(head)[inside].tolist(), strict=True):
        after.setdefault(a, []).append(b)
    return after


def reached_from(starts: Iterable[N], after: Callable[[N], Iterable[N]]) -> dict[N, N]:
    """Return the node before each one on a shortest path from the starts, breadth first; a start is before itself."""
    before = {start: start for start in starts}
    todo = [*before]
    for at in todo:
        for to in after(at):
            if to not in before:
                before[to] = at
                todo.append(to)
    return before


def backwards(after: Mapping[N, Iterable[N]]) -> dict[N, list[N]]:
    """Return the predecessors of each node."""
    before: dict[N, list[N]] = {}
    for node, onward in after.items():
        for to in onward:
            before.setdefault(to, []).append(node)
    return before


def path_to(node: N, before: dict[N, N]) -> list[N]:
    """Return the nodes of the path to a node, from the start of `reached_from` on."""
    path = [node]
    while before[path[-1]] != path[-1]:
        path.append(before[path[-1]])
    return path[::-1]


def from_lowest(cycle: list[int]) -> list[int]:
    """A cycle, beginning with its lowest node."""
    low = cycle.index(min(cycle)) if cycle else 0
    return cycle[low:] + cycle[:low]


def hops_around(cycle: Sequence[N]) -> list[tuple[N, N]]:
    """Return the steps of a cycle, the last one back to where the cycle begins."""
    return [*pairwise([*cycle, *cycle[:1]])]


def cycle_through(start: int, after: dict[int, list[int]], bound: int) -> list[int]:
    """A shortest cycle through a node, or nothing when it is not below a bound (0: any)."""
    before, steps = dict[int, int](), {start: 1}
    todo = [start]
    for u in todo:
        if bound and steps[u] >= bound:
            break
        for v in after[u]:
            if v == start:
                cycle = [u]
                while cycle[-1] != start:
                    cycle.append(before[cycle[-1]])
                return cycle[::-1]
            if v not in steps:
                steps[v], before[v] = steps[u] + 1, u
                todo.append(v)
    return []


def light_cycles(weight: Mapping[tuple[int, int], float]) -> list[tuple[int, ...]]:
    """Cycles of edges that together weigh less than 1, the lightest through each node, the lightest first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    if not weight:
        return []
    nodes, ends = np.unique(np.array(list(weight)), return_inverse=True)
    tail, head = ends.reshape(-1, 2).T
    amount = np.array(list(weight.values())) + LEAST_WEIGHT
    part, _ = strong_components(tail, head, nodes.size)
    inside = part[tail] == part[head]
    tail, head, amount = tail[inside], head[inside], amount[inside]
    starts = np.unique(tail)
    starts = starts[:: max(1, starts.size // LIGHT_STARTS)]
    if not starts.size:
        return []
    graph = csr_array((amount, (tail, head)), shape=(nodes.size, nodes.size))
    away, before = dijkstra(graph, indices=starts, return_predecessors=True)
    weight_of: dict[tuple[int, ...], float] = {}
    for i, start in enumerate(starts.tolist()):
        last = tail[head == start]
        total = away[i, last] + amount[head == start]
        if not last.size or total.min() >= 1 - NEAR:
            continue
        path = [int(last[np.argmin(total)])]
        while path[-1] != start:
            path.append(int(before[i, path[-1]]))
        weight_of[tuple(from_lowest(nodes[path[::-1]].tolist()))] = float(total.min())
    return sorted(weight_of, key=lambda cycle: (weight_of[cycle], cycle))
