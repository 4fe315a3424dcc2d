"""Questions of the page by name: functions of a design, which tell their answers in parts."""

from collections.abc import Callable
from typing import Any

from unknot._base.errors import UnknotError, near
from unknot_explore.design import Design

Tell = Callable[[dict[str, Any]], None]
"""Takes one part of an answer, as soon as the part is known."""


class _Given(dict[str, Any]):
    """What a question is given beside the design."""

    def __missing__(self, key: str) -> Any:
        raise UnknotError(f"the question has no {key!r}, which this answer needs")


def answer(name: str, design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Answer a question of the page by its name.

    Raises
    ------
    UnknotError
        If there is no such question, something is missing beside it, or the design cannot be built.
    """
    from unknot_explore.questions import finding, mending, pictured, running, told

    questions: dict[str, Callable[..., None]] = {
        "network": pictured.network,
        "verdict": told.verdict,
        "warm": told.warm,
        "protocol": told.protocol,
        "exercise": told.exercise,
        "paths": finding.paths,
        "turn": finding.turn,
        "lanes": mending.lanes,
        "remedies": mending.remedies,
        "curve": running.curve,
        "film": running.film,
    }
    if name not in questions:
        raise UnknotError(f"no question {name!r}; {near(name, questions)}")
    questions[name](design, _Given(given), tell)
