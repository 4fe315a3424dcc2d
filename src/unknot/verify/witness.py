"""From blocked worms to a deadlock configuration: cut down, led back to the terminals, graded."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from unknot.routing.relation import EJECT, VC_MASK, Relation
from unknot.switching import Switching
from unknot.verify.exact import Worm
from unknot.verify.states import Explorer
from unknot.verify.verdict import Configuration, Message

TRIES = 4000
"""Lead-in searches after which the hunt for an `injected` configuration gives up."""


def configuration(
    relation: Relation, worms: Sequence[Worm], switching: Switching, buffer_depth: int
) -> Configuration:
    """The configuration of a set of blocked worms, as small and as well established as is easily found."""
    routes = Routes(relation)
    worms = reduce(worms)
    chosen = _injected(routes, worms, stretch=switching == "wormhole")
    if chosen is not None:
        return Configuration(switching, buffer_depth, "injected", _messages(chosen, buffer_depth))
    chosen = _scheduled(routes, worms)
    if chosen is not None:
        return Configuration(switching, buffer_depth, "scheduled", _messages(chosen, buffer_depth))
    chosen = []
    for worm in worms:
        terminal, lead = next(routes.leads(replace(worm, path=worm.path[:1]), banned=()))
        chosen.append((worm, terminal, lead))
    return Configuration(switching, buffer_depth, "not-established", _messages(chosen, buffer_depth))


Led = tuple[Worm, int, tuple[int, ...]]
"""A worm with its source terminal and the VCs from there to its tail."""


class Routes:
    """Ways from injection to a state of an address."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.space = Explorer(relation)
        self.graphs: dict[int, dict[int, list[int]]] = {}

    def graph(self, address: int) -> dict[int, list[int]]:
        """Candidate VCs of each reachable place, ejection left out."""
        if address not in self.graphs:
            order, first, value = self.space.visit(address)
            vcs = [v & VC_MASK for v in value.tolist()]
            bounds = first.tolist()
            self.graphs[address] = {
                at: [vc for vc in vcs[bounds[i] : bounds[i + 1]] if vc != EJECT]
                for i, at in enumerate(order.tolist())
            }
        return self.graphs[address]

    def leads(self, worm: Worm, banned: Iterable[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """For each terminal from which the tail of a worm can be reached: it, and a shortest way that avoids some VCs
        and those of the worm itself.

        One breadth-first search back from the tail serves all terminals; nearest terminals come first.
        """
        graph = self.graph(worm.address)
        closed = {*banned, *worm.path}
        before: dict[int, list[int]] = {}
        for at, vcs in graph.items():
            if at not in closed:
                for vc in vcs:
                    before.setdefault(vc, []).append(at)
        ahead: dict[int, int] = {}
        todo = deque([worm.path[0]])
        while todo:
            vc = todo.popleft()
            for at in before.get(vc, ()):
                if at in ahead:
                    continue
                ahead[at] = vc
                if at < self.relation.num_vcs:
                    todo.append(at)
                    continue
                way = [vc]
                while way[-1] != worm.path[0]:
                    way.append(ahead[way[-1]])
                yield at - self.relation.num_vcs, tuple(way[:-1])


def reduce(worms: Sequence[Worm]) -> list[Worm]:
    """The smallest set closed under waiting that is reached from one of these worms, with unwanted tails cut off."""
    holder = {vc: i for i, worm in enumerate(worms) for vc in worm.path}
    best: list[int] = list(range(len(worms)))
    for start in range(len(worms)):
        closed = [start]
        for i in closed:
            closed += sorted({holder[w] for w in worms[i].waits} - set(closed))
        if len(closed) < len(best):
            best = closed
    kept = [worms[i] for i in sorted(best)]
    wanted = {w for worm in kept for w in worm.waits}
    cut = []
    for worm in kept:
        tail = next(k for k, vc in enumerate(worm.path) if vc in wanted)
        cut.append(replace(worm, path=worm.path[tail:]))
    return cut


def _injected(routes: Routes, worms: Sequence[Worm], stretch: bool) -> list[Led] | None:
    """Lead every worm back to a terminal of its own, holding all the way; unless `stretch`, it must start there."""
    chosen: list[Led] = []
    tries = 0

    def place(rest: tuple[Worm, ...]) -> bool:
        nonlocal tries
        if not rest:
            return True
        worm = rest[0]
        taken = {t for _, t, _ in chosen}
        held = {vc for w, _, lead in chosen for vc in (*lead, *w.path)} | {vc for w in rest[1:] for vc in w.path}
        for terminal, lead in routes.leads(worm, held):
            tries += 1
            if tries > TRIES or (lead and not stretch):
                return False
            if terminal in taken:
                continue
            chosen.append((worm, terminal, lead))
            if place(rest[1:]):
                return True
            chosen.pop()
        return False

    if len(worms) > 400 or not place(tuple(worms)):
        return None
    return [(replace(w, path=lead + w.path), t, ()) for w, t, lead in chosen]


def _scheduled(routes: Routes, worms: Sequence[Worm]) -> list[Led] | None:
    """An order in which each worm reaches its place around those already standing.

    Taken apart from the end: a worm that has a way around all others may come last; taking it off only helps the
    rest, so the greedy choice finds an order whenever there is one.
    """
    standing = list(worms)
    order: list[Led] = []
    while standing:
        for worm in standing:
            held = [vc for other in standing if other is not worm for vc in other.path]
            way = next(routes.leads(worm, held), None)
            if way is not None:
                order.append((worm, *way))
                standing.remove(worm)
                break
        else:
            return None
    return order[::-1]


def _messages(chosen: Sequence[Led], buffer_depth: int) -> tuple[Message, ...]:
    return tuple(
        Message(terminal, worm.address, len(worm.path) * buffer_depth, lead, worm.path, worm.waits)
        for worm, terminal, lead in chosen
    )
