"""Time that Numba compiles, which does not count, and the line that announces it."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

COMPILING = 10.0
"""Seconds of compiling that do not count: more than a first simulation or proof compiles on an idle machine."""


class _Compiling:
    """Seconds in which at least one thread held or awaited Numba's compiler lock."""

    def __init__(self) -> None:
        self.most = COMPILING
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
            now = time.monotonic()
            return now - min(self.most, self._taken(now))

    def long(self) -> bool:
        """Whether compiling took longer than what does not count."""
        with self._lock:
            return self._taken(time.monotonic()) > self.most

    def _taken(self, now: float) -> float:
        return self._total + (now - self._since if self._depth else 0.0)


compiling = _Compiling()
"""Time that Numba compiles, from when `watch_compiling` is called."""


QUIET = "UNKNOT_QUIET"
"""Environment variable that, if set, suppresses the line about compiling, and signs of activity."""
_announced: list[str] = []


def announce(module: str) -> None:
    """Say, once in a process, that a kernel of this module is compiled; rules of users are not announced."""
    if _announced or not module.startswith("unknot") or not module.endswith("_kernel"):
        return
    _announced.append(module)
    import multiprocessing  # takes a fiftieth of the time that a small proof does

    first = multiprocessing.current_process().name in ("MainProcess", "SpawnProcess-1")
    if first and not os.environ.get(QUIET):
        print("compiling kernels, once: the first run takes seconds longer", file=sys.stderr, flush=True)


def watch_compiling() -> None:
    """Have Numba report what it compiles; called once, when the first kernel is imported."""
    _listen("numba:compiler_lock", compiling.on_start, compiling.on_end)
    _listen("numba:compile", lambda event: announce(event.data["dispatcher"].py_func.__module__), lambda event: None)


def _listen(kind: str, start: Callable[[Any], None], end: Callable[[Any], None]) -> None:
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # mypy passes over Numba
        on_start, on_end = staticmethod(start), staticmethod(end)

    register: Callable[[str, object], None] = event.register
    register(kind, Listener())


def long_compiling() -> str:
    """Return what a message of a limit that ran out adds after long compiling; else nothing."""
    addition = "; much of it went into compiling, which is kept once it ends: give more time, once"
    return addition if compiling.long() else ""
