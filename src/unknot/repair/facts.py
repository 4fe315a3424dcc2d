"""Facts about the candidates that have to be removed from a relation.

Each fact is a clause that holds for every choice of removed candidates after which the relation is safe and delivers:

- a knot of messages: they stand still for ever, unless a candidate on the path of one of them is removed, or one that
  a header may wait for and nobody in the knot holds is kept;
- a trap: a path leads to input VCs that nothing leaves for the destination, unless a candidate on it is removed,
  or one that leads out of the trap is kept;
- a detour: a path ends with a step that is on no shortest path, unless a candidate on it is removed.

Lower bounds add them up by whole multipliers, in each leaf of a tree of choices (`branching.py`). The checker
(`unknot.certificates.plain`) derives the clauses of facts by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from unknot.certificates import Rejected
from unknot.certificates.documents import message_of
from unknot.certificates.verdict import Message
from unknot.network import distances_from
from unknot.routing.relation import Relation

Entry = tuple[int, int, int]
"""A candidate: input VC, address, output VC."""
InputVcs = tuple[int, ...]


@dataclass(frozen=True)
class Knot:
    """Messages that block each other."""

    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Trap:
    """Input VCs that a path leads to, the last of it among them, and that no packet leaves for its destination.

    `waits`: it is one input VC, whose candidates that are kept are none that a header waits for.
    """

    address: int
    path: InputVcs
    input_vcs: InputVcs
    waits: bool = False


@dataclass(frozen=True)
class Detour:
    """A path whose last step is on no shortest path."""

    address: int
    path: InputVcs


Fact = Knot | Trap | Detour
Literals = tuple[frozenset[Entry], frozenset[Entry]]
"""Clause: one of the first candidates is removed, or one of the second is kept."""


def plain_fact(fact: Fact) -> dict[str, Any]:
    """A fact as plain data."""
    if isinstance(fact, Knot):
        return {"kind": "knot", "messages": [message_of(message) for message in fact.messages]}
    path = [int(at) for at in fact.path]
    if isinstance(fact, Detour):
        return {"kind": "detour", "address": fact.address, "way": path}
    if fact.waits:
        return {"kind": "unwaited", "address": fact.address, "way": path}
    return {"kind": "trap", "address": fact.address, "way": path, "input_vcs": [int(at) for at in fact.input_vcs]}


def literals(relation: Relation, fact: Fact, switching: str) -> Literals:
    """The clause of a fact; raise `Rejected` if it is none."""
    if isinstance(fact, Knot):
        return _knot(relation, fact, switching)
    gone = _steps(relation, fact.address, fact.path)
    home = int(relation.network.eject[relation.destination[fact.address]])
    if isinstance(fact, Detour):
        if len(fact.path) < 2:
            raise Rejected("a detour has a step")
        away = distances_from(relation.network, home, reverse=True)
        here, there = (int(relation.vcs.router[at]) for at in fact.path[-2:])
        if int(away[there]) == int(away[here]) - 1 or int(away[here]) < 0:
            raise Rejected(f"the step to {relation.vcs.name(fact.path[-1])} is on a shortest path")
        return gone, frozenset()
    if fact.path[-1] not in fact.input_vcs or (fact.waits and len(fact.input_vcs) > 1):
        raise Rejected("a trap has the place to which its path leads")
    kept: set[Entry] = set()
    for at in fact.input_vcs:
        for candidate in relation.candidates(at, fact.address):
            if candidate.vc is None:
                raise Rejected(f"a packet leaves the network at {relation.vcs.name(at)}: that is no trap")
            if candidate.waits if fact.waits else candidate.vc not in fact.input_vcs:
                kept.add((at, fact.address, candidate.vc))
    return gone, frozenset(kept)


def _knot(relation: Relation, fact: Knot, switching: str) -> Literals:
    held = [vc for message in fact.messages for vc in message.held]
    queues = switching == "wormhole-nonatomic"
    tails = {message.held[0] for message in fact.messages if message.held}
    if not held or len(set(held)) < len(held) or any(not message.held for message in fact.messages):
        raise Rejected("messages of a knot hold VCs of their own")
    gone: set[Entry] = set()
    kept: set[Entry] = set()
    for message in fact.messages:
        if switching in ("saf", "vct") and len(message.held) > 1:
            raise Rejected(f"a message holds several VCs under {switching}")
        path = (relation.num_vcs + message.source, *message.lead, *message.held)
        gone |= _steps(relation, message.address, path)
        last = relation.candidates(path[-1], message.address)
        if queues or relation.commits:
            chosen = set(message.wanted)
            legal = {c.vc for c in last if c.waits or queues}
            if len(chosen) != 1 or not chosen <= legal or not chosen <= (tails if queues else set(held)):
                raise Rejected("a header that keeps its choice waits for one VC of the knot")
            gone |= {(path[-1], message.address, vc) for vc in chosen}
            continue
        if any(c.vc is None for c in last if c.waits):
            raise Rejected("a header may leave the network")
        kept |= {(path[-1], message.address, c.vc) for c in last if c.vc is not None and c.waits and c.vc not in held}
    return frozenset(gone), frozenset(kept)


def _steps(relation: Relation, address: int, path: Sequence[int]) -> frozenset[Entry]:
    """The candidates that a path from an injection port takes."""
    if not 0 <= address < relation.num_addresses or not path:
        raise Rejected(f"there is no address {address}, or no way")
    if path[0] - relation.num_vcs not in relation.sources(address).tolist():
        raise Rejected(f"nobody sends to address {address} from place {path[0]}")
    steps = set()
    for at, then in pairwise(path):
        if then not in [c.vc for c in relation.candidates(at, address)]:
            raise Rejected(f"{relation.vcs.name(at)} has no candidate {then}")
        steps.add((at, address, then))
    return frozenset(steps)
