"""Messages of a state that can never move again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from unknot.verify.protocols.machine import ANY, Message, State, destination, due, entries, has_another, partner_of
from unknot.verify.protocols.system import System


def stuck(system: System, state: State) -> dict[int, tuple[int, ...]]:
    """Positions, by place, of the messages that can never move: those that no chain of leaving messages frees.

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


def _slots(system: System, place: int, message: Message, to: int | None) -> int:
    """Slots that a message in a place needs in another one: VCs that hold several messages count two of a packet."""
    in_vc = to is not None and to < system.vcs
    return min(system.room, 2) if in_vc and has_another(system, place, message) else 1


def _may_leave(
    system: System,
    state: State,
    free: dict[int, set[int]],
    room: Callable[..., bool],
    place: int,
    message: Message,
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
