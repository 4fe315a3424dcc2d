"""Answers that may be open: True, False, or None where the question is undecided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal, NoReturn

from unknot._base.errors import UnknotError

Answer = Literal["yes", "no", "open"]


class NoTruthError(UnknotError, TypeError):
    """An answer with three values, used where Python asks for true or false."""


class ThreeValued:
    """Base of answers that are yes, no or open: `answer` says which, and `bool` refuses.

    A class names its question, an attribute that is True, False or None, as in ``class Verdict(ThreeValued,
    asks="deadlock_free")``.

    Examples
    --------
    >>> from unknot.verify import check
    >>> verdict = check("ring(4)", routing="dimension_order")
    >>> verdict.answer
    'no'
    >>> print("safe" if verdict else "not safe")
    Traceback (most recent call last):
    unknot._base.three_valued.NoTruthError: a Verdict can be open, and has no truth value: compare its `answer` with \
"yes", "no" or "open"; the answer is that of `deadlock_free`
    """

    __slots__ = ()
    _asks: ClassVar[str]

    def __init_subclass__(cls, *, asks: str = "", **others: Any) -> None:
        super().__init_subclass__(**others)
        if asks:
            cls._asks = asks

    @property
    def answer(self) -> Answer:
        """The answer in a word: "yes", "no" or "open"."""
        return word(getattr(self, self._asks))

    def __bool__(self) -> NoReturn:
        raise NoTruthError(
            f"a {type(self).__name__} can be open, and has no truth value: compare its `answer` with "
            f'"yes", "no" or "open"; the answer is that of `{self._asks}`'
        )


def word(truth: bool | None) -> Answer:
    """The word for a truth value; None is open.

    Examples
    --------
    >>> word(True), word(False), word(None)
    ('yes', 'no', 'open')
    """
    return "open" if truth is None else "yes" if truth else "no"


def all_hold(answers: Iterable[bool | None]) -> bool | None:
    """Whether all of some answers are True: False if one is False, else None if one is open.

    Examples
    --------
    >>> all_hold([True, None, False]), all_hold([True, None]), all_hold([])
    (False, None, True)
    """
    every = {*answers}
    return False if False in every else None if None in every else True
