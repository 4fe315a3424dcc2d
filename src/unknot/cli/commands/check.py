"""`unknot check`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import (
    MINUTE,
    BufferDepth,
    EvidenceFile,
    Flows,
    Json,
    NetworkText,
    Picture,
    RoutingText,
    SwitchingName,
    TimeLimit,
    Vcs,
)
from unknot.cli.commands.outcomes import notify
from unknot.cli.commands.printing import show_json
from unknot.cli.commands.shared import (
    COQ,
    exit_code,
    limited,
    relation_of,
    write,
    write_counterexample,
    write_evidence,
)

if TYPE_CHECKING:
    from unknot.certificates import Verdict
    from unknot.certificates.documents import Document
    from unknot.certificates.verdict import Size
    from unknot.report.explanation import Section
    from unknot.routing.relation import Relation
    from unknot.verify import Delivery
    from unknot.verify.smallest import Smallest


def check(
    network: NetworkText,
    routing: RoutingText,
    vcs: Vcs = None,
    switching: SwitchingName = DEFAULT_SWITCHING,
    deadline: TimeLimit = MINUTE,
    buffer_depth: BufferDepth = BUFFER_DEPTH,
    flows: Flows = None,
    smallest: bool = False,
    all_sizes: bool = False,
    explain: bool = False,
    export: Path | None = None,
    evidence: EvidenceFile = None,
    out: Picture = None,
    json: Json = False,
) -> None:
    """Prove that a routing cannot deadlock and delivers every pair, or show how it fails.

    The other switching techniques are judged as well, in a line each. With --smallest, --evidence has the numbers of
    messages and held VCs that the checker can show, which may be less than those in the answer.

    Exit code, of the technique asked for, 0: it holds; 1: it does not; 3: undecided in the time given.

    Parameters
    ----------
    smallest
        Look for the smallest counterexample, and prove that it is.
    all_sizes
        For meshes of every size; NETWORK is a family: mesh(3).
    explain
        Tell the whole argument, step by step.
    export : FILE.json
        Write the counterexample, for `unknot replay`.
    """
    from unknot.certificates import evidence_holds
    from unknot.cli.commands import activity
    from unknot.verify import check_all, deliver
    from unknot.verify.check import NO_ANSWER

    if all_sizes:
        from unknot.cli.commands.every_size import check_every_size

        check_every_size(network, routing, vcs, switching, deadline, evidence, json=json)
    relation = limited(deadline, lambda: relation_of(network, routing, vcs, flows=flows, proved=True))
    began = time.monotonic()
    with activity.working("proving") as progress:
        verdicts = check_all(relation, switching, time_limit=deadline, buffer_depth=buffer_depth, progress=progress)
    verdict = verdicts[switching]
    seconds = time.monotonic() - began
    ending = deadline.closing.closing
    delivery: Delivery | None = None
    if verdict.method != NO_ANSWER:
        with activity.working("looking at the routes"):
            delivery = ending.unless_over(lambda: deliver(relation))
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
        from unknot.report import draw_configuration, draw_network

        write(
            out,
            draw_network(relation.network) if configuration is None else draw_configuration(relation, configuration),
        )
    if export is not None:
        write_counterexample(relation, configuration, export, network, routing, vcs)
    if evidence is not None:
        from unknot.certificates.documents import answer_claims

        others = [other for name, other in verdicts.items() if name != switching and evidence.suffix != COQ]
        claims = answer_claims(relation, [verdict, *others], delivery)
        if least is not None and least.messages_bound > 1:
            claims += _size_claims(relation, switching, least)
        write_evidence(evidence, relation.network, relation, claims)
    if json:
        from unknot.cli.answers.form import answer
        from unknot.cli.answers.verdicts import CheckAnswer, VerdictForm

        more = {"certificate_holds": holds, "seconds": seconds, "smallest": least, "explanation": sections or None}
        if delivery is None:
            show_json(answer(VerdictForm, verdict, of=relation, certificate_holds=holds))
        else:
            show_json(answer(CheckAnswer, verdict, delivery, of=relation, techniques=verdicts, **more))
    else:
        _show(
            relation,
            verdict,
            delivery,
            holds,
            seconds=seconds,
            smallest=least,
            sections=sections,
            techniques=verdicts,
        )
    raise typer.Exit(exit_code(verdict.deadlock_free, None if delivery is None else delivery.delivered))


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


def _show(
    relation: Relation,
    verdict: Verdict,
    delivery: Delivery | None,
    holds: bool | None,
    *,
    seconds: float,
    smallest: Smallest | None = None,
    sections: Sequence[Section] = (),
    techniques: Mapping[Switching, Verdict] | None = None,
) -> None:
    """A verdict with its evidence, those of other techniques in short, and the counterexample or explanation."""
    from rich.text import Text

    from unknot.cli.commands.display import accepts, answer, delivery_rows, print_rows, sentences, subject_rows
    from unknot.report.configuration_text import describe
    from unknot.verify.delivery import NOT_FOLLOWED

    rows = [
        *subject_rows(relation),
        ("property", f"no deadlock under {verdict.switching} switching, and every packet arrives"),
        ("deadlock-free", answer(verdict.deadlock_free)),
        ("method", verdict.method),
        ("size", "" if verdict.size is None else _size(verdict.size)),
        ("time", f"{seconds:.2f} s"),
        ("scope", verdict.scope),
        ("established", verdict.established),
    ]
    if verdict.certificate is not None:
        rows.append(("evidence", f"certificate ({verdict.certificate.kind}); the separate checker {accepts(holds)}"))
    elif verdict.configuration is not None:
        grade = verdict.configuration.reachability
        rows.append(("evidence", f"counterexample ({grade}); the separate checker {accepts(holds)}"))
    for technique, other in (techniques or {}).items():
        this = "  ← this answer" if technique == verdict.switching else ""
        rows.append((technique, Text.assemble(answer(other.deadlock_free), f" ({other.method}){this}")))
    rows.append(("smallest", "" if smallest is None else _smallest(smallest)))
    rows += delivery_rows(relation, NOT_FOLLOWED if delivery is None else delivery)
    print_rows(rows)
    if sections:
        _show_sections(sections)
    elif verdict.configuration is not None:
        print()
        sentences(describe(relation, verdict.configuration))


def _size(size: Size) -> str:
    """Describe the size of a question in a line."""
    from unknot.report.phrases import count

    return (
        f"{count(size.addresses, 'address')}, {count(size.states, 'state')}, {count(size.vcs, 'VC')} with "
        f"{count(size.dependencies, 'dependency')}; {size.cyclic_vcs:,} on cycles"
    )


def _smallest(smallest: Smallest) -> str:
    """Describe in a line whether a deadlock configuration is proved to be the smallest."""
    from unknot.report.phrases import count

    if smallest.proved:
        return f"yes: no deadlock has fewer messages, nor, with as many, fewer held VCs ({smallest.method})"
    least = f"no deadlock has fewer than {count(smallest.messages_bound, 'message')}"
    return f"not proved: {least} ({smallest.method})"


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
