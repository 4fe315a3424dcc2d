"""Verdicts, explanations and replays as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from unknot._base.switching import Switching
from unknot.certificates.verdict import Configuration, Size, Verdict
from unknot.cli.commands.display import (
    Rows,
    accepts,
    answer,
    console,
    delivery_rows,
    print_rows,
    sentences,
    subject_rows,
)
from unknot.report.configuration_text import describe, waits
from unknot.report.phrases import count, listed
from unknot.routing.relation import Relation
from unknot.verify.delivery import NOT_FOLLOWED, Delivery

if TYPE_CHECKING:
    from unknot.report.explanation import Section
    from unknot.simulation.traces.replay import Replay
    from unknot.verify.smallest import Smallest

PROSE_WIDTH = 100


def show_check(
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
    rows: Rows = [
        *subject_rows(relation),
        ("property", f"no deadlock under {verdict.switching} switching, and every packet arrives"),
        ("deadlock-free", answer(verdict.deadlock_free)),
        ("method", verdict.method),
        ("size", "" if verdict.size is None else size_in_words(verdict.size)),
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
    rows.append(("smallest", "" if smallest is None else smallest_in_words(smallest)))
    rows += delivery_rows(relation, NOT_FOLLOWED if delivery is None else delivery)
    print_rows(rows)
    if sections:
        show_sections(sections)
    elif verdict.configuration is not None:
        print()
        sentences(describe(relation, verdict.configuration))


def size_in_words(size: Size) -> str:
    """Describe the size of a question in a line."""
    return (
        f"{count(size.addresses, 'address')}, {count(size.states, 'state')}, {count(size.vcs, 'VC')} with "
        f"{count(size.dependencies, 'dependency')}; {size.cyclic_vcs:,} on cycles"
    )


def smallest_in_words(smallest: Smallest) -> str:
    """Describe in a line whether a deadlock configuration is proved to be the smallest."""
    if smallest.proved:
        return f"yes: no deadlock has fewer messages, nor, with as many, fewer held VCs ({smallest.method})"
    least = f"no deadlock has fewer than {count(smallest.messages_bound, 'message')}"
    return f"not proved: {least} ({smallest.method})"


def show_sections(sections: Iterable[Section]) -> None:
    """Headings with paragraphs below."""
    out = console()
    width = min(PROSE_WIDTH, out.width)
    for section in sections:
        print()
        out.print(Text(section.title, style="bold"))
        for paragraph in section.paragraphs:
            out.print(Padding(Text(paragraph), (0, 0, 0, 2)), width=width)


def show_replay(relation: Relation, configuration: Configuration, against: str | None, result: Replay | None) -> None:
    """Whether a configuration is a deadlock, and what became of it in the simulator."""
    rows: Rows = [
        *subject_rows(relation),
        ("switching", f"{configuration.switching}, {configuration.buffer_depth} flits per virtual channel"),
        ("messages", f"{len(configuration.messages)}, {configuration.reachability}"),
        ("checker", "accepts it" if against is None else Text(f"REJECTS it: {against}", style="bold red")),
    ]
    if result is not None:
        how = "injected at their terminals" if result.injected else "placed in the buffers"
        rows += [
            ("replay", f"{how}, then let go until cycle {result.cycles:,}"),
            ("sticks", answer(result.stuck)),
        ]
        for message, others in result.waits:
            by = listed([f"message {other + 1}" for other in others]) or "nobody"
            rows.append((f"message {message + 1}", f"waits for {by}"))
    print_rows(rows)
    if against is None and all(waits(configuration)):
        print()
        sentences(describe(relation, configuration))
