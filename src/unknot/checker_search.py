"""The checker's search for worms that block each other, in plain Python: slow, short, and no solver.

VCs that no deadlock can hold are struck out, as ever wider surroundings of each show, until none is left. Inside a
window, worms do not share VCs and all that they wait for is held; what goes on outside does not matter.
"""

from __future__ import annotations

from functools import cache

from unknot.checker import choices
from unknot.routing.relation import Candidate, Relation

BUDGET = 300_000
"""Steps after which the search gives up: some seconds."""


class _TooLargeError(Exception):
    """The budget is spent."""


def deadlock_on(relation: Relation, core: set[int]) -> bool | None:
    """Whether worms on these VCs can block each other for good; None when `BUDGET` steps do not tell."""
    try:
        return _search(relation, core)
    except _TooLargeError:
        return None


def _search(relation: Relation, core: set[int]) -> bool:
    steps = iter(range(BUDGET))
    near: dict[int, set[int]] = {vc: set() for vc in core}
    graphs: list[dict[int, list[Candidate]]] = []
    for address in range(relation.num_addresses):
        graph: dict[int, list[Candidate]] = {}
        todo = (relation.num_vcs + relation.sources(address)).tolist()
        while todo:
            if (at := todo.pop()) not in graph:
                graph[at] = relation.candidates(at, address)
                todo += [c.vc for c in graph[at] if c.vc is not None]
        graphs.append({vc: graph[vc] for vc in core & graph.keys()})
        for vc in graphs[-1]:
            for after in core & {c.vc for c in graph[vc]}:
                near[vc].add(after)
                near[after].add(vc)

    def tick() -> None:
        if next(steps, None) is None:
            raise _TooLargeError

    def holdable(goal: int, window: set[int]) -> bool:
        worms: dict[int, set[tuple[frozenset[int], frozenset[int]]]] = {vc: set() for vc in window}
        for graph in graphs:
            paths: list[tuple[int, ...]] = [(vc,) for vc in window & graph.keys()]
            while paths:
                tick()
                path = paths.pop()
                onward = {c.vc for c in graph[path[-1]] if c.vc is not None and c.vc in left} - {*path}
                waits: list[set[int]] = [
                    window & choice for choice in choices(graph[path[-1]], relation.commits) if left >= choice
                ]
                waits += [set()] if onward - window else []
                for vc in path:
                    worms[vc] |= {(frozenset(path), frozenset(wanted)) for wanted in waits}
                paths += [(*path, vc) for vc in onward & window]

        @cache
        def completed(held: frozenset[int], missing: frozenset[int]) -> bool:
            tick()
            return not missing or any(
                not path & held and completed(held | path, (missing | wanted) - held - path)
                for path, wanted in worms[min(missing, key=lambda vc: (len(worms[vc]), vc))]
            )

        return completed(frozenset(), frozenset({goal}))

    left, radius = set(core), 1
    while left:
        before = len(left)
        for vc in sorted(left):
            window = {vc}
            for _ in range(radius):
                window |= {v for u in window for v in near[u] & left}
            if not holdable(vc, window):
                left.remove(vc)
            elif radius > len(left):
                return True
        radius += len(left) == before
    return False
