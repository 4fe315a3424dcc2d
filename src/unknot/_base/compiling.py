"""Say that kernels are being compiled: on a terminal and in a notebook with a bar, in a pipe in one line."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from unknot._base.background import listen
from unknot._base.progress import NotebookBar, in_notebook

ABOUT = 10
"""Seconds that compiling takes for a first simulation, or for a first proof with what belongs to it."""
SIGNS = "unknot-signs"
"""Name of the thread of a command that says in a pipe what goes on."""
MOST = 0.97 * ABOUT
"""Seconds up to which the bar grows."""
EVERY = 10.0
"""Seconds between two lines where there is no bar."""
QUIET = "UNKNOT_QUIET"
"""Environment variable that, if set, suppresses the notice."""
CALM = 1.5
"""Seconds without compiling after which the bar goes away."""


class Announcement:
    """Notice, once in a process, when the first kernel has to be compiled."""

    def __init__(self) -> None:
        self._said = False
        self._deep, self._last = 0, 0.0

    def began(self, module: str) -> None:
        """Take notice of a function that is compiled; rules of users are not announced."""
        if not module.startswith("unknot") or not module.endswith("_kernel"):
            return
        self._deep, self._last = self._deep + 1, time.monotonic()
        if not self._said:
            self._said = True
            if not os.environ.get(QUIET) and multiprocessing.current_process().name in (
                "MainProcess",
                "SpawnProcess-1",
            ):
                self._say()

    def ended(self, module: str) -> None:
        """Take notice that it is done."""
        if module.startswith("unknot") and module.endswith("_kernel"):
            self._deep, self._last = max(0, self._deep - 1), time.monotonic()

    def _say(self) -> None:
        text = f"compiling kernels, once, about {ABOUT} s"
        screen = sys.stderr.isatty() or in_notebook()
        if not screen:
            print(text, file=sys.stderr, flush=True)
        show = self._bar if screen else self._lines
        if screen or all(thread.name != SIGNS for thread in threading.enumerate()):
            threading.Thread(target=show, args=(text,), name="unknot-compiling", daemon=True).start()

    def _lines(self, text: str) -> None:
        said = 0.0
        for seconds in self._seconds():
            if seconds >= said + EVERY:
                said = seconds
                print(f"still compiling kernels, {seconds:.0f} s", file=sys.stderr, flush=True)

    def _bar(self, text: str) -> None:
        from rich.console import Console
        from rich.errors import LiveError
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        if in_notebook():
            bar = NotebookBar(text, late=0)
            for seconds in self._seconds():
                bar("", int(min(seconds, MOST)), ABOUT)
            bar.close()
            return
        try:
            columns = (TextColumn(text), BarColumn(), TimeElapsedColumn())
            with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
                task = shown.add_task("", total=ABOUT)
                for seconds in self._seconds():
                    shown.update(task, completed=min(seconds, MOST))
        except LiveError:
            print(text, file=sys.stderr, flush=True)

    def _seconds(self) -> Iterator[float]:
        """Yield the seconds gone, ten times a second, until nothing has been compiled for a while."""
        began = time.monotonic()
        while self._deep or time.monotonic() - self._last < CALM:
            yield time.monotonic() - began
            time.sleep(0.1)


def announce() -> None:
    """Have Numba report what it compiles; called once, when the first kernel is imported."""
    announcement = Announcement()
    listen(
        "numba:compile",
        lambda event: announcement.began(_module(event)),
        lambda event: announcement.ended(_module(event)),
    )


def _module(event: Any) -> str:
    return str(event.data["dispatcher"].py_func.__module__)
