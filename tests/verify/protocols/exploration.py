"""Exhaustive exploration of tiny systems, written from the definitions of docs/protocols.md and nothing else.

A message can never move if no state that can be reached from here lets it move. Whether that comes about is read off
the graph of all states: in a component that is never left, some place always holds the same first message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import networkx as nx

from unknot.routing import Relation
from unknot.verify.protocols import Protocol

Message = tuple[str, int, int, int, int, int]
"""Class, sender, address, who began the transaction, its number, follow-ups that are sent."""
State = frozenset[tuple[tuple[Any, ...], tuple[Message, ...]]]


class TooLarge(Exception):  # noqa: N818
    """There are more states than are explored."""


class Exploration:
    def __init__(self, relation: Relation, protocol: Protocol, most: int = 4000, room: int = 1) -> None:
        self.relation, self.protocol, self.most, self.in_vc = relation, protocol, most, room
        self.number = relation.network.num_terminals
        self.by_name = {one.name: one for one in protocol.classes}
        self.onward: dict[tuple[int, int], list[int | None]] = {}

    def deadlocks(self) -> bool:
        """Whether some reachable state holds a message that can never move."""
        graph: nx.MultiDiGraph[State] = nx.MultiDiGraph()
        start: State = frozenset()
        todo, seen = [start], {start}
        while todo:
            state = todo.pop()
            for after, left in self.moves(state):
                graph.add_edge(state, after, left=left)
                if after not in seen:
                    if len(seen) >= self.most:
                        raise TooLarge
                    seen.add(after)
                    todo.append(after)
        for component in nx.strongly_connected_components(graph):
            if all(after in component for state in component for after in graph.successors(state)):
                moved = {gone for a in component for _, _, gone in graph.edges(a, data="left") for gone in gone}
                if self.stands(next(iter(component)), moved):
                    return True
        return False

    def stands(self, state: State, moved: set[Any]) -> bool:
        """Whether something stands in a state that is not among what moved."""
        return any(self.stays(place, messages, moved) for place, messages in state)

    def stays(self, place: tuple[Any, ...], messages: tuple[Message, ...], moved: set[Any]) -> bool:
        if self.ordered(place):
            return place not in moved
        return any((place, message) not in moved for message in messages)

    def ordered(self, place: tuple[Any, ...]) -> bool:
        return place[0] != "receive" or self.protocol.room(place[2]).ordered

    def room(self, held: dict[Any, tuple[Message, ...]], place: tuple[Any, ...]) -> int:
        depth = self.in_vc
        if place[0] == "send":
            depth = self.protocol.send_depth(place[2])
        elif place[0] == "receive":
            depth = self.protocol.room(place[2]).depth
        return depth - len(held.get(place, ()))

    def moves(self, state: State) -> Iterator[tuple[State, list[Any]]]:
        """States that follow, each with the places, or messages, whose first message moved."""
        held = dict(state)
        for terminal, sent in self.begun(m for messages in held.values() for m in messages):
            after = self.entered(held, terminal, sent)
            if after is not None:
                yield frozenset(after.items()), []
        for place, messages in held.items():
            if place[0] != "receive":
                yield from self.hops(held, place, messages[0])
                continue
            for position, message in enumerate(messages):
                if position == 0 or not self.ordered(place):
                    yield from self.consumed(held, place, position, message)

    def begun(self, live: Iterable[Message]) -> Iterator[tuple[int, tuple[Message, ...]]]:
        """Terminals with the first messages of a transaction that each may begin while others are live."""
        numbers = [set[int]() for _ in range(self.number)]
        for message in live:
            numbers[message[3]].add(message[4])
        limit = self.protocol.outstanding
        counted = limit is not None or any(one.together for one in self.protocol.classes)
        for terminal, used in enumerate(numbers):
            if limit is not None and len(used) >= limit:
                continue
            fresh = next(i for i in range(len(used) + 1) if i not in used) if counted else 0
            for group, home in product(self.protocol.begins, range(self.number)):
                if home != terminal:
                    for sent in product(*(self.messages(name, terminal, home, terminal, fresh) for name in group)):
                        yield terminal, sent

    def follow_ups(self, message: Message, terminal: int) -> tuple[bool, Iterator[tuple[Message, ...]]]:
        """Whether a message is consumed with the next ones it sends, and which these may be."""
        one = self.by_name[message[0]]
        slots = []
        for follow in one.follows:
            to = {
                "sender": [message[1]],
                "origin": [message[3]],
                "any": [t for t in range(self.number) if t != message[3]],
            }[follow.to]
            to = [t for t in to if t != terminal]
            choices = [m for t in to for m in self.messages(follow.message, terminal, t, message[3], message[4])]
            slots += [choices] * (follow.count if choices or (follow.to != "any" and to) else 0)
        done = message[5]
        last = one.at_once or done + 1 >= len(slots)
        return last, product(*(slots if one.at_once else slots[done : done + 1]))

    def messages(self, name: str, source: int, home: int, origin: int, number: int) -> list[Message]:
        classes = list(self.relation.classes)
        size = self.relation.num_addresses // max(1, len(classes))
        first = classes.index(self.by_name[name].network) * size if classes else 0
        use = self.relation.may_use
        return [
            (name, source, a, origin, number, 0)
            for a in range(first, first + size)
            if self.relation.destination[a] == home and (use is None or use[source, a])
        ]

    def entered(self, held: dict[Any, Any], terminal: int, sent: tuple[Message, ...]) -> dict[Any, Any] | None:
        after = dict(held)
        for message in sent:
            place = ("send", terminal, self.by_name[message[0]].send)
            if self.room(after, place) < 1:
                return None
            after[place] = (*after.get(place, ()), message)
        return after

    def hops(self, held: dict[Any, Any], place: Any, message: Message) -> Iterator[tuple[State, list[Any]]]:
        at = place[1] if place[0] == "vc" else self.relation.num_vcs + place[1]
        if (at, message[2]) not in self.onward:
            self.onward[at, message[2]] = [c.vc for c in self.relation.candidates(at, message[2])]
        for vc in self.onward[at, message[2]]:
            one = self.by_name[message[0]]
            home = int(self.relation.destination[message[2]])
            to = ("receive", home, one.receive) if vc is None else ("vc", vc)
            lost = vc is None and one.reserved
            if not lost and self.room(held, to) < 1:
                continue
            after = dict(held)
            rest = after.pop(place)[1:]
            if vc is None and one.carries:
                rest = ((one.carries, *message[1:]), *rest)
            if rest:
                after[place] = rest
            if not lost:
                after[to] = (*after.get(to, ()), message)
            yield frozenset(after.items()), [place]

    def consumed(self, held: Any, place: Any, position: int, message: Message) -> Iterator[tuple[State, list[Any]]]:
        one = self.by_name[message[0]]
        left = [(place, position)]
        if any(other.together == one.name for other in self.protocol.classes):
            return
        if one.together:
            found = [
                (where, i)
                for where, messages in held.items()
                for i, m in enumerate(messages)
                if where[0] == "receive"
                and m[0] == one.together
                and m[1] == message[1]
                and m[3:5] == message[3:5]
                and (i == 0 or not self.ordered(where))
            ]
            if not found:
                return
            left += found[:1]
        last, choices = self.follow_ups(message, place[1])
        for sent in choices:
            after = self.entered(held, place[1], sent)
            if after is None:
                continue
            if not last:
                messages = list(after[place])
                messages[position] = (*message[:5], message[5] + 1)
                after[place] = tuple(messages)
            else:
                for where, i in sorted(left, key=lambda pair: -pair[1]):
                    rest = after[where][:i] + after[where][i + 1 :]
                    after[where] = rest
                after = {where: messages for where, messages in after.items() if messages}
            gone = [where if self.ordered(where) else (where, held[where][i]) for where, i in left]
            yield frozenset(after.items()), gone
