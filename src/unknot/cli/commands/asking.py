"""Answers for callers in Python: what a command would print and draw is kept for `unknot.cli.result`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unknot._base.units import Scale
    from unknot.cli.answers.filling import Answer


@dataclass
class KeptAnswer:
    """What a command answered.

    Attributes
    ----------
    filled, scale, max_rows
        The answer, as `display.put` takes it.
    remarks
        Lines that the terminal shows on stderr.
    picture
        Draws the answer; None: it has no picture.
    """

    filled: Answer | None = None
    scale: Scale | None = None
    max_rows: int = 0
    remarks: list[str] = field(default_factory=list)
    picture: Callable[[], Any] | None = None


_ASKED: ContextVar[KeptAnswer | None] = ContextVar("unknot-asked", default=None)


@contextmanager
def asking() -> Iterator[KeptAnswer]:
    """Keep what commands in the block answer, and print nothing."""
    asked = KeptAnswer()
    token = _ASKED.set(asked)
    try:
        yield asked
    finally:
        _ASKED.reset(token)


def asked() -> KeptAnswer | None:
    """Where the answer of the command that runs is kept; None: it is printed."""
    return _ASKED.get()
