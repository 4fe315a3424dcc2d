"""Can it deadlock? The decision for each switching technique."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.routing.relation import Relation
from unknot.switching import switching_named
from unknot.verify.closed_sets import at_injection, small_closed_set
from unknot.verify.exact import Worm, find_worms
from unknot.verify.nonatomic import queued_cycle
from unknot.verify.states import Core, Dependencies, Flags, core, dependencies
from unknot.verify.verdict import Certificate, Configuration, Size, Verdict
from unknot.verify.witness import configuration


def check(
    relation: Relation, switching: str = "wormhole", *, time_limit: float = 60.0, buffer_depth: int = 8
) -> Verdict:
    """Decide whether a relation can deadlock.

    An acyclic channel dependency graph settles every technique. Otherwise: store-and-forward and virtual cut-through
    by the greatest fixpoint of VCs whose packets may wait within the set; wormhole with atomic allocation by that
    set, by a relaxed fixpoint, and on what is left by exact search; wormhole with non-atomic allocation by the cycle.

    Parameters
    ----------
    relation : Relation
    switching : {"wormhole", "wormhole-nonatomic", "vct", "saf"}
    time_limit : float
        Seconds for the exact search; everything else takes time linear in the reachable transitions.
    buffer_depth : int
        Flits per VC, for the message lengths of a counterexample; the answer does not depend on it.

    Returns
    -------
    Verdict
        With a configuration when it can deadlock and a certificate when it cannot.

    Raises
    ------
    RelationError
        If the relation breaks its contract at a reachable state, or an argument makes no sense.
    """
    technique = switching_named(switching)
    if isinstance(buffer_depth, bool) or not isinstance(buffer_depth, (int, np.integer)) or buffer_depth < 1:
        raise RelationError(f"check: the buffer depth must be at least 1 flit, got {buffer_depth!r}")
    if not time_limit > 0:
        raise RelationError(f"check: the time limit must be a positive number of seconds, got {time_limit!r}")
    end = time.monotonic() + time_limit
    graph = dependencies(relation)
    size = Size(
        addresses=relation.num_addresses,
        states=graph.states,
        vcs=relation.num_vcs,
        dependencies=int(graph.first[-1]),
        cyclic_vcs=int(np.count_nonzero(graph.cyclic)),
    )
    scope = (
        f"{relation.num_addresses} addresses, {graph.states} reachable states, {relation.num_vcs} VCs; any timing, "
        "selection, arbitration and packet length; dependencies within the network only"
    )

    def free(
        method: str, established: str, kind: Any, rank: npt.NDArray[np.int64], core: Flags | None = None
    ) -> Verdict:
        return Verdict(
            True, technique, method, scope, established, certificate=Certificate(kind, rank, core), size=size
        )

    def stuck(method: str, worms: list[Worm] | Configuration) -> Verdict:
        if isinstance(worms, Configuration):
            found = worms
        else:
            found = configuration(relation, worms, technique, int(buffer_depth))
        text = f"{len(found.messages)} messages that can never move hold all that they wait for"
        return Verdict(False, technique, method, scope, text, configuration=found, size=size)

    if graph.acyclic:
        rank = graph.label.max(initial=0) - graph.label.astype(np.int64)
        text = "the VCs can be numbered so that every route climbs"
        return free("acyclic channel dependency graph", text, "order", rank)
    if technique == "wormhole-nonatomic":
        return stuck("cycle in the channel dependency graph", queued_cycle(graph, int(buffer_depth)))
    states = core(graph)
    removed, alive = _survivors(states, np.ones(states.head_owner.size, dtype=bool), spread=False)
    if (removed < 0).any():
        return stuck("greatest fixpoint of waiting VCs", _single_vc_worms(states, removed))
    if technique in ("saf", "vct"):
        text = "every blocked packet waits for a VC that drains before its own"
        return free("empty greatest fixpoint of waiting VCs", text, "escape", _ranks(graph, removed))
    removed, alive = _survivors(states, np.ones(states.head_owner.size, dtype=bool), spread=True)
    if not (removed < 0).any():
        text = "no worm reaches a header that could stay blocked; VCs drain one after the other"
        return free("empty greatest fixpoint of worms", text, "drain", _ranks(graph, removed))
    left = int(np.count_nonzero(removed < 0))
    worms = find_worms(states, alive, max(0.01, end - time.monotonic()))
    if isinstance(worms, list):
        return stuck("exact search (CP-SAT)", worms)
    method = "greatest fixpoint of worms, then exact search (CP-SAT)"
    if worms:
        text = f"undecided after {time_limit:g} s: only {left} of {relation.num_vcs} VCs may be part of a deadlock"
        return Verdict(None, technique, method, scope, text, size=size)
    text = f"all but {left} VCs drain; no set of worms on those blocks itself"
    return free(method, text, "exhausted", _ranks(graph, removed), removed < 0)


def _survivors(states: Core, heads: Flags, *, spread: bool) -> tuple[npt.NDArray[np.int64], Flags]:
    """When each VC was deleted (−1: not), and which states are left, if only some heads may block."""
    from unknot.verify.fixpoint_kernel import survive

    kept = np.flatnonzero(heads)
    widths = np.diff(states.head_first)
    head_first = np.concatenate([[0], np.cumsum(widths[kept])]).astype(np.int64)
    head_wait = states.head_wait[np.repeat(heads, widths)]
    vcs = states.dependencies.relation.num_vcs
    removed = np.empty(vcs, dtype=np.int64)
    alive = np.empty(states.place.size, dtype=bool)
    survive(
        vcs, states.place, states.next_first, states.next_state, states.head_owner[kept], head_first, head_wait,
        spread, removed, alive,
    )  # fmt: skip
    silent = np.ones(vcs, dtype=bool)
    silent[states.place] = False
    removed[silent] = 0
    return removed, alive


def _single_vc_worms(states: Core, removed: npt.NDArray[np.int64]) -> list[Worm]:
    """Messages of one VC each from the surviving set, starting at their terminals if some can."""
    heads = at_injection(states)
    if heads.any():
        left, _ = _survivors(states, heads, spread=False)
        if (left < 0).any():
            return small_closed_set(states, heads & _inside(states, left))
    return small_closed_set(states, _inside(states, removed))


def _inside(states: Core, removed: npt.NDArray[np.int64]) -> Flags:
    """Heads whose VC and whose waits were all left over."""
    gone = (removed >= 0).astype(np.int64)
    lost = np.concatenate([[0], np.cumsum(gone[states.head_wait])])
    held = removed[states.place[states.head_owner]] < 0
    inside: Flags = held & (lost[states.head_first[1:]] == lost[states.head_first[:-1]])
    return inside


def _ranks(graph: Dependencies, removed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Order of draining: components downstream first; within one as deleted, VCs that are left last and together."""
    keys = np.stack([graph.label.astype(np.int64), np.where(removed < 0, removed.size, removed)], axis=1)
    _, rank = np.unique(keys, axis=0, return_inverse=True)
    return rank.reshape(-1).astype(np.int64)
