"""Work that is counted in place of time, so that an answer does not depend on the machine, nor on its load.

Where nobody gave a time limit, limits are amounts of work: moves, conflicts, states. All are counted in seconds of a
reference machine, worked out from what was done and never measured. In a block of `counting_work` the clock of all
deadlines is this count. So a search needs no second kind of limit: after each piece of work it says `spend`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PROGRAM, ITERATION = 5e-3, 2e-8
"""Work of a linear program, and more of it for each iteration of the simplex method and entry of the matrix."""
MOST_ITERATIONS = 2**31 - 1


class _Meter:
    """Work done in a block so far."""

    def __init__(self) -> None:
        self.done, self.lock = 0.0, threading.Lock()


_meter: ContextVar[_Meter | None] = ContextVar("unknot-work", default=None)


def spend(seconds: float) -> None:
    """Count work, in seconds that the reference machine takes for it; without effect where time is measured.

    Threads that work at once count in an order of no meaning: count for them where one begins and where all end.

    Parameters
    ----------
    seconds : float
        Worked out from numbers of moves, conflicts, states and the like.

    Examples
    --------
    >>> with counting_work():
    ...     spend(0.25)
    ...     work_done()
    0.25
    """
    meter = _meter.get()
    if meter is not None:
        with meter.lock:
            meter.done += seconds


def program_limit(seconds: float, entries: int) -> dict[str, float]:
    """Limits of a solver of linear programs, as its options: of time, or of iterations where work is counted.

    Parameters
    ----------
    seconds : float
        The limit.
    entries : int
        Entries of the matrix that are not 0.
    """
    if work_done() is None:
        return {"time_limit": seconds}
    return {"maxiter": int(min(MOST_ITERATIONS, max(1.0, seconds / (ITERATION * max(1, entries)))))}


def spend_program(iterations: int, entries: int) -> None:
    """Count the work of a linear program that was solved."""
    spend(PROGRAM + ITERATION * iterations * entries)


def work_done() -> float | None:
    """Work counted so far; None where time is measured."""
    meter = _meter.get()
    return None if meter is None else meter.done


@contextmanager
def counting_work() -> Iterator[None]:
    """Let deadlines that begin in the block count work; a block within another goes on with its count."""
    token = _meter.set(_meter.get() or _Meter())
    try:
        yield
    finally:
        _meter.reset(token)


@contextmanager
def measuring_time() -> Iterator[None]:
    """Let deadlines that begin in the block measure time, whatever is outside: after Ctrl-C somebody waits."""
    token = _meter.set(None)
    try:
        yield
    finally:
        _meter.reset(token)
