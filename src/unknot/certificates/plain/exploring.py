"""States of a system with end points: from each one all messages can leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import Any

from unknot.certificates.plain.ends import Ends, Place, Sent
from unknot.certificates.plain.flow import Technique
from unknot.certificates.plain.play import FOLLOWS, SPLITS, STAYS, Play
from unknot.certificates.plain.reading import KEPT_STATE, LOOK, MOST_STATES, Rejected, pay
from unknot.certificates.plain.tables import closure

State = tuple[tuple[Place, tuple[tuple[Any, ...], ...]], ...]
"""Places with the messages whose headers are there, each as a message under way is made."""


class Explored(Play):
    """The system in one state after another."""

    def state(self, counted: bool) -> State:
        """What is held; transactions are numbered anew, and alike where nothing depends on them."""
        numbers: dict[tuple[int, int], int] = {}
        rows = []
        pay(2 * KEPT_STATE * sum(1 + len(messages) for messages in self.held.values()))
        for place in sorted((p for p, messages in self.held.items() if messages), key=repr):
            row = []
            for m in self.held[place]:
                number = numbers.setdefault((m.origin, m.transaction), len(numbers)) if counted else 0
                row.append((m.kind, m.source, m.address, m.origin, number, m.done, m.behind, m.whole, m.chosen))
            rows.append((place, tuple(row)))
        return tuple(rows)

    def restore(self, state: State) -> None:
        """Hold what a state does."""
        self.held = {}
        for place, row in state:
            pay(KEPT_STATE * (1 + len(row)))
            self.held[place] = [Sent(*parts) for parts in row]
        self.begun = sum(map(len, self.held.values()))

    def moves(self) -> Iterator[list[Any]]:
        """Iterate over moves and consumptions, impossible ones among them."""
        for place, messages in self.held.items():
            *where, stage = ["vc", place, "", 1] if isinstance(place, int) else place
            for to in self.ahead(place):
                if self.worms:
                    if self.switching.queues and len(self.ahead(place)) > 1:
                        yield ["choose", *where, stage, to]
                    yield from (["move", *where, stage, to, tail] for tail in (FOLLOWS, STAYS, SPLITS))
                else:
                    yield ["move", *where, to]
            for position, message in enumerate(messages):
                if self.first(place, position):
                    due = [[[name, a] for a in addresses] for name, addresses in self.due(message)]
                    for sends in every_choice(due):
                        yield ["consume", *where[1:], stage if self.worms else position, list(sends)]


def every_choice(slots: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Iterate over all ways to take one of each slot, as many as the product of their lengths."""
    pay(sum(map(len, slots)))
    pay((KEPT_STATE + len(slots)) * prod(map(len, slots)))
    return product(*slots)


def emptied(ends: Ends, switching: Technique) -> int:
    """Return the number of reachable states; `Rejected` if some state cannot be emptied of all messages.

    Where the empty state can be reached from every state, no message can be in a place for ever.
    """
    if ends.table.commits:
        raise Rejected("states show nothing of headers that commit to a candidate")
    counted = ends.limit is not None or any(map(ends.partner, ends.classes))
    everyone, homes = range(ends.table.network.terminals), ends.table.destination
    pay(LOOK * len(everyone) ** 2 * len(ends.begins))
    begins = [
        ["begin", t, list(sends)]
        for t, home, group in product(everyone, everyone, ends.begins)
        for sends in every_choice([[[name, a] for a in ends.sends(name, t) if homes[a] == home] for name in group])
    ]
    before: dict[State, list[State]] = {(): []}
    play = Explored(ends, [], switching, not switching.alone)

    def after(here: State) -> Iterable[State]:
        play.restore(here)
        for move in [*begins, *play.moves()]:
            pay(50)
            play.restore(here)
            try:
                play.act(move)
            except Rejected:
                continue
            there = play.state(counted)
            pay(50)
            before.setdefault(there, []).append(here)
            yield there

    empty: list[State] = [()]
    states = closure(empty, after, MOST_STATES)
    if len(closure(empty, lambda here: before[here])) < len(states):
        raise Rejected("there is a state from which not all messages can leave")
    return len(states)
