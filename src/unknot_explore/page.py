"""The page as one file: front end, start and, for a file that works from disk, the answers that were computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from unknot.report.scene import front_end
from unknot_explore.course import course, solved
from unknot_explore.design import Design

HERE = Path(__file__).parent
STORED = ("network", "verdict")
"""Questions whose answers a file has."""


def page(start: dict[str, Any], nonce: str = "") -> str:
    """The page; the front end is in the file, and nothing else is loaded."""
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined)
    script, style = map(front_end, ("explore.js", "explore.css"))
    return environment.get_template("page.html").render(start=start, script=script, style=style, nonce=nonce)


def started(design: Design, *, exercise: int | None = None) -> dict[str, Any]:
    """What the page shows first: the design, and the names that its lists offer."""
    from unknot.routing.named import routings

    exercises = course() if exercise is not None else []
    hidden = {"solution", "goal"}  # a file handed out does not tell
    return {
        "design": design.model_dump(),
        "routings": sorted(routings()),
        "course": [{key: one[key] for key in one if key not in hidden} for one in exercises],
        "exercise": exercise,
    }


def stored(design: Design, exercise: int | None = None) -> list[dict[str, Any]]:
    """Answers for a file that works from disk, each with its question; of an exercise those of its solution, too."""
    asked: list[tuple[str, Design, dict[str, Any]]] = [(question, design, {}) for question in STORED]
    if exercise is not None:
        solution = solved(exercise)
        asked += [(question, solution, {}) for question in STORED if solution != design]
        for stepped in (False, True):
            given = {"number": exercise, "stepped": stepped}
            asked += [("exercise", one, given) for one in dict.fromkeys((design, solution))]
    return [
        {"question": question, "design": one.model_dump(), "given": given, "parts": _parts(question, one, given)}
        for question, one, given in asked
    ]


def _parts(question: str, design: Design, given: dict[str, Any]) -> list[dict[str, Any]]:
    from unknot_explore.questions import answer

    parts: list[dict[str, Any]] = []
    answer(question, design, given, parts.append)
    return [part for part in parts if "progress" not in part]
