"""Threads and time of an analysis; reports of its progress; and work over blocks of addresses."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from types import TracebackType
from typing import Generic, Self, TypeVar

from unknot._base.deadline import clock
from unknot._base.progress import Progress
from unknot._base.threads import processors

T = TypeVar("T")
W = TypeVar("W")

BLOCK = 2_000_000
"""States in a block of addresses, roughly: tens of milliseconds."""
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
        """Go through a block of work of `over` in steps, after each of which the clock is looked at."""
        for low in range(start, stop, step):
            if low > start and clock() > self.end:
                raise TimeUpError(stage, low, count)
            yield low

    def over(
        self, stage: str, count: int, step: int, workspace: Callable[[], W], work: Callable[[W, int, int], T]
    ) -> list[T]:
        """Do `work(mine, start, stop)` for blocks of `step` of ``range(count)``; what each block gives, in order.

        Each thread has a work space of its own, made when it is first needed. The first error in the order of the
        blocks is the one that is raised.
        """
        blocks = [(start, min(start + step, count)) for start in range(0, count, step)]
        spaces: queue.SimpleQueue[W] = queue.SimpleQueue()

        def one(start: int, stop: int) -> T:
            try:
                mine = spaces.get_nowait()
            except queue.Empty:
                mine = workspace()
            results = work(mine, start, stop)
            spaces.put(mine)
            return results

        results: list[T] = []
        if self.threads == 1 or len(blocks) < 2:
            for start, stop in blocks:
                self.spent(stage, start, count)
                results.append(one(start, stop))
        else:
            with _Pool(self.threads, one, blocks) as pool:
                for number, (start, _) in enumerate(blocks):
                    self.spent(stage, start, count)
                    while not pool.has(number):
                        self.spent(stage, start, count)
                    results.append(pool.take(number))
        self.spent(stage, count, count)
        return results


class _Pool(Generic[T]):
    """Daemon threads that go through blocks; one in which a rule loops for ever does not keep the process alive."""

    def __init__(self, threads: int, work: Callable[[int, int], T], blocks: list[tuple[int, int]]) -> None:
        self._work, self._blocks = work, iter(list(enumerate(blocks)))
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._done: queue.SimpleQueue[tuple[int, list[T], BaseException | None]] = queue.SimpleQueue()
        self._finished: dict[int, tuple[list[T], BaseException | None]] = {}
        self._threads = [
            threading.Thread(target=copy_context().run, args=(self._toil,), daemon=True)
            for _ in range(min(threads, len(blocks)))
        ]

    def has(self, number: int) -> bool:
        """Whether a block is done; False after a while in which no block was."""
        while number not in self._finished:
            try:
                done, block, error = self._done.get(timeout=PATIENCE)
            except queue.Empty:
                return False
            self._finished[done] = block, error
        return True

    def take(self, number: int) -> T:
        """Return the result of a block, or raise its error."""
        block, error = self._finished.pop(number)
        if error is not None:
            raise error
        return block[0]

    def _toil(self) -> None:
        while not self._stopped.is_set():
            with self._lock:
                number, block = next(self._blocks, (-1, (0, 0)))
            if number < 0:
                return
            try:
                self._done.put((number, [self._work(*block)], None))
            except BaseException as error:
                self._done.put((number, [], error))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        if kind is not None and not issubclass(kind, Exception):
            return
        end = time.monotonic() + LEAVING
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
