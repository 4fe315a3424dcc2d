"""Time limits: the moment by which a command or a call has to end, and work that is given up when it has come.

A deadline is handed down in place of seconds that each would count anew. Its clock stands still while kernels
compile, which is done once on a machine and says nothing about a design; but for `COMPILING` seconds at most, so that
a limit holds on a busy machine too.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from unknot._base.errors import RelationError, UnknotError

T = TypeVar("T")
CLOSING, AT_LEAST = 0.08, 0.8
"""Share of the limit, or seconds, if more, after which a stage is left that does not look at the clock."""
MINUTE = 60.0
"""Seconds of a search or a proof, unless others are given."""
COMPILING = 10.0
"""Seconds of compiling that do not count: about as long as a first simulation takes for it, or a first proof."""
LOOK = 0.05
"""Seconds between two looks at a clock that may stand still."""
WORK = "unknot-work"
"""Name of the threads in which work is done."""


class NoAnswerError(Exception):
    """Work that did not end in time; its thread goes on alone and ends with the process."""


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
        print(f"compiling kernels, once, about {COMPILING:.0f} s", file=sys.stderr, flush=True)


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


def clock() -> float:
    """Seconds on a clock that leaves out the first `COMPILING` seconds of compiling; deadlines are times on it."""
    return compiling.clock()


def long_compiling() -> str:
    """Return what a message of a limit that ran out adds after long compiling; else nothing."""
    addition = "; much of it went into compiling, which is kept once it ends: give more time, once"
    return addition if compiling.long() else ""


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


@dataclass(frozen=True)
class Deadline:
    """A time limit that has begun; wherever seconds are taken as a limit, a deadline may stand in their place.

    Parameters
    ----------
    seconds : float
        The whole limit, for messages.
    end : float
        When it is over, on `clock`.
    used : float
        Processor time of this process when it began, in seconds.

    Examples
    --------
    >>> deadline = Deadline.after(60)
    >>> deadline.over, Deadline.of(deadline) is deadline
    (False, True)
    """

    seconds: float
    end: float
    used: float = field(default_factory=time.process_time, compare=False)

    @classmethod
    def after(cls, seconds: float, what: str = "", wrong: type[UnknotError] = RelationError) -> Deadline:
        """Begin a limit.

        Raises
        ------
        UnknotError
            Of the type `wrong`, with `what` in front, if it is no positive number.
        """
        if not seconds > 0:
            start = f"{what}: the" if what else "the"
            raise wrong(f"{start} time limit must be a positive number of seconds, got {seconds!r}")
        return cls(seconds, clock() + seconds)

    @classmethod
    def of(cls, limit: float | Deadline, what: str = "", wrong: type[UnknotError] = RelationError) -> Deadline:
        """Begin a limit of seconds; one that has begun stays as it is."""
        return limit if isinstance(limit, Deadline) else cls.after(limit, what, wrong)

    @property
    def left(self) -> float:
        """Seconds until the end; 0 from then on."""
        return max(0.0, self.end - clock())

    @property
    def over(self) -> bool:
        return clock() >= self.end

    def part(self, share: float) -> Deadline:
        """The deadline by which a share of what is left has passed."""
        return replace(self, end=clock() + share * self.left)

    @property
    def closing(self) -> Deadline:
        """The deadline of what has to be done when this one is over; twice in turn still keeps what is promised."""
        return replace(self, end=self.end + max(CLOSING * self.seconds, AT_LEAST))

    def undecided(self, established: str) -> str:
        """Return what is established at its end, and this process's processor time: little on a busy machine."""
        used = time.process_time() - self.used
        return f"undecided after {self.seconds:g} s: {established} (processor time: {used:.2g} s{long_compiling()})"

    def within(self, work: Callable[[], T]) -> T:
        """Do some work, as `within`, and give it up at the end; begin none after it.

        Raises
        ------
        NoAnswerError
            If it did not end in time.
        """
        if self.over:
            raise NoAnswerError
        return within(self.left, work)

    def unless_over(self, work: Callable[[], T]) -> T | None:
        """Return the result of some work, or None if it did not end in time."""
        try:
            return self.within(work)
        except NoAnswerError:
            return None


NEVER = Deadline(float("inf"), float("inf"))
"""No limit."""
