"""The decision for one switching technique, from the dependencies of a relation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.deadline import Deadline, clock
from unknot._base.switching import Switching
from unknot.certificates.verdict import Certificate, Configuration, Verdict
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique
from unknot.verify.closed_sets import small_closed_set
from unknot.verify.effort import Effort, TimeUpError
from unknot.verify.exact import find_worms
from unknot.verify.exact_model import Worm
from unknot.verify.queue_search import MOST_TABLE, Queues
from unknot.verify.queued_cycle import queued_cycle
from unknot.verify.remainder import among, on_cycles
from unknot.verify.states import Dependencies
from unknot.verify.waiting import Waiting, drain, waiting
from unknot.verify.witness import configuration, reachable_configuration
from unknot.verify.worm_search import Worms

NO_VCS = "no channel joins two routers, so no packet waits in the network"
MANY = 10_000
"""States from which on it pays to look for translation symmetry."""


@dataclass(frozen=True, eq=False)
class TechniqueDecision:
    """A technique to be decided.

    Attributes
    ----------
    graph : Dependencies
    technique : str
    deadline : Deadline
        Of the whole command; a deadlock that was found by then may be described a little later.
    buffer_depth : int
        Flits per VC.
    effort : Effort
        Threads, and until when to search.
    shorten : bool
        Whether a small counterexample is looked for.
    """

    graph: Dependencies
    technique: Switching
    deadline: Deadline
    buffer_depth: int
    effort: Effort
    shorten: bool

    def verdict(self) -> Verdict:
        """The verdict, worked out in stages that look at the clock between blocks of work."""
        graph = self.graph
        if graph.acyclic and graph.complete:
            rank = graph.label.max(initial=0) - graph.label.astype(np.int64)
            text = "the VCs can be numbered so that every route climbs" if rank.size else NO_VCS
            return self._free("acyclic channel dependency graph", text, "order", rank)
        if self.flow.queueing and not graph.acyclic:
            return self._by_cycle()
        if not graph.complete:
            return self._open("channel dependency graph", graph.on_cycles)
        states = None
        try:
            states = waiting(graph, self.effort, symmetry=graph.states > MANY)
            verdict = self._by_fixpoints(states)
        except TimeUpError as out:
            verdict = self._open("greatest fixpoints", f"{graph.on_cycles}; {out}")
        if states is None or states.group is None:
            return verdict
        checked = f"translation symmetry checked, {states.group.representatives.size:,} addresses stand for all"
        return replace(verdict, scope=f"{verdict.scope}; {checked}")

    def _by_cycle(self) -> Verdict:
        """With non-atomic allocation: a cycle of dependencies is a deadlock."""
        method = "cycle in the channel dependency graph"
        try:
            return self._stuck(
                method, queued_cycle(self.graph, self.buffer_depth, replace(self.effort, end=self._late))
            )
        except TimeUpError as out:
            stuck = f"{self.graph.size.cyclic_vcs:,} VCs lie on cycles of dependencies, so there is a deadlock"
            return self._open(method, f"{stuck}; there was no time to say how packets come there ({out})")

    def _by_fixpoints(self, states: Waiting) -> Verdict:
        """Decide by fixpoints of VCs that may wait within their set; for worms also by an exact search
        of the remainder.
        """
        graph, effort = self.graph, self.effort
        left = drain(states, spread=False, effort=effort)
        if left:
            # Messages of one VC each, straight from their terminals if that can be.
            entered = drain(states, spread=False, entered=True, effort=effort)
            return self._stuck("greatest fixpoint of waiting VCs", small_closed_set((entered or left).heads()))
        if self.flow.alone:
            text = "every blocked packet waits for a VC that drains before its own"
            return self._free("empty greatest fixpoint of waiting VCs", text, "escape", _ranks(graph, left.removed))
        left = drain(states, spread=True, effort=effort)
        if not left:
            text = "no worm reaches a header that could stay blocked; VCs drain one after the other"
            return self._free("empty greatest fixpoint of worms", text, "drain", _ranks(graph, left.removed))
        rest = on_cycles(graph, self.technique, left.vcs, effort)
        number = int(np.count_nonzero(left.vcs))
        worms = find_worms(graph, rest, max(0.01, effort.end - clock()))
        if isinstance(worms, list):
            return self._stuck("exact search (CP-SAT)", worms)
        method = "greatest fixpoint of worms, then exact search (CP-SAT)"
        if worms is None:
            return self._open(method, f"only {number} of {graph.relation.num_vcs:,} VCs may be part of a deadlock")
        text = f"all but {number} VCs drain; no set of worms on those blocks itself"
        return self._free(method, text, "exhausted", _ranks(graph, left.removed), left.vcs, worms)

    @property
    def flow(self) -> FlowControl:
        """Flow control of the technique."""
        return technique(self.technique)

    @property
    def _late(self) -> float:
        """Until when to say how packets come to a deadlock that was found."""
        return (self.deadline.end + self.deadline.closing.end) / 2

    def _free(self, method: str, established: str, *reason: Any) -> Verdict:
        return self._verdict(True, method, established, certificate=Certificate(*reason))

    def _stuck(self, method: str, worms: list[Worm] | Configuration) -> Verdict:
        relation, late = self.graph.relation, self._late
        if isinstance(worms, Configuration):
            knot = worms
        else:
            knot = configuration(
                relation, worms, self.technique, self.buffer_depth, as_it_is=not self.shorten, end=late
            )
        if not knot.reachable:
            reachable = reachable_configuration(relation, self.technique, self.buffer_depth, late)
            ordered = reachable or (self._queued if self.flow.alone else self._ordered)()
            if isinstance(ordered, Certificate):
                text = "worms that hold all that they wait for are never reached, in whatever order headers move"
                return self._verdict(True, "search back from blocked worms", text, certificate=ordered)
            knot = ordered or knot
        text = knot.summary if knot.reachable else f"undecided: {knot.summary}"
        return self._verdict(False if knot.reachable else None, method, text, configuration=knot)

    def _queued(self) -> Configuration | None:
        """Packets that come to wait for each other in VCs of several packets, though not in VCs of one packet."""
        graph, depth = self.graph, self.buffer_depth
        if graph.states > MOST_TABLE:
            return None
        for packets in (1, 2, 3)[:depth]:
            queues = Queues(graph.relation, replace(self.flow, packets=packets), replace(self.effort, end=self._late))
            filled = queues.filling(depth // packets)
            if filled is not None:
                messages, order = filled
                order = order or tuple(k for k, one in enumerate(messages) for _ in (*one.lead, *one.held))
                size = depth // packets * packets
                return Configuration(self.technique, size, "scheduled", tuple(messages), order=order)
        return None

    def _ordered(self) -> Configuration | Certificate | None:
        """Worms that come to wait for each other where headers stop on their way; or evidence that none do."""
        relation = self.graph.relation
        part = among(relation, range(relation.num_vcs), self.technique, limit=MOST_TABLE)
        if part is None or not self.flow.exclusive:
            return None
        try:
            filled = Worms(relation, part.pruned().merged(), self._late).filling(self.buffer_depth)
        except TimeUpError:
            return None
        if filled is None:
            return Certificate("states", np.zeros(relation.num_vcs, dtype=np.int64))
        messages, order = filled
        return Configuration(self.technique, self.buffer_depth, "scheduled", tuple(messages), order=order)

    def _open(self, method: str, established: str) -> Verdict:
        return self._verdict(None, method, self.deadline.undecided(established))

    def _verdict(self, free: bool | None, method: str, text: str, **evidence: Any) -> Verdict:
        graph = self.graph
        scope = (
            f"{graph.relation.num_addresses:,} addresses, {graph.states:,} reachable states, "
            f"{graph.relation.num_vcs:,} VCs; any timing, selection, arbitration and packet length; "
            "terminals accept every packet"
        )
        return Verdict(free, self.technique, method, scope, text, size=graph.size, **evidence)


def _ranks(graph: Dependencies, removed: Ints) -> Ints:
    """Order of draining: components downstream first; within one as deleted, VCs that are left last and together."""
    keys = np.stack([graph.label.astype(np.int64), np.where(removed < 0, removed.size, removed)], axis=1)
    _, rank = np.unique(keys, axis=0, return_inverse=True)
    return rank.reshape(-1).astype(np.int64)
