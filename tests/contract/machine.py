"""Every network state that packets can bring about, flit by flit, written from the definition of the techniques.

A state is what the buffers hold, and what each header has decided. Nobody asks here what a blocked header waits for
in a deadlock configuration: a network is stuck when it holds flits and none of them can move. The adversary injects
any packets at any time, orders all moves, and may have any NO_WAIT candidate taken away by someone else in the moment
at which a header would take it.

The table of the relation is read as its rule wrote it; nothing is shared with prover, checker and simulator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unknot._base.switching import Switching
from unknot.routing.relation import Relation

OUT = (1 << 40) - 1
OPTIONAL = 1 << 48
FRESH, WAITING = -1, -2


class Part(NamedTuple):
    """The part of a packet in one buffer: flits that came in and went out, and where they go (FRESH: undecided)."""

    address: int
    length: int
    came: int
    went: int
    to: int
    granted: bool


Buffers = tuple[tuple[Part, ...], ...]
"""Parts in each VC, first in first out, then the packet that each terminal is injecting."""


@dataclass(frozen=True)
class Candidates:
    """What the rule writes for a state: all candidates, and those without the mark NO_WAIT."""

    all: tuple[int, ...]
    waited: tuple[int, ...]


class Machine:
    """A network under a technique, with buffers of `depth` flits and packets of the given lengths."""

    def __init__(self, relation: Relation, switching: Switching, depth: int, lengths: tuple[int, ...]) -> None:
        self.relation, self.switching, self.depth, self.lengths = relation, switching, depth, lengths
        self.vcs, self.terminals = relation.num_vcs, relation.network.num_terminals
        self.known: dict[tuple[int, int], Candidates] = {}
        self.senders = [(int(t), a) for a in range(relation.num_addresses) for t in relation.sources(a)]
        self.room = np.zeros(64, dtype=np.int64)

    def candidates(self, at: int, address: int) -> Candidates:
        """The answer of the rule, as it is written."""
        if (at, address) not in self.known:
            written = self.room[: int(self.relation.rule(at, address, self.room))].tolist()
            self.known[at, address] = Candidates(
                tuple(dict.fromkeys(value & OUT for value in written)),
                tuple(dict.fromkeys(value & OUT for value in written if not value & OPTIONAL)),
            )
        return self.known[at, address]

    def available(self, state: Buffers, vc: int, length: int) -> bool:
        """Whether a header may be granted a VC: empty (wormhole), no one's (non-atomic), or with room for all."""
        if vc == OUT or not state[vc]:
            return True
        parts = state[vc]
        if self.switching == "wormhole" or parts[-1].came < parts[-1].length:
            return False
        if self.switching == "wormhole-nonatomic":
            return True
        return sum(part.length - part.went for part in parts) + length <= self.depth

    def accepts(self, state: Buffers, vc: int) -> bool:
        """Whether a VC has room for another flit."""
        return vc == OUT or sum(part.came - part.went for part in state[vc]) < self.depth

    def own_moves(self, state: Buffers) -> Iterator[Buffers]:
        """What can happen without anybody's will: grants, and flits that move; commitments of headers that commit."""
        for at, parts in enumerate(state):
            if not parts or parts[0].came == parts[0].went:
                continue
            part = parts[0]
            if part.granted:
                if self.accepts(state, part.to):
                    yield self.moved(state, at, part)
                continue
            if self.switching == "saf" and part.came < part.length:
                continue
            offered = self.candidates(at, part.address)
            if part.to == FRESH and self.relation.commits:
                for vc in offered.all:
                    yield self.changed(state, at, part._replace(to=vc))
                continue
            choices = (part.to,) if part.to >= 0 else offered.waited if part.to == WAITING else offered.all
            for vc in choices:
                if self.available(state, vc, part.length):
                    yield self.granted(state, at, part, vc)

    def adversary_moves(self, state: Buffers) -> Iterator[Buffers]:
        """Packets that are injected, and headers from which all that they do not wait for is taken away."""
        for terminal, address in self.senders:
            at = self.vcs + terminal
            if not state[at]:
                for length in self.lengths:
                    part = Part(address, length, length, 0, FRESH, False)
                    for vc in self.candidates(at, address).all:
                        if vc != OUT and self.available(state, vc, length):
                            yield self.granted(self.changed(state, at, part), at, part, vc)
        if self.relation.commits:
            return
        for at, parts in enumerate(state[: self.vcs]):
            if parts and parts[0].came > parts[0].went and parts[0].to == FRESH:
                part = parts[0]
                offered = self.candidates(at, part.address)
                if len(offered.waited) < len(offered.all):
                    blocked = not any(self.available(state, vc, part.length) for vc in offered.waited)
                    if blocked and (self.switching != "saf" or part.came == part.length):
                        yield self.changed(state, at, part._replace(to=WAITING))

    @staticmethod
    def changed(state: Buffers, at: int, part: Part) -> Buffers:
        return (*state[:at], (part, *state[at][1:]), *state[at + 1 :])

    def granted(self, state: Buffers, at: int, part: Part, vc: int) -> Buffers:
        """A header is granted a VC; where there is sure to be room, it goes there at once."""
        part = part._replace(to=vc, granted=True)
        state = self.changed(state, at, part)
        if vc != OUT:
            coming = Part(part.address, part.length, 0, 0, FRESH, False)
            state = (*state[:vc], (*state[vc], coming), *state[vc + 1 :])
        return self.moved(state, at, part) if self.accepts(state, vc) else state

    @staticmethod
    def moved(state: Buffers, at: int, part: Part) -> Buffers:
        """The first flit of a buffer goes where its packet goes."""
        buffers = list(state)
        sent = part._replace(went=part.went + 1)
        buffers[at] = state[at][1:] if sent.went == sent.length else (sent, *state[at][1:])
        if part.to != OUT:
            last = buffers[part.to][-1]
            buffers[part.to] = (*buffers[part.to][:-1], last._replace(came=last.came + 1))
        return tuple(buffers)


@dataclass(frozen=True)
class Outcome:
    """A state that is stuck, or None: there is none (`complete`), or there were too many states to tell."""

    stuck: Buffers | None
    states: int
    complete: bool


def explore(machine: Machine, limit: int) -> Outcome:
    """Visit the states that can be reached from the empty network until one is stuck, or `limit` were seen."""
    empty: Buffers = ((),) * (machine.vcs + machine.terminals)
    seen, todo = {empty}, [empty]
    while todo:
        state = todo.pop()
        moves = list(machine.own_moves(state))
        if not moves and any(state[: machine.vcs]):
            return Outcome(state, len(seen), True)
        for after in (*moves, *machine.adversary_moves(state)):
            if after not in seen:
                if len(seen) >= limit:
                    return Outcome(None, len(seen), False)
                seen.add(after)
                todo.append(after)
    return Outcome(None, len(seen), True)
