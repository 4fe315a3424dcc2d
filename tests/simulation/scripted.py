"""The plain simulator with packets by hand, and a log of who won what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.reference.sim_parts import Node, OutputVC, Packet
from tests.reference.sim_terminals import Terminal
from tests.reference.simulator import Simulator
from unknot._base.switching import Switching
from unknot.network import Network
from unknot.routing import EJECT, Relation
from unknot.simulation.engine.pairs import nobody
from unknot.simulation.engine.router import Router


class Sent(NamedTuple):
    cycle: int
    packet: Packet
    flit: int
    into: int
    out: OutputVC


class Scripted(Simulator):
    """Terminals inject given packets, each from a given cycle on; the log holds who won what, and when."""

    def __init__(
        self,
        relation: Relation,
        packets: Sequence[tuple[int, Packet]],
        *,
        switching: Switching = "wormhole-nonatomic",
        depth: int = 64,
        seed: int = 1,
        router: Router,
    ) -> None:
        pairs = nobody(relation.network.num_terminals)
        super().__init__(relation, switching, length=1, depth=depth, chance=0, seed=seed, pairs=pairs, router=router)
        self.waiting = list(packets)
        self.sent: list[Sent] = []
        self.allocated: list[tuple[int, int, OutputVC]] = []
        self.ends: dict[int, int] = {}
        for _ in range(4000):
            self.run(1)
            if len(self.ends) == len(packets):
                break

    def create(self, terminal: Terminal) -> None:
        for k, (cycle, packet) in enumerate(self.waiting):
            if terminal.packet is None and packet.source == terminal.number and cycle <= self.now:
                terminal.packet, terminal.sent = packet, 0
                del self.waiting[k]
                break

    def record(self, packet: Packet, cycle: int) -> tuple[int, int, int]:
        self.ends[id(packet)] = cycle
        return super().record(packet, cycle)

    def update(self, node: Node, allocated: list, sends: list, final: bool) -> None:
        self.allocated += [(self.now, vc.number, out) for vc, out in allocated]
        for sending in sends:
            flit = sending.vc.queue[0]
            out = next(out for vc, out in allocated if vc is sending.vc) if not sending.vc.out else sending.vc.out
            self.sent.append(Sent(self.now, flit.packet, flit.index, sending.vc.number, out))
        super().update(node, allocated, sends, final)

    def number(self, out: OutputVC) -> int:
        return next((v for v, end in self.output.items() if end is out), -1)

    def on(self, relation: Relation, channel: int) -> list[Sent]:
        """What was sent into a channel."""
        numbers = range(int(relation.vcs.first[channel]), int(relation.vcs.first[channel + 1]))
        return [sent for sent in self.sent if self.number(sent.out) in numbers]


def fork(candidates: Sequence[int]) -> Relation:
    """Terminals 0 and 1 at a router that has two channels, of VCs 0, 1 and 2, 3, to the router of terminals 2 and 3;
    all packets from there to here are offered the same candidates."""
    network = Network("fork", 2, [0, 0, 1], [1, 1, 0], inject=[0, 0, 1, 1], eject=[0, 0, 1, 1])
    offers = np.array(candidates)

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = 1 if at < 4 or at >= 7 else 0
        if here == address // 2:
            out[0] = EJECT
            return 1
        if here == 1:
            out[0] = 4
            return 1
        for k in range(offers.size):
            out[k] = offers[k]
        return offers.size

    return Relation(network, [2, 2, 1], rule, name="fork")
