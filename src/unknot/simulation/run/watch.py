"""Events of single packets, cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.numbers import is_whole, require_whole
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.simulation.engine.detector import front
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import PatternLike
from unknot.traffic.workload import PACKET_LENGTH, PATTERN, Bursts, Lengths, Traffic


@dataclass(frozen=True)
class Event:
    """Event of a packet in a cycle.

    Attributes
    ----------
    cycle : int
    packet : int
        Packets are numbered as they come to the heads of their source queues, those of one cycle by terminal.
    place : str
        The router, or the terminal.
    what : str
        ``created``, ``injected``, ``allocated``, ``sent`` or ``arrived``.
    words : str
        The same in words.

    Examples
    --------
    >>> events = watch("ring(4)", 0.2, [0], routing="dimension_order")
    >>> [event.what for event in events[:2]], events[-1].what
    (['created', 'injected'], 'arrived')
    """

    cycle: int
    packet: int
    place: str
    what: str
    words: str

    def __str__(self) -> str:
        return f"{self.cycle} | {self.place} | {self.words}"


@dataclass
class _Watched:
    """A packet under way; its slot may hold the next one as soon as the tail has left the last router.

    `hops` are the rows of the input buffers that it is in or will come to, −1 for ejection, with the flits that left.
    """

    number: int
    slot: int
    length: int
    created: int
    address: int
    hops: list[list[int]] = field(default_factory=list)
    arrived: int = -1


@takes_relation
def watch(
    relation: Relation,
    load: float,
    packets: Iterable[int],
    *,
    packet_length: Lengths = PACKET_LENGTH,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int = BUFFER_DEPTH,
    seed: int = 1,
    traffic: PatternLike = PATTERN,
    router: Router = DEFAULT,
    bursts: Bursts | None = None,
    limit: int = 20_000,
) -> list[Event]:
    """Follow some packets through the run that `simulate` makes with the same arguments.

    Parameters
    ----------
    load : float
        Offered flits per terminal and cycle.
    packets : iterable of int
        Their numbers, from 0, in the order in which packets come to the heads of their source queues.
    packet_length, switching, buffer_depth, seed, traffic, router, bursts :
        As for `simulate`.
    limit : int
        Cycle in which to stop, arrived or not.

    Returns
    -------
    list of Event
        In order. Time is linear in the cycles and in the buffers of the network.

    Raises
    ------
    SimulationError
        If a number is no packet's, the run cannot be made, or a header may get its VC and cross the switch in one
        cycle (speculation, internal speedup).

    Examples
    --------
    >>> from unknot.routing import dimension_order
    >>> from unknot.network.families import line
    >>> events = watch(dimension_order(line(2), 1), 0.1, [0])
    >>> print(events[0])
    8 | t1 | creates packet 0 for t0, of 1 flit
    """
    numbers = sorted(set(packets))
    if not numbers or not all(is_whole(number) and number >= 0 for number in numbers):
        raise SimulationError(f"packets to watch are whole numbers from 0 on, at least one, got {numbers!r}")
    workload = Traffic(traffic, packet_length, bursts)
    scenario = Scenario(relation, load, workload, switching, buffer_depth, router, seed)
    require_whole("limit", limit, 1, unit="cycles", error=SimulationError)
    if router.speculative or router.internal_speedup > 1:
        raise SimulationError("packets are followed through routers without speculation and without internal speedup")
    return _Watch(scenario.engine(), numbers).until(limit)


class _Watch:
    def __init__(self, engine: Engine, numbers: list[int]) -> None:
        self.engine, self.numbers, self.numbered = engine, set(numbers), 0
        self.last = max(numbers)
        self.before = self._packets()
        self.under_way: list[_Watched] = []
        self.events: list[Event] = []

    def _packets(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        rows = self.engine.parts[0].packets
        return np.stack([rows.created, rows.source, rows.address, rows.length], axis=1)

    def until(self, limit: int) -> list[Event]:
        """Run on until all watched packets have arrived."""
        while self.engine.now < limit and (self.numbered <= self.last or self.under_way):
            if self.engine.advance(self.engine.now + 1) and self.numbered > self.last:
                break  # nothing moves any more
            self._look(self.engine.now - 1)
        return self.events

    def _look(self, cycle: int) -> None:
        if self.numbered <= self.last:
            self._created(cycle)
        for packet in self.under_way:
            self._follow(packet, cycle)
        self.under_way = [packet for packet in self.under_way if packet.arrived < 0 or cycle < packet.arrived]

    def _note(self, packet: _Watched, cycle: int, place: str, what: str, words: str) -> None:
        self.events.append(Event(cycle, packet.number, place, what, words))

    def _created(self, cycle: int) -> None:
        """Number the packets that came to the heads of their queues in a cycle."""
        now = self._packets()
        new = np.flatnonzero((now != self.before).any(axis=1))
        self.before = now
        relation = self.engine.relation
        for slot in new[np.argsort(now[new, 1], kind="stable")].tolist():
            if self.numbered in self.numbers:
                created, source, address, length = now[slot].tolist()
                packet = _Watched(self.numbered, slot, length, created, address)
                self.under_way.append(packet)
                flits = f"{length} flit{'s' * (length > 1)}"
                place = relation.network.terminal_name(source)
                words = f"creates packet {packet.number} for {relation.address_name(address)}, of {flits}"
                self._note(packet, created, place, "created", words)
            self.numbered += 1

    def _follow(self, packet: _Watched, cycle: int) -> None:
        state, relation = self.engine.state, self.engine.relation
        if not packet.hops:
            if int(state.packets.injected[packet.slot]) != cycle:
                return
            source = int(state.packets.source[packet.slot])
            index = int(state.terminals.last_vc[source])
            packet.hops.append([int(state.in_row[relation.num_vcs + source * int(state.setup.local) + index]), 0])
            place = relation.network.terminal_name(source)
            self._note(packet, cycle, place, "injected", f"injects packet {packet.number} into VC {index}")
        for k in range(len(packet.hops)):
            if packet.hops[k][0] >= 0:
                self._at(packet, k, cycle)

    def _at(self, packet: _Watched, k: int, cycle: int) -> None:
        """Record the events of the packet in one buffer."""
        state, relation = self.engine.state, self.engine.relation
        row, sent = packet.hops[k]
        if sent == packet.length:
            return
        place = relation.network.router_name(int(relation.vcs.router[int(state.inputs.at[row])]))
        mine = int(front(state, int(state.buffer[row]))) == packet.slot and int(state.inputs.out[row]) >= 0
        if mine and k == len(packet.hops) - 1:
            reader = int(state.outputs.reader[int(state.inputs.out[row])])
            packet.hops.append([reader, 0])
            output = "ejection" if reader < 0 else relation.vcs.name(int(state.inputs.at[reader]))
            self._note(packet, cycle, place, "allocated", f"{output} is allocated to packet {packet.number}")
        has_gone_on = k < len(packet.hops) - 1
        left = int(state.inputs.sent[row]) if mine else packet.length if has_gone_on else 0
        if left > sent:
            packet.hops[k][1] = left
            tail = ", the tail" if left == packet.length else ""
            words = f"sends flit {left} of {packet.length} of packet {packet.number}{tail}"
            self._note(packet, cycle, place, "sent", words)
            if tail and packet.hops[k + 1][0] < 0:
                self._arrives(packet, cycle)

    def _arrives(self, packet: _Watched, cycle: int) -> None:
        router, relation = self.engine.router, self.engine.relation
        end = relation.network.terminal_name(int(relation.destination[packet.address]))
        packet.arrived = cycle + router.switch_allocation_delay + router.traversal_delay + 1
        words = f"packet {packet.number} arrives, {packet.arrived - packet.created} cycles after its creation"
        self._note(packet, packet.arrived, end, "arrived", words)
