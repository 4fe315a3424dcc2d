"""Threads and time of an analysis; reports of its progress; and work over blocks of addresses."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from math import ceil, inf
from typing import TYPE_CHECKING, TypeVar

from unknot._base.deadline import clock
from unknot._base.progress import Progress
from unknot._base.threads import processors
from unknot._base.work import spend, work_done

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
W = TypeVar("W")

BLOCK = 2_000_000
"""States in a block of addresses, roughly: tens of milliseconds."""
PER_STATE = 2e-8
"""Work of a visit to a state, for each input VC that there is."""
PATIENCE = 0.2
"""Seconds without any block done after which the clock is looked at again."""
LEAVING = 1.0
"""Seconds that threads have to end the blocks they are at; who takes longer is asking a rule that never answers."""


class TimeUpError(Exception):
    """The time limit ran out; says what was done until then."""

    def __init__(self, stage: str, done: int, total: int) -> None:
        super().__init__(f"{stage}: {done} of {total}")
        self.stage, self.done, self.total = stage, done, total


def step(input_vcs: int) -> int:
    """Addresses of a block, when each may have a state at that many input VCs."""
    return max(1, BLOCK // max(1, input_vcs))


@dataclass(frozen=True)
class Effort:
    """Threads, a deadline, and progress.

    Parameters
    ----------
    threads : int
        Kernels that run at a time; answers do not depend on it.
    end : float
        When to stop, on `unknot._base.deadline.clock`.
    progress : callable, optional
    """

    threads: int = field(default_factory=processors)
    end: float = float("inf")
    progress: Progress | None = None

    def spent(self, stage: str, done: int, total: int) -> None:
        """Report how far a stage is.

        Raises
        ------
        TimeUpError
            If there is more to do and no time left.
        """
        if self.progress is not None:
            self.progress(stage, done, total)
        if done < total and clock() > self.end:
            raise TimeUpError(stage, done, total)

    def pieces(self, stage: str, start: int, stop: int, step: int, count: int) -> Iterator[int]:
        """Go through a block of work of `over` in steps, after each of which the clock is looked at.

        Where work is counted nothing is looked at: `over` did that.
        """
        for low in range(start, stop, step):
            if low > start and work_done() is None and clock() > self.end:
                raise TimeUpError(stage, low, count)
            yield low

    def over(
        self,
        stage: str,
        count: int,
        step: int,
        workspace: Callable[[], W],
        work: Callable[[W, int, int], T],
        *,
        input_vcs: int,
    ) -> list[T]:
        """Do `work(mine, start, stop)` for blocks of `step` of ``range(count)``; what each block gives, in order.

        Each thread has a work space of its own, made when it is first needed. The first error in the order of the
        blocks is the one that is raised. Where work is counted, blocks for which there is enough are done, and those
        alone: threads would not come equally far each time.

        Parameters
        ----------
        input_vcs : int
            The states of one of the count, at most.
        """
        blocks, told = [(start, min(start + step, count)) for start in range(0, count, step)], self
        if work_done() is not None:
            each, told = PER_STATE * max(1, input_vcs), replace(self, end=inf)
            blocks = blocks[: max(0, ceil(min(len(blocks), (self.end - clock()) / (each * step))))]
            spend(each * min(count, step * len(blocks)))
        spaces: queue.SimpleQueue[W] = queue.SimpleQueue()

        def one(start: int, stop: int) -> T:
            try:
                mine = spaces.get_nowait()
            except queue.Empty:
                mine = workspace()
            outcome = work(mine, start, stop)
            spaces.put(mine)
            return outcome

        outcomes: list[T] = []
        if self.threads == 1 or len(blocks) < 2:
            for start, stop in blocks:
                told.spent(stage, start, count)
                outcomes.append(one(start, stop))
        else:
            from concurrent.futures import Future, wait  # short commands have one block each

            futures = [Future[T]() for _ in blocks]
            todo = queue.SimpleQueue[tuple[Future[T], int, int]]()
            for future, block in zip(futures, blocks, strict=True):
                todo.put((future, *block))
            with _workers(self.threads, todo, one):
                for future, (start, _) in zip(futures, blocks, strict=True):
                    told.spent(stage, start, count)
                    while not wait([future], PATIENCE).done:
                        told.spent(stage, start, count)
                    outcomes.append(future.result())
        done = blocks[-1][1] if blocks else 0
        if done < count:
            raise TimeUpError(stage, done, count)
        self.spent(stage, count, count)
        return outcomes


@contextmanager
def _workers(
    count: int, todo: queue.SimpleQueue[tuple[Future[T], int, int]], work: Callable[[int, int], T]
) -> Iterator[None]:
    """Daemon threads that work through blocks; a rule in an endless loop does not keep the process alive."""

    def work_through() -> None:
        while not todo.empty():
            with suppress(queue.Empty):
                future, start, stop = todo.get_nowait()
                try:
                    future.set_result(work(start, stop))
                except BaseException as error:
                    future.set_exception(error)

    threads = [
        threading.Thread(target=copy_context().run, args=(work_through,), daemon=True)
        for _ in range(min(count, todo.qsize()))
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        while not todo.empty():
            with suppress(queue.Empty):
                todo.get_nowait()
        if isinstance(sys.exception(), Exception | None):
            end = time.monotonic() + LEAVING
            for thread in threads:
                thread.join(max(0.0, end - time.monotonic()))
