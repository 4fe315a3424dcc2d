"""Answers of commands, kept while they run: for files named by ``--out``, and for callers in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unknot._base.units import Scale
    from unknot.cli.answers.filling import Answer

PICTURES = (".svg", ".png", ".pdf")
"""Endings of pictures."""
FOLDER = ""
"""Ending of folders, as the files of an answer."""


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
    scene
        Makes the page on which the answer is turned and stepped; None: it has no page.
    rows
        Rows of the answer, where they are not those of the form.
    files
        Files that are still to be written.
    in_python
        Whether a function of the package was called: nothing is printed.
    """

    filled: Answer | None = None
    scale: Scale | None = None
    max_rows: int = 0
    remarks: list[str] = field(default_factory=list)
    picture: Callable[[], Any] | None = None
    scene: Callable[[], Any] | None = None
    rows: Sequence[dict[str, Any]] | None = None
    files: list[Path] = field(default_factory=list)
    in_python: bool = False


_KEPT: ContextVar[KeptAnswer | None] = ContextVar("unknot-kept", default=None)


@contextmanager
def asking() -> Iterator[KeptAnswer]:
    """Keep what commands in the block answer, and print nothing."""
    with _keeping(KeptAnswer(in_python=True)) as kept:
        yield kept


@contextmanager
def answering(files: Sequence[Path]) -> Iterator[KeptAnswer]:
    """Keep the answer of a command for its files."""
    with _keeping(asked() or KeptAnswer()) as kept:
        kept.files = list(files)
        yield kept


@contextmanager
def _keeping(kept: KeptAnswer) -> Iterator[KeptAnswer]:
    token = _KEPT.set(kept)
    try:
        yield kept
    finally:
        _KEPT.reset(token)


def asked() -> KeptAnswer | None:
    """Where the answer of the command that runs is kept for a caller in Python; None: it is printed."""
    kept = _KEPT.get()
    return kept if kept is not None and kept.in_python else None


def current() -> KeptAnswer | None:
    """Where the answer of the command that runs is kept; None where none runs."""
    return _KEPT.get()


def named(*endings: str) -> list[Path]:
    """Files with some endings that the answer of the running command is to be written into."""
    kept = current()
    return [file for file in kept.files if file.suffix.lower() in endings] if kept else []


def taken(*endings: str) -> list[Path]:
    """Files with some endings, which the command writes by itself."""
    files, kept = named(*endings), current()
    if kept is not None:
        kept.files = [file for file in kept.files if file not in files]
    return files
