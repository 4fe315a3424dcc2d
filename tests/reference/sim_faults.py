"""The plain simulator with faults: what dies takes packets with it, flit by flit, and headers may find no way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from unknot.routing.relation import Candidate, Relation
from unknot.simulation.engine.pairs import Pairs

from .sim_parts import InputVC, Node, OutputVC, Packet, Wire
from .simulator import Simulator


class Buffer(NamedTuple):
    vc: InputVC
    out: OutputVC
    wire: Wire
    index: int
    router: int


@dataclass
class Death:
    """What dies in a cycle, by numbers; another relation on the same network; and who sends to whom from then on."""

    cycle: int
    channels: list[int]
    routers: list[int]
    relation: Relation | None
    pairs: Pairs


class FaultySimulator(Simulator):
    def __init__(self, relation: Relation, switching: str, *, deaths: list[Death], **options: Any) -> None:
        super().__init__(relation, switching, **options)
        self.deaths = sorted(deaths, key=lambda death: death.cycle)
        self.lost = self.lost_flits = 0
        self.stranded: list[InputVC] = []
        self.channels: set[int] = set()
        self.gone: set[int] = set()  # routers
        self.front: dict[InputVC, Packet] = {}
        self.chance = options["chance"]
        network = relation.network
        self.buffers = [
            Buffer(vc, self.output.get(vc.number) or self.injection(vc), port.flits, index, r)
            for r, node in enumerate(self.routers)
            for port in node.inputs
            for index, vc in enumerate(port.vcs)
        ]
        self.sender = {v: int(network.source[c]) for v, c in enumerate(relation.vcs.channel[: relation.num_vcs])}

    def injection(self, vc: InputVC) -> OutputVC:
        terminal = self.terminals[vc.at - self.relation.num_vcs]
        return terminal.injection[vc.index]

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            while self.deaths and self.deaths[0].cycle == self.now:
                self.strike(self.deaths.pop(0))
            super().run(1)
            self.lose({id(p): p for p in (vc.queue[0].packet for vc in self.stranded)})
            self.stranded = []

    def update(self, node: Node, allocated: list, sends: list, final: bool) -> None:
        self.front |= {vc: vc.queue[0].packet for vc, _ in allocated}
        super().update(node, allocated, sends, final)

    def able(self, vc: InputVC) -> list[OutputVC]:
        packet = vc.queue[0].packet
        if self.switching == "saf" and not any(f.tail and f.packet is packet for f in vc.queue):
            return []
        if vc.committed is None and not self.candidates(vc.at, packet.address):
            if vc not in self.stranded:
                self.stranded.append(vc)
            return []
        return super().able(vc)

    def residents(self, buffer: Buffer) -> Iterator[Packet]:
        """Packets that have begun to come into a buffer and have not left it."""
        if buffer.vc.out is not None:
            yield self.front[buffer.vc]
        for flit in buffer.vc.queue:
            yield flit.packet
        for _, (index, flit) in buffer.wire.on_the_way():
            if index == buffer.index:
                yield flit.packet

    def is_dead(self, buffer: Buffer) -> bool:
        vcs = self.relation.vcs
        if buffer.vc.number < vcs.total:
            return int(vcs.channel[buffer.vc.number]) in self.channels
        return buffer.router in self.gone

    def destinations(self, silent: set[int]) -> set[int]:
        """Addresses of terminals that are gone."""
        return {a for a, t in enumerate(self.relation.destination.tolist()) if t in silent}

    def strike(self, death: Death) -> None:
        network, vcs = self.relation.network, self.relation.vcs
        self.gone |= set(death.routers)
        self.channels |= set(death.channels)
        for c in range(network.num_channels):
            if {int(network.source[c]), int(network.target[c])} & self.gone:
                self.channels.add(c)
        silent = {
            t for t in range(network.num_terminals) if {int(network.inject[t]), int(network.eject[t])} & self.gone
        }
        doomed = {}
        for buffer in self.buffers:
            for packet in self.residents(buffer):
                if self.is_dead(buffer) or packet.address in self.destinations(silent):
                    doomed[id(packet)] = packet
        for terminal in self.terminals:
            packet, far = terminal.packet, self.destinations(silent)
            if packet is not None and (terminal.number in silent or packet.address in far):
                doomed[id(packet)] = packet
        self.lose(doomed)
        dead = {v for v in range(vcs.total) if int(vcs.channel[v]) in self.channels}
        closed = {id(self.output[v]) for v in dead}
        for buffer in self.buffers:
            vc = buffer.vc
            if vc.out is not None and id(vc.out) in closed and vc.queue and vc.queue[0].head:
                if vc.queue[0].packet is self.front[vc]:
                    self.release(vc)
                    vc.routing_from = self.tick
            elif vc.out is None and vc.committed is not None:
                chosen = self.output.get(getattr(vc.committed, "vc", -1), vc.committed)
                if id(chosen) in closed or (
                    isinstance(chosen, OutputVC) and any(id(o) in closed for o in chosen.siblings)
                ):
                    vc.committed, vc.blocked = None, False
            if death.relation is not None and vc.out is None:
                vc.committed, vc.blocked = None, False
        relation = self.relation = death.relation or self.relation

        @cache
        def left(at: int, address: int) -> list[Candidate]:
            if int(relation.destination[address]) in silent:
                return []
            offered = [c for c in relation.candidates(at, address) if c.vc not in dead]
            return offered if any(c.waits for c in offered) else []

        self.candidates = left
        self.workload.threshold = [int(self.chance * rate * 2**53) for rate in death.pairs.rate.tolist()]
        self.workload.pairs = death.pairs

    def release(self, vc: InputVC) -> None:
        """The packet in front of a VC loses its output VC and what it chose."""
        if vc.out is not None:
            vc.out.owner = vc.out = None
        vc.committed, vc.blocked = None, False
        for node in self.routers:
            for port in node.entries + node.outputs:
                if port.holder is vc:
                    port.holder = None

    def lose(self, packets: dict[int, Packet]) -> None:
        self.lost += len(packets)
        for vc, out, wire, index, _ in self.buffers:
            first = self.front[vc] if vc.out is not None else vc.queue[0].packet if vc.queue else None
            kept = [flit for flit in vc.queue if id(flit.packet) not in packets]
            flits = len(vc.queue) - len(kept)
            for cycle, items in wire.items.items():
                stay = [item for item in items if item[0] != index or id(item[1].packet) not in packets]
                flits += len(items) - len(stay)
                wire.items[cycle] = stay
            out.credits += flits
            self.flits_in -= flits
            self.lost_flits += flits
            vc.queue.clear()
            vc.queue.extend(kept)
            if first is not None and id(first) in packets:
                self.release(vc)
                vc.routing_from = max(self.tick, vc.idle_from) + self.options.routing_delay
        for terminal in self.terminals:
            if terminal.packet is not None and id(terminal.packet) in packets:
                terminal.packet = terminal.vc = None
