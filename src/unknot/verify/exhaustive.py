"""The exact decision once more, by plain backtracking: slow, short, and independent of the prover."""

from __future__ import annotations

from collections.abc import Iterator

from unknot.routing.relation import Relation
from unknot.verify.checker import Graph, Rejected, states, waits_of

BUDGET = 2_000_000
"""Steps after which the search gives up."""


def worms_on(relation: Relation, core: set[int]) -> bool:
    """Whether some worms on these VCs block each other for good.

    Raises
    ------
    Rejected
        If that takes more than `BUDGET` steps.
    """
    graphs = [{at: f for at, f in states(relation, a).items() if at in core} for a in range(relation.num_addresses)]
    steps = 0

    def tick() -> None:
        nonlocal steps
        steps += 1
        if steps > BUDGET:
            raise Rejected(f"the core of {len(core)} VCs is too large to be searched again in {BUDGET} steps")

    def worms(graph: Graph, path: list[int], closed: set[int]) -> Iterator[tuple[list[int], set[int]]]:
        tick()
        for choice in waits_of(graph[path[-1]], relation.commits):
            if choice and all(w in core for w in choice):
                yield path, {w for w in choice if w is not None}
        for c in graph[path[-1]]:
            if c.vc in graph and c.vc not in closed and c.vc not in path:
                yield from worms(graph, [*path, c.vc], closed)

    def extend(held: set[int], wanted: set[int], barred: set[int]) -> bool:
        tick()
        if wanted <= held:
            return True
        goal = min(wanted - held)
        for graph in graphs:
            for tail in graph:
                if tail not in held and tail not in barred:
                    for path, waits in worms(graph, [tail], held | barred):
                        if goal in path and not waits & barred and extend(held | set(path), wanted | waits, barred):
                            return True
        return False

    done: set[int] = set()
    for seed in sorted(core):
        if extend(set(), {seed}, done):
            return True
        done.add(seed)
    return False
