"""Time limits: a clock that stands still while kernels compile, and work that is given up when time is over.

Compiling takes up to a minute, once, and says nothing about a design: a limit that counted it would leave the first
question open.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")
LOOK = 0.05
"""Seconds between two looks at a clock that may stand still."""
WORK = "unknot-work"
"""Name of the threads in which work is done."""


class NoAnswerError(Exception):
    """Work that did not end in time; its thread goes on alone and ends with the process."""


class _Compiling:
    """Seconds in which at least one thread held or awaited Numba's compiler lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth, self._since, self._total, self._collects = 0, 0.0, 0.0, True

    def on_start(self, event: object) -> None:
        with self._lock:
            if self._depth == 0:
                self._since = time.monotonic()
                # Numba makes so many objects that to look for cycles among them takes an eighth of its time.
                self._collects = gc.isenabled()
                gc.disable()
            self._depth += 1

    def on_end(self, event: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._total += time.monotonic() - self._since
                if self._collects:
                    gc.enable()

    def clock(self) -> float:
        with self._lock:
            return (self._since if self._depth else time.monotonic()) - self._total


_compiling = _Compiling()


def listen(kind: str, start: Callable[[Any], None], end: Callable[[Any], None]) -> None:
    """Have Numba report events of a kind; called when the first kernel is imported."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # mypy passes over Numba
        on_start, on_end = staticmethod(start), staticmethod(end)

    register: Callable[[str, object], None] = event.register
    register(kind, Listener())


def watch_compiling() -> None:
    """Have the clock stand still while Numba compiles."""
    listen("numba:compiler_lock", _compiling.on_start, _compiling.on_end)


def clock() -> float:
    """Seconds on a clock that stands still while Numba compiles; deadlines are times on it."""
    return _compiling.clock()


def within(seconds: float, work: Callable[[], T]) -> T:
    """Do some work, and give it up after a number of seconds on `clock`.

    Compiled code cannot be stopped from outside: a rule that loops for ever keeps its thread, a daemon, busy until
    the process ends. The caller goes on, and an interrupt reaches it at once.

    Parameters
    ----------
    seconds : float
        How long to wait; infinity is allowed.
    work : callable
        Takes nothing. It sees the caller's context variables.

    Raises
    ------
    NoAnswerError
        If it did not end in time.
    BaseException
        Whatever the work raises.

    Examples
    --------
    >>> within(10, lambda: 6 * 7)
    42
    """
    results: list[T] = []
    failed: list[BaseException] = []
    done = threading.Event()
    context = copy_context()

    def carry_out() -> None:
        try:
            results.append(context.run(work))
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threading.Thread(target=carry_out, name=WORK, daemon=True).start()
    end = clock() + seconds
    while not done.wait(min(max(LOOK, end - clock()), threading.TIMEOUT_MAX)):
        if clock() >= end:
            raise NoAnswerError
    if failed:
        raise failed[0]
    return results[0]
