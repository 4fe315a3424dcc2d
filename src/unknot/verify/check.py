"""Can it deadlock? The decision for each switching technique."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.deadline import Deadline, NoAnswerError, clock, long_compiling, within
from unknot._base.errors import RelationError
from unknot._base.progress import Progress, with_bar
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, SWITCHINGS, Switching, switching_named
from unknot._base.threads import threads_of
from unknot.certificates.verdict import Certificate, Configuration, Size, Verdict
from unknot.routing.bubble import Bubble
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.bubbles import check_bubble
from unknot.verify.effort import Effort, TimeUpError
from unknot.verify.exact import find_worms
from unknot.verify.exact_model import Worm
from unknot.verify.lead_ins import small_closed_set
from unknot.verify.nonatomic import queued_cycle
from unknot.verify.remainder import on_cycles
from unknot.verify.states import Dependencies, dependencies
from unknot.verify.waiting import drain, waiting
from unknot.verify.witness import configuration, reachable_configuration, require_depth

MANY = 10_000
"""States from which on it pays to look for translation symmetry."""
LOADING = 1.5
"""Seconds, whatever the time limit, in which Numba is loaded and a rule compiled, which does not count."""
NO_ANSWER = "asking the rule"
"""Method of a verdict that is open since the rule did not answer."""


@takes_relation
@with_bar
def check(
    relation: Relation,
    switching: str = DEFAULT_SWITCHING,
    *,
    time_limit: float | Deadline = 60.0,
    buffer_depth: int = BUFFER_DEPTH,
    threads: int | None = None,
    progress: Progress | None = None,
    shorten: bool = True,
    bubble: Bubble | None = None,
) -> Verdict:
    """Decide whether a relation can deadlock.

    An acyclic channel dependency graph settles every technique. Otherwise: store-and-forward and virtual cut-through
    by the greatest fixpoint of VCs whose packets may wait within the set; wormhole with atomic allocation by that
    set, by a relaxed fixpoint, and on what is left by exact search; wormhole with non-atomic allocation by the cycle.

    Parameters
    ----------
    relation : Relation, Network or str
        A routing relation; or a network, as an object, a description such as ``"torus(8, 8)"`` or the name of a file.
    routing, vcs : str and int, optional
        Routing on that network, and VCs per channel, as on the command line.
    switching : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
    time_limit : float or Deadline
        Seconds by the clock; up to ten in which kernels are compiled do not count. All but the exact search takes
        time linear in the reachable transitions. To say how packets come to a deadlock may take a tenth more, or a
        second. The rule of a small relation is tabulated in plain Python, not compiled, and nothing is kept.
    buffer_depth : int
        Flits per VC, for the message lengths of a counterexample; the answer does not depend on it.
    threads : int, optional
        Addresses followed at a time; by default one for each processor, fewer where there is too little to do, as
        everywhere. The answer does not depend on it.
    progress : callable(stage, done, total), optional
        Told how far each stage is.
    shorten : bool
        Search for a smaller counterexample, and for one that comes straight from the terminals, which takes tens of
        milliseconds; else it is the first that was found.
    bubble : Bubble, optional
        Bubble flow control on some rings, under ``vct``; `unknot.routing.bubble` makes it.

    Returns
    -------
    Verdict
        With a configuration when it can deadlock and a certificate when it cannot.

    Raises
    ------
    RelationError
        If the relation breaks its contract at a reachable state, or an argument makes no sense.

    Examples
    --------
    >>> check("torus(4, 4)", "vct", routing="dimension_order").deadlock_free
    False
    >>> check("torus(4, 4)", "vct", routing="dimension_order", vcs=2).deadlock_free
    True
    """
    (verdict,) = _verdicts(
        relation, (switching,), time_limit, buffer_depth, threads, progress, shorten, bubble
    ).values()
    return verdict


@takes_relation
@with_bar
def check_all(
    relation: Relation,
    first: str = DEFAULT_SWITCHING,
    *,
    time_limit: float | Deadline = 60.0,
    buffer_depth: int = BUFFER_DEPTH,
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[Switching, Verdict]:
    """Decide whether a relation can deadlock, under each of the four switching techniques.

    The states are followed once. The technique named `first` has the whole time limit and the verdict of `check`; the
    others share what is left, and their counterexamples are the first that were found.

    Parameters
    ----------
    relation : Relation
        As for `check`.
    first : {"vct", "saf", "wormhole", "wormhole-nonatomic"}
        The technique that is decided first.
    routing, vcs, time_limit, buffer_depth, threads, progress : optional
        As for `check`.

    Returns
    -------
    dict of str to Verdict
        In the order of `unknot._base.switching.SWITCHINGS`.

    Raises
    ------
    RelationError
        As `check`.

    Examples
    --------
    >>> verdicts = check_all("torus(4, 4)", routing="duato")
    >>> [technique for technique, verdict in verdicts.items() if verdict.deadlock_free]
    ['saf', 'vct', 'wormhole']
    """
    names = tuple(dict.fromkeys((first, *SWITCHINGS)))
    verdicts = _verdicts(relation, names, time_limit, buffer_depth, threads, progress, True)
    return {technique: verdicts[technique] for technique in SWITCHINGS}


def _verdicts(
    relation: Relation,
    names: tuple[str, ...],
    time_limit: float | Deadline,
    buffer_depth: int,
    threads: int | None,
    progress: Progress | None,
    shorten: bool,
    bubble: Bubble | None = None,
) -> dict[Switching, Verdict]:
    """The verdicts under some techniques, the first with all the time and, with `shorten`, a short counterexample."""
    techniques = [switching_named(name) for name in names]
    if bubble is not None and techniques != ["vct"]:
        raise RelationError(f"bubble flow control counts whole packets, so it goes with vct, not with {names[0]}")
    require_depth(buffer_depth, "check")
    deadline = Deadline.of(time_limit, "check")
    count, depth = threads_of(threads, "check", wrong=RelationError), int(buffer_depth)
    verdicts: dict[Switching, Verdict] = {}

    def one(technique: Switching, graph: Dependencies, effort: Effort) -> Verdict:
        if bubble is not None:
            return check_bubble(graph, bubble, depth, effort)
        alike = verdicts.get("vct" if technique == "saf" else "saf") if technique in ("saf", "vct") else None
        if alike is not None:
            knot = alike.configuration and replace(alike.configuration, switching=technique)
            return replace(alike, switching=technique, configuration=knot)
        return _decide(graph, technique, deadline, depth, effort, shorten and technique == techniques[0])

    graphs: list[Dependencies] = []

    def followed() -> tuple[Dependencies, Verdict]:
        graphs.append(dependencies(relation, effort))
        return graphs[0], one(techniques[0], graphs[0], effort)

    left = deadline.left
    try:
        if deadline.within(lambda: relation.table) is None:
            within(max(deadline.left, LOADING), lambda: relation.compiled)
        effort = Effort(count, deadline.end, progress)
        graph, verdicts[techniques[0]] = deadline.closing.within(followed)
        # The fixpoints of the others need a moment, and have it where the first took all the time.
        later = replace(effort, end=max(effort.end, min(deadline.closing.end, clock() + 1.0)))
        for technique in techniques[1:]:
            verdicts[technique] = deadline.closing.within(partial(one, technique, graph, later))
    except NoAnswerError:
        method = "channel dependency graph" if graphs else NO_ANSWER
        if graphs:
            number = np.count_nonzero(graphs[0].cyclic)
            text = (
                f"{number} of {relation.num_vcs} VCs lie on cycles of dependencies; what follows did not end in time"
            )
        elif left < deadline.seconds / 2 or long_compiling():
            text = f"{left:.2g} s were left to ask the rule"
        else:
            text = "the rule gave no answer; does it loop for ever?"
        text, scope = deadline.undecided(text), f"{relation.num_addresses} addresses, {relation.num_vcs} VCs"
        verdicts |= {t: Verdict(None, t, method, scope, text) for t in techniques if t not in verdicts}
    return verdicts


def _decide(
    graph: Dependencies, technique: Switching, deadline: Deadline, buffer_depth: int, effort: Effort, shorten: bool
) -> Verdict:
    """The verdict, worked out in stages that look at the clock between blocks of work."""
    relation = graph.relation
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

    late = (deadline.end + deadline.closing.end) / 2
    """Until when to say how packets come to a deadlock that was found."""

    def free(method: str, established: str, *reason: Any) -> Verdict:
        return Verdict(True, technique, method, scope, established, certificate=Certificate(*reason), size=size)

    def stuck(method: str, worms: list[Worm] | Configuration) -> Verdict:
        if isinstance(worms, Configuration):
            knot = worms
        else:
            knot = configuration(relation, worms, technique, buffer_depth, as_it_is=not shorten, end=late)
        if not knot.reachable:
            knot = reachable_configuration(relation, technique, buffer_depth, late) or knot
        text = knot.summary if knot.reachable else f"undecided: {knot.summary}"
        free = False if knot.reachable else None
        return Verdict(free, technique, method, scope, text, configuration=knot, size=size)

    def open_question(method: str, established: str) -> Verdict:
        text = deadline.undecided(established)
        return Verdict(None, technique, method, scope, text, size=size)

    if graph.acyclic and graph.complete:
        rank = graph.label.max(initial=0) - graph.label.astype(np.int64)
        text = "the VCs can be numbered so that every route climbs"
        return free("acyclic channel dependency graph", text, "order", rank)
    if technique == "wormhole-nonatomic" and not graph.acyclic:
        method = "cycle in the channel dependency graph"
        try:
            return stuck(method, queued_cycle(graph, buffer_depth, replace(effort, end=late)))
        except TimeUpError as out:
            knot = f"{np.count_nonzero(graph.cyclic)} VCs lie on cycles of dependencies, so there is a deadlock"
            return open_question(method, f"{knot}; there was no time to say how packets come there ({out})")
    if not graph.complete:
        so_far = "no cycle" if graph.acyclic else f"{np.count_nonzero(graph.cyclic)} VCs on cycles"
        text = f"the dependencies of {graph.addresses} of {relation.num_addresses} addresses have {so_far}"
        return open_question("channel dependency graph", text)
    try:
        states = waiting(graph, effort, symmetry=graph.states > MANY)
        if states.group is not None:
            scope += f"; translation symmetry checked, {states.group.representatives.size} addresses stand for all"
        left = drain(states, spread=False, effort=effort)
        if left:
            # Messages of one VC each, straight from their terminals if that can be.
            entered = drain(states, spread=False, entered=True, effort=effort)
            return stuck("greatest fixpoint of waiting VCs", small_closed_set((entered or left).heads()))
        if technique in ("saf", "vct"):
            text = "every blocked packet waits for a VC that drains before its own"
            return free("empty greatest fixpoint of waiting VCs", text, "escape", _ranks(graph, left.removed))
        left = drain(states, spread=True, effort=effort)
        if not left:
            text = "no worm reaches a header that could stay blocked; VCs drain one after the other"
            return free("empty greatest fixpoint of worms", text, "drain", _ranks(graph, left.removed))
        rest = on_cycles(graph, "wormhole", left.vcs, effort)
    except TimeUpError as out:
        text = f"{np.count_nonzero(graph.cyclic)} of {relation.num_vcs} VCs lie on cycles of dependencies; {out}"
        return open_question("greatest fixpoints", text)
    number = int(np.count_nonzero(left.vcs))
    worms = find_worms(graph, rest, max(0.01, effort.end - clock()))
    if isinstance(worms, list):
        return stuck("exact search (CP-SAT)", worms)
    method = "greatest fixpoint of worms, then exact search (CP-SAT)"
    if worms is None:
        return open_question(method, f"only {number} of {relation.num_vcs} VCs may be part of a deadlock")
    text = f"all but {number} VCs drain; no set of worms on those blocks itself"
    return free(method, text, "exhausted", _ranks(graph, left.removed), left.vcs, worms)


def _ranks(graph: Dependencies, removed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Order of draining: components downstream first; within one as deleted, VCs that are left last and together."""
    keys = np.stack([graph.label.astype(np.int64), np.where(removed < 0, removed.size, removed)], axis=1)
    _, rank = np.unique(keys, axis=0, return_inverse=True)
    return rank.reshape(-1).astype(np.int64)
