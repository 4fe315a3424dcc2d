"""Numbers that users give: what counts as one, and the refusal of all else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unknot._base.errors import UnknotError


def is_whole(number: Any) -> bool:
    """Whether this is a whole number, a truth value apart."""
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def is_number(number: Any) -> bool:
    """Whether this is a finite number, a truth value apart."""
    real = isinstance(number, (int, float, np.integer, np.floating)) and not isinstance(number, bool)
    return real and math.isfinite(number)


def require_whole(
    name: str, number: Any, least: int, most: int | None = None, *, unit: str = "", error: type[UnknotError]
) -> None:
    """Refuse all but a whole number of a range, by its name and unit.

    Raises
    ------
    UnknotError
        Of the class `error`.
    """
    if not is_whole(number) or number < least or (most is not None and number > most):
        numbers = f"whole number of {unit}" if unit else "whole number"
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise error(f"{name} must be a {numbers} {limits}, got {number!r}")
