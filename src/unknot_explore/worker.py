"""Processes that answer questions of all pages; to cancel a question its process is ended."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

QUICK, LONG = "quick", "long"
KINDS = {"curve": LONG, "film": LONG, "lanes": LONG, "remedies": LONG}
"""Questions that take long; they leave places to the quick ones."""
PLACES = {QUICK: 3, LONG: 2}
"""Questions of a kind that are answered at a time, each by its own process."""
WAITING = 16
"""Further questions of a kind that may wait."""
FULL = "Too many questions wait for an answer already; close some of the pages, or ask again later."
WAITS = "Questions of other pages are answered first …"
END: dict[str, Any] = {"end": True}
CANCELLED = "cancelled"
ENDED = "The process that worked on the answer ended; memory may have run out. Ask again."
Question = tuple[str, dict[str, Any], dict[str, Any]]
"""Name, design and what else the question names."""
Tell = Callable[[dict[str, Any]], None]
WAIT = 0.1
"""Seconds between two looks whether a question was cancelled."""
GRACE = 0.4
"""Seconds that a cancelled question has to come to its end."""
RESERVE = 2
"""Processes without a question that are kept."""


class Desk:
    """Workers for any number of pages: a process for each question, some in reserve, and a bounded queue.

    Examples
    --------
    >>> desk, parts = Desk(), []
    >>> desk.ask(("network", {"network": "ring(4)"}, {}), parts.append)
    >>> parts[0]["names"], parts[-1]
    (['(0)', '(1)', '(2)', '(3)'], {'end': True})
    >>> desk.close()
    """

    def __init__(self) -> None:
        self._places = {kind: threading.Semaphore(many) for kind, many in PLACES.items()}
        self._rooms = {kind: threading.Semaphore(many + WAITING) for kind, many in PLACES.items()}
        self._idle: list[_Worker] = []
        self._working: set[_Worker] = set()
        self._lock = threading.Lock()
        self._end = threading.Event()

    def warm(self) -> None:
        """Start a process, and have kernels compiled, or read from the disk, ahead of questions."""
        with self._lock:
            self._idle.append(_Worker())
        worker = _Worker()
        worker.answered(("warm", {}, {}), lambda _: None, self._end)
        worker.end()

    def ask(self, question: Question, tell: Tell, cancelled: threading.Event | None = None) -> None:
        """Tell the parts of an answer as they come; the last is `END`, or has the key "error".

        Where all places are taken the question waits, and tells so. Setting `cancelled` ends the question within a
        second.
        """
        kind, cancelled = KINDS.get(question[0], QUICK), cancelled or threading.Event()
        if not self._rooms[kind].acquire(blocking=False):
            tell({"error": FULL})
            return
        with _given_back(self._rooms[kind]):
            wait = 0.0
            while not self._places[kind].acquire(timeout=wait):
                if wait == 0:
                    tell({"progress": WAITS})
                wait = WAIT
                if cancelled.is_set() or self._end.is_set():
                    tell({"error": CANCELLED})
                    return
            with _given_back(self._places[kind]):
                answered = self._answered(question, tell, cancelled)
            if cancelled.is_set() or not answered:
                tell({"error": CANCELLED if cancelled.is_set() or self._end.is_set() else ENDED})

    def _answered(self, question: Question, tell: Tell, cancelled: threading.Event) -> bool:
        """Have a process answer; False if the process is not at the end of the answer."""
        with self._lock:
            if cancelled.is_set() or self._end.is_set():
                return False
            self._idle = [worker for worker in self._idle if worker.process.is_alive()]
            worker = self._idle.pop() if self._idle else _Worker()
            self._working.add(worker)
        answered = worker.answered(question, tell, cancelled)
        with self._lock:
            self._working.discard(worker)
            if not answered or self._end.is_set() or len(self._idle) >= RESERVE:
                worker.end()
            else:
                self._idle.append(worker)
            while len(self._idle) < RESERVE and not self._end.is_set():
                self._idle.append(_Worker())
        return answered

    def close(self) -> None:
        """End all processes; their questions end with an error."""
        self._end.set()
        with self._lock:
            for worker in self._working:
                worker.process.kill()
            while self._idle:
                self._idle.pop().end()


@contextlib.contextmanager
def _given_back(place: threading.Semaphore) -> Iterator[None]:
    """Give a place back that was taken."""
    try:
        yield
    finally:
        place.release()


class _Worker:
    """A process and the pipe to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def answered(self, question: Question, tell: Tell, cancelled: threading.Event) -> bool:
        """Tell the parts of an answer until its end or until cancelled; False if the process is not at the end then.

        A cancelled question has a little time to come to its end by itself, since a new process takes longer.
        """
        end = math.inf
        with contextlib.suppress(EOFError, OSError):
            self.pipe.send(question)
            while time.monotonic() < end:
                if cancelled.is_set():
                    end = min(end, time.monotonic() + GRACE)
                if not self.pipe.poll(WAIT):
                    continue
                part = self.pipe.recv()
                if not cancelled.is_set():
                    tell(part)
                if part == END or "error" in part:
                    return True
        return False

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection) -> None:
    """Answer questions until the pipe is closed."""
    import signal

    from unknot._base.errors import UnknotError, missing_extra
    from unknot_explore.design import Design
    from unknot_explore.questions import answer

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's Ctrl-C; the server ends this process
    answer("verdict", Design.of({"network": "mesh(2, 2)"}), {}, lambda _: None)  # imports what every question needs
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            question, design, given = pipe.recv()
            try:
                answer(question, Design.of(design), given, pipe.send)
            except UnknotError as error:
                pipe.send({"error": str(error)})
            except (EOFError, BrokenPipeError):
                raise
            except ImportError as error:
                pipe.send({"error": missing_extra(error) or f"An error in Unknot, please report it: {error}"})
            except MemoryError:
                pipe.send({"error": "There is too little memory for this answer; try a smaller network."})
            except Exception as error:  # the page says so, and the next question finds the process alive
                pipe.send({"error": f"An error in Unknot, please report it: {type(error).__name__}: {error}"})
            else:
                pipe.send(END)
