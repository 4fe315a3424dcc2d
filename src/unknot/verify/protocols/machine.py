"""The exact model of a system: states, every move, and which messages of a state can never move again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple

from unknot.verify.protocols.system import EJECT, Sent, System


class Message(NamedTuple):
    """A message in a state.

    Attributes
    ----------
    kind, source, address : int
        Class, terminal that sent it, and what its header carries.
    origin, transaction : int
        Terminal that began its transaction, and number of the transaction there.
    sent : int
        Follow-ups already sent, where they are sent one by one.
    """

    kind: int
    source: int
    address: int
    origin: int
    transaction: int
    sent: int = 0


class Event(NamedTuple):
    """One move of a system.

    Attributes
    ----------
    act : {"begin", "move", "consume"}
        A terminal begins a transaction; a message moves to a VC, or is received; a message is consumed, or sends one
        more of what follows it.
    place : int
        Of the message; of "begin" the terminal.
    position : int
        Of the message in its queue.
    to : int
        VC to which it moves, or `EJECT`.
    sends : tuple of (class, address)
        Messages that enter send queues.
    """

    act: Literal["begin", "move", "consume"]
    place: int
    position: int = 0
    to: int = EJECT
    sends: tuple[Sent, ...] = ()


State = dict[int, tuple[Message, ...]]
"""Messages of each place that is not empty, first one first."""


def events(system: System, state: State, begins: tuple[int, ...]) -> Iterator[Event]:
    """Every move of a state, where the terminals of `begins` may begin transactions."""
    for terminal in begins:
        yield from beginnings(system, state, terminal)
    for place, messages in state.items():
        if place < system.first_receive:
            message = messages[0]
            for to in system.onward(place, message.address)[0]:
                if has_room(system, state, destination(system, message, to)):
                    yield Event("move", place, to=to)
            continue
        for position, message in enumerate(messages[:1] if system.ordered(place) else messages):
            yield from consumptions(system, state, place, position, message)


def beginnings(system: System, state: State, terminal: int) -> Iterator[Event]:
    """Every way in which a terminal may begin a transaction."""
    limit = system.protocol.outstanding
    if limit is None or len(_live(state, terminal)) < limit:
        for sends in system.groups(terminal):
            if fits(system, state, terminal, [kind for kind, _ in sends]):
                yield Event("begin", terminal, sends=sends)


def destination(system: System, message: Message, to: int) -> int | None:
    """The place to which a candidate leads; None where room is reserved."""
    if to != EJECT:
        return to
    home = system.home(message.address)
    return None if system.classes[message.kind].reserved else system.receive_place(home, message.kind)


def step(system: System, state: State, event: Event, number: int | None = None) -> State:
    """The state after a move; a transaction that begins has a number, by default the least that is free."""
    after = dict(state)
    if event.act == "begin":
        if number is None:
            number = _free_transaction(system, state, event.place)
        for kind, address in event.sends:
            _enter(system, after, event.place, Message(kind, event.place, address, event.place, number))
        return after
    message = state[event.place][event.position]
    if event.act == "move":
        _leave(after, event.place, 0)
        to = destination(system, message, event.to)
        if to is not None:
            after[to] = (*after.get(to, ()), message)
        if event.to == EJECT and system.classes[message.kind].carries:
            behind = message._replace(kind=system.number[system.classes[message.kind].carries])
            after[event.place] = (behind, *after.get(event.place, ()))
        return after
    terminal = system.terminal_of(event.place) or 0
    rule = system.classes[message.kind]
    sent = message.sent + len(event.sends)
    if rule.at_once or sent >= len(follow_ups(system, message)):
        _leave(after, event.place, event.position)
        if rule.together:
            place, position = _partner(system, state, message) or (0, 0)
            if place == event.place and position > event.position:
                position -= 1
            _leave(after, place, position)
    else:
        messages = list(after[event.place])
        messages[event.position] = message._replace(sent=sent)
        after[event.place] = tuple(messages)
    for follow, address in event.sends:
        _enter(system, after, terminal, Message(follow, terminal, address, message.origin, message.transaction))
    return after


def stuck(system: System, state: State) -> dict[int, tuple[int, ...]]:
    """Positions, by place, of the messages that can never move: those that no chain of leaving messages frees.

    The greatest set of messages each of which waits for room, or for its partner, within the set. A header that
    commits to a candidate may have chosen any.
    """
    free: dict[int, set[int]] = {place: set() for place in state}
    changed = True
    while changed:
        changed = False
        for place, messages in state.items():
            for position, message in enumerate(messages):
                if position in free[place] or (system.ordered(place) and position > len(free[place])):
                    continue
                if _may_leave(system, state, free, place, message):
                    free[place].add(position)
                    changed = True
    held = {
        place: tuple(i for i in range(len(messages)) if i not in free[place]) for place, messages in state.items()
    }
    return {place: positions for place, positions in held.items() if positions}


def key(state: State) -> frozenset[tuple[int, tuple[Message, ...]]]:
    """What two equal states share."""
    return frozenset(state.items())


def _may_leave(system: System, state: State, free: dict[int, set[int]], place: int, message: Message) -> bool:
    def room(where: int | None, slots: int = 1) -> bool:
        if where is None:
            return True
        return system.depth(where) - len(state.get(where, ())) + len(free.get(where, ())) >= slots

    if place < system.first_receive:
        may, waits = system.onward(place, message.address)
        if system.commits:
            return all(room(destination(system, message, to)) for to in may)
        return not waits or any(room(destination(system, message, to)) for to in waits)
    terminal = system.terminal_of(place) or 0
    rule = message
    partner = system.protocol.partner(system.classes[message.kind].name)
    if partner is not None:
        at = _partner(system, state, message)
        if at is None:  # on the wire of a simulation
            return True
        where, position = at
        ready = position in free[where] or (
            where >= system.first_receive and (not system.ordered(where) or position <= len(free[where]))
        )
        if not ready:
            return False
        if not system.classes[message.kind].together:
            rule = state[where][position]
    needs = _needs(system, rule, terminal)
    if system.classes[rule.kind].at_once:
        return all(room(where, slots) for where, slots in needs.items())
    return all(room(where) for where in list(needs)[:1])


def _needs(system: System, message: Message, terminal: int) -> dict[int, int]:
    """Slots of each send queue that what follows a message still takes."""
    needs: dict[int, int] = {}
    for choice in follow_ups(system, message)[message.sent :]:
        place = system.send_place(terminal, choice[0][0])
        needs[place] = needs.get(place, 0) + 1
    return needs


def follow_ups(system: System, message: Message) -> list[list[Sent]]:
    """For each message that follows one, the classes and addresses that it can have."""
    return system.follow_ups(message.kind, system.home(message.address), message.source, message.origin)


def due(system: System, message: Message) -> list[list[Sent]]:
    """The same for those that are sent next: all at once, or one."""
    choices = follow_ups(system, message)
    return choices if system.classes[message.kind].at_once else choices[message.sent : message.sent + 1]


def consumptions(system: System, state: State, place: int, position: int, message: Message) -> Iterator[Event]:
    """Every way in which a message may be consumed, or send one more of what follows it."""
    choices = next_sends(system, state, place, message)
    if choices is not None:
        yield from (Event("consume", place, position, sends=sends) for sends in product(*choices))


def next_sends(system: System, state: State, place: int, message: Message) -> list[list[Sent]] | None:
    """What a message may send when it is consumed now, or sends one more, for each; None: it has to wait."""
    terminal = system.terminal_of(place) or 0
    kind = system.classes[message.kind]
    if system.protocol.partner(kind.name) is not None:
        at = _partner(system, state, message)
        if not kind.together or at is None or at[0] < system.first_receive or (system.ordered(at[0]) and at[1] > 0):
            return None
    choices = due(system, message)
    return choices if fits(system, state, terminal, [choice[0][0] for choice in choices]) else None


def _partner(system: System, state: State, message: Message) -> tuple[int, int] | None:
    """Place and position of the message of the same transaction with which alone one is consumed."""
    partner = system.protocol.partner(system.classes[message.kind].name)
    assert partner is not None
    kind = system.number[partner.name]
    same = message.origin, message.transaction, message.source
    for place, messages in state.items():
        for position, other in enumerate(messages):
            carried = system.classes[other.kind].carries == partner.name and place < system.first_receive
            if (other.kind == kind or carried) and (other.origin, other.transaction, other.source) == same:
                return place, position
    return None


def has_room(system: System, state: State, place: int | None, slots: int = 1) -> bool:
    return place is None or system.depth(place) - len(state.get(place, ())) >= slots


def fits(system: System, state: State, terminal: int, kinds: Sequence[int]) -> bool:
    """Whether the send queues of a terminal have room for messages of some classes."""
    places = [system.send_place(terminal, kind) for kind in kinds]
    return all(has_room(system, state, place, places.count(place)) for place in places)


def _live(state: State, terminal: int) -> set[int]:
    return {m.transaction for messages in state.values() for m in messages if m.origin == terminal}


def _free_transaction(system: System, state: State, terminal: int) -> int:
    live = _live(state, terminal) if system.identified else set()
    return next(number for number in range(len(live) + 1) if number not in live)


def _enter(system: System, state: State, terminal: int, message: Message) -> None:
    place = system.send_place(terminal, message.kind)
    state[place] = (*state.get(place, ()), message)


def _leave(state: State, place: int, position: int) -> None:
    left = state[place][:position] + state[place][position + 1 :]
    if left:
        state[place] = left
    else:
        del state[place]
