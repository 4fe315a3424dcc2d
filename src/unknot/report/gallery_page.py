"""The gallery as a page of its own, or as a table for documents."""

from __future__ import annotations

from pathlib import Path

from unknot import __version__
from unknot.errors import UnknotError
from unknot.report import gallery_words as words
from unknot.report.findings import counterexample, longest, replayed
from unknot.report.page import Html, answer, element, items, page, section, table, write
from unknot.report.words import count, listed
from unknot.studies.gallery import Exhibit, Gallery
from unknot.switching import Switching

DRAWN = 2
"""Counterexamples that are drawn for each routing whose claim is refuted."""
ENDINGS = (".html", ".md")
READING = (
    "Adaptivity is the share of the minimal paths that are permitted, mean over pairs, lowest and highest over the "
    "networks. A technique is free when no network of the gallery deadlocks under it."
)


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


def gallery_lead(found: Gallery) -> str:
    """What the gallery comes to, in two sentences."""
    against = sum(e.agrees(s) is False for e in found.exhibits for s in found.switchings)
    judged = sum(e.agrees(s) is not None for e in found.exhibits for s in found.switchings)
    networks = len({exhibit.network for exhibit in found.exhibits})
    text = f"{count(len(found.routings), 'routing')} on {count(networks, 'network')}, every verdict made by running."
    return f"{text} Of {count(judged, 'claim')} made by their sources, {count(against, 'claim')} did not hold."


def gallery_page(found: Gallery) -> Html:
    """The page that `write_gallery` writes."""
    head = ("Routing", "Source", "Takes", "VCs per channel", "Minimal", "Adaptivity", *found.switchings)
    rows = []
    for name, exhibits in found.routings.items():
        least, told = words.minimal(exhibits)
        cells: list[str | Html] = [
            element("a", element("b", name), href=f"#{name}"),
            exhibits[0].relation.source or "–",
            count(len(exhibits), "network"),
            words.vcs_per_channel(exhibits),
            answer(least, told, told),
            words.adaptivity(exhibits),
        ]
        for switching in found.switchings:
            value, verdict, comparison = words.judged(exhibits, switching)
            note = element("span", comparison, class_="note")
            cells.append(Html(f"{answer(value, verdict, verdict, verdict)}<br>{note}"))
        rows.append(cells)
    summary = section("All of them", table(head, rows), element("p", READING, class_="note"))
    return page("Routings and what is true of them", gallery_lead(found), summary, *_details(found))


def _details(found: Gallery) -> list[Html]:
    parts = []
    for name, exhibits in found.routings.items():
        head = ("Network", "VCs per channel", "VCs in all", "Minimal", "Longest route", "Adaptivity", "Worst pair")
        rows = [_row(found, exhibit) for exhibit in exhibits]
        shown = [table((*head, *found.switchings), rows, numbers=[2])]
        for exhibit, switching in words.differing(exhibits, found.switchings)[:DRAWN]:
            result = exhibit.result(switching)
            claimed = "cannot" if exhibit.relation.claims[switching] else "can"
            text = (
                f"The source says that it {claimed} deadlock under {switching}; on {exhibit.network} that is not so."
            )
            shown.append(element("p", element("b", text)))
            if result.verdict.configuration is not None:
                drawn = counterexample(exhibit.relation, result.verdict.configuration, *replayed(result.replay))
                shown.append(drawn)
        refused = sorted({why for (routing, _), why in found.refusals.items() if routing == name})
        if refused:
            inside = [element("summary", f"Refuses {count(len(refused), 'network')}"), items(refused)]
            shown.append(element("details", *inside, class_="note"))
        parts.append(Html(section(name, *shown).replace("<section>", f'<section id="{name}">', 1)))
    parts.append(element("p", f"Unknot {__version__}.", class_="note"))
    return parts


def _row(found: Gallery, exhibit: Exhibit) -> list[str | Html]:
    delivery, degree = exhibit.delivery, exhibit.adaptivity
    cells: list[str | Html] = [
        element("b", exhibit.network),
        words.vcs_per_channel([exhibit]),
        f"{exhibit.relation.num_vcs:,}",
        answer(delivery.minimal, "yes", "no", "endless"),
        longest(exhibit.relation, delivery),
        f"{degree.mean:.3f}",
        f"{degree.worst:.3f}",
    ]
    for switching in found.switchings:
        verdict, agrees = exhibit.result(switching).verdict, exhibit.agrees(switching)
        compared = {True: "as claimed", False: "the source claims otherwise", None: ""}[agrees]
        word = answer(verdict.deadlock_free, "free", "can deadlock")
        cells.append(Html(f"{word} {element('span', compared, class_='note')}"))
    return cells


def gallery_text(found: Gallery) -> str:
    """The summary as a table in Markdown."""
    head = ["routing", "source", "networks", "VCs per channel", "minimal", "adaptivity", *found.switchings]
    lines = [
        "# Gallery of routings",
        "",
        gallery_lead(found),
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
    ]
    for name, exhibits in found.routings.items():
        cells = [
            f"`{name}`",
            exhibits[0].relation.source or "–",
            str(len(exhibits)),
            words.vcs_per_channel(exhibits),
            words.minimal(exhibits)[1],
            words.adaptivity(exhibits),
        ]
        for switching in found.switchings:
            value, verdict, comparison = words.judged(exhibits, switching)
            told = "" if comparison in ("as claimed", "no claim") else f"; {comparison}"
            bold = f"**{verdict}**" if value is False else verdict
            cells.append(bold + told + (" (no claim)" if comparison == "no claim" else ""))
        lines.append("| " + " | ".join(cells) + " |")
    apart = [
        f"- {_difference(exhibit, switching)}"
        for exhibits in found.routings.values()
        for exhibit, switching in words.differing(exhibits, found.switchings)
    ]
    if apart:
        lines += ["", "## Where source and verdict differ", "", *apart]
    lines += ["", READING]
    return "\n".join(lines) + "\n"


def _difference(exhibit: Exhibit, switching: Switching) -> str:
    says, is_so = (
        "cannot" if free else "can"
        for free in (exhibit.relation.claims[switching], exhibit.result(switching).verdict.deadlock_free)
    )
    routing, network = exhibit.routing, exhibit.network
    return f"`{routing}` on `{network}`, {switching}: the source says it {says} deadlock, the verdict that it {is_so}"
