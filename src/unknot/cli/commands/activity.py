"""Activity on stderr while a command works: progress bars and stages, or a line from time to time in a pipe."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

from unknot._base.compile_time import QUIET
from unknot._base.progress import LATE, NotebookBar, in_notebook, so_far
from unknot._base.progress import activity as begun
from unknot.cli.commands.asking import asked
from unknot.cli.commands.printing import notify


def working(what: str) -> AbstractContextManager[Callable[..., None]]:
    """Show on stderr what goes on; the block gets a function that takes its stage and progress.

    On a screen it is a bar, for a caller in a notebook one below the cell. Elsewhere `signs` prints a line from time
    to time.
    """
    if asked() is not None:
        return _seen(_in_cell(what) if in_notebook() else _named(what))
    return _seen(_bar(what) if sys.stderr.isatty() else _named(what))


@contextmanager
def _seen(shown: AbstractContextManager[Callable[..., None]]) -> Iterator[Callable[..., None]]:
    """An activity whose findings are shown."""
    with begun(), shown as tell:
        yield tell


@contextmanager
def _in_cell(what: str) -> Iterator[Callable[..., None]]:
    with closing(NotebookBar(what, LATE)) as bar:
        yield lambda stage, done=0, total=0: bar(stage, done, total)


@contextmanager
def _bar(what: str) -> Iterator[Callable[..., None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from unknot.cli.commands.console import console

    texts = (TextColumn(f"{{task.{name}}}", markup=False) for name in ("fields[what]", "description"))
    with Progress(
        next(texts), BarColumn(), TimeElapsedColumn(), *texts, console=console(errors=True), transient=True
    ) as bar:
        task = bar.add_task("", total=None, what=what)

        def tell(stage: str, done: int = 0, total: int = 0) -> None:
            bar.update(
                task, completed=done, total=total or None, description=_with_findings(f"{stage}{_count(done, total)}")
            )

        yield tell


def _count(done: int, total: int) -> str:
    return f" {done:,}{f' of {total:,}' if total else ''}" if done or total else ""


def _with_findings(words: str) -> str:
    """Words on what goes on, and what was found so far."""
    return "; ".join(filter(None, (words, so_far())))


EVERY = 10.0
"""Seconds between two of them."""
_doing: list[str] = []
"""What goes on, the innermost activity last."""


SILENT = ""
"""An activity of which nothing is said: a command waits to be asked."""


@contextmanager
def silence() -> Iterator[None]:
    """Say nothing from time to time until the block ends."""
    with _named(SILENT):
        yield


@contextmanager
def signs() -> Iterator[None]:
    """Say what goes on, and for how long, every `EVERY` seconds until the block ends."""
    if sys.stderr.isatty() or os.environ.get(QUIET):
        yield
        return
    ended, began = threading.Event(), time.monotonic()

    def follow() -> None:
        while not ended.wait(EVERY):
            if _doing[-1:] == [SILENT]:
                continue
            notify(f"{_with_findings((_doing or ['finishing' if so_far() else 'starting'])[-1])}, {_elapsed(began)}")

    threading.Thread(target=follow, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _elapsed(began: float) -> str:
    """The time since then: seconds, from ten minutes on minutes."""
    seconds = time.monotonic() - began
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"


@contextmanager
def _named(what: str) -> Iterator[Callable[..., None]]:
    """Name an activity in the lines that `signs` prints; yields a function to tell its stage and progress."""
    place = len(_doing)

    def tell(stage: str, done: int = 0, total: int = 0) -> None:
        _doing[place:] = [f"{what}: {stage}{_count(done, total)}"]

    _doing.append(what)
    try:
        yield tell
    finally:
        del _doing[place:]
