"""`unknot check`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import RelationError, require_known
from unknot.cli.commands.answered import Answered, AnswerFiles, give
from unknot.cli.commands.flows import flow_of
from unknot.cli.commands.options import Options, refuse_beside
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import BufferedNetwork, if_read, stated
from unknot.cli.commands.written import COQ, write_counterexample

if TYPE_CHECKING:
    from unknot.certificates import Verdict
    from unknot.certificates.documents import Document
    from unknot.report.explanation import Section
    from unknot.report.scene import Scene
    from unknot.routing.relation import Relation
    from unknot.verify.examination import Examination


@dataclass(frozen=True)
class Details(Options):
    """What else is answered of one routing.

    Attributes
    ----------
    smallest
        Look for the smallest counterexample, with proof.
    bubble : RULE
        Rule of bubble flow control, another spelling of --switching "bubble('RULE')": localised, global or
        critical, 'global(packets=1, rings="FILE.toml")'.
    arbiter
        Arbiter for a proof that every packet arrives, and when: fair, round_robin, oldest_first or fixed.
    explain
        Explain the answer step by step.
    """

    heading = "Further"
    smallest: bool = False
    bubble: str | None = None
    arbiter: str | None = None
    explain: bool = False


@dataclass(frozen=True)
class CheckFiles(AnswerFiles):
    """Where the answer on a routing goes.

    Attributes
    ----------
    export : FILE.json
        File of the counterexample, for `unknot replay`.
    evidence : FILE.json|v
        File of the evidence, for `unknot accept`; with .v for Coq.
    out : svg|png|pdf|html
        pictures of the counterexample; .html steps through it
    """

    export: Path | None = None

    @property
    def coq(self) -> bool:
        """Whether the evidence is for Coq."""
        return self.evidence is not None and self.evidence.suffix == COQ


def check(routed: BufferedNetwork, details: Details, output: CheckFiles) -> int:
    """Prove that a routing cannot deadlock and delivers every packet, or show a counterexample.

    The command prints the verdicts under all switching techniques. With --smallest, --evidence has the numbers of
    messages and held VCs that the checker can confirm; the answer may have higher numbers.

    Exit code 0: the routing is deadlock-free under --switching, and delivers; 1: a deadlock or an undelivered pair
    exists; 3: the question is undecided in time.

    Examples
    --------
    >>> import unknot
    >>> answer = unknot.check("torus(4, 4)", "dimension_order")
    >>> answer.deadlock_free, answer.delivered, answer.holds
    (False, True, False)
    >>> len(answer.configuration.messages), answer.relation
    (4, <Relation dimension_order on torus(4, 4), 64 VCs>)
    """
    answered = _of_routing(routed, details, coq=output.coq)
    if output.export is not None and answered.relation is not None:
        named = (routed.network, routed.routing, routed.vcs)
        write_counterexample(answered.relation, answered.knot, output.export, *named)
    return give(answered, output.evidence, output.json)


def _of_routing(routed: BufferedNetwork, details: Details, *, coq: bool) -> Answered:
    """Prove a routing or show how it fails, and answer the further questions within the time."""
    from unknot.cli.answers.verdicts import CheckAnswer
    from unknot.cli.commands import activity
    from unknot.verify.examination import FurtherAnswers, examine
    from unknot.verify.progress import ARBITERS

    if details.arbiter is not None:
        require_known("--arbiter: unknown arbiter", details.arbiter, ARBITERS, RelationError)
    text, unread = stated(routed.network, routed.routing)
    relation = routed.relation(text)
    technique, flow = flow_of(relation, routed.switching, details.bubble)
    if flow is not None:
        option = "--bubble" if details.bubble is not None else f"--switching {flow.name}"
        others = details.some("smallest", "explain", "arbiter")
        refuse_beside(option, "is about techniques without a flow control of the relation", **others)
    further = FurtherAnswers(flow is None, flow, details.arbiter, details.smallest)
    with activity.working("proving") as report:
        limits = routed.some("deadline", "buffer_depth")
        examined = examine(relation, technique, further, report=report, **limits)
        explain = details.explain and examined.delivery.delivered is not None
        ending = routed.deadline.closing.closing
        explanation = ending.unless_over(lambda: _explanation(examined)) if explain else None
    if details.arbiter is not None and examined.verdict.deadlock_free is False:
        notify("--arbiter: a packet in a deadlock never arrives, so no arbiter was judged")
    knot = examined.verdict.configuration
    if details.smallest and examined.verdict.deadlock_free is False and examined.smallest is None:
        if knot is not None and knot.queued:
            notify("--smallest: packets of this counterexample queue in VCs, where no smaller one is looked for")
        else:
            notify("there was no time to look for a smaller counterexample")

    def claims() -> list[Document]:
        """The evidence of all answers; for Coq not that of other techniques."""
        written = replace(examined, verdicts={}) if coq else examined
        return written.claims() + _size_claims(examined)

    keys = {
        "techniques": examined.verdicts, "certificate_holds": examined.holds, "explanation": explanation,
        "seconds": examined.seconds, "progress": examined.progress, "smallest": examined.smallest,
    }  # fmt: skip
    return Answered(
        CheckAnswer,
        (examined.verdict, examined.delivery),
        keys,
        holds=(if_read(examined.verdict.deadlock_free, unread), examined.delivery.delivered),
        claims=claims,
        relation=relation,
        knot=knot,
        scene=None if knot is not None else partial(_scene, relation, examined.verdict),
        explanation=explanation,
    )


def _explanation(examined: Examination) -> tuple[Section, ...]:
    """The whole argument; of a deadlock with its replay."""
    from unknot.report.explanation import explain
    from unknot.simulation import replay

    relation, verdict = examined.relation, examined.verdict
    carried = None if verdict.configuration is None else replay(relation, verdict.configuration)
    return explain(relation, verdict, examined.delivery, holds=examined.holds, replay=carried)


def _size_claims(examined: Examination) -> list[Document]:
    """The claim that a deadlock has as many packets and VCs as the checker can show; none where it gives up."""
    from unknot.certificates import Unchecked, size_claim

    least = examined.smallest
    if least is None or least.messages_bound <= 1:
        return []
    try:
        claim = size_claim(examined.relation, examined.verdict.switching, least.messages_bound, least.held_bound)
    except Unchecked as error:
        notify(f"the evidence has no bound on the number of messages: {error}")
        return []
    if claim["least"] < least.messages_bound:
        notify(f"the evidence shows {claim['least']} messages at least; more were shown by a solver alone")
    elif "held" not in claim and least.held_bound > least.messages_bound:
        notify(f"the evidence does not show that messages hold at least {least.held_bound} VCs; only the search did")
    return [claim]


def _scene(relation: Relation, verdict: Verdict) -> Scene:
    from unknot.report.scenes import order_scene

    return order_scene(relation, verdict)
