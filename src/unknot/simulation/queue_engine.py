"""The engine of a network whose terminals have queues, each a VC to or from a router of the terminal."""

from __future__ import annotations

from dataclasses import replace

from unknot._base.switching import Switching
from unknot.simulation.engine.codes import ENDLESS
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.pairs import nobody
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.sources import Sources
from unknot.traffic import TrafficClass
from unknot.traffic.workload import Message as Form
from unknot.verify.protocols.extended import Extended, extend
from unknot.verify.protocols.machine import Message
from unknot.verify.protocols.system import System


def engine_of(
    system: System, switching: Switching, *, flits: int, depth: int, router: Router = DEFAULT, seed: int = 1
) -> tuple[Extended, Engine]:
    """Return a system as a relation that never waits at a terminal, and an engine for it that draws no traffic."""
    protocol = system.protocol
    queues = range(len(protocol.send_queues))
    extended = extend(system, 1 + system.worms, tuple(f"send {name}" for name in protocol.send_queues))
    rows = tuple(TrafficClass(messages=(Form(flits, vcs=(k, k)),)) for k in queues)
    silent = Sources(0.0, nobody(system.terminals), flits)
    mix = Mix(rows, (silent,) * len(queues), ((flits, 1.0),), extended.relation)
    router = replace(router, ejection="same")
    engine = Engine(extended.relation, switching, mix, buffer_depth=depth, router=router, seed=seed, general=True)
    return extended, engine


def hand_over(engine: Engine, system: System, message: Message, place: int, flits: int, script: int) -> int:
    """Give a message in a send queue to the source of its terminal, which has nothing to send; return its packet."""
    part = engine.parts[0]
    terminal, queue = divmod(place - system.vcs, len(system.protocol.send_queues))
    packet = part.new_packet()
    inside = message.address - system.first_address[message.kind]
    fresh = part.packets[packet : packet + 1]
    fresh.address, fresh.length, fresh.source = message.kind * system.block + inside, flits, terminal
    fresh.created = fresh.injected = engine.now
    fresh.hops, fresh.form, fresh.script, fresh.stop = 0, queue, script, 1
    row = queue * system.terminals + terminal
    part.terminals.packet[row], part.terminals.left[row] = packet, flits
    return packet


def set_ejection(engine: Engine, terminal: int, queue: int, *, is_open: bool) -> None:
    """Open or close the ejection VC of a receive queue; headers that sleep look again."""
    part = engine.parts[0]
    row = int(part.ejection_row[terminal]) + queue
    part.outputs.credits[row] = ENDLESS if is_open else 0
    part.set_open(row, is_open)
    part.wake(int(engine.relation.network.eject[terminal]))
