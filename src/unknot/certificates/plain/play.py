"""Runs of a system with end points, move by move."""

from __future__ import annotations

from collections import Counter
from typing import Any

from unknot.certificates.plain.ends import Ends, Place, Sent
from unknot.certificates.plain.flow import Technique
from unknot.certificates.plain.reading import EJECT, KEPT_STATE, LOOK, Rejected, found, pay

FOLLOWS, STAYS, SPLITS = range(3)
"""What becomes of the tail of a worm that moves; `SPLITS`: the second message of its packet stays behind."""
ACTS = ("begin", "move", "choose", "consume")
"""Kinds of moves of a run, each a method of `Play`."""


class Play:
    """The system after a run from the empty one, each move of which is checked; `held` has messages by header."""

    def __init__(self, ends: Ends, moves: list[Any], switching: Technique, worms: bool) -> None:
        self.ends, self.table, self.switching, self.worms = ends, ends.table, switching, worms
        if worms and switching.alone:
            raise Rejected("worms are those of wormhole")
        self.held: dict[Place, list[Sent]] = {}
        # Where headers have not chosen on arrival, they choose at moves of their own.
        self.chooses = worms and not ends.table.commits and not switching.may_change
        self.begun = 0
        for number, move in enumerate(moves):
            try:
                self.act(move)
            except (KeyError, TypeError, IndexError, ValueError, AttributeError):
                raise Rejected(f"move {number} is none: {str(move)[:100]}") from None
            except Rejected as error:
                raise Rejected(f"move {number}: {error}") from None

    def act(self, move: Any) -> None:
        parts = [part for part in move if type(part) is not list]
        parts += [part for sends in move if type(sends) is list for pair in sends for part in pair]
        if any(type(part) not in (int, str) for part in parts) or move[0] not in ACTS:
            raise TypeError
        getattr(self, move[0])(*move[1:])

    def place(self, terminal: int, side: str, name: str, *, front: bool = False) -> Place:
        """Where messages of a class come into a queue, or what is in front of that."""
        return side, terminal, self.ends.classes[name][side], 2 if front or not self.worms else 1

    def depth(self, place: Place) -> int:
        """Messages that a place holds."""
        return 1 if self.worms else self.ends.depth(place)

    def room(self, place: Place) -> int:
        behind = sum(found(place, message.behind) for message in self.under_way()) if self.worms else 0
        return self.depth(place) - len(self.held.get(place, ())) - behind

    def fit(self, places: list[Place]) -> bool:
        """Whether messages can enter these places, one each."""
        return all(self.room(place) >= count for place, count in Counter(places).items())

    def entries(self, terminal: int, names: list[str]) -> list[Place]:
        """Places that messages take which enter send queues at once; of worms the first of a queue is in front."""
        pay(KEPT_STATE * len(names))
        queues = [self.ends.classes[name]["send"] for name in names]
        last = {queue: i for i, queue in enumerate(queues)}
        fronts = [i < last[queue] for i, queue in enumerate(queues)]
        return [self.place(terminal, "send", name, front=front) for name, front in zip(names, fronts, strict=True)]

    def enter(self, terminal: int, sends: list[Any], origin: int, transaction: int) -> None:
        places = self.entries(terminal, [name for name, _ in sends])
        if not self.fit(places):
            raise Rejected(f"terminal {terminal} has no room in a send queue")
        for place, (name, address) in zip(places, sends, strict=True):
            pay(KEPT_STATE)
            if not found(address, self.ends.sends(name, terminal)):
                raise Rejected(f"terminal {terminal} sends no {name} with address {address}")
            message = Sent(name, terminal, address, origin, transaction, whole=not self.worms)
            self.held.setdefault(place, []).append(message)

    def under_way(self) -> list[Sent]:
        messages = [message for messages in self.held.values() for message in messages]
        pay(1 + len(self.held) + len(messages))
        return messages

    def begin(self, terminal: int, sends: list[Any]) -> None:
        homes = {self.table.destination[a] for _, a in sends}
        if not found([name for name, _ in sends], self.ends.begins) or len(homes) != 1:
            raise Rejected("no transaction begins so")
        live = {m.transaction for m in self.under_way() if m.origin == terminal}
        if self.ends.limit is not None and len(live) >= self.ends.limit:
            raise Rejected(f"terminal {terminal} has {len(live)} transactions outstanding")
        self.begun += 1
        self.enter(terminal, sends, terminal, self.begun)

    def move(self, side: str | int, terminal: int, queue: str, *rest: int) -> None:
        stage, to, tail = rest if self.worms else (1, *rest, FOLLOWS)
        place = self.named(side, terminal, queue, stage)
        message, ahead = self.held[place][0], self.ahead(place)
        if to not in ahead:
            raise Rejected("no header may go there")
        target, held = ahead[to], (*message.behind, place)
        pay(KEPT_STATE + len(held))
        in_two = (target is None or self.received(target)) and self.in_two(place, message)
        if not self.worms:
            tail = SPLITS if in_two else FOLLOWS
        alone = side == "receive" or (tail == FOLLOWS and not message.behind)
        if in_two != (tail == SPLITS) and (alone or not in_two):
            raise Rejected("this packet does not part so")
        if target is not None and (self.room(target) < 1 or (tail == STAYS and message.whole)):
            raise Rejected("there is no room, or the tail has left its terminal")
        if message.chosen not in (None, target) or (message.chosen is None and self.is_chosen(target)):
            raise Rejected("this header, or another one, has chosen otherwise")
        del self.held[place][0]
        if in_two and tail == SPLITS:
            self.part(place, message)
        parted: tuple[Place, ...] = (place,) if side == "receive" else ()
        message.behind = {FOLLOWS: held[1:], STAYS: held, SPLITS: parted}[tail]
        message.whole, message.chosen = tail != STAYS, None
        if target is not None:
            self.held.setdefault(target, []).append(message)

    def choose(self, side: str | int, terminal: int, queue: str, stage: int, to: int) -> None:
        """Let a header wait for one full candidate alone, which the tail of the worm ahead has entered.

        A header with one candidate, or for which there is room, gains nothing by choosing before it moves.
        """
        place = self.named(side, terminal, queue, stage)
        message, ahead = self.held[place][0], self.ahead(place)
        tails = [(*m.behind, at)[0] for at, messages in self.held.items() for m in messages if m.whole]
        if not self.chooses:
            raise Rejected("headers choose where they go under wormhole-nonatomic")
        if to not in ahead or message.chosen is not None or ahead[to] not in tails or self.is_chosen(ahead[to]):
            raise Rejected("this is not to be chosen")
        message.chosen = ahead[to]

    def is_chosen(self, place: Place | None) -> bool:
        """Whether a header that is not there yet has chosen a place."""
        return place is not None and any(message.chosen == place for message in self.under_way())

    def in_two(self, place: Place, message: Sent) -> bool:
        """Whether a message's packet, whose header is in a place, holds a second message behind the first."""
        inside = self.received(place)
        end = message.behind[-1] if message.behind and inside else place
        return bool(self.ends.classes[message.kind]["carries"]) and not self.received(end)

    def received(self, place: Place) -> bool:
        return not isinstance(place, int) and place[0] == "receive"

    def part(self, place: Place, message: Sent) -> None:
        """Leave the second message of a packet where it stands once the first is received to its end."""
        held = message.behind if self.received(place) else (*message.behind, place)
        rest = Sent(
            self.ends.classes[message.kind]["carries"], message.source, message.address, message.origin,
            message.transaction, 0, held[:-1], message.whole,
        )  # fmt: skip
        self.held.setdefault(held[-1], []).insert(0, rest)

    def named(self, side: str | int, terminal: int, queue: str, stage: int) -> Place:
        """The place that a move names; stages are those of worms."""
        if side == "vc" and (queue != "" or stage != 1):
            raise Rejected("a VC has no queues")
        return terminal if side == "vc" else (str(side), terminal, queue, stage if self.worms else 2)

    def ahead(self, place: Place) -> dict[int, Place | None]:
        """Places to which the first header of a place may go, by candidate; None: room was reserved."""
        message = self.held[place][0]
        if not isinstance(place, int) and place[3] == 1:
            return {EJECT: (*place[:3], 2)}
        if not isinstance(place, int) and place[0] == "receive":
            return {}
        at = place if isinstance(place, int) else self.table.vcs + place[1]
        home, reserved = self.table.destination[message.address], self.ends.classes[message.kind]["reserved"]
        end = None if reserved else self.place(home, "receive", message.kind)
        pay(KEPT_STATE * (1 + len(self.table.may[message.address][at])))
        return {to: end if to == EJECT else to for to in self.table.may[message.address][at]}

    def other(self, message: Sent) -> tuple[Place, int] | None:
        """Where the message stands with which alone one is consumed."""
        name = self.ends.partner(message.kind)
        pay(LOOK * sum(1 + len(messages) for messages in self.held.values()))
        for place, messages in self.held.items():
            for position, m in enumerate(messages):
                same = (m.origin, m.transaction, m.source) == (message.origin, message.transaction, message.source)
                if m.kind == name and same:
                    return place, position
        return None

    def first(self, place: Place, position: int) -> bool:
        """Whether a message can be consumed where it stands: first in a receive queue, or anywhere without order."""
        if isinstance(place, int) or place[0] != "receive":
            return False
        return not self.ends.ordered(place) or (place[3] == 2 and position == 0)

    def consume(self, terminal: int, queue: str, where: int, sends: list[Any]) -> None:
        """Consume the message at a position, of worms that with its header at a stage."""
        place, position = self.named("receive", terminal, queue, where), 0 if self.worms else where
        message = self.held[place][position]
        partner, other = self.ends.partner(message.kind), self.other(message)
        taken_along = partner and not self.ends.classes[message.kind]["together"]
        if not self.first(place, position) or position < 0 or taken_along:
            raise Rejected("this message is not to be consumed")
        if partner and not (other and self.first(*other)):
            raise Rejected("what it is consumed with is not at hand")
        due = self.due(message)
        if [name for name, _ in sends] != [name for name, _ in due]:
            raise Rejected("something else follows")
        if any(a not in legal for (_, a), (_, legal) in zip(sends, due, strict=True)):
            raise Rejected("what follows goes elsewhere")
        self.enter(terminal, sends, message.origin, message.transaction)
        message.done += len(due)
        if message.done >= len(self.ends.slots(message)):
            gone = [(place, message)] + ([(other[0], self.held[other[0]][other[1]])] if other else [])
            for there, one in gone:
                self.held[there] = [m for m in self.held[there] if m is not one]
            if self.in_two(place, message):
                self.part(place, message)

    def due(self, message: Sent) -> list[tuple[str, list[int]]]:
        """Messages to send when a message is consumed: all its followers at once, or the next follower."""
        slots = self.ends.slots(message)
        return slots if self.ends.classes[message.kind]["at_once"] else slots[message.done : message.done + 1]

    def require_stuck(self) -> int:
        """Return how many messages can never move; `Rejected` if some may, of which others are not kept.

        Every message is in the set that is shown: each waits for room in places that are full of the set.
        """
        if not self.under_way():
            raise Rejected("after the run there is no message left")
        for place, messages in self.held.items():
            for message in messages[: 1 if self.ends.ordered(place) else None]:
                self.require_waits(place, message)
        return len(self.under_way())

    def choices(self, place: Place, message: Sent, ahead: dict[int, Place | None]) -> list[list[int]]:
        """Sets of candidates each of which a header may be waiting for."""
        if isinstance(place, int) or place[3] != 1:
            at = place if isinstance(place, int) else self.table.vcs + place[1]
            return self.table.choices(at, message.address, self.switching) if ahead else []
        return [[EJECT]]

    def require_waits(self, place: Place, message: Sent) -> None:
        ahead = self.ahead(place)
        if ahead:
            choices = self.choices(place, message, ahead)
            if self.chooses:
                choices = [[to for to, target in ahead.items() if message.chosen in (None, target)]]
            full = {to for to, target in ahead.items() if target is not None and self.room(target) < 1}
            if not any(full.issuperset(choice) for choice in choices):
                raise Rejected(f"a {message.kind} can move on from {place}")
        if isinstance(place, int) or not self.first(place, 0):
            return
        taken = message
        if self.ends.partner(message.kind):
            other = self.other(message)
            if other is None or not self.first(*other):
                return
            if not self.ends.classes[message.kind]["together"]:
                taken = self.held[other[0]][other[1]]
        if self.fit(self.entries(place[1], [name for name, _ in self.due(taken)])):
            raise Rejected(f"a {message.kind} can be consumed at {place}")
