"""Terminals with the finite queues of a protocol, around an engine.

The network that is simulated has a router for each terminal, and its queues are VCs to and from there, as
`unknot.verify.protocols.extended` has them. A message leaves its send queue when its header has gone on into the
network. A receive queue of d messages is the VC that leads to it and d − 1 messages that have left it; its
ejection VC stands open only while one may leave. A packet of two messages has the flits of both, and becomes two in
front of the last VC before its terminal. What a terminal sends and consumes is decided by the model in which
the prover counts messages, `unknot.verify.protocols.machine`, between two cycles of the engine.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from unknot._base.errors import SimulationError
from unknot.simulation.engine.codes import BLOCKED, FRESH, IDLE, STALLED
from unknot.simulation.engine.detector import front
from unknot.simulation.player import PacketSource
from unknot.simulation.protocol_engine import divide, hand_over, protocol_engine, set_ejection, source_row
from unknot.simulation.run.scenario import Scenario, check_buffers
from unknot.verify.protocols.machine import next_sends, step
from unknot.verify.protocols.machine_state import Event, MachineMessage, State
from unknot.verify.protocols.system import System


class EndPoints(PacketSource):
    """Terminals in progress, which send what was begun.

    Attributes
    ----------
    system : System
    state : dict
        Messages in queues, by place of the system; those in the network are in `flight`, by packet.
    leaving : dict of int
        Packets that leave receive queues, or reserved room, by place.
    home, second : array and dict of int
        By packet: the router at which it becomes two, or −1; and the second one while the first is on its way.
    alive : dict
        Messages of each transaction, by its terminal and number.
    consumed : list of int
        Messages of each class that were consumed.
    ended : list
        Transactions that ended in the last cycle, None in between.
    events : int
        Messages that entered or left a queue so far.
    scripts : dict of deque of int
        In a replay, by send queue, where the prescribed path of each of its messages begins.
    """

    def __init__(self, system: System, scenario: Scenario, *, sides: bool = False) -> None:
        protocol, switching, depth = system.protocol, scenario.switching, scenario.buffer_depth
        flits, terminals, self.whole = scenario.traffic.longest, system.terminals, scenario.control.whole
        self.joined = flits if sides or not any(one.carries for one in protocol.classes) else 2 * flits
        check_buffers(self.joined, switching, depth)
        if self.joined > flits and (flits > depth or scenario.router.routing_delay == 0):
            raise SimulationError(
                f"{protocol.name}: messages that come in one packet and are received apart (carries) are simulated "
                "with routing_delay of at least 1, and buffer_depth of at least packet_length"
            )
        self.system = replace(system, room=depth // flits if self.whole else 1)
        self.extended, self.engine = protocol_engine(system, scenario, sides=sides)
        self.flits, self.needs_tail, self.chance = flits, scenario.control.complete, random.Random(scenario.seed)
        self.state: State = {}
        self.flight: dict[int, MachineMessage] = {}
        self.packets: dict[int, list[int]] = {}
        self.alive: dict[tuple[int, int], int] = {}
        self.consumed, self.begun = [0] * len(system.classes), 0
        self.events = 0
        self.scripts: dict[int, deque[int]] = {}
        part = self.engine.parts[0]
        queues, first = part.out_row[system.vcs : system.places], system.first_receive
        if not scenario.control.exclusive:  # one packet or message, whatever the VCs of the network hold
            part.outputs.credits[queues[: first - system.vcs]] = min(self.joined, depth)
            part.outputs.credits[queues[first - system.vcs :]] = min(flits, depth)
        self.visible: set[int] = set()  # or leaving
        self.leaving: dict[int, int] = {}
        self.home: npt.NDArray[np.int64] = np.full(len(part.packets), -1)
        self.second: dict[int, int] = {}
        for place in range(first, system.places):
            set_ejection(self.engine, system, place, is_open=False)
        self.touched = set(range(terminals))

    @property
    def messages(self) -> int:
        """Messages in the network and in queues."""
        return len(self.flight) + sum(map(len, self.state.values()))

    @property
    def moves(self) -> tuple[int, int, int]:
        """Hops of flits, flits that were injected and events of queues so far."""
        return self.engine.count("flit_hops"), self.engine.count("flits_in"), self.events

    def start(self, event: Event) -> int:
        """Let a terminal begin a transaction, for which there is room, and return its number."""
        self.begun += 1
        self._do(event, self.begun)
        self.alive[event.place, self.begun] = len(event.sends)
        return self.begun

    def begin(self) -> int:
        """Make the first messages of send queues packets, where the sources of terminals are free."""
        part = self.engine.parts[0]
        for place, messages in self.state.items():
            known = self.packets.setdefault(place, []) if place < self.system.first_receive else ()
            if len(known) == len(messages) or place >= self.system.first_receive:
                continue
            if part.terminals.packet[source_row(self.engine, self.system, place)] < 0:
                assert isinstance(known, list)
                script = self.scripts[place].popleft() if self.scripts.get(place) else -1
                message = messages[len(known)]
                carries = self.system.classes[message.kind].carries
                flits = self.joined if carries else self.flits
                known.append(hand_over(self.engine, self.system, message, place, flits, script))
                if carries and self.joined > self.flits:
                    home = self.system.home(message.address)
                    self.home[known[-1]] = self.system.relation.network.eject[home]
        return self.engine.now + 1

    def end(self) -> None:
        """Let terminals receive and consume what has come, and note the transactions that end."""
        if self.joined > self.flits:
            self._divide()
        self.ended = self.look()
        while self.touched:
            self.ended += self._serve(self.touched.pop())

    def wait(self) -> None:
        """Simulate as many cycles as a flit may be on its way, in which no terminal begins or consumes anything."""
        self.begin()
        self.engine.advance_to(self.engine.now + self.engine.parts[0].setup.patience)
        self.look()

    def consume(self, place: int, position: int) -> tuple[int, int] | None:
        """Consume a message, or send its next follow-up, if possible; return the transaction ended."""
        choices = next_sends(self.system, self.state, place, self.state[place][position])
        if choices is None:
            return None
        return self.do(Event("consume", place, position, sends=tuple(map(self.chance.choice, choices))))

    def left_behind(self, place: int, message: MachineMessage) -> None:
        """Put the second message of a packet where it was, in a VC, once the first one was received."""
        packet = hand_over(self.engine, self.system, message, place, self.flits, self.scripts[place].popleft())
        self.flight[packet] = message
        self.alive[message.origin, message.transaction] += 1

    def do(self, event: Event) -> tuple[int, int] | None:
        """Consume a message as an event says; return the transaction that it ends, or None."""
        message = self.state[event.place][event.position]
        before = {place: len(messages) for place, messages in self.state.items()}
        ends = {place: messages[-1] for place, messages in self.state.items() if place >= self.system.first_receive}
        self._do(event)
        terminal, rule = self.system.terminal_of(event.place) or 0, self.system.classes[message.kind]
        gone = 0
        for place, last in ends.items():
            left = self.state.get(place, ())
            if len(left) < before[place]:
                gone += before[place] - len(left)
                if not left or left[-1] != last:
                    self._let_out(place)
                self._settle(place)
        self.touched.add(terminal)
        for name in (rule.name, rule.together)[:gone]:
            self.consumed[self.system.number[name]] += 1
        return self._ended(message, gone - len(event.sends))

    def _ended(self, message: MachineMessage, fewer: int) -> tuple[int, int] | None:
        transaction = message.origin, message.transaction
        self.alive[transaction] -= fewer
        if self.alive[transaction]:
            return None
        del self.alive[transaction]
        return transaction

    def _do(self, event: Event, number: int | None = None) -> None:
        self.state = step(self.system, self.state, event, number)
        self.events += 1

    def _divide(self) -> None:
        """Make two packets of each that holds two messages and has come to where it leaves the network."""
        part, base = self.engine.parts[0], self.extended.relation
        vcs = np.arange(self.system.first_receive)
        rows = part.in_row[vcs]
        fronts = part.ring[rows * part.setup.ring + part.inputs.front[rows]]
        waits = (part.inputs.stored[rows] > 0) & np.isin(part.inputs.state[rows], (FRESH, BLOCKED))
        there = self.home[fronts] == base.network.target[base.vcs.channel[vcs]]
        for vc in np.flatnonzero(waits & there).tolist():
            packet = int(fronts[vc])
            self._require_leaving(vc, int(part.packets.address[packet]))
            self.home[packet] = -1
            self.second[packet] = second = divide(self.engine, vc, self.flits)
            kind = int(part.packets.address[packet]) // self.system.block
            carried = self.system.number[self.system.classes[kind].carries]
            part.packets.address[second] += (carried - kind) * self.system.block

    def _require_leaving(self, vc: int, address: int) -> None:
        """Refuse a VC from which a packet of two messages may also go on: its messages would part."""
        candidates = self.extended.relation.candidates(vc, address)
        if any(one.vc is not None and one.vc < self.system.first_receive for one in candidates):
            raise SimulationError(
                f"{self.system.relation.name}: packets of two messages (carries) may go on from "
                f"{self.extended.relation.vcs.name(vc)} although they have arrived; they are not simulated so"
            )

    def _come_apart(self, packet: int, first: MachineMessage) -> dict[int, MachineMessage]:
        """The second message of a packet whose first message has left, as a packet of its own; empty
        for other packets.
        """
        if packet not in self.second:
            return {}
        self.alive[first.origin, first.transaction] += 1
        kind = self.system.number[self.system.classes[first.kind].carries]
        return {self.second.pop(packet): first._replace(kind=kind)}

    def look(self) -> list[tuple[int, int] | None]:
        """See which messages have left send queues or come to receive queues; return transactions that ended."""
        part, system = self.engine.parts[0], self.system
        for place, packets in self.packets.items():
            if packets and part.packets.hops[packets[0]] >= 2 and not self._has_header(place, packets[0]):
                first = self.flight[packets[0]] = self.state[place][0]
                self.events += 1
                apart = self._come_apart(packets[0], first)
                packets[:1] = apart
                self.state = self.state | {place: (*apart.values(), *self.state[place][1:])}
                if not self.state[place]:
                    del self.state[place]
                self.touched.add(system.terminal_of(place) or 0)
        for place, packet in list(self.leaving.items()):
            if part.inputs.state[part.in_row[place]] == IDLE or front(part, place) != packet:
                del self.leaving[place]
                self.visible.remove(place)
                set_ejection(self.engine, system, place, is_open=False)
        ended: list[tuple[int, int] | None] = []
        stored = part.inputs.stored[part.in_row[system.first_receive : system.places]]
        come = system.first_receive + np.flatnonzero(stored >= (self.flits if self.needs_tail else 1))
        for place in [place for place in come.tolist() if place not in self.visible]:
            packet = front(part, place)
            message = self.flight.pop(packet)
            self.flight |= self._come_apart(packet, message)
            self.visible.add(place)
            self.events += 1
            if system.classes[message.kind].reserved:
                self.consumed[message.kind] += 1
                self._let_out(place)
                ended.append(self._ended(message, 1))
                continue
            self.state = self.state | {place: (*self.state.get(place, ()), message)}
            self._settle(place)
            self.touched.add(system.terminal_of(place) or 0)
        return ended

    def _has_header(self, vc: int, packet: int) -> bool:
        """Whether the header of a packet that was given another VC is still in front of its own."""
        part = self.engine.parts[0]
        return front(part, vc) == packet and part.inputs.sent[part.in_row[vc]] == 0

    def _serve(self, terminal: int) -> list[tuple[int, int] | None]:
        """Let a terminal consume what it can."""
        system, ended = self.system, []
        width = len(system.protocol.receive_queues) + 1
        first = system.first_receive + terminal * width
        for place in range(first, first + width):
            position = 0
            while position < len(self.state.get(place, ())) and not (position and system.ordered(place)):
                before = self.state[place]
                ended.append(self.consume(place, position))
                position = position + 1 if self.state.get(place, ()) == before else 0
        return ended

    def _settle(self, place: int) -> None:
        """Let the last message of a receive queue leave its VC if the queue has room for one more."""
        if 0 < len(self.state.get(place, ())) < self.system.depth(place):
            self._let_out(place)

    def _let_out(self, place: int) -> None:
        """Open the ejection VC of a receive queue for the message in its VC, if it is there."""
        if place in self.visible and place not in self.leaving:
            self.leaving[place] = front(self.engine.parts[0], place)
            set_ejection(self.engine, self.system, place, is_open=True)

    def standing(self) -> State:
        """All messages by place of the system, those in the network where their headers wait."""
        part, state = self.engine.parts[0], dict(self.state)
        for vc in range(self.system.vcs):
            row = part.in_row[vc]
            there = part.inputs.state[row]
            if part.inputs.stored[row] and (
                there in (FRESH, BLOCKED) or (there == STALLED and part.inputs.sent[row] == 0)
            ):
                ring, at = int(part.setup.ring), int(part.inputs.front[row])
                many = (int(part.outputs.back[part.out_row[vc]]) - at) % ring
                packets = part.ring[row * ring + (at + np.arange(many)) % ring].tolist()
                state[vc] = tuple(self.flight[packet] for packet in packets if packet in self.flight)
        return state
