"""The exact model of a system: states, and every move.

Under wormhole a message holds places in a row, from its tail to its header, each alone; a queue is two of them. Until
its tail leaves its terminal it holds all places that it came through, and from then on as many as it does then. Two
messages in one packet are one worm until the first is in its receive queue to its end: with its header in the first
place there, or in both. Under wormhole-nonatomic a header may choose a full candidate into which the tail of the worm
there has come, and waits for it alone then; no other goes there. With one candidate it gains nothing by choosing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from unknot.verify.protocols.machine_state import ANY, Event, MachineMessage, State
from unknot.verify.protocols.queue_room import entries, fits, has_room
from unknot.verify.protocols.system import EJECT, Sent, System


def events(
    system: System, state: State, begins: tuple[int, ...], places: Iterable[int] | None = None
) -> Iterator[Event]:
    """Every move of a state, or from some places, where the terminals of `begins` may begin transactions."""
    for terminal in begins:
        yield from beginnings(system, state, terminal)
    for place in state if places is None else places:
        messages = state[place]
        message = messages[0]
        candidates = system.onward(place, message.address)[0]
        for to in candidates:
            yield from movements(system, state, place, message, to)
        if system.queueing and not system.commits and len(candidates) > 1:
            ahead = ((to, destination(system, place, message, to)) for to in candidates)
            yield from (Event("choose", place, to=to) for to, at in ahead if _may_choose(system, state, message, at))
        for position, one in enumerate(messages):
            if system.at_head(place, position):
                yield from consumptions(system, state, place, position, one)


def movements(system: System, state: State, place: int, message: MachineMessage, to: int) -> Iterator[Event]:
    """Every way in which a message may move to a candidate."""
    target = destination(system, place, message, to)
    if not has_room(system, state, target) or not _is_left(system, state, message, target):
        return
    in_two = (target is None or system.receives(target)) and has_another(system, place, message)
    if in_two:
        yield Event("move", place, to=to, tail="parts")
    if not in_two or (system.worms and not system.receives(place)):
        if message.tail or not in_two:
            yield Event("move", place, to=to)
        if target is not None and not message.whole:
            yield Event("move", place, to=to, tail="stays")


def _is_left(system: System, state: State, message: MachineMessage, target: int | None) -> bool:
    """Whether a header may still go to a place, as it and the others have chosen."""
    if not system.queueing or message.chosen == target:
        return True
    return message.chosen == ANY and all(held[0].chosen != target for held in state.values())


def _may_choose(system: System, state: State, message: MachineMessage, target: int | None) -> bool:
    """Whether a header may choose a full place: only after the tail of the worm ahead has entered."""
    tails: set[int | None] = {(*one.tail, at)[0] for at, held in state.items() for one in held if one.whole}
    return message.chosen == ANY and target in tails and _is_left(system, state, message, target)


def has_another(system: System, place: int, message: MachineMessage) -> bool:
    """Whether the packet of a message whose header is in a place holds another one."""
    end = message.tail[-1] if message.tail and system.receives(place) else place
    return bool(system.classes[message.kind].carries) and not system.receives(end)


def beginnings(system: System, state: State, terminal: int) -> Iterator[Event]:
    """Every way in which a terminal may begin a transaction."""
    limit = system.protocol.outstanding
    if limit is None or len(_live(state, terminal)) < limit:
        for sends in system.groups(terminal):
            if fits(system, state, terminal, [kind for kind, _ in sends]):
                yield Event("begin", terminal, sends=sends)


def destination(system: System, place: int, message: MachineMessage, to: int) -> int | None:
    """The place to which a candidate leads; None where room is reserved."""
    if to != EJECT:
        return to
    if system.has_second(place):
        return place + system.places
    kind = system.classes[message.kind]
    return None if kind.reserved else system.place["receive", system.home(message.address), kind.receive]


def step(system: System, state: State, event: Event, number: int | None = None) -> State:
    """The state after a move; a transaction that begins has a number, by default the least that is free."""
    after = dict(state)
    if event.act == "begin":
        if number is None:
            live = _live(state, event.place) if system.identified else set()
            number = next(free for free in range(len(live) + 1) if free not in live)
        _enter(system, after, event.place, event.sends, event.place, number)
        return after
    message = state[event.place][event.position]
    if event.act in ("move", "choose"):
        to = destination(system, event.place, message, event.to)
        if event.act == "choose" and to is not None:
            after[event.place] = (message._replace(chosen=to),)
            return after
        held = (*message.tail, event.place)
        _leave(after, event.place, 0)
        if event.tail == "parts":
            _part(system, after, event.place, message)
            held = (event.place,) if system.receives(event.place) else ()
        elif event.tail == "follows":
            held = held[1:]
        if to is not None:
            one = message._replace(tail=held, whole=event.tail != "stays", chosen=ANY)
            after[to] = (*after.get(to, ()), one)
        return after
    rule = system.classes[message.kind]
    sent = message.sent + len(event.sends)
    if rule.at_once or sent >= len(follow_ups(system, message)):
        _leave(after, event.place, event.position)
        if has_another(system, event.place, message):
            _part(system, after, event.place, message)
        if rule.together:
            _leave(after, *(partner_of(system, after, message) or (0, 0)))
    else:
        messages = list(after[event.place])
        messages[event.position] = message._replace(sent=sent)
        after[event.place] = tuple(messages)
    _enter(system, after, system.home(message.address), event.sends, message.origin, message.transaction)
    return after


def follow_ups(system: System, message: MachineMessage) -> list[list[Sent]]:
    """For each follow-up of a message, its possible classes and addresses; follow-ups within the
    terminal are left out.
    """
    terminal, choices = system.home(message.address), list[list[Sent]]()
    for follow in system.classes[message.kind].follows:
        to = [message.source if follow.to == "sender" else message.origin]
        if follow.to == "any":
            to = [other for other in system.peers[terminal] if other != message.origin]
        kind = system.number[follow.message]
        sent = [(kind, a) for other in to if other != terminal for a in system.addresses(kind, terminal, other)]
        choices += [sent] * (follow.count if sent else 0)
    return choices


def due(system: System, message: MachineMessage) -> list[list[Sent]]:
    """The choices of the follow-ups sent next: all at once, or one."""
    choices = follow_ups(system, message)
    return choices if system.classes[message.kind].at_once else choices[message.sent : message.sent + 1]


def consumptions(system: System, state: State, place: int, position: int, message: MachineMessage) -> Iterator[Event]:
    """Every way of consuming a message, or of sending one more of its follow-ups."""
    choices = next_sends(system, state, place, message)
    if choices is not None:
        yield from (Event("consume", place, position, sends=sends) for sends in product(*choices))


def next_sends(system: System, state: State, place: int, message: MachineMessage) -> list[list[Sent]] | None:
    """The choices of each message sent when a message is consumed or sends one more; None: the message
    has to wait.
    """
    kind = system.classes[message.kind]
    if system.protocol.partner(kind.name) is not None:
        at = partner_of(system, state, message)
        received = at is not None and system.at_head(*at) and not has_another(system, at[0], state[at[0]][at[1]])
        if not kind.together or not received:
            return None
    choices = due(system, message)
    return choices if fits(system, state, system.terminal_of(place) or 0, [c[0][0] for c in choices]) else None


def partner_of(system: System, state: State, message: MachineMessage) -> tuple[int, int] | None:
    """Place and position of the message of the same transaction with which alone one is consumed."""
    partner = system.protocol.partner(system.classes[message.kind].name)
    assert partner is not None
    same = message.origin, message.transaction, message.source
    for place, messages in state.items():
        for position, other in enumerate(messages):
            kind = system.classes[other.kind]
            comes = kind.name == partner.name or (kind.carries == partner.name and has_another(system, place, other))
            if comes and (other.origin, other.transaction, other.source) == same:
                return place, position
    return None


def _live(state: State, terminal: int) -> set[int]:
    return {m.transaction for messages in state.values() for m in messages if m.origin == terminal}


def _enter(system: System, state: State, terminal: int, sends: Sequence[Sent], origin: int, transaction: int) -> None:
    places = entries(system, terminal, [kind for kind, _ in sends])
    for place, (kind, address) in zip(places, sends, strict=True):
        message = MachineMessage(kind, terminal, address, origin, transaction, whole=not system.worms)
        state[place] = (*state.get(place, ()), message)


def _part(system: System, state: State, place: int, message: MachineMessage) -> None:
    """Leave the second message of a packet where it stands once the first is received to its end."""
    held = (*message.tail, place)[: -1 if system.receives(place) else None]
    kind = system.number[system.classes[message.kind].carries]
    state[held[-1]] = (message._replace(kind=kind, sent=0, tail=held[:-1], chosen=ANY), *state.get(held[-1], ()))


def _leave(state: State, place: int, position: int) -> None:
    left = state[place][:position] + state[place][position + 1 :]
    if left:
        state[place] = left
    else:
        del state[place]
