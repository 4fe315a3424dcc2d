"""Activity on stderr while a command works: progress bars, stages and cycles."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unknot._base.progress import Progress
from unknot.cli.commands.display import console
from unknot.cli.commands.printing import printable
from unknot.cli.commands.signs import doing


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
    with Bar(*columns, TextColumn("{task.description}"), console=console(errors=True), transient=True) as bar:
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
    with console(errors=True).status(f"{what} …") as status:
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
    with console(errors=True).status(f"{what} …") as line:
        yield lambda stage, done=0, total=0: line.update(f"{what}: {stage}, {time.monotonic() - began:.0f} s")


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show on stderr what is going on."""
    with console(errors=True).status(f"{what} …") if sys.stderr.isatty() else doing(what):
        yield


@contextmanager
def proving() -> Iterator[Progress]:
    """Yield a progress bar over the stages of a proof; where stderr is not a screen, the stage is said at times."""
    with progress_bar("proving") if sys.stderr.isatty() else doing("proving") as progress:
        yield progress
