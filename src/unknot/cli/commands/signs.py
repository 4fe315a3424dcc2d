"""Signs of life: where stderr is not a screen, a line from time to time on what a command is doing."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

from unknot._base.compiling import QUIET, SIGNS
from unknot.cli.commands.printing import printable

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
    """Take part in the signs of life; yields a function that is told the stage, and how much of it is done."""
    place = len(_doing)

    def tell(stage: str, done: int = 0, total: int = 0) -> None:
        count = f" {done:,}{f' of {total:,}' if total else ''}" if done or total else ""
        _doing[place:] = [f"{what}: {stage}{count}"]

    _doing.append(what)
    try:
        yield tell
    finally:
        del _doing[place:]
