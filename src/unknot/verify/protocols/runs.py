"""Runs from the empty system to messages that can never move: searched for, shortened, and replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from unknot._base.deadline import clock
from unknot.verify.explorer import Exploration, explored
from unknot.verify.protocols.machine import beginnings, destination, due, events, has_another, partner_of, step
from unknot.verify.protocols.machine_state import ANY, Event, MachineMessage, State
from unknot.verify.protocols.queue_room import entries
from unknot.verify.protocols.system import System

Run = tuple[Event, ...]
LONGEST = 20_000
"""Most moves of a run."""
MOST_STATES = 200_000
"""States of a search."""
Known = tuple[frozenset[tuple[int, tuple[MachineMessage, ...]]], int | None]
"""A state, and the transactions that may still be begun."""


def search(
    system: System,
    begins: Iterable[int] | None = None,
    transactions: int | None = None,
    *,
    most_states: int = MOST_STATES,
    end: float = float("inf"),
) -> Exploration[Event]:
    """Search all states for a deadlock, and return the shortest run to it.

    Parameters
    ----------
    begins : iterable of int, optional
        Terminals that begin transactions; by default all.
    transactions : int, optional
        Transactions that are begun in all; by default any number.
    most_states : int
    end : float
        Time of `clock` at which to give up.
    """
    terminals = tuple(range(system.terminals)) if begins is None else tuple(begins)

    def moves(at: Known) -> Iterator[tuple[Event, Known]]:
        state, left = dict(at[0]), at[1]
        for event in events(system, state, () if left == 0 else terminals):
            rest = left if left is None or event.act != "begin" else left - 1
            yield event, (frozenset(step(system, state, event).items()), rest)

    def ends(at: Known) -> bool:
        return bool(at[0] and stuck(system, dict(at[0])))

    start: Known = frozenset(), transactions
    return explored(start, moves, ends, most_states, end)


def shortened(system: System, run: Run, end: float) -> Run:
    """Leave out transactions as long as messages remain stuck, then let everything move that still can."""
    kept = list(_numbered(system, run))
    for number in sorted({number for _, number in kept}, reverse=True):
        fewer = [(event, other) for event, other in kept if other != number]
        state = replayed(system, tuple(event for event, _ in fewer))
        if state and stuck(system, state) and clock() < end:
            kept = fewer
    moves = [event for event, _ in kept]
    state = replayed(system, tuple(moves)) or {}
    while len(moves) < LONGEST and (event := next(_still_possible(system, state), None)) is not None:
        moves.append(event)
        state = step(system, state, event)
    return tuple(moves)


def _still_possible(system: System, state: State) -> Iterator[Event]:
    """Iterate over moves of messages that are not stuck; optional candidates are included."""
    held = stuck(system, state)
    return (event for event in events(system, state, ()) if event.position not in held.get(event.place, ()))


def replayed(system: System, run: Run) -> State | None:
    """The state after a run; None where a move is impossible."""
    state: State = {}
    for event in run:
        if event.act == "begin":
            possible = event in beginnings(system, state, event.place)
        else:
            possible = event.place in state and event in events(system, state, ())
        if not possible:
            return None
        state = step(system, state, event)
    return state


def _numbered(system: System, run: Run) -> Iterator[tuple[Event, int]]:
    """Each move with the number of the transaction that it belongs to."""
    state: State = {}
    for count, event in enumerate(run):
        yield event, count if event.act == "begin" else state[event.place][event.position].transaction
        state = step(system, state, event, count)


def stuck(system: System, state: State) -> dict[int, tuple[int, ...]]:
    """Positions, by place, of the messages that can never move, freed by no chain of departures.

    The greatest set of messages each of which waits for room, or for its partner, within the set. A header that
    commits to a candidate may have chosen any.
    """
    free: dict[int, set[int]] = {place: set() for place in state}
    held = Counter(place for messages in state.values() for message in messages for place in message.tail)
    for place, messages in state.items():
        held[place] += sum(_slots(system, place, message, place) for message in messages)

    def room(place: int | None, slots: int = 1) -> bool:
        return place is None or system.depth(place) - held[place] >= slots

    changed = True
    while changed:
        changed = False
        for place, messages in state.items():
            for position, message in enumerate(messages):
                if position in free[place] or (system.ordered(place) and position > len(free[place])):
                    continue
                if _may_leave(system, state, free, room, place, message):
                    free[place].add(position)
                    held.subtract(message.tail)
                    held[place] -= _slots(system, place, message, place)
                    changed = True
    left = {
        place: tuple(i for i in range(len(messages)) if i not in free[place]) for place, messages in state.items()
    }
    return {place: positions for place, positions in left.items() if positions}


def _slots(system: System, place: int, message: MachineMessage, to: int | None) -> int:
    """Slots that a message needs in its next place; in VCs of several messages, two for a packet of two."""
    in_vc = to is not None and to < system.vcs
    return min(system.room, 2) if in_vc and has_another(system, place, message) else 1


def _may_leave(
    system: System,
    state: State,
    free: dict[int, set[int]],
    room: Callable[..., bool],
    place: int,
    message: MachineMessage,
) -> bool:
    """Whether a message can move, or be consumed, once all that are free have left."""
    candidates, waits = system.onward(place, message.address)
    if message.chosen != ANY:
        return room(message.chosen)
    if candidates:
        targets = [destination(system, place, message, to) for to in (candidates if system.commits else waits)]
        rooms = [room(to, _slots(system, place, message, to)) for to in targets]
        if all(rooms) if system.commits else any(rooms) or not waits:
            return True
    if not system.at_head(place, 0):
        return False
    rule = message
    if system.protocol.partner(system.classes[message.kind].name) is not None:
        at = partner_of(system, state, message)
        if at is None:  # on the wire of a simulation
            return True
        where, position = at
        first = system.at_head(where, 0) and (not system.ordered(where) or position <= len(free[where]))
        received = first and not has_another(system, where, state[where][position])
        if position not in free[where] and not received:
            return False
        if not system.classes[message.kind].together:
            rule = state[where][position]
    places = entries(system, system.terminal_of(place) or 0, [choice[0][0] for choice in due(system, rule)])
    return all(room(entry, places.count(entry)) for entry in places)
