"""Deadlock where VCs share pools of slots: which VCs can stay shut, and how packets come to block each other there.

docs/flow-control.md has the rules, the proof and when the answer is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from unknot._base.arrays import Ints, columns
from unknot._base.deadline import clock
from unknot.certificates.verdict import Certificate, Configuration, Message, Verdict
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique_of
from unknot.network.graph import hops_around, strong_components
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.routing.waiting import effective
from unknot.verify.effort import Effort, TimeUpError
from unknot.verify.explorer import Explorer
from unknot.verify.pool_filling import Head, filling
from unknot.verify.queue_search import MOST_TABLE, Queues
from unknot.verify.shut import Shut
from unknot.verify.states import Dependencies


@dataclass(frozen=True)
class Heads:
    """What headers wait for, over all addresses.

    Attributes
    ----------
    waits : list of dict
        For each VC, the sets of VCs that a header in it may wait for, each with an address for which it does.
    comes : list of dict
        For each VC, by the VC before it (all ports are one, numbered behind the VCs), an address that comes so.
    ports : list of Message
        One packet for each set of VCs that a header at some port may wait for.
    """

    waits: list[dict[frozenset[int], int]]
    comes: list[dict[int, int]]
    ports: list[Message]

    def head(self, vc: int, waited: frozenset[int]) -> Head:
        """The header in a VC that waits for these."""
        return Head(vc, self.waits[vc][waited], tuple(sorted(waited)), tuple(self.comes[vc].values()))


KNOTS = 64
"""Sets of VCs that may block each other, for which a way there is looked for."""


def check_pools(graph: Dependencies, flow: FlowControl, buffer_depth: int, effort: Effort) -> Verdict:
    """Decide whether packets can block each other for good where VCs share pools of slots.

    Time is linear in the reachable transitions, and in VCs times what their headers wait for per pass.

    Parameters
    ----------
    buffer_depth : int
        Flits per VC, for the lengths of messages: a VC has room for `flow.packets` of them.
    """
    relation, packets = graph.relation, flow.packets
    length = max(1, buffer_depth // packets)
    scope = (
        f"{relation.num_addresses:,} addresses, {graph.states:,} reachable states, {relation.num_vcs:,} VCs with "
        f"room for {packets} packets each, {len(flow.pools)} pools; any timing, selection and arbitration; "
        "dependencies within the network only; "
        "a packet that is kept out of a pool for ever by others is starved, not deadlocked"
    )

    def verdict(free: bool | None, method: str, text: str, **evidence: Certificate | Configuration) -> Verdict:
        return Verdict(
            free,
            technique_of(flow),
            method,
            scope,
            text,
            size=graph.size,
            flow=flow,
            **evidence,  # type: ignore[arg-type]
        )

    shut = Shut(flow, graph)
    climbing = _climbing(graph, shut)
    if climbing is not None:
        text = "the VCs, those that share slots alike, can be numbered so that every route climbs"
        return verdict(True, "acyclic channel dependency graph", text, certificate=Certificate("pools", climbing))
    method = "greatest fixpoint of VCs that stay occupied"
    try:
        heads = _heads(relation, length, effort)
    except TimeUpError as error:
        return verdict(None, method, f"undecided: {error}")
    rank = _drained(heads, shut)
    left = [packets * (level < 0) for level in rank.tolist()]
    port = relation.num_vcs
    empty = [0] * port
    kept_out = [m for m in heads.ports if shut.blocks(port, m.wanted, empty)]
    if not any(left) and not kept_out:
        rings = "every ring keeps room for a packet, and what leaves it drains before it"
        text = rings if shut.rings else "no packet waits only for VCs that stay shut"
        return verdict(True, f"empty {method}", text, certificate=Certificate("pools", rank))
    alone = next((m for m in kept_out if not any(flow.takes(empty, flow.marks, port, v) for v in m.wanted)), None)
    knots: Iterable[dict[int, Head]] = _knots(heads, shut, left) if alone is None else ()
    fillings = (filling(relation, flow, knot, length, effort.end) for knot in knots)
    messages = [alone] if alone is not None else next((filled for filled in fillings if filled), None)
    order: tuple[int, ...] = ()
    try:
        if messages is None and graph.states <= MOST_TABLE and clock() < effort.end:
            every = Queues(relation, flow, effort, {*flow.pools_of}).search(any_blocked=True)
            if every.run is None and every.complete:
                text = (
                    f"none of the {every.states:,} states of the pools holds packets that wait for each other "
                    "for good"
                )
                return verdict(True, "search of all states", text, certificate=Certificate("states", rank))
            messages, order = Queues(relation, flow, effort).filling(length) or (None, ())
    except TimeUpError:
        pass  # that there was no more time is said below
    if messages is None:
        many = f"{np.count_nonzero(left)} of {relation.num_vcs:,} VCs may stay occupied for ever"
        if not any(left):
            many = "packets may be alone in the network and not let in, if marked slots meet"
        late = "; there was no more time" if clock() > effort.end else ""
        return verdict(None, method, f"undecided: {many}, and no way there was found{late}")
    knot = Configuration(technique_of(flow), length * packets, "scheduled", tuple(messages), order=order, flow=flow)
    text = f"{len(messages)} packets can never move"
    if alone is not None:
        text = "a packet alone in the network never enters where it has to go"
        text += ", as the marked slot of a ring stays there" * bool(flow.marks)
    return verdict(False, method, text, configuration=knot)


def _climbing(graph: Dependencies, shut: Shut) -> Ints | None:
    """Ranks along which every route climbs down, equal in VCs sharing all slots; None without any.

    All below the lowest packets is empty then, and an empty VC must take packets from anywhere.
    """
    flow, vcs = shut.flow, graph.relation.num_vcs
    empty, source = [0] * vcs, graph.source
    moves = chain(((vcs, v) for v in flow.pools_of), zip(source.tolist(), graph.target.tolist(), strict=True))
    if not graph.complete or any(shut.shuts(at, v, empty) for at, v in moves if v in flow.pools_of):
        return None
    sharing = [pair for pool in flow.pools if not pool.own for pair in pairwise((pool.vcs[-1], *pool.vcs))]
    tail, head = columns(sharing)
    rank, _ = strong_components(np.concatenate([source, tail]), np.concatenate([graph.target, head]), vcs)
    return rank.astype(np.int64) if (rank[source] > rank[graph.target]).all() else None


def _heads(relation: Relation, length: int, effort: Effort) -> Heads:
    """What the headers in each VC, and at ports, may wait for."""
    explorer, vcs = Explorer(relation), relation.num_vcs
    waits: list[dict[frozenset[int], int]] = [{} for _ in range(vcs)]
    comes: list[dict[int, int]] = [{} for _ in range(vcs)]
    ports: dict[frozenset[int], Message] = {}
    for address, visit in explorer.visits("what headers wait for", effort):
        for at, candidates in visit.headers():
            for v in candidates:
                if v & VC_MASK != EJECT:
                    comes[v & VC_MASK].setdefault(min(at, vcs), address)
            waited = [v & VC_MASK for v in candidates if not effective(v, relation.commits) & NO_WAIT]
            for choice in map(frozenset, [[v] for v in waited] if relation.commits else [waited]):
                if not choice or EJECT in choice:
                    continue
                if at < vcs:
                    waits[at].setdefault(choice, address)
                else:
                    ports.setdefault(choice, Message(at - vcs, address, length, (), (), tuple(sorted(choice))))
    return Heads(waits, comes, list(ports.values()))


def _drained(heads: Heads, shut: Shut) -> Ints:
    """When each VC drains, −1 for those that may stay occupied: int64 array, shape (VCs,).

    A VC drains when no header in it can wait only for VCs that stay shut; a ring that is never full drains at once
    when no header in it can do so without the next VC of the ring.
    """
    rank = np.full(len(heads.waits), -1, dtype=np.int64)
    left = [shut.flow.packets] * len(heads.waits)
    level, before = 0, -1

    def drain(vcs: tuple[int, ...]) -> None:
        nonlocal level
        for v in vcs:
            rank[v], left[v] = level, 0
        level += 1

    while before < level:
        before = level
        for v, waits in enumerate(heads.waits):
            if left[v] and not any(shut.blocks(v, waited, left) for waited in waits):
                drain((v,))
        for ring in shut.rings:
            if all(left[v] for v in ring) and not any(True for _ in _leaving(heads, shut, ring, left)):
                drain(ring)
    return rank


def _leaving(heads: Heads, shut: Shut, ring: tuple[int, ...], left: Sequence[int]) -> Iterator[Head]:
    """Headers in a ring that may wait for good, and not for the next VC of the ring."""
    for v, after in hops_around(ring):
        for waited in heads.waits[v]:
            if after not in waited and shut.blocks(v, waited, left):
                yield heads.head(v, waited)


def _knots(heads: Heads, shut: Shut, left: Sequence[int]) -> list[dict[int, Head]]:
    """Sets of VCs whose headers may block each other, with these headers; the smaller ones first."""
    stay = [v for v, packets in enumerate(left) if packets]
    starts = stay[:: max(1, len(stay) // KNOTS)]
    knots: dict[tuple[int, ...], dict[int, Head]] = {}
    for start in starts:
        knot: dict[int, Head] = {}
        todo = {start}
        while todo:
            known = knot.keys() | todo
            for v in sorted(todo):
                blocked = [heads.head(v, w) for w in heads.waits[v] if shut.blocks(v, w, left)]
                behind = [shut.behind(head, left, known) for head in blocked]
                few = min(range(len(blocked)), key=lambda i: (len(behind[i] - known), blocked[i].waited))
                knot[v] = blocked[few]
                known |= behind[few]
            todo = known - knot.keys()
            if todo:
                continue
            for ring in shut.rings:
                follows = dict(hops_around(ring))
                if knot.keys() >= follows.keys() and all(follows[v] in knot[v].waited for v in ring):
                    leaves = min(
                        _leaving(heads, shut, ring, left), key=lambda head: len({*head.waited} - knot.keys())
                    )
                    knot[leaves.vc] = leaves
                    todo |= shut.behind(leaves, left, {*knot}) - knot.keys()
        knots.setdefault(tuple(sorted(knot)), knot)
    return sorted(knots.values(), key=len)
