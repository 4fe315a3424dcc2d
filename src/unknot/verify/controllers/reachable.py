"""All states of the controllers of one address, up to names of caches.

Other addresses only delay messages. So the states that an address can be in do not depend on them, and a state of
several addresses consists of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

from unknot._base.deadline import Deadline
from unknot._base.memory import limit
from unknot._base.work import spend
from unknot.verify.controllers.steps import (
    ASIDE,
    Controllers,
    ControllerStep,
    Message,
    MessageLine,
    Node,
    State,
    members,
    moves,
)

BYTES, SECONDS = 3000, 4e-5
"""Memory of a state, and time of a step, as measured with gem5's protocols."""
MOST_STATES = 1_000_000
MOST_MESSAGES = 64
"""Messages under way for one address from which on there is no end of them."""
LOOK = 256
TIME = "the time limit"


@dataclass
class Reached:
    """Found states with their predecessors, and missing cells of the table.

    Attributes
    ----------
    before : dict
        By state, where it was reached from.
    whole : bool
        Whether all states were found.
    lacking : dict
        By kind, state and message of a cell that is missing, a state in which it is needed.
    limit : str
        What ended the search, if anything did.
    """

    before: dict[State, State | None] = field(default_factory=dict)
    whole: bool = True
    lacking: dict[tuple[str, str, str], State] = field(default_factory=dict)
    limit: str = ""


class Renaming:
    """Names of caches exchanged: the least of all states that differ in these alone."""

    def __init__(self, controllers: Controllers) -> None:
        self.controllers, table = controllers, controllers.table
        self.caches = controllers.caches
        self.sets = [
            [i for i, name in enumerate(table.remembered[kind.name], 1) if table.sorts[name] == "nodes"]
            for kind in controllers.kinds
        ]
        self.carried = [
            [i for i, name in enumerate(table.carried[name], 1) if table.sorts[name] == "nodes"]
            for name in table.messages
        ]
        self.count = len(controllers.kinds)
        self.unchanged = tuple(range(self.caches))
        rest = tuple(range(self.caches, self.count))
        self.renamed = {order: order + rest for order in permutations(range(self.caches))}
        self.masks = {order: self._masks(to) for order, to in self.renamed.items()}

    def _masks(self, to: tuple[int, ...]) -> list[int]:
        return [sum(1 << to[i] for i in members(mask)) for mask in range(1 << self.count)]

    def least(self, state: State) -> State:
        """Return the least state with other names of caches."""
        return min(self.exchanged(state, order) for order in self._orders(state))

    def _orders(self, state: State) -> Iterator[tuple[int, ...]]:
        """Orders that sort caches by what does not depend on names."""
        rows, caches = state[0], range(self.caches)
        keys: list[tuple[Any, ...]] = [self._plain(i, rows[i]) for i in caches]
        for node in range(self.caches, self.count):
            for place in self.sets[node]:
                keys = [(*key, rows[node][place] >> i & 1) for i, key in enumerate(keys)]
        if len({*keys}) < self.caches:
            met: list[list[tuple[int, ...]]] = [[] for _ in caches]
            for channel, messages in state[1]:
                names = (channel.group, *[message[0] for message in messages])
                if channel.target < self.caches:
                    met[channel.target].append((0, *names))
                if channel.source < self.caches:
                    met[channel.source].append((1, *names))
            keys = [(*key, sorted(several)) for key, several in zip(keys, met, strict=True)]
        alike: list[list[int]] = []
        for i in sorted(caches, key=keys.__getitem__):
            if alike and keys[alike[-1][0]] == keys[i]:
                alike[-1].append(i)
            else:
                alike.append([i])
        for parts in product(*(permutations(part) for part in alike)):
            order = [0] * self.caches
            for new, old in enumerate(i for part in parts for i in part):
                order[old] = new
            yield tuple(order)

    def _plain(self, node: int, row: Node) -> tuple[int, ...]:
        """A row without names."""
        if not self.sets[node]:
            return row
        sets = self.sets[node]
        return tuple(value.bit_count() if place in sets else value for place, value in enumerate(row))

    def exchanged(self, state: State, order: tuple[int, ...]) -> State:
        """The state with cache `i` called `order[i]`."""
        if order == self.unchanged:
            return state
        to, masks = self.renamed[order], self.masks[order]
        nodes = list(state[0])
        for i, row in enumerate(state[0]):
            nodes[to[i]] = _replaced(row, self.sets[i], masks)
        channels = []
        for channel, messages in state[1]:
            renamed = tuple(_replaced(message, self.carried[message[0]], masks) for message in messages)
            kept = channel.group != ASIDE and self.controllers.ordered[channel.group]
            moved = MessageLine(to[channel.target], channel.group, to[channel.source])
            channels.append((moved, renamed if kept else tuple(sorted(renamed))))
        return tuple(nodes), tuple(sorted(channels))


def _replaced(values: Message, places: list[int], masks: list[int]) -> Message:
    if not places:
        return values
    changed = list(values)
    for place in places:
        changed[place] = masks[values[place]]
    return tuple(changed)


def explore(controllers: Controllers, deadline: Deadline, states: int) -> Reached:
    """Find all states, breadth first, until a number of them, the memory or the time is used up."""
    names, reached = Renaming(controllers), Reached()
    room = min(states, limit() // BYTES)
    first = names.least(controllers.start)
    reached.before[first] = None
    edge = [first]
    looked = 0
    while edge:
        found: list[State] = []
        for state in edge:
            looked += 1
            if len(reached.before) >= room or (looked % LOOK == 0 and deadline.over):
                reached.whole = False
                reached.limit = TIME if deadline.over else f"{len(reached.before):,} states"
                return reached
            onwards = [after for _, after in onward(controllers, state, reached)]
            spend(SECONDS * (1 + len(onwards)))
            for after in onwards:
                if sum(len(messages) for _, messages in after[1]) > MOST_MESSAGES:
                    reached.whole, reached.limit = False, f"more than {MOST_MESSAGES} messages of one address"
                    return reached
                least = names.least(after)
                if least not in reached.before:
                    reached.before[least] = state
                    found.append(least)
        edge = found
    return reached


def onward(controllers: Controllers, state: State, reached: Reached) -> Iterator[tuple[ControllerStep, State]]:
    for step, outcome in controllers.offered(state):
        if outcome is None:
            kind = controllers.kinds[step.node].name
            row = controllers.states[kind][state[0][step.node][0]]
            reached.lacking.setdefault((kind, row, step.event), state)
        elif moves(step, outcome):
            yield step, controllers.after(state, step, outcome)


def run_to(controllers: Controllers, reached: Reached, goal: State) -> list[tuple[ControllerStep, State]]:
    """Steps from the first state to the form of a goal, each with the state after the step."""
    names = Renaming(controllers)
    forms = [goal]
    while (before := reached.before[forms[-1]]) is not None:
        forms.append(before)
    state, run = controllers.start, []
    for form in reversed(forms[:-1]):
        step, state = next(
            (step, after) for step, after in onward(controllers, state, Reached()) if names.least(after) == form
        )
        run.append((step, state))
    return run
