"""The plain simulator with a watchdog: whoever stands blocked at two looks in a row is dropped and sent again."""

from __future__ import annotations

from typing import Any

from unknot.routing.relation import Relation

from .sim_parts import Packet
from .sim_terminals import Terminal
from .simulator import Simulator


class WatchdogSimulator(Simulator):
    def __init__(self, relation: Relation, switching: str, *, watchdog: int, **options: Any) -> None:
        super().__init__(relation, switching, **options)
        self.interval, self.dropped = watchdog, 0
        self.stood: dict[int, tuple[Packet, int]] = {}
        self.again: dict[int, list[Packet]] = {t.number: [] for t in self.terminals}

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            super().run(1)
            if self.now % self.interval == 0:
                self.look()

    def look(self) -> None:
        before, self.stood = self.stood, {}
        for vc in self.input:
            packet = vc.queue[0].packet if vc.queue else None
            if packet is None or not vc.blocked or vc.out is not None:
                continue
            if sum(flit.packet is packet for flit in vc.queue) < packet.length:
                continue
            self.stood[vc.number] = packet, packet.injected
            if before.get(vc.number) == (packet, packet.injected):
                for _ in range(packet.length):
                    vc.queue.popleft()
                self.output[vc.number].credits += packet.length
                vc.blocked, vc.committed, vc.routing_from = False, None, self.tick
                self.flits_in -= packet.length
                self.dropped += 1
                packet.hops, packet.decided = 0, False
                self.again[packet.source].append(packet)

    def create(self, terminal: Terminal) -> None:
        if terminal.packet is None and self.again[terminal.number]:
            terminal.packet, terminal.sent = self.again[terminal.number].pop(0), 0
        super().create(terminal)
