"""Traces in the plain simulator: every terminal looks every cycle for the message that has been ready longest."""

from __future__ import annotations

from unknot.simulation.engine.pairs import nobody
from unknot.traffic.trace import Trace

from .simulator import Packet, Simulator, Terminal


class TraceSimulator(Simulator):
    """`ready`, `injected` and `arrived` are the cycles of each message that came so far."""

    def __init__(self, relation, trace: Trace, switching: str, *, depth: int) -> None:
        pairs = nobody(relation.network.num_terminals)
        super().__init__(relation, switching, length=1, depth=depth, chance=0.0, seed=0, pairs=pairs)
        self.messages = list(enumerate(trace))
        self.packets: dict[int, Packet] = {}
        self.ready: dict[int, int] = {}
        self.ends: dict[int, int] = {}

    def play(self, cycles: int) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
        while len(self.ends) < len(self.messages) and self.now < cycles:
            self.run(1)
        injected = {i: packet.injected for i, packet in self.packets.items() if packet.injected >= 0}
        return self.ready, injected, self.ends

    def create(self, terminal: Terminal) -> None:
        for i, message in self.messages:
            if message.source == terminal.number and i not in self.ready:
                known = [self.ends.get(need) for need in message.needs]
                if None not in known:
                    cycle = max([message.cycle, *(end + message.delay for end in known)])
                    if cycle <= self.now:
                        self.ready[i] = cycle
        waiting = [i for i in self.ready if i not in self.packets and self.messages[i][1].source == terminal.number]
        if terminal.packet is None and waiting:
            i = min(waiting, key=lambda i: (self.ready[i], i))
            message = self.messages[i][1]
            (address,) = (self.relation.destination == message.destination).nonzero()[0].tolist()
            terminal.packet = self.packets[i] = Packet(address, message.flits, self.now, terminal.number)
            terminal.sent = 0

    def record(self, packet: Packet, cycle: int) -> tuple[int, int, int]:
        (number,) = [i for i, known in self.packets.items() if known is packet]
        self.ends[number] = cycle
        return super().record(packet, cycle)
