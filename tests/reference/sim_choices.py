"""Choices that packets make in the plain simulator: between two ways at the source, among output VCs on the way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from unknot.network import distances_from
from unknot.routing.relation import Candidate, Relation
from unknot.simulation.engine.router import Router

from .sim_parts import InputVC, Node, OutputVC, Packet
from .sim_terminals import scramble


class Choices:
    relation: Relation
    candidates: Callable[[int, int], list[Candidate]]
    switching: str
    options: Router
    select: int
    now: int
    output: dict[int, OutputVC]
    ejection: dict[int, list[OutputVC]]

    def compare(self, packet: Packet) -> None:
        direct = int(self.relation.direct_addresses(packet.source, self.relation.destination[packet.address]))
        if direct in (-1, packet.address):
            return
        (port, by_port, by_vc), (other, its_port, its_vc) = (
            self.costs(packet.source, address) for address in (direct, packet.address)
        )
        vcs = {"UGAL-L": False, "UGAL-L_VC": True, "UGAL-L_VCH": port == other}[self.relation.compares]
        if (by_vc <= its_vc) if vcs else (by_port <= its_port):
            packet.address = direct

    def decide(self, packet: Packet) -> None:
        """The other address, if the queues of the first router say so."""
        packet.decided = True
        relation, own = self.relation, packet.address
        decides = relation.decides
        block = relation.num_addresses // max(1, len(relation.classes)) // decides.blocks
        base = own - own % block
        if relation.direct is None:
            other = base + (own - base + block // 2) % block
        else:
            other = base + int(relation.direct_addresses(packet.source, relation.destination[own]))
            if other < base:
                return
        costs = []
        for address in (other, own):
            port = self.candidates(relation.num_vcs + packet.source, address)
            first = min(port, key=lambda c: c.tier).vc
            c = None if first is None else int(relation.vcs.channel[first])
            every = [] if c is None else range(relation.vcs.first[c], relation.vcs.first[c + 1])
            queued = sum(map(self.waiting, every))
            costs.append(queued * self.hops_of(packet.source, address) if decides.weight == 0 else queued)
        if costs[0] <= costs[1] * max(1, decides.weight) + decides.margin:
            packet.address = other

    def hops_of(self, source: int, address: int) -> int:
        at, hops = self.relation.num_vcs + source, 0
        while (first := min(self.candidates(at, address), key=lambda c: c.tier).vc) is not None:
            at, hops = first, hops + 1
        return hops

    def costs(self, source: int, address: int) -> tuple[int | None, float, float]:
        """First channel of a way; flits that wait for it or travel on it, on all its VCs or on candidates, × hops."""
        relation, way = self.relation, [self.relation.num_vcs + source]
        while len(way) <= relation.num_vcs + 1:
            offered = self.candidates(way[-1], address)
            if not offered:
                break
            vc = min(offered, key=lambda c: c.tier).vc
            if vc is None:
                if len(way) == 1:
                    return None, 0, 0
                c, hops = int(relation.vcs.channel[way[1]]), len(way) - 1
                every = range(relation.vcs.first[c], relation.vcs.first[c + 1])
                first = self.candidates(way[0], address)
                tier = min(one.tier for one in first)
                some = [one.vc for one in first if one.tier == tier and one.vc in every]
                return c, hops * sum(map(self.waiting, every)), hops * sum(map(self.waiting, some))
            way.append(vc)
        return None, float("inf"), float("inf")

    def waiting(self, vc: int) -> int:
        return self.output[vc].depth - self.output[vc].credits

    def able(self, vc: InputVC) -> list[OutputVC]:
        """The free candidates of the lowest tier that a header may ask for in this cycle."""
        packet = vc.queue[0].packet
        if self.switching == "saf" and not any(f.tail and f.packet is packet for f in vc.queue):
            return []
        if self.relation.decides and vc.at >= self.relation.num_vcs and not packet.decided:
            self.decide(packet)
        offered = self.candidates(vc.at, packet.address)
        assert offered
        ends = {c: [self.output[c.vc]] if c.vc is not None else self.exits(vc, packet) for c in offered}

        def free(c) -> list[OutputVC]:
            room = [o for o in ends[c] if o.free_for(packet.length, self.switching, self.options.claim_credit)]
            return [o for o in room if self.lets_in(vc, o)]

        if self.selection == "better_of_two":
            offered = self.better_of_two(vc, offered, ends)
        elif self.relation.commits:
            if vc.committed is None:
                if self.selection == "least_weight":
                    able = self.lightest(vc, packet, offered, offered, free)
                else:
                    able = [c for c in offered if free(c)] or offered
                vc.committed = min(able, key=lambda c: c.tier)
            offered = [vc.committed]
        elif vc.blocked:
            offered = [c for c in offered if c.waits]
        able = [c for c in offered if free(c)]
        if able and self.selection == "least_weight":
            able = self.lightest(vc, packet, offered, able, free)
        if not able:
            vc.blocked = True
            return []
        tiers = {c.tier for c in able} if self.options.all_tiers else {min(c.tier for c in able)}
        vc.lesser = {o for c in able if c.tier and not self.relation.commits for o in free(c)}
        return [o for c in able if c.tier in tiers for o in free(c)]

    def lets_in(self, vc: InputVC, out: OutputVC) -> bool:
        """Whether a rule of the network lets a packet into a VC that has room for it."""
        return True

    def exits(self, vc: InputVC, packet: Packet) -> list[OutputVC]:
        """The ejection VCs that a header may take."""
        every = self.ejection[int(self.relation.destination[packet.address])]
        return every if self.options.ejection == "any" else every[vc.index :][:1] or every[-1:]

    def better_of_two(self, vc: InputVC, offered: list, ends: dict) -> list:
        """Those of the port that the header keeps: of the ports of two drawn candidates the one with more room."""
        if vc.committed is None:
            best = [c for c in offered if c.tier == min(o.tier for o in offered)]
            drawn = self.draw(vc)
            first, second = (ends[best[n % len(best)]][0] for n in (drawn, drawn // len(best)))
            vc.committed = second if self.room(second) > self.room(first) else first
        return [c for c in offered if ends[c][0] in vc.committed.siblings]

    @property
    def selection(self) -> str:
        return self.options.selection or self.relation.selection or "all"

    def draw(self, vc: InputVC) -> int:
        return scramble(self.select ^ ((self.now << 32) + vc.number)) >> 11

    def lightest(self, vc: InputVC, packet: Packet, offered: list, able: list, free: Callable) -> list:
        """Of the able candidates one with the least product of hops and what a hop takes."""
        network, vcs = self.relation.network, self.relation.vcs
        home = int(network.eject[self.relation.destination[packet.address]])
        left = distances_from(network, home, reverse=True)
        weights = []
        for channel, run in groupby(offered, key=lambda c: -1 if c.vc is None else int(vcs.channel[c.vc])):
            same, weight = list(run), 0
            if channel >= 0:
                there, empty = int(left[network.target[channel]]), self.options.header_cycles
                empty += self.options.credit_delay + 2 * int(network.latency[channel])
                weight = empty + sum(self.output[c.vc].depth - self.output[c.vc].credits for c in same)
                weight *= 32768 if there < 0 else 1 + there
            weights += [(weight, c.tier, not free(c)) for c in same]
        least = min(w for w, c in zip(weights, offered, strict=True) if c in able)
        best = [c for w, c in zip(weights, offered, strict=True) if c in able and w == least]
        return [best[self.draw(vc) % len(best)]]

    @staticmethod
    def room(out: OutputVC) -> float:
        """Free slots behind all VCs of a port."""
        return float("inf") if out.endless else sum(o.credits + o.shared for o in out.siblings)

    def requests_of(self, node: Node, vc: InputVC) -> list[OutputVC]:
        """Which of them it requests."""
        able, choice = self.able(vc), self.selection
        if not able or choice in ("all", "better_of_two"):
            return able
        outputs = node.output_vcs(self.options.terminal_width)

        def any_of(outs: list[OutputVC]) -> list[OutputVC]:
            return [sorted(outs, key=outputs.index)[self.draw(vc) % len(outs)]]

        match choice:
            case "first":
                return able[:1]
            case "random" | "least_weight":
                return any_of(able)
            case "round_robin":
                return [min(able, key=lambda o: (outputs.index(o) - vc.accept) % len(outputs))]
            case "most_credits":
                return any_of([out for out in able if self.room(out) == max(map(self.room, able))])
        return able
