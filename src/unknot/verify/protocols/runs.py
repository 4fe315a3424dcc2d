"""Runs from the empty system to a deadlock: places are filled one by one, and what is not needed is left out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from unknot._base.deadline import clock
from unknot.verify.protocols.filling import LONGEST, Filling, Run, Target
from unknot.verify.protocols.machine import (
    Event,
    State,
    beginnings,
    events,
    step,
    stuck,
)
from unknot.verify.protocols.system import System

ATTEMPTS = 40
"""Orders in which places are filled."""


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
        one = system.classes[kind]
        after = [follow.message for follow in one.follows] + [one.carries] * bool(one.carries)
        for other in (system.number[name] for name in after):
            if other not in steps:
                steps[other] = steps[kind] + 1
                queue.append(other)
    return steps


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
    """Iterate over moves of messages that are not stuck; a header that commits may have chosen what is full."""
    held = stuck(system, state) if system.commits else {}
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
