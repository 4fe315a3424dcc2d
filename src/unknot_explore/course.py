"""A course of exercises, each solved when the prover says so."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from unknot_explore.design import LINK, Design

FILE = Path(__file__).with_name("course.toml")


@cache
def course() -> list[dict[str, Any]]:
    """The exercises: what is to be done, hints, the design to begin with, and the goal.

    Examples
    --------
    >>> [exercise["title"] for exercise in course()][:2]
    ['Find the knot', 'One virtual channel too few']
    """
    exercises: list[dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["exercise"]
    return exercises


def solved(number: int) -> Design:
    """A design that solves an exercise, by its number from 0."""
    task = course()[number]
    return Design.of({**task["design"], **task["solution"]})


def missing(
    task: dict[str, Any], design: Design, verdict: dict[str, Any], *, stepped: bool = False, safe: bool | None = None
) -> list[str]:
    """What a design still lacks to solve an exercise; empty if solved.

    Parameters
    ----------
    task : dict
        The exercise.
    design : Design
        As the student left it.
    verdict : dict
        The first part of the answer to the question "verdict".
    stepped : bool
        Whether the deadlock was stepped to its end.
    safe : bool or None
        Whether messages of the exercise's protocol cannot block each other.

    Returns
    -------
    list of str
        Sentences.
    """
    goal, start = task["goal"], Design.of(task["design"])
    changed = [name for name in task["keep"] if getattr(design, name) != getattr(start, name)]
    vcs = max(verdict["vcs"], default=0)
    dead = [{*name.split(LINK)} for name in design.dead]
    alive = [name for name in goal.get("dead", ()) if {*name.split(LINK)} not in dead]
    checks = (
        (not changed, f"Leave as it was: {', '.join(changed)}."),
        (verdict["free"] is goal["free"], "It cannot deadlock." if verdict["free"] else "It can deadlock."),
        (not goal.get("delivered") or verdict["delivered"], "Some packets never arrive."),
        (not goal.get("stepped") or stepped, "Step through the deadlock to its end."),
        (not goal.get("protocol") or safe, "Requests and replies can still block each other."),
        (vcs <= goal.get("most_vcs", vcs), f"It has {vcs} VCs; {goal.get('most_vcs')} are enough."),
        (
            len(design.turns) <= goal.get("most_turns", len(design.turns)),
            f"{goal.get('most_turns')} forbidden turns are enough.",
        ),
        (not alive, f"Kill {' and '.join(alive)} first."),
        (
            any(design.routing.startswith(name) for name in goal.get("routings", [""])),
            f"Use one of {', '.join(goal.get('routings', []))}.",
        ),
    )
    return [sentence for holds, sentence in checks if not holds]
