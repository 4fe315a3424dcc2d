"""The exact model of a system under wormhole: worms that hold places in a row, every move, and which are stuck.

A queue is two places in a row, its second one `System.places` further on. A worm holds places from its tail to its
header, in each place one worm. How long it is shows when its tail leaves its terminal: until then it holds all places
that it came through, and from then on as many as it does then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple

from unknot.verify.exploration import Exploration, explore
from unknot.verify.protocols.machine import Message, due, follow_ups
from unknot.verify.protocols.system import EJECT, Sent, System


class Worm(NamedTuple):
    """A message, the places that it holds from tail to header, and whether its tail has left its terminal."""

    message: Message
    places: tuple[int, ...]
    whole: bool


class WormEvent(NamedTuple):
    """One move of a system of worms.

    Attributes
    ----------
    act : {"begin", "move", "consume"}
    place : int
        Of the header; of "begin" the terminal.
    to : int
        Place to which the header moves, `EJECT` into reserved room.
    stretched : bool
        Whether the tail stays where it is.
    sends : tuple of (class, address)
        Messages that enter send queues.
    """

    act: Literal["begin", "move", "consume"]
    place: int
    to: int = EJECT
    stretched: bool = False
    sends: tuple[Sent, ...] = ()


WormState = frozenset[Worm]
LONGEST = 20_000
"""Most moves of a run."""


def search_worms(system: System, most_states: int, end: float) -> Exploration[WormEvent]:
    """Search all states for one in which worms can never move."""
    return explore(
        WormState(), lambda at: worm_moves(system, at), lambda at: bool(stuck(system, at)), most_states, end
    )


def are_modelled(system: System) -> bool:
    """Whether worms of a system can be searched: nothing is taken together or comes along, and no header commits."""
    return not system.commits and not any(one.together or one.carries for one in system.classes)


def worm_moves(system: System, state: WormState) -> Iterator[tuple[WormEvent, WormState]]:
    """Every move of a state, and the state after it."""
    held = {place for worm in state for place in worm.places}
    for terminal in range(system.terminals):
        live = {worm.message.transaction for worm in state if worm.message.origin == terminal}
        if system.protocol.outstanding is not None and len(live) >= system.protocol.outstanding:
            continue
        number = next(n for n in range(len(live) + 1) if n not in live) if system.identified else 0
        for sends in system.groups(terminal):
            new = _entered(system, held, terminal, sends, terminal, number)
            if new is not None:
                yield WormEvent("begin", terminal, sends=sends), state | new
    for worm in state:
        header, others = worm.places[-1], state - {worm}
        for to in places_ahead(system, worm):
            if to == EJECT:
                yield WormEvent("move", header), others
            elif to not in held:
                after = Worm(worm.message, (*worm.places[1:], to), True)
                yield WormEvent("move", header, to), others | {after}
                if not worm.whole:
                    after = Worm(worm.message, (*worm.places, to), False)
                    yield WormEvent("move", header, to, stretched=True), others | {after}
        if _is_first(system, header):
            message, terminal = worm.message, system.home(worm.message.address)
            for sends in product(*due(system, message)):
                new = _entered(system, held, terminal, sends, message.origin, message.transaction)
                if new is None:
                    continue
                sent = message.sent + len(sends)
                if sent < len(follow_ups(system, message)):  # it stays for what is left to be sent
                    new.add(worm._replace(message=message._replace(sent=sent)))
                yield WormEvent("consume", header, sends=sends), others | new


def stuck(system: System, state: WormState) -> set[Worm]:
    """The worms that can never move: each waits for places that such worms hold, and for no others."""
    left = set(state)
    changed = True
    while changed:
        kept = {place for worm in left for place in worm.places}
        moving = {worm for worm in left if _may_move(system, worm, kept)}
        left -= moving
        changed = bool(moving)
    return left


def worms_after(system: System, run: Sequence[WormEvent]) -> WormState:
    """The state after a run."""
    state = WormState()
    for event in run:
        state = next(after for other, after in worm_moves(system, state) if other == event)
    return state


def completed(system: System, run: Sequence[WormEvent]) -> tuple[WormEvent, ...]:
    """Extend a run to stuck worms until nothing can move."""
    moves, state = list(run), worms_after(system, run)
    while len(moves) < LONGEST:
        going = next(((event, after) for event, after in worm_moves(system, state) if event.act != "begin"), None)
        if going is None:
            break
        moves.append(going[0])
        state = going[1]
    return tuple(moves)


def _may_move(system: System, worm: Worm, kept: set[int]) -> bool:
    if any(to not in kept for to in places_ahead(system, worm)):
        return True
    if not _is_first(system, worm.places[-1]):
        return False
    home = system.home(worm.message.address)
    kinds = [choice[0][0] for choice in due(system, worm.message)]
    places = _places(system, home, kinds)
    return places is not None and kept.isdisjoint(places)


def places_ahead(system: System, worm: Worm) -> list[int]:
    """Places to which a header may go, `EJECT` into reserved room."""
    header, message = worm.places[-1], worm.message
    if system.vcs <= header < system.places:
        return [header + system.places]
    if header >= system.places + system.first_receive:
        return []
    reserved, home = system.classes[message.kind].reserved, system.home(message.address)
    end = EJECT if reserved else system.receive_place(home, message.kind)
    return [end if to == EJECT else to for to in system.onward(header % system.places, message.address)[0]]


def _is_first(system: System, header: int) -> bool:
    """Whether a worm with its header here may be consumed, as to its place."""
    place = header % system.places
    return place >= system.first_receive and (header >= system.places or not system.ordered(place))


def _places(system: System, terminal: int, kinds: Sequence[int]) -> list[int] | None:
    """Places that messages take which enter send queues at once; None: more than two of one queue."""
    first = [system.send_place(terminal, kind) for kind in kinds]
    if any(first.count(place) > 2 for place in first):
        return None
    # Of two that enter a queue at once the first stands in front.
    return [place + system.places * (place in first[i + 1 :]) for i, place in enumerate(first)]


def _entered(
    system: System, held: set[int], terminal: int, sends: Sequence[Sent], origin: int, transaction: int
) -> set[Worm] | None:
    """Worms of messages that enter send queues, or None where there is too little room."""
    places = _places(system, terminal, [kind for kind, _ in sends])
    if places is None or not held.isdisjoint(places):
        return None
    return {
        Worm(Message(kind, terminal, address, origin, transaction), (place,), False)
        for (kind, address), place in zip(sends, places, strict=True)
    }
