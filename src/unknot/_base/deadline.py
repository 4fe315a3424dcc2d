"""Time limits: the moment by which a command or a call has to end, and work that is given up when it has come.

A deadline is handed down in place of seconds that each would count anew. Its clock stands still while kernels
compile, which is done once on a machine and says nothing about a design; but for `COMPILING` seconds at most, so that
a limit holds on a busy machine too. In a block of `unknot._base.work.counting_work` it counts work in place of time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar, cast

from unknot._base.compile_time import compiling, long_compiling
from unknot._base.errors import RelationError, UnknotError
from unknot._base.work import counting_work, work_done

T = TypeVar("T")
CLOSING, AT_LEAST = 0.08, 0.6
"""Share of the limit, or seconds, if more, after which a stage is left that does not look at the clock."""
MINUTE = 60.0
"""Seconds of a search or a proof, unless others are given."""
ENDLESS = 600.0
"""Seconds of processor time after which work that should end by its own count is given up."""
LOOK = 0.05
"""Seconds between two looks at a clock that may stand still."""
WORK = "unknot-work"
"""Name of the threads in which work is done."""


class NoAnswerError(Exception):
    """Work that did not end in time; its thread goes on alone and ends with the process."""


def clock() -> float:
    """Seconds on a clock that leaves out the first `COMPILING` seconds of compiling; deadlines are times on it.

    Where work is counted it is that count.
    """
    done = work_done()
    return compiling.clock() if done is None else done


def within(seconds: float, work: Callable[[], T]) -> T:
    """Do some work, and give it up after a number of seconds on `clock`.

    Where work is counted it ends by its own count; after `ENDLESS` seconds of processor time it can only be a rule
    that loops for ever, and is given up too. Compiled code cannot be stopped from outside: such a rule keeps its
    thread, a daemon, busy until the process ends. The caller goes on, and an interrupt reaches it at once.

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
    now, patience = (clock, seconds) if work_done() is None else (time.process_time, ENDLESS)
    end = now() + patience
    while not done.wait(min(max(LOOK, end - now()), threading.TIMEOUT_MAX)):
        if now() >= end:
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
        """Start a limit of seconds; a running `Deadline` is returned unchanged."""
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
    def proving(self) -> Deadline:
        """The deadline of a proof of what was found: where work is counted, it has as much as all else together."""
        return self if work_done() is None else replace(self, end=clock() + self.seconds)

    @property
    def closing(self) -> Deadline:
        """The deadline for finishing work once this deadline has passed; two in a row stay within the
        promised time.
        """
        return replace(self, end=self.end + max(CLOSING * self.seconds, AT_LEAST))

    def undecided(self, established: str) -> str:
        """Return what is established at its end, and this process's processor time: little on a busy machine."""
        if work_done() is not None:
            return f"undecided with the work of {self.seconds:g} s: {established}"
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


F = TypeVar("F", bound=Callable[..., Any])


def begun(limit: float | Deadline | None, what: str = "") -> Deadline:
    """Begin a limit; where there is none, that of a minute's work, see `counts_work`."""
    return Deadline.of(MINUTE if limit is None else limit, what)


def counts_work(function: F) -> F:
    """Decorate a function with an optional keyword `time_limit`: without one it counts work in place of time."""

    @wraps(function)
    def counted(*args: Any, **options: Any) -> Any:
        if options.get("time_limit") is not None:
            return function(*args, **options)
        with counting_work():
            return function(*args, **options)

    return cast("F", counted)
