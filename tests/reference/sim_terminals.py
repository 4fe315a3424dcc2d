"""Terminals of the plain simulator: when they create packets, where to and of what length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unknot.routing.relation import Relation
from unknot.simulation.engine.pairs import Pairs
from unknot.traffic.workload import Bursts, length_shares

from .sim_parts import OutputVC, Packet, Wire

WORD = 2**64 - 1


def scramble(word: int) -> int:
    """What SplitMix64 makes of its state."""
    z = word & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


class Generator:
    """SplitMix64, the upper 53 bits."""

    def __init__(self, state: int) -> None:
        self.state = int(state)

    def draw(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        return scramble(self.state) >> 11


@dataclass(eq=False)
class Terminal:
    number: int
    random: Generator
    injection: list[OutputVC]
    flits: Wire
    credits: Wire
    packet: Packet | None = None
    sent: int = 0
    vc: int | None = None
    last: int = 0
    drawn: int = 0
    on: bool = True


class Workload:
    """Draws packets; thresholds are of numbers of 53 bits."""

    def __init__(
        self,
        relation: Relation,
        pairs: Pairs,
        chance: float,
        length: int | Mapping[int, float],
        bursts: Bursts | None,
    ) -> None:
        self.relation, self.pairs, self.bursts = relation, pairs, bursts
        share_on = bursts.share_on if bursts else 1.0
        self.threshold = [int(chance * rate / share_on * 2**53) for rate in pairs.rate.tolist()]
        shares = length_shares(length)
        self.lengths = [flits for flits, _ in shares]
        self.limits = [round(2**53 * sum(share for _, share in shares[: i + 1])) for i in range(len(shares) - 1)]

    def begin(self, terminal: Terminal) -> None:
        """Whether the terminal is on to begin with."""
        if self.bursts:
            terminal.on = scramble(terminal.random.state + 1) >> 11 < int(self.bursts.share_on * 2**53)

    def wants_to_send(self, terminal: Terminal) -> bool:
        """One cycle of the terminal."""
        if self.bursts:
            x = terminal.random.draw()
            end, begin = int(self.bursts.end * 2**53), int(self.bursts.begin * 2**53)
            terminal.on = x >= end if terminal.on else x < begin
            if not terminal.on:
                return False
        return terminal.random.draw() < self.threshold[terminal.number]

    def address(self, terminal: Terminal) -> int:
        pairs, random, t = self.pairs, terminal.random, terminal.number
        if pairs.everyone >= 0:
            choices = [other for other in range(len(pairs.rate)) if pairs.everyone or other != t]
            pair = choices[random.draw() % len(choices)]
            if not pairs.addresses.size:
                return pair
        else:
            first, end = pairs.pair_first[t : t + 2].tolist()
            pair = first + random.draw() % (end - first)
        if pairs.keep.size and random.draw() >= pairs.keep[pair]:
            pair = int(pairs.other[pair])
        begin, end = pairs.address_range[2 * pair : 2 * pair + 2]
        usable = pairs.addresses[begin:end].tolist()
        drawn = usable[random.draw() % len(usable)] if len(usable) > 1 else usable[0]
        relation = self.relation
        if relation.direct is not None and self.relation.decides is None and len(usable) > 2:
            to = self.relation.destination[drawn]
            while drawn in (relation.direct_addresses(t, to), relation.direct_addresses(to, to)):
                drawn = usable[random.draw() % len(usable)]
        return drawn

    def length(self, terminal: Terminal) -> int:
        if len(self.lengths) == 1:
            return self.lengths[0]
        x = terminal.random.draw()
        return self.lengths[sum(x >= limit for limit in self.limits)]

    def create(self, terminal: Terminal, now: int) -> None:
        """A terminal without a packet draws for one cycle after the other until it has one, or is up to date."""
        if not self.threshold[terminal.number] and terminal.packet is None:
            terminal.drawn = now + 1
        while terminal.packet is None and terminal.drawn <= now:
            if self.wants_to_send(terminal):
                address = self.address(terminal)
                length = self.length(terminal)
                terminal.packet, terminal.sent = Packet(address, length, terminal.drawn, terminal.number), 0
            terminal.drawn += 1
