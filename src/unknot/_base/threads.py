"""Threads: one default for proofs and runs, on which no answer depends."""

from __future__ import annotations

import os

from unknot._base.errors import UnknotError, shown

MOST_THREADS = 1024
_share: list[int] = []
"""Processors of this process, where others compute beside it."""


def processors() -> int:
    """Number of processors for this process; in a worker of a study, the worker's share."""
    if _share:
        return _share[-1]
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_processors(count: int) -> None:
    """Have `processors` give at most that many from now on, for processes that work side by side."""
    _share.append(max(1, min(count, processors())))


def threads_of(number: int | None, what: str, *, wrong: type[UnknotError], useful: int = MOST_THREADS) -> int:
    """The number of threads for a piece of work.

    Parameters
    ----------
    number : int or None
        The argument of the caller; None: one for each processor, but not more than are useful.
    what : str
        The function that was called, for messages.
    wrong : class
        Of the error of a number that cannot be.
    useful : int
        Threads that have enough to do.

    Examples
    --------
    >>> threads_of(3, "check", wrong=UnknotError), threads_of(None, "check", wrong=UnknotError, useful=1)
    (3, 1)
    """
    if number is None:
        return max(1, min(processors(), useful))
    if isinstance(number, bool) or not hasattr(number, "__index__") or not 1 <= number <= MOST_THREADS:
        raise wrong(
            f"{what}: the number of threads must be at least 1, and at most {MOST_THREADS}, got {shown(number)}"
        )
    return int(number)
