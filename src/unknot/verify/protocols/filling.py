"""Messages brought to their places one transaction after the other, until some can never move."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from unknot._base.deadline import clock
from unknot.verify.explorer import explored
from unknot.verify.protocols.cycles import Link, Target, first_links, next_links
from unknot.verify.protocols.machine import beginnings, events, step
from unknot.verify.protocols.machine_state import Event, MachineMessage, State
from unknot.verify.protocols.queue_room import has_room
from unknot.verify.protocols.runs import Run, stuck
from unknot.verify.protocols.system import System

ATTEMPTS = 12
"""Orders in which messages are brought to their places."""
ROUNDS, STRAYS = 10, 5
"""How often other messages move on when no more can be brought to its place, and how many moves then."""
MOST_LINKS = 20_000
"""Messages of which one may lead to another."""
MOST_STATES = 2_000
"""States of one transaction, while all others stand still."""
Change = frozenset[tuple[int, tuple[MachineMessage, ...]]]
"""What places hold that changed."""


def filled(system: System, targets: Sequence[Target], end: float, seed: int = 1) -> Run | None:
    """Return a run to messages that can never move, with some brought to their places in several orders, or None."""
    chance = random.Random(seed)
    far = {target: len(list(_bring(system, {}, target, 0, chance, end))) for target in targets}
    order = sorted(targets, key=far.__getitem__, reverse=True)  # who comes far must not be barred by who does not
    for _ in range(ATTEMPTS):
        run = _in_order(system, order, chance, end)
        if run is not None or clock() > end:
            return run
        chance.shuffle(order)
    return None


def _in_order(system: System, order: Sequence[Target], chance: random.Random, end: float) -> Run | None:
    state, run = State(), list[Event]()

    def act(event: Event) -> None:
        nonlocal state
        state = step(system, state, event, len(run))
        run.append(event)

    goals = {(target.place, target.kind, target.source, target.address) for target in order}
    for _ in range(ROUNDS):
        moved = True
        while moved and clock() < end:
            moved = False
            for target in order:
                while more := list(_bring(system, state, target, len(run), chance, end)):
                    for event in more:
                        act(event)
                    moved = True
                    if stuck(system, state):
                        return tuple(run)
        for _ in range(STRAYS):
            possible = [
                e for e in events(system, state, ()) if (e.place, *state[e.place][e.position][:3]) not in goals
            ]
            if possible:
                act(chance.choice(possible))
    return None


def _bring(
    system: System, state: State, target: Target, number: int, chance: random.Random, end: float
) -> Iterator[Event]:
    """Yield the moves of a further transaction that bring a message to its place; all other messages stand still."""
    if not has_room(system, state, target.place):
        return
    origin = chance.choice(target.origins)
    message = target.kind, target.source, target.address
    chain = _chain(system, message, origin, chance)

    def now(changed: Change) -> State:
        return {place: held for place, held in (state | dict(changed)).items() if held}

    def mine(here: State) -> list[int]:
        return [place for place, held in here.items() if any(one.transaction == number for one in held)]

    def leads(here: State, event: Event) -> bool:
        if event.act == "begin":
            return any((kind, origin, address) in chain for kind, address in event.sends)
        one = here[event.place][event.position]
        home = system.home(one.address)
        return one.transaction == number and (
            not event.sends or one[:3] not in chain or any((kind, home, a) in chain for kind, a in event.sends)
        )

    def moves(changed: Change) -> Iterator[tuple[Event, Change]]:
        here = now(changed)
        for event in events(system, here, (), mine(here)) if changed else beginnings(system, here, origin):
            if leads(here, event):
                after = step(system, here, event, number)
                yield (
                    event,
                    frozenset(
                        (p, after.get(p, ())) for p in {*after, *state} if after.get(p, ()) != state.get(p, ())
                    ),
                )

    def ends(changed: Change) -> bool:
        held = dict(changed).get(target.place, ())
        return any(
            one[:3] == message and one.transaction == number and target.held in (*one.tail, target.place)
            for one in held
        )

    yield from explored(frozenset[tuple[int, tuple[MachineMessage, ...]]](), moves, ends, MOST_STATES, end).run or ()


def _chain(system: System, goal: Link, origin: int, chance: random.Random) -> tuple[Link, ...]:
    """Messages of a transaction, each consumed for the next or carrying it, up to the last."""

    def moves(link: Link | None) -> Iterator[tuple[Link, Link]]:
        following = first_links(system, origin) if link is None else next_links(system, origin, link)
        chance.shuffle(following)
        return ((one, one) for one in following)

    return explored(None, moves, lambda link: link == goal, MOST_LINKS).run or ()
