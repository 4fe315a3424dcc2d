"""What happens when Numba compiles: the clock of deadlines stands still, and one line says so."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from unknot._base import deadline

QUIET = "UNKNOT_QUIET"
"""Environment variable that, if set, suppresses the line, and signs of activity."""
_announced: list[str] = []


def announce(module: str) -> None:
    """Say, once in a process, that a kernel of this module is compiled; rules of users are not announced."""
    if _announced or not module.startswith("unknot") or not module.endswith("_kernel"):
        return
    _announced.append(module)
    import multiprocessing  # takes a fiftieth of the time that a small proof does

    first = multiprocessing.current_process().name in ("MainProcess", "SpawnProcess-1")
    if first and not os.environ.get(QUIET):
        print(f"compiling kernels, once, about {deadline.COMPILING:.0f} s", file=sys.stderr, flush=True)


def watch() -> None:
    """Have Numba report what it compiles; called once, when the first kernel is imported."""
    compiling = deadline.compiling
    _listen("numba:compiler_lock", compiling.on_start, compiling.on_end)
    _listen("numba:compile", lambda event: announce(event.data["dispatcher"].py_func.__module__), lambda event: None)


def _listen(kind: str, start: Callable[[Any], None], end: Callable[[Any], None]) -> None:
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # mypy passes over Numba
        on_start, on_end = staticmethod(start), staticmethod(end)

    register: Callable[[str, object], None] = event.register
    register(kind, Listener())
