"""Work that can be given up: it is done in a thread of its own, and the caller waits for it only so long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
WORK = "unknot-work"
"""Name of the threads in which work is done."""


class NoAnswerError(Exception):
    """Work that did not end in time; its thread goes on alone and ends with the process."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """Do some work, and give it up after so many seconds.

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
    found: list[T] = []
    failed: list[BaseException] = []
    done = threading.Event()
    context = copy_context()

    def carry_out() -> None:
        try:
            found.append(context.run(work))
        except BaseException as error:
            failed.append(error)
        finally:
            done.set()

    threading.Thread(target=carry_out, name=WORK, daemon=True).start()
    if not done.wait(min(seconds, threading.TIMEOUT_MAX)):
        raise NoAnswerError
    if failed:
        raise failed[0]
    return found[0]
