"""The checker's search for worms that block each other, in plain Python: slow, short, and no solver.

A certificate gives the order of the VCs of its core, and the window in which it shows that no deadlock can hold
them: inside, worms do not share VCs and all that they wait for is held; what goes on outside does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from unknot.certificates.plain import Rejected, Unchecked
from unknot.routing.relation import Candidate, Relation

BUDGET = 10_000_000
"""Steps after which the search gives up: about a minute."""

States = dict[int, tuple[set[int], list[set[int]]]]
"""States of an address, by VC: the VCs that a packet may go to, and each set of VCs it may choose to wait for."""
Shape = tuple[tuple[int, frozenset[int], frozenset[frozenset[int]]], ...]
"""States within a window, by address; a header that may leave waits for nothing."""
Worms = dict[int, set[tuple[frozenset[int], frozenset[int]]]]
"""Worms by each VC that they may hold: all VCs that they hold, and those that they wait for."""


def choices(found: list[Candidate], commits: bool) -> list[set[int | None]]:
    """Return the sets of VCs a blocked header may wait for: all at once, or, if it commits, each alone."""
    waited = {c.vc for c in found if c.waits or commits}
    return [{vc} for vc in waited] if commits else [waited][: len(waited)]


def strike_out(relation: Relation, level: dict[int, int], windows: Iterable[tuple[Any, Any]]) -> None:
    """Return quietly if window after window all VCs of a core are struck out; worms mind their level of it only.

    Raises
    ------
    Rejected
        If a VC can be held for all that its window shows, or not all VCs are struck out.
    Unchecked
        After `BUDGET` steps.
    """
    steps = iter(range(BUDGET))

    def tick() -> None:
        if next(steps, None) is None:
            raise Unchecked(f"the core of {len(level)} VCs is too large to be searched again")

    left = {*level}
    graphs = [_states(relation, level, address, tick) for address in range(relation.num_addresses)]
    graphs = [_leading(graph, left, tick) for graph in graphs]
    for never, window in (((), ()), *windows):
        struck, inside = {*map(int, never)}, left & {*map(int, window)}
        on = _worms({_shape(graph, inside) for graph in graphs}, tick)
        for vc in left & struck:
            if vc not in inside or _holdable(vc, on, tick):
                raise Rejected(f"{relation.vcs.name(vc)} can be held, for all that its window shows")
        while gone := left & struck | left - {vc for graph in graphs for vc in graph}:
            left -= gone
            graphs = [_leading(graph, left, tick) if _touched(graph, gone) else graph for graph in graphs]
    if left:
        raise Rejected(f"{len(left)} VCs of the core are not struck out")


def _states(relation: Relation, level: dict[int, int], address: int, tick: Callable[[], None]) -> States:
    """The reachable states of an address on the core; steps and waits that leave the level are not kept."""
    states: States = {}
    seen: set[int] = set()
    todo = (relation.num_vcs + relation.sources(address)).tolist()
    while todo:
        if (at := todo.pop()) in seen:
            continue
        tick()
        seen.add(at)
        found = relation.candidates(at, address)
        todo += [c.vc for c in found if c.vc is not None]
        if at in level:
            alike = {c.vc for c in found if c.vc is not None and level.get(c.vc) == level[at]}
            states[at] = alike, [alike & choice for choice in choices(found, relation.commits) if choice <= alike]
    return states


def _leading(graph: States, left: set[int], tick: Callable[[], None]) -> States:
    """Return the states that lead, within the VCs that are left, to one that waits for VCs that are left only."""
    graph = {vc: (on & left, [w for w in waits if w <= left]) for vc, (on, waits) in graph.items() if vc in left}
    before: dict[int, list[int]] = defaultdict(list)
    for vc, (onward, _) in graph.items():
        for after in onward:
            before[after].append(vc)
    todo = [vc for vc, (_, waits) in graph.items() if waits]
    alive = {*todo}
    while todo:
        tick()
        more = {*before[todo.pop()]} - alive
        alive |= more
        todo += more
    return {vc: (graph[vc][0] & alive, graph[vc][1]) for vc in alive}


def _touched(graph: States, gone: set[int]) -> bool:
    """Whether packets of an address may be on some VCs, or wait for one."""
    alone = gone.isdisjoint
    return not (alone(graph) and all(alone(wanted) for _, waits in graph.values() for wanted in waits))


def _shape(graph: States, inside: set[int]) -> Shape:
    states = [(vc, *graph[vc]) for vc in sorted(inside & graph.keys())]
    return tuple(
        (
            vc,
            frozenset(on & inside),
            frozenset([frozenset(w & inside) for w in [*waits, *[set()] * bool(on - inside)]]),
        )
        for vc, on, waits in states
    )


def _worms(shapes: set[Shape], tick: Callable[[], None]) -> Worms:
    found: Worms = defaultdict(set)
    for shape in shapes:
        inner = {vc: (onward, waits) for vc, onward, waits in shape}
        paths: list[tuple[int, ...]] = [(vc,) for vc in inner]
        while paths:
            tick()
            path = paths.pop()
            onward, waits = inner[path[-1]]
            for vc in path:
                found[vc] |= {(frozenset(path), wanted) for wanted in waits}
            paths += [(*path, vc) for vc in onward if vc not in path]
    return found


def _holdable(goal: int, on: Worms, tick: Callable[[], None]) -> bool:
    """Whether worms that hold all that they wait for can hold a VC."""
    todo: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset({goal}))]
    seen = set(todo)
    while todo:
        tick()
        held, missing = todo.pop()
        if not missing:
            return True
        for path, wanted in min((on[vc] for vc in missing), key=len):
            state = held | path, (missing | wanted) - held - path
            if not path & held and state not in seen:
                seen.add(state)
                todo.append(state)
    return False
