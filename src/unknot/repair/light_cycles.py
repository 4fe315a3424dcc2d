"""Cuts of the linear programs for lower bounds: light cycles of turns, and facts about each header that is reached.

A fractional choice of removed candidates gives each a share from 0 to 1 by which it is removed, and each turn a share
by which it does not fall. The clause of a fact asks for shares that add up to 1. The lightest path to a header makes
the strongest fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush

import numpy as np

from unknot.network.graph import from_lowest
from unknot.repair.facts import Cycle, Entry, Fact, Literals, PathFact, literals
from unknot.repair.prune_space import EJECTED, Offers

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


Shares = Mapping[Entry, float]
"""Shares by which entries are removed; 0 for those that it does not have."""


def unsettled(offers: Offers, shares: Shares) -> dict[Fact, Literals]:
    """Facts whose clauses a fractional choice does not satisfy, by their clauses: cycles, and one for each state."""
    relation, facts = offers.relation, list[Fact]()
    facts += map(Cycle, light_cycles({turn: shares.get(turn, 0.0) for turn in offers.turns}))
    for address, states in enumerate(offers.after):
        away, before = _lightest_paths(offers, address, shares)
        for at in states:
            if away.get(at, 1.0) < 1 - NEAR:
                path = [at]
                while path[-1] in before:
                    path.append(before[path[-1]])
                facts += _at(offers, address, tuple(path[::-1]), away[at], shares)
    return {fact: literals(relation, fact, offers.switching) for fact in facts}


def _at(offers: Offers, address: int, path: tuple[int, ...], away: float, shares: Shares) -> Iterator[Fact]:
    """What a fractional choice does not satisfy at the end of a path that weighs so much."""
    at, stopped, falling = path[-1], away, []
    for vc, waits in offers.after[address][at]:
        removed = shares.get((at, address, vc), 0.0)
        rises = shares.get((at, vc), 0.0)
        if vc != EJECTED and away + removed < 1 - NEAR:
            if offers.is_detour(address, at, vc):
                yield PathFact("detour", address, (*path, vc))
            if offers.chosen and away + removed + 1 - rises < 1 - NEAR:
                yield PathFact("rise", address, (*path, vc))
        if waits:
            stopped += 1 - max(removed, rises)
            falling += [vc] if rises > removed else []
    if stopped < 1 - NEAR:
        yield PathFact("stop", address, path, tuple(falling))


def _lightest_paths(offers: Offers, address: int, shares: Shares) -> tuple[dict[int, float], dict[int, int]]:
    """Weight of the lightest path to each input VC, by the shares of its steps; and the VC before on that path."""
    heap = [(0.0, offers.relation.num_vcs + source) for source in offers.relation.sources(address).tolist()]
    away, before, done = {at: 0.0 for _, at in heap}, dict[int, int](), set[int]()
    while heap:
        weight, at = heappop(heap)
        if at in done:
            continue
        done.add(at)
        for vc, _ in offers.after[address].get(at, ()):
            more = weight + shares.get((at, address, vc), 0.0)
            if vc != EJECTED and more < away.get(vc, np.inf):
                away[vc], before[vc] = more, at
                heappush(heap, (more, vc))
    return away, before
