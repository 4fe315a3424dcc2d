"""Routes in the fewest lanes and remedies, each as a routing that the page can take over."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from unknot._base.phrases import count
from unknot_explore.design import Design
from unknot_explore.questions import Tell
from unknot_explore.questions.pictured import asked

SECONDS = 20.0
"""Seconds of a search."""


def lanes(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Routes along shortest paths in the fewest lanes, on the network that is left."""
    import unknot

    text = design.network_text(design.whole())
    found = unknot.lanes(text, time_limit=SECONDS)
    made = found.relation.vcs.widest
    least = found.lower_bound
    proof = "fewer are impossible" if least >= made else f"at least {least} are needed"
    tell(
        {
            "offers": [
                {"words": f"Routes in {count(made, 'lane')}: {proof}.", "routing": "lanes", "vcs": None, "turns": []}
            ],
            "command": f"unknot lanes {text!r}",
            "python": f"unknot.lanes({text!r})",
        }
    )


def remedies(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Remedies of `unknot repair`, each in a file that --routing takes."""
    import unknot

    text = design.network_text(design.whole())
    folder = Path(tempfile.mkdtemp(prefix="unknot-explore-"))
    options: dict[str, Any] = {"switching": design.switching, "time_limit": SECONDS, "export": folder / "remedy.json"}
    found = unknot.repair(text, design.routing_text, vcs=design.vcs, **options)
    offers: list[dict[str, Any]] = []
    for remedy in found.remedies:
        file = folder / f"remedy-{remedy.kind.replace(' ', '-')}.json"
        if remedy.cost is None or not file.exists():
            continue
        least = (
            "the least possible"
            if remedy.cost == remedy.lower_bound
            else f"at least {remedy.lower_bound:,} are needed"
        )
        words = f"{remedy.kind.capitalize()}: {remedy.cost:,} {remedy.unit}, {least}."
        offers.append({"words": words, "routing": str(file), "vcs": None, "turns": []})
    tell({"offers": offers, **asked(design, "repair")})
