"""The plain simulator with bubble flow control: packets are counted, VC by VC, and marks are moved, by the rules.

A slot counts as taken from the cycle in which a packet is given it to the one in which the tail leaves it; a short
packet takes the slot of a long one. Where lengths differ nobody takes what a buffer has beyond its slots. Routers
decide one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unknot.routing.bubble import Bubble
from unknot.routing.relation import Relation

from .sim_parts import InputVC, Node, OutputVC
from .simulator import Sending, Simulator, Wishes


class BubbleSimulator(Simulator):
    def __init__(
        self, relation: Relation, bubble: Bubble, *, length: int | Mapping[int, float], **options: Any
    ) -> None:
        super().__init__(relation, "vct", length=length, **options)
        self.bubble, self.length = bubble, length if isinstance(length, int) else max(length)
        self.vc_of = {id(out): v for v, out in self.output.items()}
        self.after = [dict(zip(ring, (*ring[1:], ring[0]), strict=True)) for ring in bubble.rings]
        self.marks = [ring[0] for ring in bubble.rings]
        rest = 0 if isinstance(length, int) else options["depth"] % self.length
        self.taken, self.slack = [0] * relation.num_vcs, [rest] * relation.num_vcs

    def lets_in(self, vc: InputVC, out: OutputVC) -> bool:
        v = self.vc_of.get(id(out))
        entered = [r for r, after in enumerate(self.after) if v in after and after.get(vc.at) != v]
        if v is None or not any(v in after for after in self.after):
            return True
        free = (out.credits - self.slack[v]) // self.length
        if free < 1 or v in self.bubble.unguarded or not entered:
            return free >= 1
        if self.bubble.rule == "localised":
            return free >= 2
        if self.bubble.rule == "critical":
            return free > sum(self.marks[r] == v for r in entered)
        slots = [len(after) * self.bubble.packets - sum(self.taken[u] for u in after) for after in self.after]
        return all(slots[r] >= 2 for r in entered)

    def match_vcs(self, node: Node, wished: Wishes) -> list[tuple[InputVC, OutputVC]]:
        order = [vc for port in node.inputs for vc in port.vcs]
        allocated = []
        for vc, out in sorted(super().match_vcs(node, wished), key=lambda pair: order.index(pair[0])):
            if not self.lets_in(vc, out):
                continue
            allocated.append((vc, out))
            v = self.vc_of.get(id(out))
            if v is None:
                continue
            self.taken[v] += 1
            full = out.credits - self.slack[v] < 2 * self.length
            if any(v in after for after in self.after):
                self.slack[v] += self.length - vc.queue[0].packet.length
            for r, after in enumerate(self.after):
                if self.marks[r] == v and after.get(vc.at) == v and full:
                    self.marks[r] = vc.at
        return allocated

    def update(
        self, node: Node, allocated: list[tuple[InputVC, OutputVC]], sends: list[Sending], final: bool
    ) -> None:
        for sending in sends:
            if sending.vc.queue[0].tail and sending.vc.at < len(self.taken):
                self.taken[sending.vc.at] -= 1
                if any(sending.vc.at in after for after in self.after):
                    self.slack[sending.vc.at] -= self.length - sending.vc.queue[0].packet.length
        super().update(node, allocated, sends, final)
