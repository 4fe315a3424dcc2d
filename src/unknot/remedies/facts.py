"""Facts about the candidates that have to be removed from a relation.

Where a relation is safe, there is an order of its VCs in which every header that is reached may wait for a VC that is
lower than its own: the turn to it falls. Where headers keep their choice, the turns to all candidates fall. Each fact
is a clause that holds for every choice of removed candidates after which the relation is safe and delivers, with such
an order:

- a cycle of VCs: one of its turns does not fall;
- a stop: a path leads to a header that waits for nothing that falls, unless a candidate on the path is removed, or
  one that it waits for is kept and falls;
- a rise: a path ends with a choice that is kept, and that does not fall, unless a candidate on it is removed;
- a detour: a path ends with a step that is on no shortest path, unless a candidate on it is removed;
- a knot of messages, each of which can come there past those before: they stand still for ever, unless a candidate on
  the path of one of them is removed, or one that a header may wait for and nobody in the knot holds is kept.

Lower bounds add them up by whole multipliers, in each leaf of a tree of choices (`branching.py`). The checker
(`unknot.certificates.plain`) derives the clauses of facts by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any, Literal

from unknot.certificates.verdict import Message
from unknot.certificates.verdict_claims import message_of
from unknot.network.graph import hops_around
from unknot.routing.relation import Relation
from unknot.routing.waiting import keeps_choice

Entry = tuple[int, ...]
"""A candidate: input VC, address, output VC. Or a turn, input VC and output VC, in the place of a candidate: it is
"removed" if it does not fall, and costs nothing."""
CANDIDATE = 3
"""Numbers of a candidate; a turn has two."""
InputVcs = tuple[int, ...]


@dataclass(frozen=True)
class Cycle:
    """VCs of which each turns to the next, and the last to the first."""

    vcs: InputVcs


@dataclass(frozen=True)
class PathFact:
    """A path from an injection port, and what is wrong at its end.

    Attributes
    ----------
    kind : {"stop", "rise", "detour"}
        Its header waits for nothing that falls; its last step has to fall, since headers keep their choice; or that
        step is on no shortest path.
    falling : tuple of int
        Of a stop: of these candidates the clause says that they fall, of the others that they are kept.
    """

    kind: Literal["stop", "rise", "detour"]
    address: int
    path: InputVcs
    falling: InputVcs = ()


@dataclass(frozen=True)
class Knot:
    """Messages that block each other."""

    messages: tuple[Message, ...]

    @property
    def comes(self) -> bool:
        """Whether the messages can arrive in some order, each before the messages in its way."""
        holder = {vc: i for i, message in enumerate(self.messages) for vc in message.held}
        later = {i: [holder[vc] for vc in m.lead if vc in holder] for i, m in enumerate(self.messages)}
        try:
            TopologicalSorter(later).prepare()
        except CycleError:
            return False
        return True


Fact = Cycle | PathFact | Knot
Literals = tuple[frozenset[Entry], frozenset[Entry]]
"""Clause: one of the first entries is removed, or one of the second is kept."""


def plain_fact(fact: Fact) -> dict[str, Any]:
    """A fact as plain data."""
    if isinstance(fact, Knot):
        return {"kind": "knot", "messages": [message_of(message) for message in fact.messages]}
    if isinstance(fact, Cycle):
        return {"kind": "cycle", "around": [int(vc) for vc in fact.vcs]}
    about = {"kind": fact.kind, "address": fact.address, "way": [int(at) for at in fact.path]}
    return {**about, "falling": [int(vc) for vc in fact.falling]} if fact.kind == "stop" else about


def literals(relation: Relation, fact: Fact, switching: str) -> Literals:
    """The clause of a fact; the fact is taken on trust, since the checker derives clauses anew."""
    if isinstance(fact, Knot):
        return _knot(relation, fact, switching)
    if isinstance(fact, Cycle):
        return frozenset(hops_around(fact.vcs)), frozenset()
    gone, (*before, last) = _steps(fact.address, fact.path), fact.path
    if fact.kind == "stop":
        waits = [c.vc for c in relation.candidates(last, fact.address) if c.waits and c.vc is not None]
        return gone, frozenset((last, vc) if vc in fact.falling else (last, fact.address, vc) for vc in waits)
    return gone, frozenset({(before[-1], last)} if fact.kind == "rise" else ())


def _knot(relation: Relation, fact: Knot, switching: str) -> Literals:
    held = {vc for message in fact.messages for vc in message.held}
    gone: set[Entry] = set()
    kept: set[Entry] = set()
    for message in fact.messages:
        path = (relation.num_vcs + message.source, *message.lead, *message.held)
        gone |= _steps(message.address, path)
        if keeps_choice(relation.commits, switching):
            gone |= {(path[-1], message.address, vc) for vc in message.wanted}
            continue
        last = relation.candidates(path[-1], message.address)
        kept |= {(path[-1], message.address, c.vc) for c in last if c.vc is not None and c.waits and c.vc not in held}
    return frozenset(gone), frozenset(kept)


def _steps(address: int, path: Sequence[int]) -> frozenset[Entry]:
    """The candidates that a path from an injection port takes."""
    return frozenset((at, address, then) for at, then in pairwise(path))
