"""`unknot check`: of one routing, of an update to another, with end points, or of meshes of every size."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from unknot._base.errors import RelationError, UnknotError
from unknot.cli.commands.check_routing import Answered, AnswerFiles, Details, Evidence, of_routing
from unknot.cli.commands.options import PAGE, Options, refuse_beside
from unknot.cli.commands.shared import (
    COQ,
    RoutedNetwork,
    exit_code,
    write_counterexample,
    write_evidence,
    write_knot,
)

if TYPE_CHECKING:
    from unknot.report.explanation import Section

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
    """

    heading = "Another question"
    all_sizes: bool = False
    to: str | None = None
    protocol: str | None = None


def check(routed: RoutedNetwork, question: OtherQuestion, details: Details, output: AnswerFiles) -> None:
    """Prove that a routing cannot deadlock and delivers every pair, or show how it fails.

    The answers under the other switching techniques follow, a line each. With --smallest, the numbers of messages and
    held VCs in --evidence are those that the checker can show; the answer may have higher ones.

    Exit code, of the answer under --switching: 0: it holds; 1: it does not; 3: undecided in the time given.
    """
    alone = vars(details) | {"export": output.export}
    if question.all_sizes:
        one_size = {"out": output.out, "flows": routed.flows, "to": question.to, "protocol": question.protocol}
        refuse_beside("--all-sizes", "is about networks of one size", **alone, **one_size)
        answered = _of_every_size(routed)
    elif question.to is not None:
        refuse_beside("--to", "is about one routing", **alone, protocol=question.protocol)
        _require_json(output, "--to", "about one routing")
        answered = _of_update(routed, question.to)
    elif question.protocol is not None:
        refuse_beside("--protocol", "is about a routing alone", **alone)
        _require_json(output, "--protocol", "about a routing alone")
        if output.out is not None and output.out.suffix.lower() == PAGE:
            raise UnknotError(f"{output.out}: pages step through routings alone; with --protocol, --out is a drawing")
        answered = _of_end_points(routed, question.protocol)
    else:
        answered = of_routing(routed, details, output)
    _give(answered, routed, output)
    raise typer.Exit(exit_code(*answered.holds))


def _give(answered: Answered, routed: RoutedNetwork, output: AnswerFiles) -> None:
    """Write the counterexample, drawn and as a file, and the evidence; print the answer."""
    from unknot.cli.commands.display import describe, tell

    relation, knot = answered.relation, answered.knot
    if output.out is not None and relation is not None:
        write_knot(output.out, *(answered.drawn or (relation, knot)))
    if output.export is not None and relation is not None:
        write_counterexample(relation, knot, output.export, routed.network, routed.routing, routed.vcs)
    if output.evidence is not None:
        write_evidence(output.evidence, *answered.evidence())
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


def _of_every_size(routed: RoutedNetwork) -> Answered:
    """Decide for all meshes of a family."""
    from unknot.certificates import verdict_claim
    from unknot.cli.answers.design import CheckAllSizesAnswer
    from unknot.cli.commands import activity
    from unknot.design import every_size

    family, routing, deadline = routed.network, routed.routing, routed.deadline
    if routed.vcs is not None:
        raise RelationError(f"--all-sizes: give VCs as an option of the routing, such as {routing}(vcs={routed.vcs})")
    with activity.working("looking for a proof"):
        verdict = every_size(family, routing, routed.switching, time_limit=deadline)
        holds = deadline.closing.closing.unless_over(lambda: verdict.holds)
    relation = verdict.relation

    def evidence() -> Evidence:
        if verdict.proof is not None:
            return None, None, [verdict.claim]
        refuted = [] if verdict.refuted is None else [verdict_claim(verdict.refuted)]
        return None if relation is None else relation.network, relation, refuted

    keys = {"family": family, "holds": holds}
    return Answered(
        CheckAllSizesAnswer, (verdict,), keys, holds=(verdict.deadlock_free,), evidence=evidence, relation=relation
    )


def _of_update(routed: RoutedNetwork, to: str) -> Answered:
    """Decide whether routers can be updated from one routing to another."""
    from unknot.cli.answers.analyses import CheckUpdateAnswer
    from unknot.cli.commands import activity
    from unknot.verify import update
    from unknot.verify.update import update_claims

    old, new = routed.relation(), routed.relation(to, "--to")
    began = time.monotonic()
    with activity.working("following packets of both routings") as progress:
        change = update(old, new, routed.switching, time_limit=routed.deadline, progress=progress)
        holds = routed.deadline.closing.closing.unless_over(lambda: change.evidence_holds)
    keys = {"routing": routed.routing, "to": to, "evidence_holds": holds, "seconds": time.monotonic() - began}
    return Answered(
        CheckUpdateAnswer,
        (change,),
        keys,
        holds=(change.deadlock_free, not change.lost),
        evidence=lambda: (old.network, None, update_claims(change)),
        relation=change.relation,
        knot=change.configuration,
    )


def _of_end_points(routed: RoutedNetwork, text: str) -> Answered:
    """Decide whether a routing can deadlock with a protocol, with remedies."""
    from unknot.cli.answers.messages import CheckProtocolAnswer
    from unknot.cli.commands import activity
    from unknot.verify.protocols import check_protocol, protocol
    from unknot.verify.protocols.evidence import claims, holds
    from unknot.verify.protocols.remedies import remedies
    from unknot.verify.protocols.words import blocked, knot, steps

    described, deadline = protocol(text, "--protocol"), routed.deadline
    relation = routed.relation()
    began = time.monotonic()
    with activity.working("proving"):
        verdict = check_protocol(relation, described, routed.switching, time_limit=deadline)
    seconds = time.monotonic() - began

    def evidence() -> Evidence:
        return relation.network, relation, claims(verdict)

    with activity.working("looking at the evidence"):
        accepted = deadline.closing.closing.unless_over(lambda: holds(verdict))
    with activity.working("looking for remedies"):
        cures = deadline.closing.unless_over(lambda: remedies(verdict, deadline)) or []
    keys = {
        "protocol": described.name, "certificate_holds": accepted, "steps": steps(verdict), "seconds": seconds,
        "transactions": sum(event.act == "begin" for event in verdict.run or ()), "remedies": cures,
        "blocked": blocked(verdict),
    }  # fmt: skip
    return Answered(
        CheckProtocolAnswer,
        (verdict,),
        keys,
        holds=(verdict.deadlock_free,),
        evidence=evidence,
        relation=relation,
        drawn=knot(verdict),
    )


def _require_json(output: AnswerFiles, option: str, about: str) -> None:
    """Refuse evidence for Coq, which is about the verdict on a routing."""
    if output.evidence is not None and output.evidence.suffix == COQ:
        raise UnknotError(f"{output.evidence}: files for Coq are {about}; with {option}, --evidence is a FILE.json")
