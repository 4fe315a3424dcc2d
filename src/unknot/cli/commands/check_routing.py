"""Whether one routing can deadlock and delivers, with whatever else is asked of it alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from unknot._base.errors import RelationError, require_known
from unknot.cli.commands.options import Json, Options, refuse_beside
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import COQ, RoutedNetwork

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot._base.switching import Switching
    from unknot.certificates import Configuration, Verdict
    from unknot.certificates.documents import Document
    from unknot.cli.answers.form import Form
    from unknot.network import Network
    from unknot.report.explanation import Section
    from unknot.routing.relation import Relation
    from unknot.verify import Delivery
    from unknot.verify.progress import Progress
    from unknot.verify.smallest import Smallest

T = TypeVar("T")
Evidence = tuple["Network | None", "Relation | None", "list[Document]"]
"""Network and routing that claims are about, and the claims."""


@dataclass(frozen=True)
class Details(Options):
    """What else is answered of one routing.

    Attributes
    ----------
    smallest
        Look for the smallest counterexample, and prove that it is.
    bubble : RULE
        With bubble flow control: localised, global or critical, with options: 'global(packets=1, rings="FILE.toml")'.
    arbiter
        Whether every packet arrives, and when: fair, round_robin, oldest_first or fixed.
    explain
        Explain the answer step by step.
    """

    heading = "Further"
    smallest: bool = False
    bubble: str | None = None
    arbiter: str | None = None
    explain: bool = False


@dataclass(frozen=True)
class AnswerFiles(Options):
    """Where the answer goes.

    Attributes
    ----------
    export : FILE.json
        Write the counterexample, for `unknot replay`.
    evidence : FILE.json|v
        Write the evidence, for `unknot accept`; with .v for Coq.
    out : FILE.svg|png|pdf|html
        Draw the counterexample, or in HTML step through its replay.
    """

    heading = "Output"
    export: Path | None = None
    evidence: Path | None = None
    out: Path | None = None
    json: Json = False


@dataclass(frozen=True)
class Answered:
    """Answer to a question of `unknot check`, and what else is written and printed with it.

    Attributes
    ----------
    form, sources, keys
        The answer as `display.tell` takes it.
    holds
        What the exit code says.
    evidence
        Makes what `write_evidence` takes, where a file of evidence is to be written.
    relation, knot
        The routing, and its counterexample.
    drawn
        What is drawn with --out in place of the routing and its counterexample.
    explanation
        What is printed in place of the counterexample in sentences.
    """

    form: type[Form]
    sources: tuple[object, ...]
    keys: dict[str, Any]
    holds: tuple[bool | None, ...]
    evidence: Callable[[], Evidence]
    relation: Relation | None
    knot: Configuration | None = None
    drawn: tuple[Relation, Configuration | None] | None = None
    explanation: tuple[Section, ...] | None = None


def of_routing(routed: RoutedNetwork, details: Details, output: AnswerFiles) -> Answered:
    """Prove a routing or show how it fails, and answer what else is asked of it, in turn, until the time is over."""
    from unknot.certificates import evidence_holds
    from unknot.cli.answers.verdicts import CheckAnswer, VerdictForm
    from unknot.verify import deliver
    from unknot.verify.check import NO_ANSWER
    from unknot.verify.delivery import NOT_FOLLOWED

    if details.bubble is not None:
        refuse_beside("--bubble", "is about routings without it", smallest=details.smallest, explain=details.explain)
    relation, ending = routed.relation(), routed.deadline.closing.closing
    began = time.monotonic()
    techniques = _verdicts(relation, routed, details.bubble)
    seconds = time.monotonic() - began
    verdict, delivery, holds, explanation, least = techniques[routed.switching], None, None, None, None
    if verdict.method != NO_ANSWER:
        delivery = _in_time("looking at the routes", ending, lambda: deliver(relation))
    progress = None if details.arbiter is None else _progress(relation, verdict, delivery, details.arbiter, ending)
    if details.smallest and verdict.deadlock_free is False:
        least = _smallest(relation, routed, verdict)
        if least is not None and least.configuration is not None:
            verdict = replace(verdict, configuration=least.configuration, established=least.configuration.summary)
    if delivery is not None:
        holds = _in_time("looking at the evidence", ending, lambda: evidence_holds(relation, verdict))
        if details.explain:
            argue = partial(_explanation, relation, verdict, delivery, holds)
            explanation = _in_time("looking at the evidence", ending, argue)

    def evidence() -> Evidence:
        """The evidence of all answers; for Coq that of the verdict and the routes alone."""
        from unknot.verify.delivery import answer_claims
        from unknot.verify.progress import progress_claims

        coq = output.evidence is not None and output.evidence.suffix == COQ
        others = [other for name, other in techniques.items() if name != routed.switching and not coq]
        sizes = [] if least is None else _size_claims(relation, routed.switching, least)
        claims = answer_claims(relation, [verdict, *others], delivery) + sizes
        if progress is not None and not coq:
            claims += progress_claims(progress, claims[0])
        return relation.network, relation, claims

    answered = Answered(
        CheckAnswer,
        (verdict, delivery or NOT_FOLLOWED),
        {
            "techniques": techniques, "seconds": seconds, "progress": progress, "smallest": least,
            "certificate_holds": holds, "explanation": explanation,
        },
        holds=(verdict.deadlock_free, None if delivery is None else delivery.delivered),
        evidence=evidence,
        relation=relation,
        knot=verdict.configuration,
        explanation=explanation,
    )  # fmt: skip
    if delivery is None and output.json:
        return replace(answered, form=VerdictForm, sources=(verdict,), keys={"certificate_holds": holds})
    return answered


def _in_time(activity_of: str, ending: Deadline, work: Callable[[], T]) -> T | None:
    """The outcome of some work while an activity is shown; None if time runs out."""
    from unknot.cli.commands import activity

    with activity.working(activity_of):
        return ending.unless_over(work)


def _verdicts(relation: Relation, routed: RoutedNetwork, bubble: str | None) -> dict[Switching, Verdict]:
    """The verdicts under all techniques; with bubbles under the chosen one alone."""
    from unknot.cli.commands import activity
    from unknot.routing.bubble import bubble_named
    from unknot.verify import check, check_all

    rule = None if bubble is None else bubble_named(relation, bubble)
    with activity.working("proving") as progress:
        limits: Any = {"time_limit": routed.deadline, "buffer_depth": routed.buffer_depth, "progress": progress}
        if rule is None:
            return check_all(relation, routed.switching, **limits)
        return {routed.switching: check(relation, routed.switching, bubble=rule, **limits)}


def _progress(
    relation: Relation, verdict: Verdict, delivery: Delivery | None, arbiter: str, ending: Deadline
) -> Progress | None:
    """Whether every packet arrives, of a routing that is free of deadlock without bubbles."""
    from unknot.verify.progress import ARBITERS, progress

    require_known("--arbiter: unknown arbiter", arbiter, ARBITERS, RelationError)
    if not verdict.deadlock_free or verdict.bubble is not None:
        return None
    ends = None if delivery is None else delivery.livelock_free
    return _in_time("looking at progress", ending, lambda: progress(relation, arbiter, livelock_free=ends))


def _smallest(relation: Relation, routed: RoutedNetwork, verdict: Verdict) -> Smallest | None:
    """The smallest counterexample."""
    from unknot.verify.smallest import smallest

    limits: Any = {"time_limit": routed.deadline, "buffer_depth": routed.buffer_depth}
    seek = partial(smallest, relation, routed.switching, known=verdict.configuration, **limits)
    least = _in_time("looking for a smaller counterexample", routed.deadline.closing, seek)
    if least is None:
        notify("there was no time to look for a smaller counterexample")
    return least


def _explanation(relation: Relation, verdict: Verdict, delivery: Delivery, holds: bool | None) -> tuple[Section, ...]:
    """The whole argument; of a deadlock with its replay."""
    from unknot.report.explanation import explain
    from unknot.simulation import replay

    carried = None if verdict.configuration is None else replay(relation, verdict.configuration)
    return explain(relation, verdict, delivery, holds=holds, replay=carried)


def _size_claims(relation: Relation, technique: Switching, least: Smallest) -> list[Document]:
    """The claim that a deadlock has as many packets and VCs as the checker can show; none where it gives up."""
    from unknot.certificates import Unchecked, size_claim

    if least.messages_bound <= 1:
        return []
    try:
        claim = size_claim(relation, technique, least.messages_bound, least.held_bound)
    except Unchecked as error:
        notify(f"the evidence has no bound on the number of messages: {error}")
        return []
    if claim["least"] < least.messages_bound:
        notify(f"the evidence shows {claim['least']} messages at least; more were shown by a solver alone")
    elif "held" not in claim and least.held_bound > least.messages_bound:
        notify(f"the evidence does not show that {least.held_bound} VCs are held at least; a search alone showed it")
    return [claim]
