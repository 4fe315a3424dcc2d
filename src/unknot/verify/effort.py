"""What an analysis may spend: threads and time; how it says how far it is; and work over blocks of addresses."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
W = TypeVar("W")
Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total); always from the thread that asked."""

BLOCK = 2_000_000
"""States in a block of addresses, roughly: tens of milliseconds."""


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class TimeUpError(Exception):
    """The time limit ran out; says what was done until then."""

    def __init__(self, stage: str, done: int, total: int) -> None:
        super().__init__(f"{stage}: {done} of {total}")
        self.stage, self.done, self.total = stage, done, total


def step(places: int) -> int:
    """Addresses of a block, when each may have a state at so many places."""
    return max(1, BLOCK // max(1, places))


@dataclass(frozen=True)
class Effort:
    """Threads, a deadline, and whom to tell.

    Parameters
    ----------
    threads : int
        Kernels that run at a time; answers do not depend on it.
    end : float
        When to stop, on the clock of `time.monotonic`.
    progress : callable, optional
    """

    threads: int = field(default_factory=processors)
    end: float = float("inf")
    progress: Progress | None = None

    def spent(self, stage: str, done: int, total: int) -> None:
        """Tell how far a stage is.

        Raises
        ------
        TimeUpError
            If there is more to do and no time left.
        """
        if self.progress is not None:
            self.progress(stage, done, total)
        if done < total and time.monotonic() > self.end:
            raise TimeUpError(stage, done, total)

    def over(
        self, stage: str, count: int, step: int, space: Callable[[], W], work: Callable[[W, int, int], T]
    ) -> list[T]:
        """Do `work(space, start, stop)` for blocks of `step` of ``range(count)``; what each block gives, in order.

        Each thread has a work space of its own, made when it is first needed. The first error in the order of the
        blocks is the one that is raised.
        """
        blocks = [(start, min(start + step, count)) for start in range(0, count, step)]
        spaces: queue.SimpleQueue[W] = queue.SimpleQueue()

        def one(start: int, stop: int) -> T:
            try:
                mine = spaces.get_nowait()
            except queue.Empty:
                mine = space()
            found = work(mine, start, stop)
            spaces.put(mine)
            return found

        found: list[T] = []
        if self.threads == 1 or len(blocks) < 2:
            for start, stop in blocks:
                self.spent(stage, start, count)
                found.append(one(start, stop))
        else:
            pool = ThreadPoolExecutor(self.threads)
            try:
                waiting = [pool.submit(copy_context().run, one, start, stop) for start, stop in blocks]
                for (start, _), answer in zip(blocks, waiting, strict=True):
                    self.spent(stage, start, count)
                    found.append(answer.result())
            finally:
                pool.shutdown(cancel_futures=True)
        self.spent(stage, count, count)
        return found
