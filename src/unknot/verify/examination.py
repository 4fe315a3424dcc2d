"""All that is asked of one routing, in turn: verdicts, delivery, progress, the smallest deadlock, the evidence."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError
from unknot._base.progress import Progress as Report
from unknot._base.shown import Brief
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching
from unknot._base.three_valued import ThreeValued, all_hold
from unknot.certificates import evidence_holds
from unknot.certificates.documents import Document
from unknot.certificates.verdict import Verdict
from unknot.flow_control.model import FlowControl
from unknot.routing.relation import Relation
from unknot.verify.check import NO_ANSWER, check, check_all
from unknot.verify.delivery import NOT_FOLLOWED, Delivery, answer_claims, deliver
from unknot.verify.progress import Progress, progress, progress_claims
from unknot.verify.smallest import Smallest, smallest


@dataclass(frozen=True)
class FurtherAnswers:
    """What is answered of a routing beside the verdict under one technique and delivery.

    Attributes
    ----------
    every_technique : bool
        The verdicts under the other techniques, which have no pools.
    flow : FlowControl or None
        The verdict under a flow control of the relation, in place of a technique.
    arbiter : str or None
        Whether every packet arrives, and when, where it is free of deadlock; not under a flow control.
    smallest : bool
        The smallest counterexample; not under a flow control.

    Raises
    ------
    RelationError
        If an arbiter or the smallest counterexample is asked for under a flow control of the relation.
    """

    every_technique: bool = False
    flow: FlowControl | None = None
    arbiter: str | None = None
    smallest: bool = False

    def __post_init__(self) -> None:
        if self.flow is not None and (self.arbiter is not None or self.smallest):
            what = "smallest counterexample" if self.smallest else "arbiter"
            raise RelationError(
                f"examine: under a flow control of the relation there is no answer about the {what}; leave it out"
            )


NOTHING_FURTHER = FurtherAnswers()
"""Nothing but a verdict and delivery."""


@dataclass(frozen=True, eq=False, repr=False)
class Examination(ThreeValued, Brief, asks="safe"):
    """Results of examining a routing; questions out of time or not asked are open or None.

    Attributes
    ----------
    relation : Relation
    verdict : Verdict
        With the smallest counterexample, if it was found.
    verdicts : dict of str to Verdict
        By technique, as they were decided.
    seconds : float
        Time for the verdicts.
    delivery : Delivery
    holds : bool or None
        Whether the separate checker accepts the evidence of the verdict.
    progress : Progress or None
    smallest : Smallest or None
    """

    relation: Relation
    verdict: Verdict
    verdicts: dict[Switching, Verdict]
    seconds: float
    delivery: Delivery = NOT_FOLLOWED
    holds: bool | None = None
    progress: Progress | None = None
    smallest: Smallest | None = None

    @property
    def safe(self) -> bool | None:
        """Whether it is free of deadlock, the proof holds, and everything arrives; None: open."""
        return all_hold((self.verdict.deadlock_free, self.holds is not False, self.delivery.delivered))

    def claims(self) -> list[Document]:
        """What is not open, as claims of a document; that of the size of a deadlock is made by `size_claim`."""
        others = [other for name, other in self.verdicts.items() if name != self.verdict.switching]
        claims = answer_claims(self.relation, [self.verdict, *others], self.delivery)
        return claims if self.progress is None else claims + progress_claims(self.progress, claims[0])


def examine(
    relation: Relation,
    switching: Switching = DEFAULT_SWITCHING,
    further: FurtherAnswers = NOTHING_FURTHER,
    *,
    deadline: Deadline,
    ending: Deadline | None = None,
    buffer_depth: int = BUFFER_DEPTH,
    report: Report | None = None,
    first: Callable[[Examination], None] = lambda _: None,
) -> Examination:
    """Decide whether a routing can deadlock and delivers, and answer what else is asked of it.

    Parameters
    ----------
    deadline : Deadline
        Of the verdicts and the search for the smallest deadlock.
    ending : Deadline, optional
        Of the rest; by default twice `Deadline.closing`.
    report : callable(stage, done, total), optional
        Told how far each stage is.
    first : callable(examination)
        Told the verdicts as soon as they are decided, and again with delivery.
    """
    ending, began = ending or deadline.closing.closing, time.monotonic()
    limits: Any = {"time_limit": deadline, "buffer_depth": buffer_depth}
    if further.every_technique:
        verdicts = check_all(relation, switching, progress=report, **limits)
    else:
        verdict = check(relation, switching, flow=further.flow, progress=report, **limits)
        switching = verdict.switching
        verdicts = {switching: verdict}
    decided = Examination(relation, verdicts[switching], verdicts, time.monotonic() - began)
    verdict, arrival, least = decided.verdict, None, None
    if verdict.method == NO_ANSWER:
        return decided
    first(decided)
    followed = ending.unless_over(lambda: deliver(relation, progress=report))
    delivery = NOT_FOLLOWED if followed is None else followed
    first(replace(decided, delivery=delivery))
    if (arbiter := further.arbiter) is not None and verdict.deadlock_free:
        ends = delivery.livelock_free
        arrival = ending.unless_over(lambda: progress(relation, arbiter, livelock_free=ends))
    known = verdict.configuration
    # Of packets in queues none smaller is looked for: those of one VC each cannot come to block each other there.
    if further.smallest and verdict.deadlock_free is False and known is not None and not known.queued:
        least = deadline.closing.unless_over(lambda: smallest(relation, switching, known=known, **limits))
    if least is not None and (knot := least.configuration) is not None:
        verdict = replace(verdict, configuration=knot, established=knot.summary)
    holds = ending.unless_over(lambda: evidence_holds(relation, verdict))
    return replace(decided, verdict=verdict, delivery=delivery, holds=holds, progress=arrival, smallest=least)
