"""The gallery as a table for documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from unknot._base.errors import UnknotError
from unknot._base.switching import Switching
from unknot.report.configuration_text import describe
from unknot.report.page import replayed, write
from unknot.report.phrases import count, listed, span
from unknot.studies.gallery import Exhibit, Gallery


def write_gallery(gallery: Gallery, path: str | Path) -> None:
    """Write the gallery as a table in Markdown; the same gallery gives the same bytes.

    Raises
    ------
    UnknotError
        If the path has another ending than ``.md``.
    """
    require_ending(Path(path))
    write(gallery_text(gallery), path)


def require_ending(path: Path) -> None:
    """Refuse a file the gallery cannot be written into.

    Raises
    ------
    UnknotError
    """
    if path.suffix != ".md":
        raise UnknotError(f"{path}: the gallery is written as .md; --json has every verdict on every network")


def gallery_text(gallery: Gallery) -> str:
    """The summary as a table in Markdown, and every claim that does not hold with a counterexample in words."""
    head = ["routing", "source", "networks", "VCs", "minimal", "adaptivity", *gallery.switchings]
    lines = ["# Gallery of routings", "", lead(gallery), "", READING, ""]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for text, exhibits in gallery.routings.items():
        cells = [
            f"`{text}`",
            exhibits[0].relation.source or "–",
            str(len(exhibits)),
            vcs_per_channel(exhibits),
            minimal(exhibits),
            adaptivity(exhibits),
            *(_judged_text(exhibits, switching) for switching in gallery.switchings),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    apart = [line for where, techniques in refuted(gallery) for line in _difference(where, techniques)]
    if apart:
        lines += ["", "## Where source and verdict differ", "", *apart]
    return "\n".join(lines).rstrip() + "\n"


def _judged_text(exhibits: list[Exhibit], switching: Switching) -> str:
    judgement = judged(exhibits, switching)
    word = f"**{judgement.word}**" if judgement.free is False else judgement.word
    return f"{word} {judgement.where}".strip() + (f" ({judgement.claim})" if judgement.claim else "")


def _difference(where: list[Exhibit], switchings: list[Switching]) -> list[str]:
    """A claim of the source that does not hold, with the counterexample on the smallest network, in Markdown."""
    smallest = where[0]
    result = smallest.result(switchings[0])
    lines = [f"`{smallest.routing}`: {difference(where, switchings)}."]
    if result.verdict.configuration is not None:
        sentences = [*describe(smallest.relation, result.verdict.configuration), *replayed(result.replay)]
        lines[0] += f" On {smallest.network}, {switchings[0]}:"
        lines += ["", *(f"- {sentence}" for sentence in sentences)]
    return [*lines, ""]


READING = (
    "VCs are those of a channel, fewest to most. Adaptivity is the share of the shortest paths that are permitted: "
    "mean over pairs, lowest and highest over the networks. Free under a technique is what cannot deadlock on any "
    "network of the gallery. Without a remark the source claims what the verdict says; “no claim”: it says nothing "
    "of that technique, or nothing about such networks."
)


@dataclass(frozen=True)
class Judgement:
    """Verdict on a routing under one technique, over all networks.

    Attributes
    ----------
    free : bool or None
        None when all that is not free is undecided.
    word : str
    where : str
        On how many of the networks; empty when on all.
    claim : str
        How the claim of the source compares; empty when it is the verdict.
    """

    free: bool | None
    word: str
    where: str
    claim: str


def lead(gallery: Gallery) -> str:
    """Return the introduction to the gallery: its size, and how many claims of sources fail."""
    against = sum(e.agrees(s) is False for e in gallery.exhibits for s in gallery.switchings)
    judged = sum(e.agrees(s) is not None for e in gallery.exhibits for s in gallery.switchings)
    networks = len({exhibit.network for exhibit in gallery.exhibits})
    texts = gallery.routings
    names = len({text.split("(")[0] for text in texts})
    versions = f" in {len(texts)} versions" if len(texts) > names else ""
    held = "all hold" if not against else f"{against:,} {'does' if against == 1 else 'do'} not hold"
    return (
        f"{count(names, 'routing')}{versions} on {count(networks, 'network')}: every figure and verdict comes from "
        f"running them. Their sources make {count(judged, 'claim')} about deadlock here; {held}."
    )


def vcs_per_channel(exhibits: Sequence[Exhibit]) -> str:
    """Fewest and most virtual channels of a channel."""
    counts = [exhibit.relation.vcs.counts for exhibit in exhibits if exhibit.relation.vcs.counts.size]
    return span(min(int(c.min()) for c in counts), max(int(c.max()) for c in counts), "–") if counts else "none"


def minimal(exhibits: Sequence[Exhibit]) -> str:
    """Whether all routes are shortest paths, on all networks, on none, or on some."""
    answers = [exhibit.delivery.minimal is True for exhibit in exhibits]
    return "yes" if all(answers) else "no" if not any(answers) else f"on {sum(answers)} of {len(answers)}"


def adaptivity(exhibits: Sequence[Exhibit]) -> str:
    """Mean share of the shortest paths that are permitted, lowest and highest over the networks."""
    means = [exhibit.adaptivity.mean for exhibit in exhibits]
    return span(f"{min(means):.2f}", f"{max(means):.2f}", "–")


def judged(exhibits: Sequence[Exhibit], switching: Switching) -> Judgement:
    """The verdicts of one technique over some networks, and how they compare with the claim of the source."""
    verdicts = [exhibit.result(switching).verdict.deadlock_free for exhibit in exhibits]
    free = False if False in verdicts else None if None in verdicts else True
    word = {True: "free", False: "can deadlock", None: "open"}[free]
    where = "" if set(verdicts) == {free} else f"on {verdicts.count(free)} of {len(verdicts)}"
    against = sum(exhibit.agrees(switching) is False for exhibit in exhibits)
    silent = sum(switching not in exhibit.relation.claims for exhibit in exhibits)
    claim = "" if not silent else "no claim" if silent == len(exhibits) else f"no claim on {silent}"
    if against:
        claim = "not as claimed" + (f" on {against}" if len(exhibits) > 1 else "")
    return Judgement(free, word, where, claim)


def differing(exhibits: Sequence[Exhibit], switchings: Sequence[Switching]) -> list[tuple[Exhibit, Switching]]:
    """Verdicts that differ from the claim of the source, the smallest network of each technique first."""
    ordered = sorted(exhibits, key=lambda exhibit: exhibit.relation.network.num_channels)
    return [(exhibit, s) for s in switchings for exhibit in ordered if exhibit.agrees(s) is False]


def refuted(gallery: Gallery) -> list[tuple[list[Exhibit], list[Switching]]]:
    """Claims that do not hold: the networks of each, smallest first, and the techniques that share these networks."""
    groups: dict[tuple[Exhibit, ...], list[Switching]] = {}
    for exhibits in gallery.routings.values():
        for switching in gallery.switchings:
            where = tuple(exhibit for exhibit, _ in differing(exhibits, [switching]))
            if where:
                groups.setdefault(where, []).append(switching)
    return [(list(where), techniques) for where, techniques in groups.items()]


def difference(where: Sequence[Exhibit], switchings: Sequence[Switching]) -> str:
    """Describe the claim of a routing's source, and the networks on which it fails."""
    says, is_so = ("cannot", "can") if where[0].relation.claims[switchings[0]] else ("can", "cannot")
    source, networks = where[0].relation.source, listed([exhibit.network for exhibit in where])
    who = f"the source ({source})" if source else "the source"
    return f"under {listed(list(switchings))} {who} says that it {says} deadlock; it {is_so} on {networks}"
