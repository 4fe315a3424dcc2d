"""Engines for networks whose queues of terminals are VCs, and the sources that messages come from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.virtual_channels import VirtualChannels
from unknot.simulation.engine.codes import ENDLESS
from unknot.simulation.engine.detector import front
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.pairs import nobody
from unknot.simulation.engine.sources import Sources
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import TrafficClass
from unknot.traffic.workload import Message as Form
from unknot.verify.protocols.extended import Extended, extend
from unknot.verify.protocols.machine_state import MachineMessage
from unknot.verify.protocols.system import System


def protocol_engine(system: System, scenario: Scenario, *, sides: bool = False) -> tuple[Extended, Engine]:
    """Return a system as a relation without waits at terminals, and an engine for it without drawn traffic.

    The scenario says how packets are switched and how long they are; its relation and its load are not read. With
    `sides` every router has one more terminal: packets from there go where their prescribed path begins.
    """
    protocol = system.protocol
    queues = range(len(protocol.send_queues))
    extended = extend(system, 1 + system.worms, tuple(f"send {name}" for name in protocol.send_queues))
    rows = tuple(TrafficClass(messages=(Form(scenario.traffic.longest, vcs=(k, k)),)) for k in queues)
    relation = _with_sides(extended.relation) if sides else extended.relation
    silent = Sources(0.0, nobody(relation.network.num_terminals))
    mix = Mix(rows, (silent,) * len(queues), scenario.traffic.lengths, relation)
    routers = replace(scenario.router, ejection="same")
    return extended, Engine(replace(scenario, relation=relation, router=routers), mix, general=True)


def _with_sides(relation: Relation) -> Relation:
    base, sides = relation.network, np.arange(relation.network.num_routers)
    inject, eject = (np.concatenate([ends, sides]) for ends in (base.inject, base.eject))
    network = Network(base.name, sides.size, base.source, base.target, inject=inject, eject=eject)
    use = np.concatenate([relation.usable(), np.zeros((sides.size, relation.num_addresses), dtype=bool)])
    return replace(
        relation,
        network=network,
        vcs=VirtualChannels(network, relation.vcs.counts),
        addresses=replace(relation.addresses, may_use=use),
    )


def source_row(engine: Engine, system: System, place: int) -> int:
    """Return the row of the source for a place: a send queue in either stage, or another place fed from the side."""
    network, base = engine.relation.network, system.relation.network
    if place < system.vcs:
        return system.terminals + int(network.source[engine.relation.vcs.channel[place]])
    if system.receives(place):
        return system.terminals + int(base.eject[system.terminal_of(place) or 0])
    terminal, queue = divmod(place % system.places - system.vcs, len(system.protocol.send_queues))
    return queue * network.num_terminals + terminal


def hand_over(engine: Engine, system: System, message: MachineMessage, place: int, flits: int, script: int) -> int:
    """Give a message in a send queue to the source of its terminal, which has nothing to send; return its packet."""
    part = engine.parts[0]
    row, packet = source_row(engine, system, place), part.new_packet()
    inside = message.address - system.first_address[message.kind]
    fresh = part.packets[packet : packet + 1]
    fresh.address, fresh.length, fresh.source = message.kind * system.block + inside, flits, message.source
    fresh.created = fresh.injected = engine.now
    fresh.hops, part.courses.form[packet] = 0, row // engine.relation.network.num_terminals
    part.courses.script[packet], part.courses.stop[packet] = script, 1
    part.terminals.packet[row], part.terminals.left[row] = packet, flits
    return packet


def set_ejection(engine: Engine, system: System, place: int, *, is_open: bool) -> None:
    """Open or close the ejection VC of a receive queue, or reserved room; headers that sleep look again."""
    part = engine.parts[0]
    terminal, queue = divmod(place - system.first_receive, len(system.protocol.receive_queues) + 1)
    row = int(part.ejection_row[terminal]) + queue
    part.outputs.credits[row] = ENDLESS if is_open else 0
    part.set_open(row, is_open)
    part.wake()


def divide(engine: Engine, vc: int, flits: int) -> int:
    """Make two packets, the second of some flits, of the one whose header is in front of a VC; return the second."""
    part = engine.parts[0]
    packet, second, ring = front(part, vc), part.new_packet(), int(part.setup.ring)
    row, out = int(part.in_row[vc]), int(part.out_row[vc])
    for rows in (part.packets, part.courses):
        rows[second : second + 1] = rows[packet : packet + 1]
    part.packets.length[second] = flits
    part.packets.length[packet] -= flits
    at, back = int(part.inputs.front[row]) + 1, int(part.outputs.back[out])
    behind = row * ring + (at + np.arange((back - at) % ring + 1)) % ring
    part.ring[behind] = [second, *part.ring[behind[:-1]].tolist()]
    part.outputs.back[out] = (back + 1) % ring
    return second
