"""The gallery as a page of its own, or as a table for documents."""

from __future__ import annotations

import re
from pathlib import Path

from unknot import __version__
from unknot.errors import UnknotError
from unknot.report import gallery_words as words
from unknot.report.findings import counterexample, replayed
from unknot.report.page import Html, answer, element, items, page, section, table, write
from unknot.report.words import count, listed, tell
from unknot.studies.gallery import Exhibit, Gallery
from unknot.switching import Switching

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


def write_gallery(found: Gallery, path: str | Path) -> None:
    """Write the gallery as a page (``.html``) that needs nothing else, or as a table (``.md``).

    The same gallery gives the same bytes.

    Raises
    ------
    UnknotError
        If the path has another ending.
    """
    path = Path(path)
    require_ending(path)
    write(gallery_page(found) if path.suffix == ".html" else Html(gallery_text(found)), path)


def gallery_page(found: Gallery) -> Html:
    """The page that `write_gallery` writes."""
    head = ("Routing", "Networks", "VCs", "Minimal", "Adaptivity", *_heads(found))
    rows = []
    for text, exhibits in found.routings.items():
        cells: list[str | Html] = [
            Html(_link(text) + _under(exhibits[0].relation.source or "–")),
            str(len(exhibits)),
            words.vcs_per_channel(exhibits),
            words.minimal(exhibits),
            words.adaptivity(exhibits),
        ]
        rows.append([*cells, *(_judged(exhibits, switching) for switching in found.switchings)])
    summary = section("All of them", table(head, rows, numbers=[1]), element("p", words.READING, class_="note"))
    foot = element("p", f"Unknot {__version__}.", class_="note")
    details = (_details(found, text, exhibits) for text, exhibits in found.routings.items())
    return page("Routings and what is true of them", words.lead(found), *_apart(found), summary, *details, foot)


def _apart(found: Gallery) -> list[Html]:
    """Where claim and verdict differ, with links to the counterexamples."""
    lines = [
        Html(f"{_link(where[0].routing)}: {element('span', words.difference(where, techniques))}.")
        for where, techniques in words.refuted(found)
    ]
    return [section("Where source and verdict differ", items(lines))] if lines else []


def _heads(found: Gallery) -> list[Html]:
    return [Html(switching.replace("-", "-<br>")) for switching in found.switchings]


def _judged(exhibits: list[Exhibit], switching: Switching) -> Html:
    found = words.judged(exhibits, switching)
    remarks = _under(found.where) if found.where else ""
    if found.claim:
        remarks += element("span", found.claim, class_="under against" if found.against else "under")
    return Html(answer(found.free, found.word, found.word, found.word) + remarks)


def _details(found: Gallery, text: str, exhibits: list[Exhibit]) -> Html:
    """What is known of one routing: every network, counterexamples where a claim is refuted, refusals."""
    head = ("Network", "VCs", "in all", "Minimal", "Longest", "Adaptivity", "Worst", *_heads(found))
    rows = []
    for exhibit in exhibits:
        delivery, degree = exhibit.delivery, exhibit.adaptivity
        cells: list[str | Html] = [
            element("b", exhibit.network),
            words.vcs_per_channel([exhibit]),
            f"{exhibit.relation.num_vcs:,}",
            {True: "yes", False: "no", None: "endless"}[delivery.minimal],
            "endless" if delivery.longest_route is None else count(delivery.longest_route, "hop"),
            f"{degree.mean:.3f}",
            f"{degree.worst:.3f}",
        ]
        rows.append([*cells, *(_judged([exhibit], switching) for switching in found.switchings)])
    source = exhibits[0].relation.source
    shown = [
        element("p", words.about(text), *([element("span", f" {source}.", class_="note")] if source else [])),
        table(head, rows, numbers=[2, 5, 6]),
    ]
    for exhibit, switching in words.differing(exhibits, found.switchings)[:DRAWN]:
        result = exhibit.result(switching)
        claimed = "cannot" if exhibit.relation.claims[switching] else "can"
        shown.append(
            element(
                "h3", f"The source says that it {claimed} deadlock under {switching}; not so on {exhibit.network}"
            )
        )
        if result.verdict.configuration is not None:
            shown.append(counterexample(exhibit.relation, result.verdict.configuration, *replayed(result.replay)))
    refused = sorted({why for (routing, _), why in found.refusals.items() if routing == text})
    if refused:
        inside = [element("summary", f"Refuses {count(len(refused), 'network')}"), items(refused)]
        shown.append(element("details", *inside, class_="note"))
    return element("section", element("h2", text), *shown, id=_anchor(text))


def _anchor(text: str) -> str:
    return re.sub(r"\W+", "-", text).strip("-")


def _link(text: str) -> Html:
    return element("a", element("b", text), href=f"#{_anchor(text)}")


def _under(text: str) -> Html:
    return element("span", text, class_="under")


def gallery_text(found: Gallery) -> str:
    """The summary as a table in Markdown, and every claim that does not hold with a counterexample in words."""
    head = ["routing", "source", "networks", "VCs", "minimal", "adaptivity", *found.switchings]
    lines = ["# Gallery of routings", "", words.lead(found), "", words.READING, ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for text, exhibits in found.routings.items():
        cells = [
            f"`{text}`",
            exhibits[0].relation.source or "–",
            str(len(exhibits)),
            words.vcs_per_channel(exhibits),
            words.minimal(exhibits),
            words.adaptivity(exhibits),
            *(_judged_text(exhibits, switching) for switching in found.switchings),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    apart = [line for where, techniques in words.refuted(found) for line in _difference(where, techniques)]
    if apart:
        lines += ["", "## Where source and verdict differ", "", *apart]
    return "\n".join(lines).rstrip() + "\n"


def _judged_text(exhibits: list[Exhibit], switching: Switching) -> str:
    found = words.judged(exhibits, switching)
    word = f"**{found.word}**" if found.free is False else found.word
    return f"{word} {found.where}".strip() + (f" ({found.claim})" if found.claim else "")


def _difference(where: list[Exhibit], switchings: list[Switching]) -> list[str]:
    """A claim of the source that does not hold, with the counterexample on the smallest network, in Markdown."""
    smallest = where[0]
    result = smallest.result(switchings[0])
    lines = [f"`{smallest.routing}`: {words.difference(where, switchings)}."]
    if result.verdict.configuration is not None:
        told = [*tell(smallest.relation, result.verdict.configuration), *replayed(result.replay)]
        lines[0] += f" On {smallest.network}, {switchings[0]}:"
        lines += ["", *(f"- {sentence}" for sentence in told)]
    return [*lines, ""]
