"""Activity on stderr while a command works: progress bars and stages, or a line from time to time in a pipe."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unknot._base.compiling import QUIET, SIGNS
from unknot._base.progress import Progress
from unknot.cli.commands.printing import printable

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """A progress bar on stderr; a line every tenth of the way where that is not a screen."""
    if not sys.stderr.isatty():
        with doing(title) as tell:
            yield _lines(title, tell)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.fields[title]}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, TextColumn("{task.description}"), console=_console(), transient=True) as bar:
        task = bar.add_task("", total=None, title=title)
        yield lambda stage, done, total: bar.update(task, completed=done, total=total or None, description=stage)


def _lines(title: str, tell: Progress) -> Progress:
    shown = -1

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal shown
        tell(stage, done, total)
        tenth = 10 * done // max(1, total)
        if tenth > shown:
            shown = tenth
            print(printable(f"{title}: {done}/{total}  {stage}", sys.stderr), file=sys.stderr, flush=True)

    return progress


@contextmanager
def cycles(what: str) -> Iterator[Progress]:
    """Show stage, cycle and cycles per second of a run on stderr; where that is not a screen, the cycle at times."""
    if not sys.stderr.isatty():
        with doing(what) as tell:
            yield lambda stage, done, total: tell(f"{stage}, cycle", done)
        return
    with _console().status(f"{what} …") as status:
        began, last, before = time.monotonic(), 0, 0

        def show(stage: str, cycle: int, total: int) -> None:
            nonlocal last, before
            before += last if cycle < last else 0
            last = cycle
            speed = (before + cycle) / max(time.monotonic() - began, 1e-9)
            status.update(f"{what}: {stage}, cycle {cycle:,}, {speed:,.0f} cycles/s")

        yield show


@contextmanager
def status(what: str) -> Iterator[Callable[..., None]]:
    """Show the stage of a search and its time on stderr."""
    if not sys.stderr.isatty():
        with doing(what) as tell:
            yield tell
        return
    began = time.monotonic()
    with _console().status(f"{what} …") as line:
        yield lambda stage, done=0, total=0: line.update(f"{what}: {stage}, {time.monotonic() - began:.0f} s")


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show on stderr what is going on."""
    with _console().status(f"{what} …") if sys.stderr.isatty() else doing(what):
        yield


@contextmanager
def proving() -> Iterator[Progress]:
    """Yield a progress bar over the stages of a proof; where stderr is not a screen, the stage is said at times."""
    with progress_bar("proving") if sys.stderr.isatty() else doing("proving") as progress:
        yield progress


EVERY = 10.0
"""Seconds between two of them."""
_doing: list[str] = []
"""What goes on, the innermost activity last."""


@contextlib.contextmanager
def signs() -> Iterator[None]:
    """Say what goes on, and for how long, every `EVERY` seconds until the block ends."""
    if sys.stderr.isatty() or os.environ.get(QUIET):
        yield
        return
    ended, began = threading.Event(), time.monotonic()

    def follow() -> None:
        while not ended.wait(EVERY):
            what = f"{(_doing or ['working'])[-1]}, {time.monotonic() - began:.0f} s"
            with contextlib.suppress(OSError, ValueError):
                print(printable(what, sys.stderr), file=sys.stderr, flush=True)

    threading.Thread(target=follow, name=SIGNS, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextlib.contextmanager
def doing(what: str) -> Iterator[Callable[..., None]]:
    """Name an activity in the lines that `signs` prints; yields a function to tell its stage and progress."""
    place = len(_doing)

    def tell(stage: str, done: int = 0, total: int = 0) -> None:
        count = f" {done:,}{f' of {total:,}' if total else ''}" if done or total else ""
        _doing[place:] = [f"{what}: {stage}{count}"]

    _doing.append(what)
    try:
        yield tell
    finally:
        del _doing[place:]


def _console() -> Console:
    """The console on stderr; loaded late, since every command has this module and few have a screen."""
    from unknot.cli.commands.display import console

    return console(errors=True)
