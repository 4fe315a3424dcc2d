"""Pools of slots by their definition: every state that packets can come to, in plain Python, for a few VCs.

A state is the queue of each VC, the first packet in front, and the VC of each mark. Any terminal may send at any
time. Packets are deadlocked in a state in which there are some, and no waiting header can move; or alone at a
terminal, in an empty network that never lets them in. Nothing is shared with `unknot.verify`, with the checker, or
with the functions of the record of flow control, of which only the fields are read.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.reference.brute_force import TooLargeError
from unknot.flow_control.model import FlowControl
from unknot.routing.relation import Relation

Packet = tuple[int, int | None]
"""Address, and the VC that its header has committed to: −1 to leave, None where none does."""
State = tuple[tuple[tuple[Packet, ...], ...], tuple[int, ...]]
Move = tuple[int, int, Packet]
"""From an input VC or a port, to a VC or −1 to leave, and the packet as it is there."""


class Explorer:
    """All states of a relation whose VCs share pools of slots."""

    def __init__(self, relation: Relation, flow: FlowControl) -> None:
        self.relation, self.flow = relation, flow
        self.start: State = ((),) * relation.num_vcs, tuple(pool.vcs[0] for pool in flow.pools)
        self.known: dict[tuple[int, int], tuple[list[int], list[int]]] = {}

    def offers(self, at: int, address: int) -> tuple[list[int], list[int]]:
        """What a header may take, and what it waits for; −1 is to leave."""
        if (at, address) not in self.known:
            candidates = self.relation.candidates(at, address)
            names = [-1 if c.vc is None else c.vc for c in candidates]
            waited = [-1 if c.vc is None else c.vc for c in candidates if c.waits or self.relation.commits]
            self.known[at, address] = names, waited
        return self.known[at, address]

    def fits(self, state: State, at: int, v: int) -> bool:
        """Whether a packet may go from an input VC or a port to a VC."""
        queues, marks = state
        room = self.flow.packets - len(queues[v])
        for pool, mark in zip(self.flow.pools, marks, strict=True):
            if v not in pool.vcs:
                continue
            along = (at, v) in pool.hops
            comes_in = not along and v not in pool.unguarded
            if not along and len(queues[v]) >= pool.own:
                taken = [max(0, len(queues[u]) - pool.own) for u in pool.vcs]
                if pool.slots - sum(taken) < (2 if comes_in and pool.keeps == "slot of the pool" else 1):
                    return False
            if comes_in and pool.keeps == "marked slot" and mark == v:
                room -= 1
        buffers = [pool for pool in self.flow.pools if v in pool.vcs and pool.keeps == "slot of the buffer"]
        if any((at, v) not in pool.hops and v not in pool.unguarded for pool in buffers):
            room -= 1
        return room > 0

    def moved(self, state: State, move: Move) -> State:
        """The state after a move."""
        at, v, packet = move
        queues, marks = list(state[0]), list(state[1])
        if at < len(queues):
            queues[at] = queues[at][1:]
        if v >= 0:
            queues[v] = (*queues[v], packet)
            for number, pool in enumerate(self.flow.pools):
                last = len(queues[v]) == self.flow.packets
                if pool.keeps == "marked slot" and marks[number] == v and (at, v) in pool.hops and last:
                    marks[number] = at
        return tuple(queues), tuple(marks)

    def arrivals(self, v: int, address: int) -> list[Packet]:
        """A packet as it may come to a VC: with each choice where headers commit."""
        if v < 0 or not self.relation.commits:
            return [(address, None)]
        return [(address, choice) for choice in self.offers(v, address)[0]] or [(address, None)]

    def steps(self, state: State) -> Iterator[tuple[Move, bool]]:
        """Moves of packets in the network, and whether a header moves to what it waits for."""
        for at, queue in enumerate(state[0]):
            if queue:
                address, choice = queue[0]
                may, waits = self.offers(at, address)
                for v in may if choice is None else [choice]:
                    if v < 0 or self.fits(state, at, v):
                        yield from (((at, v, packet), v in waits) for packet in self.arrivals(v, address))

    def sends(self, state: State) -> Iterator[Move]:
        """Moves by which a terminal sends a packet."""
        for address in range(self.relation.num_addresses):
            for source in self.relation.sources(address).tolist():
                at = self.relation.num_vcs + source
                for v in self.offers(at, address)[0]:
                    if v >= 0 and self.fits(state, at, v):
                        yield from ((at, v, packet) for packet in self.arrivals(v, address))

    def kept_out(self, state: State) -> tuple[int, int, list[int]] | None:
        """A terminal, an address and what its header waits for, if it cannot enter where nothing moves."""
        for address in range(self.relation.num_addresses):
            for source in self.relation.sources(address).tolist():
                at = self.relation.num_vcs + source
                waits = self.offers(at, address)[1]
                for choice in [[v] for v in waits] if self.relation.commits else [waits] * bool(waits):
                    if not any(v < 0 or self.fits(state, at, v) for v in choice):
                        return source, address, choice
        return None

    def stuck(self, state: State) -> bool:
        """Whether packets are deadlocked in a state."""
        if not any(state[0]):
            return self.kept_out(state) is not None
        ends = [self.offers(at, queue[0][0])[1] for at, queue in enumerate(state[0]) if queue]
        return all(ends) and not any(waited for _, waited in self.steps(state))

    def runs(self, limit: int) -> dict[State, list[Move]]:
        """All states, each with moves that lead there, up to the first deadlock, which is the last."""
        runs: dict[State, list[Move]] = {self.start: []}
        todo = [self.start]
        while todo:
            state = todo.pop()
            if self.stuck(state):
                runs[state] = runs.pop(state)
                return runs
            for move in [*(move for move, _ in self.steps(state)), *self.sends(state)]:
                other = self.moved(state, move)
                if other not in runs:
                    runs[other] = [*runs[state], move]
                    todo.append(other)
            if len(runs) > limit:
                raise TooLargeError(f"more than {limit} states")
        return runs

    def follows(self, run: list[Move]) -> State | None:
        """The state after some moves; None if one of them is not possible."""
        state = self.start
        for move in run:
            at, v, (address, _) = move
            port = at >= self.relation.num_vcs
            legal = [*self.sends(state)] if port else [one for one, _ in self.steps(state)]
            if (at, v, address) not in [(a, to, packet[0]) for a, to, packet in legal]:
                return None
            state = self.moved(state, move)
        return state
