"""`unknot check`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from unknot._base.errors import RelationError
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import (
    MINUTE,
    Json,
    NetworkText,
    TimeLimit,
)
from unknot.cli.commands.printing import notify
from unknot.cli.commands.shared import (
    COQ,
    exit_code,
    relation_of,
    write_counterexample,
    write_evidence,
    write_knot,
)

if TYPE_CHECKING:
    from unknot._base.deadline import Deadline
    from unknot.certificates.documents import Document
    from unknot.report.explanation import Section
    from unknot.routing.relation import Relation
    from unknot.verify import Delivery
    from unknot.verify.smallest import Smallest


def check(
    network: NetworkText,
    routing: str,
    vcs: int | None = None,
    switching: Switching = DEFAULT_SWITCHING,
    deadline: TimeLimit = MINUTE,
    buffer_depth: int = BUFFER_DEPTH,
    flows: Path | None = None,
    smallest: bool = False,
    all_sizes: bool = False,
    to: str | None = None,
    protocol: str | None = None,
    bubble: str | None = None,
    arbiter: str | None = None,
    explain: bool = False,
    export: Path | None = None,
    evidence: Path | None = None,
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Prove that a routing cannot deadlock and delivers every pair, or show how it fails.

    The other switching techniques are judged as well, in a line each. With --smallest, --evidence has the numbers of
    messages and held VCs that the checker can show, which may be less than those in the answer.

    Exit code, of the technique asked for, 0: it holds; 1: it does not; 3: undecided in the time given.

    Parameters
    ----------
    evidence : FILE.json|v
        Write the evidence, for `unknot accept`; with .v for Coq.
    smallest
        Look for the smallest counterexample, and prove that it is.
    all_sizes
        For meshes of every size; NETWORK is a family: mesh(3).
    to : NEW
        Whether routers can change one by one from this routing to another, in which order, and what can happen.
    protocol : FILE.toml|NAME
        With terminals that wait too: request_reply, coherence, axi, …, or a file.
    bubble : RULE
        With bubble flow control: localised, global or critical, with options: 'global(packets=1, rings="FILE.toml")'.
    arbiter
        Whether every packet arrives, and when: fair, round_robin, oldest_first or fixed.
    explain
        Tell the whole argument, step by step.
    out : FILE.svg|png|pdf|html
        Draw the counterexample, or in HTML step through its replay.
    export : FILE.json
        Write the counterexample, for `unknot replay`.
    """
    from unknot.certificates import evidence_holds
    from unknot.cli.answers.verdicts import CheckAnswer, VerdictForm
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import describe, tell
    from unknot.verify import check as check_relation
    from unknot.verify import check_all, deliver
    from unknot.verify.check import NO_ANSWER
    from unknot.verify.delivery import NOT_FOLLOWED

    if all_sizes:
        raise typer.Exit(_every_size(network, routing, vcs, switching, deadline, evidence, json=json))
    if to is not None:
        from unknot.cli.commands.updating import check_update

        if smallest or explain or export is not None:
            raise RelationError("--to: --smallest, --explain and --export are about one routing; leave them out")
        raise typer.Exit(
            check_update(network, routing, to, vcs, switching, deadline, flows, evidence, out, json=json)
        )
    if protocol is not None:
        from unknot.cli.commands.end_points import check_end_points

        if smallest or explain or export is not None or out is not None:
            raise RelationError("--protocol: --smallest, --explain, --export and --out are about a routing alone")
        raise typer.Exit(
            check_end_points(network, routing, protocol, vcs, switching, deadline, flows, evidence, json=json)
        )
    relation = relation_of(network, routing, vcs, flows=flows, proved=True)
    began = time.monotonic()
    rule = None
    if bubble is not None:
        from unknot.routing.bubble import bubble_named

        if smallest or explain or export is not None or out is not None:
            raise RelationError("--bubble: --smallest, --explain, --export and --out are about routings without it")
        rule = bubble_named(relation, bubble)
    with activity.working("proving") as progress:
        limits: Any = {"time_limit": deadline, "buffer_depth": buffer_depth, "progress": progress}
        verdicts = (
            check_all(relation, switching, **limits)
            if rule is None
            else {switching: check_relation(relation, switching, bubble=rule, **limits)}
        )
    verdict = verdicts[switching]
    seconds = time.monotonic() - began
    ending = deadline.closing.closing
    delivery: Delivery | None = None
    if verdict.method != NO_ANSWER:
        with activity.working("looking at the routes"):
            delivery = ending.unless_over(lambda: deliver(relation))
    advance = None
    if arbiter is not None:
        from unknot._base.errors import require_known
        from unknot.verify.progress import ARBITERS
        from unknot.verify.progress import progress as progress_of

        require_known("--arbiter: unknown arbiter", arbiter, ARBITERS, RelationError)
        if verdict.deadlock_free and rule is None:
            with activity.working("looking at progress"):
                advance = ending.unless_over(lambda: progress_of(relation, arbiter))
    least = None
    if smallest and verdict.deadlock_free is False:
        from unknot.verify.smallest import smallest as find_smallest

        with activity.working("looking for a smaller counterexample"):
            seek = partial(find_smallest, relation, switching, time_limit=deadline, buffer_depth=buffer_depth)
            least = deadline.closing.unless_over(partial(seek, known=verdict.configuration))
        if least is None:
            notify("there was no time to look for a smaller counterexample")
        elif least.configuration is not None:
            verdict = replace(verdict, configuration=least.configuration, established=least.configuration.summary)
    configuration = verdict.configuration
    holds: bool | None = None
    sections: tuple[Section, ...] = ()
    with activity.working("looking at the evidence"):
        if delivery is not None:
            holds = ending.unless_over(lambda: evidence_holds(relation, verdict))
        if explain and delivery is not None:
            from unknot.report.explanation import explain as explanation
            from unknot.simulation import replay

            carried = None if configuration is None else replay(relation, configuration)
            explain_it = partial(explanation, relation, verdict, delivery, holds=holds, replay=carried)
            sections = ending.unless_over(explain_it) or ()
    if out is not None:
        write_knot(out, relation, configuration)
    if export is not None:
        write_counterexample(relation, configuration, export, network, routing, vcs)
    if evidence is not None:
        from unknot.certificates.documents import answer_claims

        others = [other for name, other in verdicts.items() if name != switching and evidence.suffix != COQ]
        claims = answer_claims(relation, [verdict, *others], delivery)
        if least is not None and least.messages_bound > 1:
            claims += _size_claims(relation, switching, least)
        write_evidence(evidence, relation.network, relation, claims)
    if delivery is None and json:
        tell(json, VerdictForm, verdict, of=relation, certificate_holds=holds)
    else:
        tell(
            json, CheckAnswer, verdict, delivery or NOT_FOLLOWED, of=relation, certificate_holds=holds,
            seconds=seconds, techniques=verdicts, smallest=least, explanation=sections or None, progress=advance,
        )  # fmt: skip
    if sections and not json:
        _show_sections(sections)
    elif not json:
        describe(relation, configuration)
    raise typer.Exit(exit_code(verdict.deadlock_free, None if delivery is None else delivery.delivered))


def _every_size(
    family: str,
    routing: str,
    vcs: int | None,
    switching: Switching,
    deadline: Deadline,
    evidence: Path | None,
    *,
    json: bool,
) -> int:
    """Decide for all meshes of a family, print it, and return the exit code."""
    from unknot.certificates import verdict_claim
    from unknot.cli.answers.design import EverySizeAnswer, every_size_keys
    from unknot.cli.commands import activity
    from unknot.cli.commands.display import tell
    from unknot.design import every_size

    if vcs is not None:
        raise RelationError(f"--all-sizes: give VCs as an option of the routing, such as {routing}(vcs={vcs})")
    with activity.working("looking for a proof"):
        verdict = every_size(family, routing, switching, time_limit=deadline)
        holds = deadline.closing.closing.unless_over(lambda: verdict.holds)
    if evidence is not None:
        if verdict.proof is not None:
            write_evidence(evidence, None, None, [verdict.claim])
        else:
            relation = verdict.relation
            refuted = [] if verdict.refuted is None else [verdict_claim(verdict.refuted)]
            write_evidence(evidence, None if relation is None else relation.network, relation, refuted)
    keys = every_size_keys(verdict)
    tell(json, EverySizeAnswer, verdict, of=verdict.relation, family=family, holds=holds, **keys)
    return exit_code(verdict.deadlock_free)


def _size_claims(relation: Relation, technique: Switching, least: Smallest) -> list[Document]:
    """The claim that a deadlock has as many packets and VCs as the checker can show; none where it gives up."""
    from unknot.certificates import Unchecked, size_claim

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


PROSE_WIDTH = 100


def _show_sections(sections: Iterable[Section]) -> None:
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
