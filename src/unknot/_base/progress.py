"""Progress of long computations: one protocol for all of them, and bars in notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from html import escape
from typing import Any, ParamSpec, TypeVar

Progress = Callable[[str, int, int], None]
"""Called with a stage in words, how much of it is done, and how much there is in all, 0 where that is not known."""
LATE = 1.0
"""Seconds after which a call in a notebook gets a bar."""
STEP = 0.1
"""Seconds between two pictures of a bar."""


@dataclass
class _Activity:
    """Findings of an activity in words: its own, and those of a part of its work."""

    found: str = ""
    by_part: str = ""


_activities = [_Activity()]
"""Activities that go on, the innermost last; the first is for what runs outside all."""


@contextmanager
def activity() -> Iterator[None]:
    """Begin an activity; its findings stand beside progress, and stay with the outer activity at the end."""
    _activities.append(_Activity())
    try:
        yield
    finally:
        last = _activities.pop()
        _activities[-1].found = last.found or _activities[-1].found


def found(text: str, *, by_part: bool = False) -> None:
    """Name what the computation has found so far, as ``2 lanes, highest load 65``, in place of words before.

    Parameters
    ----------
    by_part : bool
        Whether the computation is often a part of others, whose own findings then count.
    """
    setattr(_activities[-1], "by_part" if by_part else "found", text)


def so_far() -> str:
    """What the activities have found, in words; empty if nothing."""
    inside = _activities[1:]
    texts = dict.fromkeys(one.found for one in inside if one.found)
    return "; ".join(texts) or next((one.by_part for one in reversed(inside) if one.by_part), "")


P = ParamSpec("P")
R = TypeVar("R")


def in_notebook() -> bool:
    """Whether output goes to cells of a notebook."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class NotebookBar:
    """A bar below a cell of a notebook, from `late` seconds on until it is closed.

    Parameters
    ----------
    title : str
        What goes on.
    late : float
        Seconds before it appears.
    """

    def __init__(self, title: str, late: float) -> None:
        self._title, self._next = title, time.monotonic() + late
        self._handle: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + STEP
        share = f' value="{done}" max="{total}"' if total else ""
        words = " ".join(filter(None, (self._title, stage, f"{done:,} of {total:,}" if total else "")))
        words = "; ".join(filter(None, (words, so_far())))
        self._show(f"<progress{share}></progress> {escape(words)}")

    def close(self) -> None:
        """Take the bar away."""
        if self._handle is not None:
            self._show("")

    def _show(self, text: str) -> None:
        from IPython import display

        html: Any = display
        if self._handle is None:
            self._handle = html.display(html.HTML(text), display_id=True)
        else:
            self._handle.update(html.HTML(text))


def reported(results: Iterable[R], total: int, progress: Progress | None, words: Callable[[R], str]) -> Iterator[R]:
    """Yield results as they come, each reported in words."""
    for done, one in enumerate(results, start=1):
        if progress is not None:
            progress(words(one), done, total)
        yield one


_open: list[NotebookBar] = []


def with_bar(function: Callable[P, R]) -> Callable[P, R]:
    """Give a function with an argument `progress` a bar in notebooks: where none is given, in the outermost call."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        if _open or not in_notebook() or options.get("progress") is not None:
            return function(*args, **options)
        _open.append(NotebookBar(function.__name__, LATE))
        try:
            options["progress"] = _open[0]
            with activity():
                return function(*args, **options)
        finally:
            _open.pop().close()

    return call
