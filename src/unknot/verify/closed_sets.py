"""Sets of single-VC messages that block each other: from the greatest fixpoint, and from a cycle of dependencies."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from unknot.routing.relation import EJECT, VC_MASK
from unknot.verify.exact import Worm
from unknot.verify.states import Core, Dependencies, Explorer, Flags

STARTS = 64
"""Places from which a small set is looked for."""


def small_closed_set(core: Core, heads: Flags) -> list[Worm]:
    """A small set of messages of one VC each, closed under waiting.

    Parameters
    ----------
    heads : bool array, shape (heads,)
        Heads that may be used; every VC one of them waits for has a usable head itself.
    """
    on: dict[int, list[int]] = {}
    for head in np.flatnonzero(heads).tolist():
        on.setdefault(int(core.place[core.head_owner[head]]), []).append(head)
    starts = sorted(on)
    best: dict[int, int] = {}
    for start in starts[:: max(1, len(starts) // STARTS)]:
        chosen: dict[int, int] = {}
        todo = deque([start])
        inside = {start}
        while todo and (not best or len(chosen) < len(best)):
            vc = todo.popleft()
            head = min(on[vc], key=lambda h: (sum(w not in inside for w in core.waits(h)), h))
            chosen[vc] = head
            for w in core.waits(head):
                if w not in inside:
                    inside.add(w)
                    todo.append(w)
        if not todo and (not best or len(chosen) < len(best)):
            best = chosen
    return [
        Worm(int(core.owner[core.head_owner[head]]), (vc,), tuple(core.waits(head)))
        for vc, head in sorted(best.items())
    ]


def at_injection(core: Core) -> Flags:
    """Which heads belong to a state that a packet enters straight from its terminal: bool array, shape (heads,)."""
    relation = core.dependencies.relation
    space = Explorer(relation)
    states = np.zeros(core.place.size, dtype=bool)
    entered = np.zeros(relation.num_vcs, dtype=bool)
    bounds = np.searchsorted(core.owner, np.arange(relation.num_addresses + 1))
    for address in range(relation.num_addresses):
        low, high = bounds[address], bounds[address + 1]
        if low < high:
            entered[:] = False
            entered[_entries(space, address)] = True
            states[low:high] = entered[core.place[low:high]]
    return states[core.head_owner]


def shortest_cycle(graph: Dependencies) -> list[int]:
    """A shortest cycle of dependencies through one of some VCs on cycles, beginning at its lowest VC."""
    on_cycle = np.flatnonzero(graph.cyclic).tolist()
    best: list[int] = []
    for start in on_cycle[:: max(1, len(on_cycle) // STARTS)]:
        before = {start: start}
        todo = deque([start])
        found = False
        while todo and not found:
            u = todo.popleft()
            for v in graph.target[graph.first[u] : graph.first[u + 1]].tolist():
                if v == start:
                    cycle = [u]
                    while cycle[-1] != start:
                        cycle.append(before[cycle[-1]])
                    if not best or len(cycle) < len(best):
                        best = cycle[::-1]
                    found = True
                    break
                if v not in before and graph.label[v] == graph.label[start]:
                    before[v] = u
                    todo.append(v)
    low = best.index(min(best))
    return best[low:] + best[:low]


def cycle_messages(graph: Dependencies, cycle: list[int]) -> list[Worm]:
    """One message for each VC of a cycle that has chosen the next VC, straight from its terminal if possible."""
    space = Explorer(graph.relation)
    position = {vc: i for i, vc in enumerate(cycle)}
    address = [-1] * len(cycle)
    direct = [False] * len(cycle)
    for candidate in range(graph.relation.num_addresses):
        if all(direct):
            break
        order, first, value = space.visit(candidate)
        entered = set(_entries(space, candidate, visited=True).tolist())
        for i in np.flatnonzero(np.isin(order, cycle)).tolist():
            k = position[int(order[i])]
            enters = cycle[k] in entered
            if address[k] < 0 or (enters and not direct[k]):
                wanted = cycle[(k + 1) % len(cycle)]
                if wanted in {int(v) & VC_MASK for v in value[first[i] : first[i + 1]]}:
                    address[k], direct[k] = candidate, enters
    return [Worm(address[k], (vc,), (cycle[(k + 1) % len(cycle)],)) for k, vc in enumerate(cycle)]


def _entries(space: Explorer, address: int, visited: bool = False) -> npt.NDArray[np.int64]:
    """VCs that packets for an address enter straight from injection."""
    if not visited:
        space.visit(address)
    sources = space.relation.sources(address).size
    vcs = space.value[: space.first[sources]] & VC_MASK
    return np.asarray(vcs[vcs != EJECT])
