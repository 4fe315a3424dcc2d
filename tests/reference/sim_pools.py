"""The plain simulator with pools of slots: packets are counted, VC by VC, and marks are moved, by the description.

A slot counts as taken from the cycle in which a packet is given it to the one in which the tail leaves it; a short
packet takes the slot of a long one. Where lengths differ nobody takes what a buffer has beyond its slots. Routers
decide one after the other; what is left counts from the next cycle on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unknot.flow_control import FlowControl
from unknot.flow_control.techniques import technique_of
from unknot.routing.relation import Relation

from .sim_parts import InputVC, Node, OutputVC
from .simulator import Requests, Sending, Simulator


class PoolSimulator(Simulator):
    def __init__(
        self, relation: Relation, flow: FlowControl, *, length: int | Mapping[int, float], **options: Any
    ) -> None:
        super().__init__(relation, technique_of(flow), length=length, **options)
        self.flow, self.slot = flow, flow.slot(length if isinstance(length, int) else max(length))
        self.vc_of = {id(out): v for v, out in self.output.items()}
        self.marks = flow.marks
        rest = 0 if isinstance(length, int) and flow.pools else options["depth"] % self.slot
        rest += (options["depth"] // self.slot - flow.packets) * self.slot if flow.pools else 0
        self.held, self.slack = [0] * relation.num_vcs, [rest] * relation.num_vcs

    def in_slots(self, v: int) -> bool:
        return v in self.flow.pools_of if self.flow.pools else self.flow.cell > 1

    def lets_in(self, vc: InputVC, out: OutputVC) -> bool:
        v = self.vc_of.get(id(out))
        if v is None or not self.in_slots(v):
            return True
        pools = [pool for pool in self.flow.pools if v in pool.vcs]
        guarding = [pool for pool in pools if pool.guards(vc.at, v)]
        free = (out.credits - self.slack[v]) // self.slot
        free -= any(pool.keeps == "slot of the buffer" for pool in guarding)
        free -= sum(mark == v and self.flow.pools[p] in guarding for p, mark in enumerate(self.marks))
        wanted = -(-vc.queue[0].packet.length // self.slot)
        # A ring with room for all that its VCs have room for keeps none out, but by what it keeps free.
        rings = [p for p in pools if p.hops and p.slots >= len(p.vcs) * self.flow.packets and "pool" not in p.keeps]
        return free >= wanted and all(pool.takes(self.held, vc.at, v) for pool in pools if pool not in rings)

    def match_vcs(self, node: Node, requested: Requests) -> list[tuple[InputVC, OutputVC]]:
        order = [vc for port in node.inputs for vc in port.vcs]
        allocated = []
        for vc, out in sorted(super().match_vcs(node, requested), key=lambda pair: order.index(pair[0])):
            if not self.lets_in(vc, out):
                continue
            allocated.append((vc, out))
            v = self.vc_of.get(id(out))
            if v is None:
                continue
            self.held[v] += 1
            full = out.credits - self.slack[v] < 2 * self.slot
            if self.in_slots(v):
                self.slack[v] += -vc.queue[0].packet.length % self.slot
            if full:
                self.marks = tuple(
                    vc.at if mark == v and (vc.at, v) in self.flow.pools[p].hops else mark
                    for p, mark in enumerate(self.marks)
                )
        return allocated

    def update(
        self, node: Node, allocated: list[tuple[InputVC, OutputVC]], sends: list[Sending], final: bool
    ) -> None:
        for sending in sends:
            if sending.vc.queue[0].tail and sending.vc.at < len(self.held):
                self.held[sending.vc.at] -= 1
                if self.in_slots(sending.vc.at):
                    self.slack[sending.vc.at] -= -sending.vc.queue[0].packet.length % self.slot
        super().update(node, allocated, sends, final)
