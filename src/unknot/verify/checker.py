"""A small, separate checker: re-checks a verdict's evidence from the relation alone, in plain Python.

It shares nothing with the prover but the form of the verdict. Every state is visited again by asking the plain rule.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from unknot.errors import RelationError, UnknotError
from unknot.routing.relation import Candidate, Relation

if TYPE_CHECKING:
    from unknot.verify.verdict import Configuration, Verdict

Graph = dict[int, list[Candidate]]
PROVES = {
    "order": ("saf", "vct", "wormhole", "wormhole-nonatomic"),
    "escape": ("saf", "vct"),
    "drain": ("wormhole",),
    "exhausted": ("wormhole",),
}


class Rejected(UnknotError):  # noqa: N818
    """The evidence of a verdict does not hold; the text says where."""


def accept(relation: Relation, verdict: Verdict) -> None:
    """Return quietly if the evidence of a verdict holds.

    Parameters
    ----------
    relation : Relation
        The relation the verdict speaks of.
    verdict : Verdict

    Raises
    ------
    Rejected
        If the evidence is missing, does not fit, or could not be re-checked.
    """
    if verdict.deadlock_free is None:
        raise Rejected("an open question has no evidence to check")
    if verdict.deadlock_free is False:
        if verdict.configuration is None or verdict.configuration.switching != verdict.switching:
            raise Rejected(f"a deadlock under {verdict.switching} needs a configuration under {verdict.switching}")
        try:
            return _configuration(relation, verdict.configuration)
        except RelationError as error:
            raise Rejected(f"the configuration is not one of this relation: {error}") from error
    certificate = verdict.certificate
    if certificate is None or len(certificate.rank) != relation.num_vcs:
        raise Rejected(f"a proof needs a rank for each of the {relation.num_vcs} VCs")
    if verdict.switching not in PROVES.get(certificate.kind, ()):
        raise Rejected(f"a certificate of kind {certificate.kind!r} proves nothing about {verdict.switching}")
    rank = [int(r) for r in certificate.rank]
    core = set(np.flatnonzero(certificate.core).tolist()) if certificate.core is not None else set()
    if (certificate.kind == "exhausted") != bool(core):
        raise Rejected("a certificate has a core exactly when it is of kind 'exhausted'")
    for address in range(relation.num_addresses):
        graph = states(relation, address)
        reach = _bottlenecks(graph, rank, relation) if certificate.kind in ("drain", "exhausted") else {}
        for at, found in graph.items():
            if at >= relation.num_vcs or not found:
                continue
            if certificate.kind == "order":
                holds = all(c.vc is None or rank[c.vc] > rank[at] for c in found)
            elif certificate.kind == "escape":
                waits = waits_of(found, relation.commits)
                holds = all(any(w is None or rank[w] < rank[at] for w in choice) for choice in waits)
            elif at in core:
                holds = all(c.vc is None or rank[c.vc] <= rank[at] for c in found)
            else:
                holds = reach[at] < rank[at]
            if not holds:
                raise Rejected(
                    f"the {certificate.kind} certificate fails at {relation.vcs.name(at)} for "
                    f"{relation.address_name(address)}"
                )
    if core:
        from unknot.verify.exhaustive import worms_on

        if worms_on(relation, core):
            raise Rejected(f"the core of {len(core)} VCs does hold a deadlock")
    return None


def evidence_holds(relation: Relation, verdict: Verdict) -> bool:
    """Whether a question was decided and `accept` accepts the evidence."""
    try:
        accept(relation, verdict)
    except Rejected:
        return False
    return True


def states(relation: Relation, address: int) -> Graph:
    """Reachable places of an address and their candidates."""
    todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
    graph: Graph = {}
    while todo:
        at = todo.pop()
        if at not in graph:
            graph[at] = relation.candidates(at, address)
            todo += [c.vc for c in graph[at] if c.vc is not None]
    return graph


def waits_of(found: list[Candidate], commits: bool) -> list[list[int | None]]:
    """What a blocked header may wait for: all at once, or, if it commits, one of several."""
    waited = [c.vc for c in found if c.waits]
    return [[vc] for vc in waited] if commits else [waited][: len(waited)]


def _bottlenecks(graph: Graph, rank: list[int], relation: Relation) -> dict[int, int]:
    """For each place, the greatest r such that a header staying on ranks ≥ r may block on ranks ≥ r; −1 if none."""
    best: dict[int, int] = {}
    before: dict[int, list[int]] = {}
    for at, found in graph.items():
        ends = [min((-1 if w is None else rank[w]) for w in c) for c in waits_of(found, relation.commits)]
        best[at] = max(ends, default=-1)
        for c in found:
            if c.vc is not None:
                before.setdefault(c.vc, []).append(at)
    todo = list(graph)
    while todo:
        vc = todo.pop()
        if vc < relation.num_vcs:
            through = min(rank[vc], best[vc])
            for at in before.get(vc, ()):
                if through > best[at]:
                    best[at] = through
                    todo.append(at)
    return best


def _configuration(relation: Relation, found: Configuration) -> None:
    holder = [vc for message in found.messages for vc in message.held]
    if not holder or len(set(holder)) != len(holder):
        raise Rejected("the messages of a configuration hold at least one VC each, and none together")
    standing: set[int] = set()
    for number, message in enumerate(found.messages, start=1):
        path = [relation.num_vcs + message.source, *message.lead, *message.held]
        if not 0 <= message.address < relation.num_addresses:
            raise Rejected(f"message {number} is for an address that does not exist")
        if message.source not in relation.sources(message.address) or not message.held:
            raise Rejected(f"message {number} is not sent by its source, or holds nothing")
        if message.length != len(message.held) * found.buffer_depth:
            raise Rejected(f"message {number} does not fill its VCs")
        if found.switching in ("saf", "vct") and len(message.held) > 1:
            raise Rejected(f"message {number} holds several VCs under {found.switching}")
        for at, vc in pairwise(path):
            if vc not in [c.vc for c in relation.candidates(at, message.address)]:
                raise Rejected(f"message {number} cannot go from {relation.vcs.name(at)} to {relation.vcs.name(vc)}")
        last = relation.candidates(path[-1], message.address)
        one_of_all = found.switching == "wormhole-nonatomic"
        choices = [[c.vc] for c in last] if one_of_all else waits_of(last, relation.commits)
        if not message.wanted or set(message.wanted) not in [set(choice) for choice in choices]:
            raise Rejected(f"message {number} does not wait for just what it wants")
        if not set(message.wanted) <= set(holder):
            raise Rejected(f"message {number} wants a VC that nobody holds")
        if found.reachability == "injected" and message.lead:
            raise Rejected(f"message {number} does not reach back to its terminal")
        if found.reachability == "scheduled" and standing & {*message.lead}:
            raise Rejected(f"message {number} would have to pass a message that stands before it")
        standing |= set(message.held)
    sources = [message.source for message in found.messages]
    if found.reachability == "injected" and len(set(sources)) != len(sources):
        raise Rejected("two messages share a terminal")
