"""Deadlock under bubble flow control: which VCs can stay occupied, and how packets come to block each other there.

docs/bubbles.md has the rules, the proof and when the answer is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import clock
from unknot.certificates.verdict import Certificate, Configuration, Message, Verdict
from unknot.routing.bubble import Bubble
from unknot.routing.relation import EJECT, NO_WAIT, VC_MASK, Relation
from unknot.routing.waiting import effective
from unknot.verify.bubble_filling import Head, filling
from unknot.verify.effort import Effort, TimeUpError
from unknot.verify.explorer import Explorer
from unknot.verify.queue_search import MOST_TABLE, Queues
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


def check_bubble(graph: Dependencies, bubble: Bubble, buffer_depth: int, effort: Effort) -> Verdict:
    """Decide whether packets can block each other for good under virtual cut-through with bubble flow control.

    Time is linear in the reachable transitions, and in VCs times what their headers wait for per pass.

    Parameters
    ----------
    buffer_depth : int
        Flits per VC, for the lengths of messages: a VC has room for `bubble.packets` of them.
    """
    relation, packets = graph.relation, bubble.packets
    length = max(1, buffer_depth // packets)
    scope = (
        f"{relation.num_addresses} addresses, {graph.states} reachable states, {relation.num_vcs} VCs with room for "
        f"{packets} packets each, {len(bubble.rings)} rings; any timing, selection and arbitration; dependencies "
        "within the network only; a packet that is kept out of a ring for ever by others is starved, not deadlocked"
    )

    def verdict(free: bool | None, method: str, text: str, **evidence: Certificate | Configuration) -> Verdict:
        return Verdict(free, "vct", method, scope, text, size=graph.size, bubble=bubble, **evidence)  # type: ignore[arg-type]

    method = "greatest fixpoint of VCs that stay occupied"
    try:
        heads = _heads(relation, length, effort)
    except TimeUpError as error:
        return verdict(None, method, f"undecided: {error}")
    doors = Doors(bubble, heads.comes)
    rank = _drained(heads, doors)
    left = {int(v) for v in np.flatnonzero(rank < 0)}
    marked_out = [m for m in heads.ports if all(doors.may_be_marked(relation.num_vcs, v) for v in m.wanted)]
    if not left and not marked_out:
        text = "every ring keeps room for a packet, and what leaves it drains before it"
        return verdict(True, f"empty {method}", text, certificate=Certificate("bubble", rank))
    kept_out = next((m for m in marked_out if all(doors.begins_marked(relation.num_vcs, v) for v in m.wanted)), None)
    knots: Iterable[dict[int, Head]] = _knots(heads, doors, left) if kept_out is None else ()
    fillings = (filling(relation, bubble, knot, length, effort.end) for knot in knots)
    messages = [kept_out] if kept_out is not None else next((filled for filled in fillings if filled), None)
    order: tuple[int, ...] = ()
    if messages is None and graph.states <= MOST_TABLE and clock() < effort.end:
        rings = Queues(relation, bubble.flow, effort, {v for ring in bubble.rings for v in ring})
        if rings.run(any_blocked=True) is None and rings.complete:
            text = f"none of the {rings.states} states of the rings holds packets that wait for each other for good"
            return verdict(True, "search of all states", text, certificate=Certificate("states", rank))
        messages, order = Queues(relation, bubble.flow, effort).filling(length) or (None, ())
    if messages is None:
        many = f"{len(left)} of {relation.num_vcs} VCs may stay occupied for ever"
        if not left:
            many = "packets may be alone in the network and not let in, if marked slots meet"
        late = "; there was no more time" if clock() > effort.end else ""
        return verdict(None, method, f"undecided: {many}, and no way there was found{late}")
    knot = Configuration("vct", length * packets, "scheduled", tuple(messages), bubble=bubble, order=order)
    text = f"{len(messages)} packets can never move"
    if kept_out is not None:
        text = "a packet alone in the network never enters a ring, whose marked slot stays where it has to go"
    return verdict(False, method, text, configuration=knot)


def _heads(relation: Relation, length: int, effort: Effort) -> Heads:
    """What the headers in each VC, and at ports, may wait for."""
    explorer, vcs = Explorer(relation), relation.num_vcs
    waits: list[dict[frozenset[int], int]] = [{} for _ in range(vcs)]
    comes: list[dict[int, int]] = [{} for _ in range(vcs)]
    ports: dict[frozenset[int], Message] = {}
    for address, visit in explorer.visits("what headers wait for", effort):
        order, first, offered = (part.tolist() for part in visit)
        for i, at in enumerate(order):
            candidates = offered[first[i] : first[i + 1]]
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


class Doors:
    """Where bubble flow control may keep packets out for good.

    Attributes
    ----------
    rings : list of tuple of int
        Those that have room for a packet at all times, into which a packet of the ring may go.
    marked : list of set of int
        VCs to which the mark of each ring may come: back over the hops that packets make.
    """

    def __init__(self, bubble: Bubble, comes: list[dict[int, int]]) -> None:
        self.bubble = bubble
        self.rings = [
            ring
            for ring in bubble.rings
            if all(v not in bubble.unguarded and len(set(bubble.before[v].values())) == 1 for v in ring)
        ]
        self.marked: list[set[int]] = []
        for number, ring in enumerate(bubble.rings):
            vc, marked = ring[0], set[int]()
            while vc not in marked:
                marked.add(vc)
                before = bubble.before[vc][number]
                vc = before if before in comes[vc] else vc
            self.marked.append(marked if bubble.rule == "critical" else set())

    def may_be_marked(self, at: int, vc: int) -> bool:
        """Whether all slots of an empty VC may be marked ones for a packet that comes from a place."""
        return sum(vc in self.marked[r] for r in self.bubble.entered(at, vc)) >= self.bubble.packets

    def begins_marked(self, at: int, vc: int) -> bool:
        """Whether they are before any packet was sent."""
        return sum(vc == self.bubble.rings[r][0] for r in self.bubble.entered(at, vc)) >= self.bubble.packets

    def stays_shut(self, at: int, vc: int, occupied: set[int]) -> bool:
        """Whether a packet may be kept out of a VC for good while packets stay in some VCs."""
        if vc in occupied or self.may_be_marked(at, vc):
            return True
        entered = self.bubble.entered(at, vc) if (self.bubble.rule, self.bubble.packets) == ("global", 1) else ()
        return any({*self.bubble.rings[r]} <= occupied | {vc} for r in entered)

    def stays_blocked(self, at: int, waited: frozenset[int], occupied: set[int]) -> bool:
        """Whether a header that waits for these VCs may wait for good."""
        return all(self.stays_shut(at, v, occupied) for v in waited)


def _drained(heads: Heads, doors: Doors) -> npt.NDArray[np.int64]:
    """When each VC drains, −1 for those that may stay occupied: int64 array, shape (VCs,).

    A VC drains when no header in it can wait only for VCs that stay shut; a ring that keeps a bubble drains at once
    when no header in it can do so without the next VC of the ring.
    """
    rank = np.full(len(heads.waits), -1, dtype=np.int64)
    left = set(range(len(heads.waits)))
    level, before = 0, len(left) + 1

    def drain(vcs: tuple[int, ...]) -> None:
        nonlocal level
        rank[list(vcs)] = level
        left.difference_update(vcs)
        level += 1

    while len(left) < before:
        before = len(left)
        for v in sorted(left):
            if not any(doors.stays_blocked(v, waited, left) for waited in heads.waits[v]):
                drain((v,))
        for ring in doors.rings:
            if left.issuperset(ring) and not any(True for _ in _leaving(heads, doors, ring, left)):
                drain(ring)
    return rank


def _leaving(heads: Heads, doors: Doors, ring: tuple[int, ...], left: set[int]) -> Iterator[Head]:
    """Headers in a ring that may wait for good, and not for the next VC of the ring."""
    for v, after in zip(ring, (*ring[1:], ring[0]), strict=True):
        for waited in heads.waits[v]:
            if after not in waited and doors.stays_blocked(v, waited, left):
                yield heads.head(v, waited)


def _knots(heads: Heads, doors: Doors, left: set[int]) -> list[dict[int, Head]]:
    """Sets of VCs whose headers may block each other, with these headers; the smaller ones first."""
    starts = sorted(left)[:: max(1, len(left) // KNOTS)]
    knots: dict[tuple[int, ...], dict[int, Head]] = {}
    for start in starts:
        knot: dict[int, Head] = {}
        todo = {start}
        while todo:
            for v in sorted(todo):
                known = knot.keys() | todo
                waited = min(
                    (w for w in heads.waits[v] if doors.stays_blocked(v, w, left)),
                    key=lambda w: (len(w - known), sorted(w)),
                )
                knot[v] = heads.head(v, waited)
            todo = {w for head in knot.values() for w in head.waited} & left - knot.keys()
            if todo:
                continue
            for ring in doors.rings:
                follows = dict(zip(ring, (*ring[1:], ring[0]), strict=True))
                if knot.keys() >= follows.keys() and all(follows[v] in knot[v].waited for v in ring):
                    leaves = min(
                        _leaving(heads, doors, ring, left), key=lambda head: len({*head.waited} - knot.keys())
                    )
                    knot[leaves.vc] = leaves
                    todo |= {*leaves.waited} & left - knot.keys()
        knots.setdefault(tuple(sorted(knot)), knot)
    return sorted(knots.values(), key=len)
