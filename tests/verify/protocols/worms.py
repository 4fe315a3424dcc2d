"""Exhaustive exploration of tiny systems under wormhole, written from the definitions of docs/protocols.md alone.

A worm holds the places from its tail to its header, one worm at a time each; a queue is two places in a row. Its
length is chosen by when its tail leaves the terminal: until then it holds all places that it came through, and from
then on as many as it does then. Two messages in one packet are one worm until the first has come into its receive
queue to its end: with its header in the first place there, or in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.verify.protocols.exploration import Exploration, Message

Place = tuple[Any, ...]
Worm = tuple[Message, tuple[Place, ...], bool]
"""Message, the places it holds from tail to header, and whether its tail has left its terminal."""
State = frozenset[Worm]


class Worms(Exploration):
    """The states of a relation and a protocol whose messages are worms of any length."""

    def stands(self, state: Any, moved: set[Any]) -> bool:
        return any((message, places[-1]) not in moved for message, places, _ in state)

    def moves(self, state: Any) -> Iterator[tuple[Any, list[Any]]]:
        """States that follow, each with the worms that moved: message and place of the header."""
        held = {place for worm in state for place in worm[1]}
        for terminal, sent in self.begun(worm[0] for worm in state):
            new = self.sent(held, terminal, sent)
            if new is not None:
                yield state | new, []
        for worm in state:
            message, places, whole = worm
            for to in self.ahead(message, places[-1]):
                rest, moved = state - {worm}, [(message, places[-1])]
                behind = self.behind(worm)
                if to is None:
                    yield rest, moved
                elif to in held:
                    continue
                elif behind and places[-1][0] == "receive":
                    yield rest | {(message, (places[-1], to), True), *behind}, moved
                else:
                    if behind and to[0] == "receive":
                        yield rest | {(message, (to,), True), *behind}, moved
                        if whole and len(places) == 1:
                            continue
                    if not whole:
                        yield rest | {(message, (*places, to), False)}, moved
                    yield rest | {(message, (*places[1:], to), True)}, moved
            if places[-1][0] == "receive" and self.first(state, worm):
                yield from self.taken(state, held, worm)

    def behind(self, worm: Worm) -> list[Worm]:
        """What is left of a packet once its first message is received to its end; nothing of other worms."""
        message, places, whole = worm
        name = self.by_name[message[0]].carries
        rest = places[:-1] if places[-1][0] == "receive" else places
        # A first message that is received to its end already has all its places in the receive queue.
        mixed = rest and rest[-1][0] != "receive"
        return [((name, *message[1:5], 0), rest, whole)] if name and mixed else []

    def ahead(self, message: Message, place: Place) -> list[Place | None]:
        """Places to which a header may go; None: into reserved room."""
        if place[0] != "vc" and place[3] == 1:
            return [(*place[:3], 2)]
        if place[0] == "receive":
            return []
        at = place[1] if place[0] == "vc" else self.relation.num_vcs + place[1]
        if (at, message[2]) not in self.onward:
            self.onward[at, message[2]] = [c.vc for c in self.relation.candidates(at, message[2])]
        one, home = self.by_name[message[0]], int(self.relation.destination[message[2]])
        end = None if one.reserved else ("receive", home, one.receive, 1)
        return [end if vc is None else ("vc", vc) for vc in self.onward[at, message[2]]]

    def first(self, state: State, worm: Worm) -> bool:
        """Whether a received worm may be consumed as to its place."""
        place = worm[1][-1]
        return place[3] == 2 or not self.protocol.room(place[2]).ordered

    def sent(self, held: set[Place], terminal: int, sent: tuple[Message, ...]) -> set[Worm] | None:
        """Worms of messages that enter send queues at once, or None where there is too little room."""
        new: set[Worm] = set()
        queues = [self.by_name[message[0]].send for message in sent]
        for queue in dict.fromkeys(queues):
            mine = [message for message, q in zip(sent, queues, strict=True) if q == queue]
            stages = [1] if len(mine) == 1 else [2, 1]
            places = [("send", terminal, queue, stage) for stage in stages]
            if len(mine) > 2 or any(place in held for place in places):
                return None
            new |= {(message, (place,), False) for message, place in zip(mine, places, strict=True)}
        return new

    def taken(self, state: State, held: set[Place], worm: Worm) -> Iterator[tuple[State, list[Any]]]:
        """States after a worm is consumed, or sends one more of what follows it."""
        message, places, whole = worm
        one = self.by_name[message[0]]
        if any(other.together == one.name for other in self.protocol.classes):
            return
        gone = {worm}
        if one.together:
            partners = [
                other
                for other in state
                if other[0][0] == one.together
                and other[0][1] == message[1]
                and other[0][3:5] == message[3:5]
                and other[1][-1][0] == "receive"
                and self.first(state, other)
            ]
            if not partners:
                return
            gone |= {partners[0]}
        terminal = places[-1][1]
        last, choices = self.follow_ups(message, terminal)
        left = [(other[0], other[1][-1]) for other in gone]
        for sends in choices:
            new = self.sent(held, terminal, sends)
            if new is None:
                continue
            if not last:
                yield state - {worm} | new | {((*message[:5], message[5] + 1), places, whole)}, left
            else:
                yield state - gone | new | set(self.behind(worm)), left


class QueueingWorms(Worms):
    """The same under wormhole-nonatomic: a header may choose a candidate once the tail of the worm there is in it.

    It waits for that one alone then, and no other may choose it. A state has the choices too, by place of the header.
    """

    choices: dict[Place, Place | None]

    def stands(self, state: Any, moved: set[Any]) -> bool:
        return super().stands(state[0], moved) if state else False

    def moves(self, state: Any) -> Iterator[tuple[Any, list[Any]]]:
        worms, choices = state or (frozenset(), frozenset())
        self.choices = dict(choices)
        for after, moved in super().moves(worms):
            left = {place for _, place in moved}
            yield (after, frozenset(one for one in choices if one[0] not in left)), moved
        for message, places, _ in worms:
            if places[-1] not in self.choices and not self.within(places[-1]):
                for to in super().ahead(message, places[-1]):
                    there = [worm for worm in worms if to in worm[1]]
                    tail_in = all(whole and held[0] == to for _, held, whole in there)
                    if to is None or (tail_in and to not in self.choices.values()):
                        yield (worms, choices | {(places[-1], to)}), []

    def within(self, place: Place) -> bool:
        return place[0] == "receive" or (place[0] == "send" and place[3] == 1)

    def ahead(self, message: Message, place: Place) -> list[Place | None]:
        if self.within(place):
            return super().ahead(message, place)
        return [self.choices[place]] if place in self.choices else []
