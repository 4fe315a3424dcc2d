"""Limits of a study, judged before anything is built: the number of its points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from unknot._base.errors import UnknotError

MOST_DESIGNS = 10_000
MOST_POINTS = 100_000
MOST_LOADS = 10_000


def points_of(designs: int, simulation: Any) -> int:
    """Return the number of points of a study, of a table ``[simulation]`` that nobody has checked yet."""
    if not isinstance(simulation, Mapping):
        return designs
    return designs * (1 + _loads(simulation.get("loads")) * _length(simulation.get("seeds")))


def require_few(designs: int, points: int) -> None:
    """Refuse a study that is too large to be run.

    Raises
    ------
    UnknotError
        Names both numbers and their limits.
    """
    if designs > MOST_DESIGNS or points > MOST_POINTS:
        raise UnknotError(
            f"this study has {_about(designs)} designs and, with loads and seeds, {_about(points)} points; it may "
            f"have {MOST_DESIGNS:,} designs and {MOST_POINTS:,} points: take shorter lists, or several studies"
        )


def _loads(value: Any) -> int:
    if not isinstance(value, Mapping):
        return 20 if value is None else _length(value)
    try:
        steps = (value["to"] - value["from"]) / value["step"]
    except (KeyError, TypeError, ZeroDivisionError, OverflowError):
        return 1
    return min(math.floor(steps), MOST_LOADS) + 1 if 0 <= steps < math.inf else 1


def _length(value: Any) -> int:
    return max(1, len(value)) if isinstance(value, list) else 1


def _about(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"more than 10^{len(str(number)) - 1}"
