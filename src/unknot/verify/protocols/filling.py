"""Places filled one by one with messages that cannot move, until all of them stand still."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from unknot._base.deadline import clock
from unknot.verify.protocols.machine import (
    Event,
    Message,
    State,
    beginnings,
    consumptions,
    destination,
    has_room,
    movements,
    step,
)
from unknot.verify.protocols.runs import LONGEST, Run
from unknot.verify.protocols.stuck import stuck
from unknot.verify.protocols.system import EJECT, System

ROUNDS = 60
"""How often places are filled after a message has made room."""
ATTEMPTS = 40
"""Orders in which places are filled."""


@dataclass(frozen=True)
class Target:
    """A place, and a message that may stand there for ever, with the number of places on its way there."""

    place: int
    kind: int
    source: int
    address: int
    trail: int


@dataclass(frozen=True)
class Link:
    """A message of a chain in which each one is consumed for the next: its class and its two terminals."""

    kind: int
    source: int
    home: int


class Filling:
    """A run that brings messages to places from which they cannot move once all are full."""

    def __init__(self, system: System, chance: random.Random) -> None:
        self.system, self.chance = system, chance
        self.state: State = {}
        self.run: list[Event] = []
        self.near: set[int] = set()

    def through(self, targets: Sequence[Target], end: float) -> Run | None:
        """Fill the places of some targets; where that comes to a halt, let one message go home and go on.

        Returns the run, once messages are stuck.
        """
        self.near = {t for target in targets for t in (target.source, self.system.home(target.address))}
        for _ in range(ROUNDS):
            for target in targets:
                held = -1
                while held < self._messages() and has_room(self.system, self.state, target.place):
                    held = self._messages()
                    self._bring(target)
                    if self.state and stuck(self.system, self.state):
                        return tuple(self.run)
                    if clock() > end or len(self.run) > LONGEST:
                        return None
            place = self.chance.choice(list(self.state)) if self.state else 0
            if self.state:
                self._settle(place, self.state[place][0])
        return None

    def _messages(self) -> int:
        return sum(map(len, self.state.values()))

    def _do(self, event: Event) -> None:
        self.state = step(self.system, self.state, event, len(self.run))
        self.run.append(event)

    def _bring(self, target: Target) -> None:
        """Begin a transaction that leads to a message, and let it go to its place, as far as there is room."""
        chain = self._chain(target)
        possible = beginnings(self.system, self.state, chain[0].source) if chain else ()
        begins = [one for one in possible if self._index(one, chain[0]) >= 0]
        if not begins:
            return
        event = self.chance.choice(begins)
        self._do(event)
        message: Message | None = self._sent(event, chain[0])
        for link, following in pairwise(chain):
            home = self.system.receive_place(link.home, link.kind)
            if message is None or self._walk(self._at_send(message), message, home) != home:
                return
            message = self._consume(home, message, following)
        if message is not None:
            self._walk(self._at_send(message), message, target.place)

    def _at_send(self, message: Message) -> int:
        return self.system.send_place(message.source, message.kind)

    def _index(self, event: Event, link: Link) -> int:
        """Which of the messages that an event sends is that of a link; −1 if none is."""
        fitting = [kind == link.kind and self.system.home(address) == link.home for kind, address in event.sends]
        return fitting.index(True) if True in fitting else -1

    def _sent(self, event: Event, link: Link) -> Message:
        kind, address = event.sends[self._index(event, link)]
        return next(
            m
            for m in self.state[self.system.send_place(link.source, kind)][::-1]
            if m[:3] == (kind, link.source, address)
        )

    def _walk(self, place: int, message: Message, goal: int) -> int | None:
        """Move a message towards a place, and return where it stops; None: it was received into reserved room."""
        while place != goal and place < self.system.first_receive and self.state[place][0] == message:
            to = self._hop(place, message, goal)
            event = None if to is None else next(movements(self.system, self.state, place, message, to), None)
            if to is None or event is None:
                break
            self._do(event)
            behind = self.system.classes[message.kind].carries
            if to == EJECT and behind:
                self._settle(place, message._replace(kind=self.system.number[behind]))
            after = destination(self.system, place, message, to)
            if after is None:
                return None
            place = after
        return place

    def _hop(self, place: int, message: Message, goal: int) -> int | None:
        """First candidate on a shortest way to a place: through places with room, else through any."""
        for full in (False, True):
            first: dict[int, int] = {}
            queue = deque([place])
            while queue:
                at = queue.popleft()
                for to in self.system.onward(at, message.address)[0]:
                    after = destination(self.system, at, message, to)
                    if after == goal:
                        return first.get(at, to)
                    if to != EJECT and to not in first and (full or has_room(self.system, self.state, to)):
                        first[to] = first.get(at, to)
                        queue.append(to)
        return None

    def _settle(self, place: int, message: Message) -> None:
        """Let a message go home and be consumed, and likewise what follows it, as far as there is room."""
        home = self.system.receive_place(self.system.home(message.address), message.kind)
        if self._walk(place, message, home) == home:
            self._consume(home, message, None)

    def _consume(self, place: int, message: Message, link: Link | None) -> Message | None:
        """Consume a message, with one of a link among those that follow it; what follows else is settled."""
        chosen, others = None, []
        while message in self.state.get(place, ()):
            position = self.state[place].index(message)
            if position and self.system.ordered(place):
                break
            options = list(consumptions(self.system, self.state, place, position, message))
            fitting = [one for one in options if link is not None and self._index(one, link) >= 0]
            if not options:
                break
            event = self.chance.choice(fitting or options)
            self._do(event)
            for kind, address in event.sends:
                terminal = self.system.home(message.address)
                new = Message(kind, terminal, address, message.origin, message.transaction)
                if (
                    chosen is None
                    and link is not None
                    and self._index(event, link) >= 0
                    and ((kind, address) == event.sends[self._index(event, link)])
                ):
                    chosen = new
                else:
                    others.append(new)
            message = message._replace(sent=message.sent + len(event.sends))
        for other in others:
            if other in self.state.get(self._at_send(other), ()):
                self._settle(self._at_send(other), other)
        return chosen

    def _chain(self, target: Target) -> list[Link]:
        """Messages each of which is consumed for the next, from one that begins a transaction to that of a target."""
        system = self.system
        last = Link(target.kind, target.source, system.home(target.address))
        for origin in self._terminals():
            if not self._reaches(last, origin):
                continue
            came: dict[Link, Link | None] = {last: None}
            queue = deque([last])
            while queue:
                link = queue.popleft()
                name = system.classes[link.kind].name
                if link.source == origin and any(name in group for group in system.protocol.begins):
                    chain = [link]
                    while (after := came[chain[-1]]) is not None:
                        chain.append(after)
                    return chain
                for before in self._before(link, origin):
                    if before not in came and self._reaches(before, origin):
                        came[before] = link
                        queue.append(before)
        return []

    def _terminals(self) -> list[int]:
        """All terminals in some order, those of the targets first: what they send blocks the fewest others."""
        order = [terminal for terminal, peers in enumerate(self.system.peers) if peers]
        self.chance.shuffle(order)
        return sorted(order, key=lambda terminal: terminal not in self.near)

    def _reaches(self, link: Link, origin: int) -> bool:
        reaches = self.system.reaches
        return link.source != link.home and (
            reaches is None or bool(reaches[link.kind][link.source, link.home, origin])
        )

    def _before(self, link: Link, origin: int) -> Iterator[Link]:
        """Messages for which, or with which, one of a link is sent."""
        for kind, one in enumerate(self.system.classes):
            for follow in one.follows:
                if self.system.number[follow.message] != link.kind or (follow.to == "origin" and link.home != origin):
                    continue
                senders = [link.home] if follow.to == "sender" else self._terminals()
                yield from (Link(kind, sender, link.source) for sender in senders)


def find_run(system: System, targets: Sequence[Target], end: float, seed: int = 1) -> Run | None:
    """Return a run after which messages can never move, by filling places in several orders; None: none was found."""
    chance = random.Random(seed)
    later = _steps(system)
    order = sorted(targets, key=lambda target: (-later[target.kind], -target.trail))
    for _ in range(ATTEMPTS):
        run = Filling(system, chance).through(order, end)
        if run is not None or clock() > end:
            return run
        chance.shuffle(order)
    return None


def _steps(system: System) -> dict[int, int]:
    """Messages before one of each class in a transaction, at least."""
    steps = {system.number[name]: 0 for group in system.protocol.begins for name in group}
    queue = list(steps)
    for kind in queue:
        for other in (system.number[one.name] for one in system.protocol.after(system.classes[kind])):
            if other not in steps:
                steps[other] = steps[kind] + 1
                queue.append(other)
    return steps
