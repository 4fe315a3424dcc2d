"""Lower bounds on the candidates that have to be removed from a relation, and their small checker.

Each fact is a clause that holds for every choice of removed candidates after which the relation is safe and delivers:

- a knot of messages: they stand still for ever, unless a candidate on the way of one of them is removed, or one that
  a header may wait for and nobody in the knot holds is kept;
- a trap: a way leads to input VCs that nothing leaves for the destination, unless a candidate on the way is removed,
  or one that leads out of the trap is kept;
- a detour: a way ends with a step that is on no shortest path, unless a candidate on it is removed.

The facts are added up by whole multipliers, or they and "at most n are removed" contradict each other, by a proof
every clause of which follows by unit propagation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from unknot.certificates import Rejected
from unknot.errors import RelationError
from unknot.network import distances_from
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.synthesis.refutation import Learnt, contradict
from unknot.verify.verdict import Message

Entry = tuple[int, int, int]
"""A candidate: input VC, address, output VC."""
InputVcs = tuple[int, ...]
SCALE = 10**9


@dataclass(frozen=True)
class Knot:
    """Messages that block each other."""

    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Trap:
    """Input VCs that a way leads to, the last of it among them, and that no packet leaves for its destination.

    `waits`: it is one input VC, whose candidates that are kept are none that a header waits for.
    """

    address: int
    way: InputVcs
    input_vcs: InputVcs
    waits: bool = False


@dataclass(frozen=True)
class Detour:
    """A way whose last step is on no shortest path."""

    address: int
    way: InputVcs


Fact = Knot | Trap | Detour
Literals = tuple[frozenset[Entry], frozenset[Entry]]
"""Clause: one of the first candidates is removed, or one of the second is kept."""


@dataclass(frozen=True, eq=False)
class PruneBound:
    """Proof that fewer removed candidates are not enough.

    Attributes
    ----------
    facts : tuple of Knot, Trap or Detour
    multipliers : tuple of int
        One for each fact, in parts of `SCALE`; empty if there is a proof instead.
    learnt : int32 array
        Clauses, each ended by a 0, that follow one after the other from the facts and from "fewer than `claimed` are
        removed", and contradict them in the end.
    claimed : int
        What the proof shows.
    """

    facts: tuple[Fact, ...]
    multipliers: tuple[int, ...]
    learnt: Learnt
    claimed: int = 0


def literals(relation: Relation, fact: Fact, switching: str) -> Literals:
    """The clause of a fact; raise `Rejected` if it is none."""
    if isinstance(fact, Knot):
        return _knot(relation, fact, switching)
    gone = _steps(relation, fact.address, fact.way)
    home = int(relation.network.eject[relation.destination[fact.address]])
    if isinstance(fact, Detour):
        if len(fact.way) < 2:
            raise Rejected("a detour has a step")
        away = distances_from(relation.network, home, reverse=True)
        here, there = (int(relation.vcs.router[at]) for at in fact.way[-2:])
        if int(away[there]) == int(away[here]) - 1 or int(away[here]) < 0:
            raise Rejected(f"the step to {relation.vcs.name(fact.way[-1])} is on a shortest path")
        return gone, frozenset()
    if fact.way[-1] not in fact.input_vcs or (fact.waits and len(fact.input_vcs) > 1):
        raise Rejected("a trap has the place to which its way leads")
    kept: set[Entry] = set()
    for at in fact.input_vcs:
        for candidate in relation.candidates(at, fact.address):
            if candidate.vc is None:
                raise Rejected(f"a packet leaves the network at {relation.vcs.name(at)}: that is no trap")
            if (candidate.waits and fact.waits) or candidate.vc not in fact.input_vcs:
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
        way = (relation.num_vcs + message.source, *message.lead, *message.held)
        gone |= _steps(relation, message.address, way)
        last = relation.candidates(way[-1], message.address)
        if queues or relation.commits:
            chosen = set(message.wanted)
            legal = {c.vc for c in last if c.waits or queues}
            if len(chosen) != 1 or not chosen <= legal or not chosen <= (tails if queues else set(held)):
                raise Rejected("a header that keeps its choice waits for one VC of the knot")
            gone |= {(way[-1], message.address, vc) for vc in chosen}
            continue
        if any(c.vc is None for c in last if c.waits):
            raise Rejected("a header may leave the network")
        kept |= {(way[-1], message.address, c.vc) for c in last if c.vc is not None and c.waits and c.vc not in held}
    return frozenset(gone), frozenset(kept)


def _steps(relation: Relation, address: int, way: Sequence[int]) -> frozenset[Entry]:
    """The candidates that a way from an injection port takes."""
    if not 0 <= address < relation.num_addresses or not way:
        raise Rejected(f"there is no address {address}, or no way")
    if way[0] - relation.num_vcs not in relation.sources(address).tolist():
        raise Rejected(f"nobody sends to address {address} from place {way[0]}")
    found = set()
    for at, then in pairwise(way):
        if then not in [c.vc for c in relation.candidates(at, address)]:
            raise Rejected(f"{relation.vcs.name(at)} has no candidate {then}")
        found.add((at, address, then))
    return frozenset(found)


@takes_relation
def accept_removed(relation: Relation, bound: PruneBound, switching: str) -> int:
    """The number of removed candidates that the bound shows to be needed; raise `Rejected` if it does not hold."""
    try:
        clauses = [literals(relation, fact, switching) for fact in bound.facts]
    except RelationError as error:
        raise Rejected(f"the evidence is not of this relation: {error}") from error
    if bound.claimed:
        given, variables = numbered(clauses, bound.claimed - 1)
        contradict(given, bound.learnt, variables)
        return bound.claimed
    if len(bound.multipliers) != len(clauses) or any(w < 0 for w in bound.multipliers):
        raise Rejected("one multiplier from 0 on for each fact is wanted")
    total, slope = 0, dict[Entry, int]()
    for (gone, kept), w in zip(clauses, bound.multipliers, strict=True):
        total += w * (1 - len(kept))
        for sign, entries in ((1, gone), (-1, kept)):
            for entry in entries:
                slope[entry] = slope.get(entry, 0) + sign * w
    total += sum(min(0, SCALE - a) for a in slope.values())
    return max(0, -(-total // SCALE))


def numbered(clauses: Iterable[Literals], most: int) -> tuple[list[tuple[int, ...]], int]:
    """Clauses of numbered variables, those that count what is removed among them; and the number of variables.

    Where there are no more variables than may be removed, nothing is counted.

    After Sinz, Towards an optimal CNF encoding of Boolean cardinality constraints, CP 2005: the counter.
    """
    number: dict[Entry, int] = {}
    found: list[tuple[int, ...]] = []
    for gone, kept in clauses:
        positive = [number.setdefault(entry, len(number) + 1) for entry in sorted(gone - kept)]
        negative = [-number.setdefault(entry, len(number) + 1) for entry in sorted(kept - gone)]
        if not gone & kept:
            found.append((*positive, *negative))
    size = len(number)
    if most >= size:
        return found, size
    if most == 0:
        return found + [(-x,) for x in range(1, size + 1)], size

    def count(i: int, j: int) -> int:
        """Variable: at least j of the first i are removed."""
        return size + (i - 1) * most + j

    for i in range(1, size + 1):
        found.append((-i, count(i, 1)))
        for j in range(1, most + 1):
            if i > 1:
                found.append((-count(i - 1, j), count(i, j)))
                if j > 1:
                    found.append((-i, -count(i - 1, j - 1), count(i, j)))
        if i > 1:
            found.append((-i, -count(i - 1, most)))
    return found, size + size * most
