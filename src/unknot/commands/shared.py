"""What several commands do alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from unknot.commands.outcomes import FAILS, HOLDS, UNDECIDED, say
from unknot.commands.printing import show_json

if TYPE_CHECKING:
    from unknot.routing.relation import Relation


T = TypeVar("T")


def relation_of(network: str, routing: str, vcs: int | None) -> Relation:
    from unknot.studies import design

    built = design.network(network, where="NETWORK")
    design.require_connected(built)
    return design.routing(built, routing, vcs, where="--routing")


def exit_code(deadlock_free: bool | None, delivered: bool | None) -> int:
    """0 if both are so, 1 if one is not, 3 if that is open."""
    if deadlock_free is False or delivered is False:
        return FAILS
    return HOLDS if deadlock_free and delivered else UNDECIDED


def limited(seconds: float | None, work: Callable[[], T]) -> T:
    """What some work gives, or exit code 3 when it takes longer."""
    if seconds is None:
        return work()
    from unknot.background import NoAnswerError, within

    try:
        return within(seconds, work)
    except NoAnswerError:
        say(f"given up after {seconds:g} s, the time limit")
        raise typer.Exit(UNDECIDED) from None


def write(path: Path, svg: str) -> None:
    from unknot.report.picture import write_picture

    write_picture(svg, path)
    say(f"wrote {path}")


def print_json(answer: dict[str, Any]) -> None:
    show_json(answer)
