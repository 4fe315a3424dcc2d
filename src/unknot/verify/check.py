"""Can it deadlock? The decision for each switching technique."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from unknot._base.compile_time import long_compiling
from unknot._base.deadline import MINUTE, Deadline, NoAnswerError, clock, counts_work, within
from unknot._base.errors import RelationError
from unknot._base.progress import Progress, found, with_bar
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, SWITCHINGS, Switching, switching_named
from unknot._base.threads import threads_of
from unknot.certificates.verdict import Verdict
from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique as flow_of
from unknot.routing.flow_controls.named import flow_given
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.decision import TechniqueDecision
from unknot.verify.effort import Effort
from unknot.verify.pools import check_pools
from unknot.verify.states import Dependencies, dependencies
from unknot.verify.witness import require_depth

LOADING = 1.5
"""Seconds, whatever the time limit, in which Numba is loaded and a rule compiled, which does not count."""
NO_ANSWER = "asking the rule"
"""Method of a verdict that is open since the rule did not answer."""


@takes_relation
@with_bar
@counts_work
def check(
    relation: Relation,
    switching: str = DEFAULT_SWITCHING,
    *,
    time_limit: float | Deadline = MINUTE,
    buffer_depth: int = BUFFER_DEPTH,
    threads: int | None = None,
    progress: Progress | None = None,
    shorten: bool = True,
    flow: FlowControl | str | None = None,
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
    switching : str
        The switching technique, ``saf``, ``vct``, ``wormhole`` or ``wormhole-nonatomic``; or a call that makes a flow
        control of this relation, such as ``damq(reserved=1)``.
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
    flow : FlowControl or str, optional
        Flow control of this relation, in place of `switching`.

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
    limits = _Limits.of(time_limit, buffer_depth, threads, progress)
    switching, flow = flow_given(relation, switching, flow)
    if flow is not None:
        # Messages fill their buffers, so these are whole cells.
        limits = replace(limits, buffer_depth=max(1, limits.buffer_depth // flow.cell) * flow.cell)
    (verdict,) = _verdicts(relation, (switching,), limits, shorten=shorten, flow=flow).values()
    if flow is None or flow.pools or flow == flow_of(switching):
        return verdict
    return _with_flow(verdict, flow)


def _with_flow(verdict: Verdict, flow: FlowControl) -> Verdict:
    """The verdict on a flow control without pools, from that on the technique whose packets wait alike."""
    knot = verdict.configuration and replace(verdict.configuration, flow=flow)
    certificate = verdict.certificate
    if certificate is not None and certificate.kind == "states" and flow.enters != flow_of(verdict.switching).enters:
        text = "undecided: no states but those of empty VCs were searched, and packets may fit in behind others"
        return replace(verdict, deadlock_free=None, certificate=None, established=text, flow=flow)
    return replace(verdict, configuration=knot, flow=flow)


@takes_relation
@with_bar
@counts_work
def check_all(
    relation: Relation,
    first: str = DEFAULT_SWITCHING,
    *,
    time_limit: float | Deadline = MINUTE,
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
    limits = _Limits.of(time_limit, buffer_depth, threads, progress)
    verdicts = _verdicts(relation, tuple(dict.fromkeys((first, *SWITCHINGS))), limits, shorten=True)
    return {technique: verdicts[technique] for technique in SWITCHINGS}


@dataclass(frozen=True, eq=False)
class _Limits:
    """What bounds the proof of all techniques together."""

    deadline: Deadline
    buffer_depth: int
    threads: int
    progress: Progress | None

    @classmethod
    def of(
        cls, time_limit: float | Deadline, buffer_depth: int, threads: int | None, progress: Progress | None
    ) -> _Limits:
        """The limits of a call, checked."""
        require_depth(buffer_depth, "check")
        deadline = Deadline.of(time_limit, "check")
        return cls(deadline, int(buffer_depth), threads_of(threads, "check", wrong=RelationError), progress)


def _verdicts(
    relation: Relation,
    names: tuple[str, ...],
    limits: _Limits,
    *,
    shorten: bool,
    flow: FlowControl | None = None,
) -> dict[Switching, Verdict]:
    """The verdicts under some techniques, the first with all the time and, with `shorten`, a short counterexample."""
    techniques = [switching_named(name) for name in names]
    deadline, verdicts, graph = limits.deadline, dict[Switching, Verdict](), None

    def verdict(technique: Switching, graph: Dependencies, effort: Effort) -> Verdict:
        if flow is not None and flow.pools:
            return check_pools(graph, flow, limits.buffer_depth, effort)
        waits = flow_of(technique).waiting
        alike = next((known for name, known in verdicts.items() if flow_of(name).waiting == waits), None)
        if alike is not None:
            knot = alike.configuration and replace(alike.configuration, switching=technique)
            return replace(alike, switching=technique, configuration=knot)
        short = shorten and technique == techniques[0]
        return TechniqueDecision(graph, technique, deadline, limits.buffer_depth, effort, short).verdict()

    left = deadline.left
    try:
        if deadline.within(lambda: relation.table) is None:
            within(max(deadline.left, LOADING), lambda: relation.compiled)
        effort = Effort(limits.threads, deadline.end, limits.progress)
        graph = deadline.closing.within(partial(dependencies, relation, effort))
        first, *others = techniques
        found(graph.on_cycles, by_part=True)
        verdicts[first] = deadline.closing.within(partial(verdict, first, graph, effort))
        found(f"{first}: {verdicts[first].established}", by_part=True)
        # The fixpoints of the others need a moment, and have it where the first took all the time.
        later = replace(effort, end=max(effort.end, min(deadline.closing.end, clock() + 1.0)))
        for technique in others:
            verdicts[technique] = deadline.closing.within(partial(verdict, technique, graph, later))
    except NoAnswerError:
        method = NO_ANSWER if graph is None else "channel dependency graph"
        if graph is not None:
            text = f"{graph.on_cycles}; what follows did not end in time"
        elif left < deadline.seconds / 2 or long_compiling():
            text = "the limit was over before the rule had answered, so nothing is known; give more time"
        else:
            text = "the rule gave no answer; does it loop for ever?"
        text, scope = deadline.undecided(text), f"{relation.num_addresses:,} addresses, {relation.num_vcs:,} VCs"
        verdicts |= {t: Verdict(None, t, method, scope, text) for t in techniques if t not in verdicts}
    return verdicts
