"""`unknot check`: of one routing, of an update to another, with end points, or of meshes of every size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from unknot._base.errors import RelationError, UnknotError, require_known
from unknot.cli.commands.check_others import Answered, of_end_points, of_every_size, of_update
from unknot.cli.commands.flows import flow_of
from unknot.cli.commands.options import PAGE, Json, Options, refuse_beside
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import (
    COQ,
    RoutedNetwork,
    exit_code,
    if_read,
    stated,
    write_counterexample,
    write_evidence,
    write_knot,
)

if TYPE_CHECKING:
    from unknot.certificates.documents import Document
    from unknot.report.explanation import Section
    from unknot.verify.examination import Examination

PROSE_WIDTH = 100
"""Most columns of an explanation."""


@dataclass(frozen=True)
class OtherQuestion(Options):
    """What is answered in place of whether the routing can deadlock.

    Attributes
    ----------
    all_sizes
        For meshes of every size; NETWORK is a family: mesh(3).
    to : NEW
        Whether routers can change one by one from this routing to another, in which order, and what can happen.
    protocol : FILE.toml|NAME
        With terminals that wait too: request_reply, coherence, axi, …, or a file.
    packet_length : FLITS
        Of the longest message of the protocol; with --buffer-depth it gives the messages that a VC holds.
    """

    heading = "Another question"
    all_sizes: bool = False
    to: str | None = None
    protocol: str | None = None
    packet_length: int | None = None


@dataclass(frozen=True)
class Details(Options):
    """What else is answered of one routing.

    Attributes
    ----------
    smallest
        Look for the smallest counterexample, and prove that it is.
    bubble : RULE
        As --switching "bubble('RULE')": localised, global or critical, 'global(packets=1, rings="FILE.toml")'.
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

    def require_json(self, option: str, about: str) -> None:
        """Refuse evidence for Coq, which is about the verdict on a routing."""
        if self.evidence is not None and self.evidence.suffix == COQ:
            raise UnknotError(f"{self.evidence}: files for Coq are {about}; with {option}, --evidence is a FILE.json")


def check(routed: RoutedNetwork, question: OtherQuestion, details: Details, output: AnswerFiles) -> int:
    """Prove that a routing cannot deadlock and delivers every pair, or show how it fails.

    The answers under the other switching techniques follow, a line each. With --smallest, the numbers of messages and
    held VCs in --evidence are those that the checker can show; the answer may have higher ones.

    Exit code, of the answer under --switching: 0: it holds; 1: it does not; 3: undecided in the time given.
    """
    alone = vars(details) | {"export": output.export}
    if question.protocol is None:
        refuse_beside(
            "a routing alone", "is the length of messages of a --protocol", packet_length=question.packet_length
        )
    if question.all_sizes:
        one_size = {"out": output.out, "flows": routed.flows, "to": question.to, "protocol": question.protocol}
        refuse_beside("--all-sizes", "is about networks of one size", **alone, **one_size)
        answered = of_every_size(routed)
    elif question.to is not None:
        refuse_beside("--to", "is about one routing", **alone, protocol=question.protocol)
        output.require_json("--to", "about one routing")
        answered = of_update(routed, question.to)
    elif question.protocol is not None:
        refuse_beside("--protocol", "is about a routing alone", **alone)
        output.require_json("--protocol", "about a routing alone")
        if output.out is not None and output.out.suffix.lower() == PAGE:
            raise UnknotError(f"{output.out}: pages step through routings alone; with --protocol, --out is a drawing")
        answered = of_end_points(routed, question.protocol, question.packet_length)
    else:
        answered = _of_routing(routed, details, coq=output.evidence is not None and output.evidence.suffix == COQ)
    _give(answered, routed, output)
    return exit_code(*answered.holds)


def _of_routing(routed: RoutedNetwork, details: Details, *, coq: bool) -> Answered:
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
        notify(f"the evidence does not show that {least.held_bound} VCs are held at least; a search alone showed it")
    return [claim]


def _give(answered: Answered, routed: RoutedNetwork, output: AnswerFiles) -> None:
    """Write the counterexample, drawn and as a file, and the evidence; print the answer."""
    from unknot.cli.commands.display import describe, tell

    relation, knot = answered.relation, answered.knot
    if relation is not None:
        write_knot(output.out, *(answered.drawn or (relation, knot)))
    if output.export is not None and relation is not None:
        write_counterexample(relation, knot, output.export, routed.network, routed.routing, routed.vcs)
    if output.evidence is not None:
        write_evidence(output.evidence, answered.network or relation, answered.claims())
    tell(output.json, answered.form, *answered.sources, of=relation, **answered.keys)
    if answered.explanation and not output.json:
        _show(answered.explanation)
    elif relation is not None and not output.json:
        describe(relation, knot)


def _show(sections: Iterable[Section]) -> None:
    """Headings with paragraphs below."""
    from rich.padding import Padding
    from rich.text import Text

    from unknot.cli.commands.display import console

    out = console()
    width = min(PROSE_WIDTH, out.width)
    for section in sections:
        print()
        out.print(Text(section.title, style="bold"))
        for paragraph in section.paragraphs:
            out.print(Padding(Text(paragraph), (0, 0, 0, 2)), width=width)
