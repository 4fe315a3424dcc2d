"""Light cycles of turns: the cuts of the linear programs for lower bounds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unknot.network.graph import from_lowest

STARTS = 200
"""Nodes through which cycles are looked for at a time."""
LEAST = 1e-7
"""Weight that is added to each turn, so that short cycles come first."""
NEAR = 1e-6
"""Difference from 1 that is an error of the solver."""


def light_cycles(weight: Mapping[tuple[int, int], float]) -> list[tuple[int, ...]]:
    """Cycles of turns that together weigh less than 1, the lightest through each node, the lightest first."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, dijkstra

    if not weight:
        return []
    nodes, ends = np.unique(np.array(list(weight)), return_inverse=True)
    tail, head = ends.reshape(-1, 2).T
    amount = np.array(list(weight.values())) + LEAST
    shape = (nodes.size, nodes.size)
    _, part = connected_components(csr_array((amount, (tail, head)), shape=shape), directed=True, connection="strong")
    inside = part[tail] == part[head]
    tail, head, amount = tail[inside], head[inside], amount[inside]
    starts = np.unique(tail)
    starts = starts[:: max(1, starts.size // STARTS)]
    if not starts.size:
        return []
    away, before = dijkstra(csr_array((amount, (tail, head)), shape=shape), indices=starts, return_predecessors=True)
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
