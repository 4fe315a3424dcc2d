"""Clauses of facts about removed candidates, with all that makes a fact one: the twin of the checker's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from unknot.certificates import Rejected
from unknot.certificates.verdict import Message
from unknot.network import distances_from
from unknot.remedies.facts import Cycle, Entry, Fact, Knot, Literals, PathFact
from unknot.routing.relation import Relation


def fact_of(document: dict[str, Any]) -> Fact:
    """The fact of a proof."""
    if document["kind"] == "knot":
        tuples = [{k: tuple(v) if isinstance(v, list) else v for k, v in one.items()} for one in document["messages"]]
        return Knot(tuple(Message(**one) for one in tuples))
    if document["kind"] == "cycle":
        return Cycle(tuple(document["around"]))
    falling = tuple(document.get("falling", ()))
    return PathFact(document["kind"], document["address"], tuple(document["way"]), falling)


def literals(relation: Relation, fact: Fact, switching: str) -> Literals:
    """The clause of a fact; raise `Rejected` if it is none."""
    if isinstance(fact, Knot):
        return _knot(relation, fact, switching)
    if isinstance(fact, Cycle):
        if not fact.vcs or not 0 <= min(fact.vcs) <= max(fact.vcs) < relation.num_vcs:
            raise Rejected("a cycle has VCs")
        return frozenset(pairwise((*fact.vcs, fact.vcs[0]))), frozenset()
    gone = _steps(relation, fact.address, fact.path)
    *before, last = fact.path
    chosen = relation.commits or switching == "wormhole-nonatomic"
    if fact.kind == "stop":
        waits = [c.vc for c in relation.candidates(last, fact.address) if c.waits]
        if None in waits:
            raise Rejected("a header waits to leave the network")
        kept = ((last, vc) if vc in fact.falling else (last, fact.address, vc) for vc in waits if vc is not None)
        return gone, frozenset(kept)
    if not before:
        raise Rejected("a path without a step does not rise, and is no detour")
    if fact.kind == "rise":
        if not chosen:
            raise Rejected("headers wait for any of several VCs")
        return gone, frozenset({(before[-1], last)})
    home = int(relation.network.eject[relation.destination[fact.address]])
    away = distances_from(relation.network, home, reverse=True)
    here, there = (int(away[relation.vcs.router[at]]) for at in (before[-1], last))
    if there == here - 1 or here < 0:
        raise Rejected(f"the step to {relation.vcs.name(last)} is on a shortest path")
    return gone, frozenset()


def _knot(relation: Relation, fact: Knot, switching: str) -> Literals:
    held = [vc for message in fact.messages for vc in message.held]
    queues = switching == "wormhole-nonatomic"
    tails = {message.held[0] for message in fact.messages if message.held}
    if not held or len(set(held)) < len(held) or any(not message.held for message in fact.messages):
        raise Rejected("messages of a knot hold VCs of their own")
    standing = list(fact.messages)
    while standing:
        last = [m for m in standing if not {*m.lead} & {vc for n in standing for vc in n.held}]
        if not last or any(len(set(m.lead)) < len(m.lead) for m in last):
            raise Rejected("messages would have to pass each other, or themselves")
        standing.remove(last[0])
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
