"""Answers that may be open: True, False, or None where the question is undecided."""

from __future__ import annotations

from collections.abc import Iterable


def all_hold(answers: Iterable[bool | None]) -> bool | None:
    """Whether all of some answers are True: False if one is False, else None if one is open.

    Examples
    --------
    >>> all_hold([True, None, False]), all_hold([True, None]), all_hold([])
    (False, None, True)
    """
    every = {*answers}
    return False if False in every else None if None in every else True
