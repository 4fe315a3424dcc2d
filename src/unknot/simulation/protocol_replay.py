"""Replays of the deadlocks that the prover finds through end points, flit by flit."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unknot._base.switching import switching_named
from unknot.simulation.end_points import EndPoints
from unknot.simulation.engine.detector import front
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.state_arrays import State as Part
from unknot.simulation.protocol_engine import hand_over, protocol_engine, set_ejection, source_row
from unknot.simulation.run.scenario import Scenario
from unknot.verify.protocols.extended import Extended
from unknot.verify.protocols.machine import destination, has_another, step
from unknot.verify.protocols.machine_state import ANY, Event, MachineMessage, State
from unknot.verify.protocols.queue_room import entries, has_room
from unknot.verify.protocols.system import EJECT, RESERVED, System


@dataclass(eq=False)
class RunMessage:
    """A message of a run.

    Attributes
    ----------
    message : Message
    entry : int
        Place of its send queue into which it comes.
    path : list of int
        VCs that its header goes through, queues included.
    held : tuple of int
        Places that it holds in the end, tail first. It has one flit for each.
    chosen : int
        VC, full in the end, that its header has committed to; −1: none.
    packet : int
        Its packet in the simulation.
    rest : RunMessage or None
        The worm behind it that holds the second message of its packet; they have one header until they part.
    """

    message: MachineMessage
    entry: int
    path: list[int]
    held: tuple[int, ...]
    chosen: int = -1
    packet: int = -1
    rest: RunMessage | None = None


@dataclass(frozen=True)
class ReplayStep:
    """A move of a run: messages sent, messages whose headers move, and messages that leave the system."""

    sent: list[RunMessage]
    moved: list[RunMessage]
    gone: list[RunMessage]


def replayed_in_flits(system: System, switching: str, run: Sequence[Event], cycles: int = 1000) -> bool:
    """Make the moves of a run in the simulator; whether nothing moves after the last one.

    Messages go one after the other where the run moves them. Those in one place each have one flit, worms one for
    each place that they hold in the end. Then all headers are let go, and terminals consume what they can.

    Parameters
    ----------
    cycles : int
        Cycles to go on after the last move.

    Returns
    -------
    bool
    """
    scenario = Scenario(system.relation, 0.0, switching=switching_named(switching), buffer_depth=1)
    if system.worms:
        return _worms_replayed(system, scenario, run, cycles)
    ends = EndPoints(system, scenario, sides=True)
    steps = _followed(system, run, ends.extended)
    begins, part = _prescribed(ends.engine, steps)
    for one, begin in begins.items():
        ends.scripts.setdefault(one.entry, deque()).append(begin)
    state: State = {}
    for event in run:
        state = step(ends.system, state, event, ends.begun + 1)
        if event.act == "begin":
            ends.start(event)
        elif event.act == "consume":
            ends.do(event)
        else:
            packets = ends.packets.get(event.place)
            packet = packets[0] if packets else front(part, event.place)
            part.courses.stop[packet] += 1
        _settle(ends.wait, lambda: ends.moves)
        if event.act == "move" and event.to == EJECT:
            part.courses.script[packet] = -1
        if event.tail == "parts":
            ends.left_behind(event.place, state[event.place][0])
            _settle(ends.wait, lambda: ends.moves)
    same = ends.standing() == state
    _let_go(ends.engine)
    moves = ends.moves
    for _ in range(cycles):
        ends.begin()
        ends.engine.advance(ends.now + 1)
        ends.end()
    return same and bool(state) and moves == ends.moves


def _worms_replayed(system: System, scenario: Scenario, run: Sequence[Event], cycles: int) -> bool:
    extended, engine = protocol_engine(system, scenario, sides=True)
    steps = _followed(system, run, extended)
    begins, part = _prescribed(engine, steps)

    def moves() -> tuple[int, ...]:
        return engine.count("flit_hops"), engine.count("flits_in")

    def settle() -> None:
        _settle(lambda: engine.advance_to(engine.now + part.setup.patience), moves)

    alive, waiting = list[RunMessage](), list[RunMessage]()
    for made in steps:
        for one in made.moved:
            part.courses.stop[one.packet] += 1
        settle()
        part.courses.script[[one.packet for one in made.gone]] = -1
        waiting += made.sent
        for one in list(waiting):
            settle()
            if part.terminals.packet[source_row(engine, system, one.entry)] < 0:
                one.packet = hand_over(engine, system, one.message, one.entry, len(one.held), begins[one])
                part.courses.stop[one.packet] += one.entry >= system.places
                waiting.remove(one)
        settle()
        alive = [one for one in (*alive, *made.sent) if one not in made.gone]
    stands = {extended.vc(place): one.packet for one in alive for place in one.held}
    stored = part.inputs.stored[part.in_row[: extended.relation.num_vcs]]
    same = np.flatnonzero(stored).tolist() == sorted(stands) and all(front(part, vc) == stands[vc] for vc in stands)
    for place in range(system.first_receive, system.places):
        set_ejection(engine, system, place, is_open=False)
    _let_go(engine)
    before = moves()
    engine.advance_to(engine.now + cycles)
    return same and bool(alive) and before == moves()


def _let_go(engine: Engine) -> None:
    """Let all headers, sleeping ones too, take any routed candidate or their chosen candidate."""
    part = engine.parts[0]
    chosen = part.script[part.courses.script + part.courses.stop]
    part.setup.hold, part.courses.script[chosen < 0] = 0, -1
    part.wake()


def _settle(advance: Callable[[], object], moves: Callable[[], tuple[int, ...]]) -> None:
    """Go on until nothing moves."""
    before: tuple[int, ...] = ()
    while before != moves():
        before = moves()
        advance()


def _prescribed(engine: Engine, steps: list[ReplayStep]) -> tuple[dict[RunMessage, int], Part]:
    """Prescribe the paths of all messages, at whose ends headers wait; return where each path begins."""
    begins: dict[RunMessage, int] = {}
    script: list[int] = []
    for made in steps:
        for one in made.sent:
            begins[one] = len(script)
            script += [*one.path, one.chosen]
    engine.parts[0] = part = engine.parts[0].replaced(script=script)
    part.setup.hold = 1
    return begins, part


def _followed(system: System, run: Sequence[Event], extended: Extended) -> list[ReplayStep]:
    """Return the moves of a run with their messages, each with its path over the whole run."""
    state, inside, steps = State(), dict[int, list[RunMessage]](), list[ReplayStep]()
    for number, event in enumerate(run):
        after = step(system, state, event, number)
        moved, gone, sent = list[RunMessage](), list[RunMessage](), list[RunMessage]()
        parted: list[RunMessage] = gone
        if event.act == "choose":
            one, message = inside[event.place][0], state[event.place][0]
            place = destination(system, event.place, message, event.to)
            one.path.append(extended.vc(event.place if place is None else place))
            moved = [one]
        if event.act == "move":
            one, message = inside[event.place].pop(0), state[event.place][0]
            to = destination(system, event.place, message, event.to)
            in_two = has_another(system, event.place, message)
            if to is None:
                one.path.append(extended.vc(system.place["receive", system.home(message.address), RESERVED]))
                moved, gone = [one], [one]
            elif system.worms and in_two and system.receives(to) and not system.receives(event.place):
                one.held = after[to][-1].tail
                one = RunMessage(after[to][-1], to, [extended.vc(to)], (to,), rest=one)
                sent = [one]
            else:
                if message.chosen == ANY:
                    one.path.append(extended.vc(to))
                    moved = [one]
                one.held = (*after[to][-1].tail, to)
            if to is not None:
                inside.setdefault(to, []).append(one)
            if event.tail == "parts" and not system.worms:
                one.rest = RunMessage(message, event.place, [extended.vc(event.place)], ())
                sent = [one.rest]
            parted = [one] if event.tail == "parts" else []
        terminal = event.place if event.act == "begin" else system.terminal_of(event.place) or 0
        places = entries(system, terminal, [kind for kind, _ in event.sends])
        for place, held in inside.items():
            new = places.count(place) if event.sends else 0
            while len(held) > len(after.get(place, ())) - new:
                gone.append(held.pop(0))
                if system.has_second(place):  # past whoever stands at the head
                    past = system.place["receive", system.terminal_of(place) or 0, RESERVED]
                    gone[-1].path.append(extended.vc(past + system.places))
                    moved.append(gone[-1])
        for first in parted:
            if first.rest is not None:
                behind = state[event.place][event.position].tail
                place = behind[-1] if system.receives(event.place) else event.place
                first.rest.message, first.rest.held = after[place][0], (*after[place][0].tail, place)
                inside.setdefault(place, []).insert(0, first.rest)
                first.rest = None
        for place in places:
            path = [extended.vc(there) for there in range(place % system.places, place + 1, system.places)]
            sent.append(RunMessage(after[place][-1], place, path, (place,)))
            inside.setdefault(place, []).append(sent[-1])
        steps.append(ReplayStep(sent, moved, gone))
        state = after
    for place, waiting in inside.items() if system.commits else ():
        for one in waiting:
            for to in system.onward(place, one.message.address)[0]:
                room = destination(system, place, one.message, to)
                if room is not None and not has_room(system, state, room):
                    one.chosen = extended.vc(room)
    return steps
