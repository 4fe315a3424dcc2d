"""Events of single packets, cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.simulation.engine.detector import front
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.traffic import Bursts, Lengths, length_shares, mean_length, pairs_of
from unknot.simulation.run.options import check_load, check_parts, check_point
from unknot.traffic import Traffic, pattern

DEFAULT = Router()


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
    """A packet on its way: rows of input buffers that it is in or will come to, and flits that left each.

    Its slot may hold the next packet as soon as the tail has left the last router.
    """

    number: int
    slot: int
    length: int
    created: int
    address: int
    rows: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    allocated: int = 0
    arrived: int = -1


@takes_relation
def watch(
    relation: Relation,
    load: float,
    packets: Iterable[int],
    *,
    packet_length: Lengths = 1,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int = 8,
    seed: int = 1,
    traffic: Traffic = "uniform",
    router: Router = DEFAULT,
    bursts: Bursts | None = None,
    limit: int = 20_000,
) -> list[Event]:
    """Follow some packets through the run that `simulate` makes with the same arguments.

    Parameters
    ----------
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
    >>> found = watch(dimension_order(line(2), 1), 0.1, [0])
    >>> print(found[0])
    0 | t0 | creates packet 0 for t0, of 1 flit
    """
    wanted = sorted(set(packets))
    if not wanted or any(isinstance(number, bool) or not isinstance(number, int) or number < 0 for number in wanted):
        raise SimulationError(f"packets to watch are whole numbers from 0 on, at least one, got {wanted!r}")
    shares = length_shares(packet_length)
    technique = switching_named(switching)
    check_point(shares[-1][0], technique, buffer_depth, seed)
    check_load(load)
    check_parts(router, bursts)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise SimulationError(f"limit is a number of cycles above 0, got {limit!r}")
    if router.speculative or router.internal_speedup > 1:
        raise SimulationError("packets are followed through routers without speculation and without internal speedup")
    engine = Engine(
        relation,
        technique,
        packet_length=shares[-1][0] if len(shares) == 1 else dict(shares),
        buffer_depth=buffer_depth,
        chance=float(load) / mean_length(shares),
        seed=seed,
        pairs=pairs_of(relation, pattern(relation.network, traffic)),
        router=router,
        bursts=bursts,
    )
    return _Watch(engine, wanted).until(limit)


class _Watch:
    def __init__(self, engine: Engine, wanted: list[int]) -> None:
        self.engine, self.wanted, self.numbered = engine, set(wanted), 0
        self.last = max(wanted)
        self.known = self._packets()
        self.ways: list[_Watched] = []
        self.events: list[Event] = []

    def _packets(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        rows = self.engine.parts[0].packets
        return np.stack([rows.created, rows.source, rows.address, rows.length], axis=1)

    def until(self, limit: int) -> list[Event]:
        """Run on until all watched packets have arrived."""
        while self.engine.now < limit and (self.numbered <= self.last or self.ways):
            if self.engine.advance(self.engine.now + 1) and self.numbered > self.last:
                break  # nothing moves any more
            self._look(self.engine.now - 1)
        return self.events

    def _look(self, cycle: int) -> None:
        if self.numbered <= self.last:
            self._created(cycle)
        for way in self.ways:
            self._follow(way, cycle)
        self.ways = [way for way in self.ways if way.arrived < 0 or cycle < way.arrived]

    def _say(self, way: _Watched, cycle: int, place: str, what: str, words: str) -> None:
        self.events.append(Event(cycle, way.number, place, what, words))

    def _created(self, cycle: int) -> None:
        """Number the packets that came to the heads of their queues in a cycle."""
        now = self._packets()
        new = np.flatnonzero((now != self.known).any(axis=1))
        self.known = now
        relation = self.engine.relation
        for slot in new[np.argsort(now[new, 1], kind="stable")].tolist():
            if self.numbered in self.wanted:
                created, source, address, length = now[slot].tolist()
                way = _Watched(self.numbered, slot, length, created, address)
                self.ways.append(way)
                flits = f"{length} flit{'s' * (length > 1)}"
                place = relation.network.terminal_name(source)
                words = f"creates packet {way.number} for {relation.address_name(address)}, of {flits}"
                self._say(way, created, place, "created", words)
            self.numbered += 1

    def _follow(self, way: _Watched, cycle: int) -> None:
        state, relation = self.engine.state, self.engine.relation
        source = int(state.packets.source[way.slot])
        if not way.rows:
            row = self._injection(way, source, cycle)
            if row < 0:
                return
            way.rows.append(row)
            way.sent.append(0)
            buffer = f"VC {(int(state.buffer[row]) - relation.num_vcs) % int(state.setup.local)}"
            place = relation.network.terminal_name(source)
            self._say(way, cycle, place, "injected", f"injects packet {way.number} into {buffer}")
        for k in range(len(way.rows)):
            self._at(way, k, cycle)

    def _injection(self, way: _Watched, source: int, cycle: int) -> int:
        """Row of the injection buffer whose queue the packet has joined; −1 before."""
        state = self.engine.state
        if int(state.packets.injected[way.slot]) != cycle:
            return -1
        index = int(state.terminals.last_vc[source])
        return int(state.in_row[self.engine.relation.num_vcs + source * int(state.setup.local) + index])

    def _at(self, way: _Watched, k: int, cycle: int) -> None:
        """Record the events of the packet in one buffer on its way."""
        state, relation = self.engine.state, self.engine.relation
        row = way.rows[k]
        if way.sent[k] == way.length:
            return
        network, at = relation.network, int(state.inputs.at[row])
        place = network.router_name(int(relation.vcs.router[at]))
        mine = int(front(state, int(state.buffer[row]))) == way.slot and int(state.inputs.out[row]) >= 0
        if mine and way.allocated == k:
            out = int(state.inputs.out[row])
            reader = int(state.outputs.reader[out])
            way.allocated += 1
            if reader >= 0:
                way.rows.append(reader)
                way.sent.append(0)
                words = f"{relation.vcs.name(int(state.inputs.at[reader]))} is allocated to packet {way.number}"
            else:
                words = f"ejection is allocated to packet {way.number}"
            self._say(way, cycle, place, "allocated", words)
        left = int(state.inputs.sent[row]) if mine else way.length if way.allocated > k else 0
        if left > way.sent[k]:
            way.sent[k] = left
            tail = ", the tail" if left == way.length else ""
            self._say(way, cycle, place, "sent", f"sends flit {left} of {way.length} of packet {way.number}{tail}")
            if tail and k == len(way.rows) - 1:
                self._arrives(way, cycle)

    def _arrives(self, way: _Watched, cycle: int) -> None:
        router, relation = self.engine.router, self.engine.relation
        end = relation.network.terminal_name(int(relation.destination[way.address]))
        way.arrived = cycle + router.switch_allocation_delay + router.traversal_delay + 1
        latency = way.arrived - way.created
        self._say(
            way, way.arrived, end, "arrived", f"packet {way.number} arrives, {latency} cycles after its creation"
        )
