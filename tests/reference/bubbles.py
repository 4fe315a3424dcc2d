"""Bubble flow control by its definition: every state that packets can come to, in plain Python, for a few VCs.

A state is the queue of each VC, the first packet in front, and the marked slot of each ring. Any terminal may send at
any time. In a VC of a ring each packet takes the room of the longest, elsewhere its own. Packets are deadlocked in a
state in which there are some, and no waiting header can move; or alone at a terminal, in an empty network that never
lets them in. Nothing is shared with `unknot.verify` or with the checker: the
relation is asked through `Relation.candidates` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from tests.reference.brute_force import TooLargeError
from unknot.flow_control import FlowControl
from unknot.routing.flow_controls import bubble as builder
from unknot.routing.relation import Relation

RULES = ("localised", "global", "critical")
Packet = tuple[int, int | None, int]
"""Address, the VC that its header has committed to (−1 to leave, None where none does), and length."""
State = tuple[tuple[tuple[Packet, ...], ...], tuple[int, ...]]
"""Packets of each VC; VC of the marked slot of each ring."""


@dataclass(frozen=True)
class Bubble:
    """Rings and their rule, as a paper says it.

    Attributes
    ----------
    rule, packets, rings
        As the builder takes them.
    unguarded
        VCs of rings that packets enter without the rule.
    """

    relation: Relation
    rule: str
    packets: int
    rings: tuple[tuple[int, ...], ...]
    unguarded: tuple[int, ...] = ()

    @property
    def flow(self) -> FlowControl:
        """The same as pools."""
        made = builder(self.relation, self.rule, packets=self.packets, rings=self.rings)
        loose = frozenset(self.unguarded)
        pools = tuple(replace(pool, unguarded=loose.intersection(pool.vcs)) for pool in made.pools)
        return replace(made, pools=pools)


def bubble(relation: Relation, rule: str, packets: int = 2, rings: Any = None) -> Bubble:
    """Rings and their rule on a relation, as the builder finds them."""
    pools = builder(relation, rule, packets=packets, rings=rings).pools
    loose = dict.fromkeys(vc for pool in pools for vc in sorted(pool.unguarded))
    return Bubble(relation, rule, packets, tuple(pool.vcs for pool in pools), tuple(loose))


class Explorer:
    """All states of a relation with bubble flow control."""

    def __init__(self, relation: Relation, bubble: Bubble, lengths: tuple[int, ...] = (1,)) -> None:
        self.relation, self.bubble, self.lengths = relation, bubble, lengths
        self.after = [dict(zip(ring, (*ring[1:], ring[0]), strict=True)) for ring in bubble.rings]
        self.may: dict[tuple[int, int], tuple[list[int], list[int]]] = {}

    def offers(self, at: int, address: int) -> tuple[list[int], list[int]]:
        """What a header may take, and what it waits for; −1 is to leave."""
        if (at, address) not in self.may:
            candidates = self.relation.candidates(at, address)
            self.may[at, address] = (
                [-1 if c.vc is None else c.vc for c in candidates],
                [-1 if c.vc is None else c.vc for c in candidates if c.waits or self.relation.commits],
            )
        return self.may[at, address]

    def fits(self, state: State, at: int, v: int, length: int) -> bool:
        """Whether a packet may go from an input VC or a port to a VC."""
        queues, marks = state
        if not any(v in after for after in self.after):
            held = sum(packet[2] for packet in queues[v])
            return held + length <= self.bubble.packets * max(self.lengths)
        free = self.bubble.packets - len(queues[v])
        if free == 0:
            return False
        if v in self.bubble.unguarded:
            return True
        for after in self.after:
            if v not in after or after.get(at) == v:
                continue
            if self.bubble.rule == "localised" and free < 2:
                return False
            if self.bubble.rule == "global" and sum(self.bubble.packets - len(queues[u]) for u in after) < 2:
                return False
            if self.bubble.rule == "critical":
                marked = [q for q, other in enumerate(self.after) if marks[q] == v and other.get(at) != v]
                if free - len(marked) < 1:
                    return False
        return True

    def moved(self, state: State, at: int, v: int, packet: Packet) -> State:
        """The state after a packet has gone from an input VC or a port to a VC, or left (−1)."""
        queues, marks = list(state[0]), list(state[1])
        if at < len(queues):
            queues[at] = queues[at][1:]
        if v >= 0:
            queues[v] = (*queues[v], packet)
            for r, after in enumerate(self.after):
                if marks[r] == v and after.get(at) == v and len(queues[v]) == self.bubble.packets:
                    marks[r] = at
        return tuple(queues), tuple(marks)

    def arrivals(self, v: int, address: int, length: int) -> list[Packet]:
        """A packet as it may come to a VC: with each choice where headers commit."""
        if v < 0 or not self.relation.commits:
            return [(address, None, length)]
        # One that comes to a dead end has nothing to choose from.
        return [(address, choice, length) for choice in self.offers(v, address)[0]] or [(address, None, length)]

    def steps(self, state: State) -> Iterator[tuple[State, bool]]:
        """States that follow, and whether a header moves there to what it waits for."""
        for at, queue in enumerate(state[0]):
            if queue:
                address, choice, length = queue[0]
                may, waits = self.offers(at, address)
                for v in may if choice is None else [choice]:
                    if v < 0 or self.fits(state, at, v, length):
                        for packet in self.arrivals(v, address, length):
                            yield self.moved(state, at, v, packet), v in waits

    def sends(self, state: State) -> Iterator[State]:
        """States after a terminal has sent a packet."""
        vcs = self.relation.num_vcs
        for address in range(self.relation.num_addresses):
            for source in self.relation.sources(address).tolist():
                for v, length in product(self.offers(vcs + source, address)[0], self.lengths):
                    if v >= 0 and self.fits(state, vcs + source, v, length):
                        for packet in self.arrivals(v, address, length):
                            yield self.moved(state, vcs + source, v, packet)

    def kept_out(self, state: State) -> bool:
        """Whether a terminal has a packet that cannot enter a network in which nothing moves."""
        vcs = self.relation.num_vcs
        for address in range(self.relation.num_addresses):
            for source in self.relation.sources(address).tolist():
                waits = self.offers(vcs + source, address)[1]
                open_ones = [v < 0 or self.fits(state, vcs + source, v, max(self.lengths)) for v in waits]
                if waits and not (all(open_ones) if self.relation.commits else any(open_ones)):
                    return True
        return False

    def deadlock(self, limit: int) -> State | None:
        """A state that is reached from the empty network and in which packets are deadlocked, or None."""
        start: State = (((),) * self.relation.num_vcs, tuple(ring[0] for ring in self.bubble.rings))
        seen, todo = {start}, [start]
        while todo:
            state = todo.pop()
            steps = list(self.steps(state))
            occupied = any(state[0])
            dead_end = any(q and not self.offers(at, q[0][0])[1] for at, q in enumerate(state[0]))
            if not dead_end and (not any(waited for _, waited in steps) if occupied else self.kept_out(state)):
                return state
            for other in [*(after for after, _ in steps), *self.sends(state)]:
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
            if len(seen) > limit:
                raise TooLargeError(f"more than {limit} states")
        return None
