"""Answers about a routing, with their files: `check`, `protocol`, `reconfigure`, `every-size`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.cli.commands.options import Json, Options
from unknot.cli.commands.shared import RoutedNetwork, exit_code
from unknot.cli.commands.written import write_evidence, write_knot

if TYPE_CHECKING:
    from unknot.certificates import Configuration
    from unknot.certificates.documents import Document
    from unknot.cli.answers.form import Form
    from unknot.network import Network
    from unknot.report.explanation import Section
    from unknot.report.scene import Scene
    from unknot.routing.relation import Relation

PROSE_WIDTH = 100
"""Most columns of an explanation."""


@dataclass(frozen=True)
class Answered:
    """Answer to a question of `unknot check`, and what else is written and printed with it.

    Attributes
    ----------
    form, sources, keys
        The answer as `display.tell` takes it.
    holds
        What the exit code says.
    claims
        Makes the claims, where a file of evidence is to be written.
    relation, knot
        The routing, and its counterexample.
    network
        What the claims are about in place of the routing.
    drawn
        What is drawn with --out in place of the routing and its counterexample.
    scene
        Makes the page of --out in place of the steps of the counterexample.
    explanation
        What is printed in place of the counterexample in sentences.
    """

    form: type[Form]
    sources: tuple[object, ...]
    keys: dict[str, Any]
    holds: tuple[bool | None, ...]
    claims: Callable[[], list[Document]]
    relation: Relation | None
    knot: Configuration | None = None
    network: Network | None = None
    drawn: tuple[Relation, Configuration | None] | None = None
    scene: Callable[[], Scene] | None = None
    explanation: tuple[Section, ...] | None = None


@dataclass(frozen=True)
class OnNetwork(RoutedNetwork):
    """A routing on a network that an option names, beside the subject of the question.

    Attributes
    ----------
    network : --network NETWORK
        Network: a text such as 'torus(8, 8)' or 'ring(8) ** 2', or a file.
    """

    network: str
    switching: Switching = DEFAULT_SWITCHING


@dataclass(frozen=True)
class AnswerFiles(Options):
    """Where the answer goes.

    Attributes
    ----------
    out : svg|png|pdf|html
        pictures of the counterexample; .html steps through it
    """

    heading = "Output"
    evidence: Path | None = None
    json: Json = False


def give(answered: Answered, evidence: Path | None, json: bool) -> int:
    """Draw the counterexample, write the evidence and print the answer; return the exit code."""
    from unknot.cli.commands.display import describe, tell

    relation, knot = answered.relation, answered.knot
    if relation is not None:
        write_knot(*(answered.drawn or (relation, knot)), answered.scene)
    if evidence is not None:
        left_off = None not in answered.holds and answered.keys.get("certificate_holds", True) is None
        write_evidence(evidence, answered.network or relation, answered.claims(), more=left_off)
    tell(json, answered.form, *answered.sources, of=relation, **answered.keys)
    if answered.explanation and not json:
        _show(answered.explanation)
    elif relation is not None and not json:
        describe(relation, knot)
    return exit_code(*answered.holds)


def _show(sections: Iterable[Section]) -> None:
    """Headings with paragraphs below."""
    from rich.padding import Padding
    from rich.text import Text

    from unknot.cli.commands.console import console

    out = console()
    width = min(PROSE_WIDTH, out.width)
    for section in sections:
        print()
        out.print(Text(section.title, style="bold"))
        for paragraph in section.paragraphs:
            out.print(Padding(Text(paragraph), (0, 0, 0, 2)), width=width)
