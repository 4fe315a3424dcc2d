"""Room in the queues of terminals."""

from __future__ import annotations

from collections.abc import Sequence

from unknot.verify.protocols.machine_state import State
from unknot.verify.protocols.system import System


def has_room(system: System, state: State, place: int | None, slots: int = 1) -> bool:
    if place is None:
        return True
    held = len(state.get(place, ()))
    if system.worms:
        held += sum(place in message.tail for messages in state.values() for message in messages)
    return system.depth(place) - held >= slots


def fits(system: System, state: State, terminal: int, kinds: Sequence[int]) -> bool:
    """Whether the send queues of a terminal have room for messages of some classes."""
    places = entries(system, terminal, kinds)
    return all(has_room(system, state, place, places.count(place)) for place in places)


def entries(system: System, terminal: int, kinds: Sequence[int]) -> list[int]:
    """Places that messages take which enter send queues at once: under wormhole of two the first stands in front."""
    places = [system.send_place(terminal, kind) for kind in kinds]
    if not system.worms:
        return places
    return [place + system.places * (place in places[i + 1 :]) for i, place in enumerate(places)]
