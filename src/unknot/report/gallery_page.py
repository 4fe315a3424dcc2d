"""The gallery as a page of its own, or as a table for documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from unknot._base.errors import UnknotError
from unknot._base.switching import Switching
from unknot.report import gallery_summary as summary
from unknot.report.configuration_text import describe
from unknot.report.findings import Knot, knot, replayed
from unknot.report.page import page, write
from unknot.report.phrases import listed
from unknot.studies.gallery import Exhibit, Gallery

DRAWN = 2
"""Counterexamples that are drawn for each routing whose claim is refuted."""
ENDINGS = (".html", ".md")


def require_ending(path: Path) -> None:
    """Refuse a file the gallery cannot be written into.

    Raises
    ------
    UnknotError
    """
    if path.suffix not in ENDINGS:
        raise UnknotError(f"{path}: the gallery is written as {listed(ENDINGS, 'or')}")


def write_gallery(gallery: Gallery, path: str | Path) -> None:
    """Write the gallery as a page (``.html``) that needs nothing else, or as a table (``.md``).

    The same gallery gives the same bytes.

    Raises
    ------
    UnknotError
        If the path has another ending.
    """
    path = Path(path)
    require_ending(path)
    write(gallery_page(gallery) if path.suffix == ".html" else gallery_text(gallery), path)


def gallery_page(gallery: Gallery) -> str:
    """Return the page that `write_gallery` writes."""
    refusals: dict[str, list[str]] = {
        text: sorted({why for (routing, _), why in gallery.refusals.items() if routing == text})
        for text in gallery.routings
    }
    return page(
        "gallery.html",
        title="Routings and what is true of them",
        lead=summary.lead(gallery),
        gallery=gallery,
        heads=[Markup("-<br>").join(switching.split("-")) for switching in gallery.switchings],
        refuted=summary.refuted(gallery),
        refusals=refusals,
        reading=summary.READING,
        anchor=lambda text: re.sub(r"\W+", "-", text).strip("-"),
        drawn=lambda exhibits: _drawn(exhibits, gallery),
        compared=summary.judged,
        difference=summary.difference,
        about=summary.about,
        vcs_per_channel=summary.vcs_per_channel,
        minimal=summary.minimal,
        adaptivity=summary.adaptivity,
    )


def _drawn(exhibits: list[Exhibit], gallery: Gallery) -> Iterator[tuple[Exhibit, Switching, Knot | None]]:
    """The first claims about a routing that are refuted, with their counterexamples."""
    for exhibit, switching in summary.differing(exhibits, gallery.switchings)[:DRAWN]:
        result = exhibit.result(switching)
        stuck = result.verdict.configuration
        shown = None if stuck is None else knot(exhibit.relation, stuck, *replayed(result.replay))
        yield exhibit, switching, shown


def gallery_text(gallery: Gallery) -> str:
    """The summary as a table in Markdown, and every claim that does not hold with a counterexample in words."""
    head = ["routing", "source", "networks", "VCs", "minimal", "adaptivity", *gallery.switchings]
    lines = ["# Gallery of routings", "", summary.lead(gallery), "", summary.READING, ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for text, exhibits in gallery.routings.items():
        cells = [
            f"`{text}`",
            exhibits[0].relation.source or "–",
            str(len(exhibits)),
            summary.vcs_per_channel(exhibits),
            summary.minimal(exhibits),
            summary.adaptivity(exhibits),
            *(_judged_text(exhibits, switching) for switching in gallery.switchings),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    apart = [line for where, techniques in summary.refuted(gallery) for line in _difference(where, techniques)]
    if apart:
        lines += ["", "## Where source and verdict differ", "", *apart]
    return "\n".join(lines).rstrip() + "\n"


def _judged_text(exhibits: list[Exhibit], switching: Switching) -> str:
    judgement = summary.judged(exhibits, switching)
    word = f"**{judgement.word}**" if judgement.free is False else judgement.word
    return f"{word} {judgement.where}".strip() + (f" ({judgement.claim})" if judgement.claim else "")


def _difference(where: list[Exhibit], switchings: list[Switching]) -> list[str]:
    """A claim of the source that does not hold, with the counterexample on the smallest network, in Markdown."""
    smallest = where[0]
    result = smallest.result(switchings[0])
    lines = [f"`{smallest.routing}`: {summary.difference(where, switchings)}."]
    if result.verdict.configuration is not None:
        sentences = [*describe(smallest.relation, result.verdict.configuration), *replayed(result.replay)]
        lines[0] += f" On {smallest.network}, {switchings[0]}:"
        lines += ["", *(f"- {sentence}" for sentence in sentences)]
    return [*lines, ""]
