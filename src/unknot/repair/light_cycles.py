"""Cuts of the linear programs for lower bounds: light cycles of turns, and knots of messages.

A fractional choice of removed candidates gives each a share from 0 to 1 by which it is removed. The clause of a knot
asks for shares of what its messages take, and of what they might wait for besides, that add up to 1. Here each
message of a knot holds one VC and waits for the next one's. So a knot is a cycle of VCs, each with the address by
which its step is lightest, and the lightest cycle through each VC is found by shortest paths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from unknot.certificates.verdict import Message
from unknot.network.graph import from_lowest
from unknot.repair.facts import Entry, Fact, Knot, Literals, literals
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


Removed = Mapping[Entry, float]
"""Shares by which candidates are removed; 0 for those that it does not have."""


def light_knots(
    offers: Offers, removed: Removed, turned: Callable[[int, int], float] = lambda at, address: 0.0
) -> dict[Fact, Literals]:
    """Knots whose clauses a fractional choice does not satisfy, by their clauses.

    Parameters
    ----------
    turned : callable(int, int)
        The share by which a header in an input VC, with an address, is let out by what is not a candidate yet.
    """
    relation = offers.relation
    queues = offers.switching == "wormhole-nonatomic" or relation.commits
    lightest: dict[tuple[int, int], tuple[float, Message]] = {}
    for address, states in enumerate(offers.after):
        away, before = _lightest_paths(offers, address, removed)
        for at, candidates in states.items():
            if at >= relation.num_vcs or at not in away:
                continue
            waits = [vc for vc, waited in candidates if waited or queues]
            if EJECTED in waits and not queues:
                continue
            aside = turned(at, address)
            for vc in waits:
                others = () if queues else (other for other in waits if other != vc)
                weight = away[at] + aside + (removed.get((at, address, vc), 0.0) if queues else 0.0)
                weight += sum(1.0 - removed.get((at, address, other), 0.0) for other in others)
                if vc == EJECTED or weight >= lightest.get((at, vc), (1.0,))[0]:
                    continue
                path = [at]
                while path[-1] in before:
                    path.append(before[path[-1]])
                source, *lead = path[::-1]
                message = Message(source - relation.num_vcs, address, 1, tuple(lead[:-1]), (at,), (vc,))
                lightest[at, vc] = weight, message
    facts: dict[Fact, Literals] = {}
    for cycle in light_cycles({turn: weight for turn, (weight, _) in lightest.items()}):
        fact = Knot(tuple(lightest[turn][1] for turn in pairwise((*cycle, cycle[0]))))
        facts[fact] = literals(relation, fact, offers.switching)
    return facts


def _lightest_paths(offers: Offers, address: int, removed: Removed) -> tuple[dict[int, float], dict[int, int]]:
    """Weight of the lightest path to each input VC, by the shares of its steps; and the VC before on that path."""
    heap = [(0.0, offers.relation.num_vcs + source) for source in offers.relation.sources(address).tolist()]
    away, before, done = {at: 0.0 for _, at in heap}, dict[int, int](), set[int]()
    while heap:
        weight, at = heappop(heap)
        if at in done:
            continue
        done.add(at)
        for vc, _ in offers.after[address].get(at, ()):
            more = weight + removed.get((at, address, vc), 0.0)
            if vc != EJECTED and more < away.get(vc, np.inf):
                away[vc], before[vc] = more, at
                heappush(heap, (more, vc))
    return away, before
