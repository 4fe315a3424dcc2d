"""Processes that answer questions one at a time; to cancel a question its process is ended."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import queue
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

QUICK, LONG = "quick", "long"
KINDS = {"curve": LONG, "film": LONG, "lanes": LONG, "remedies": LONG}
"""Questions that take long; a new one of a kind cancels the one before."""
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


class Desk:
    """Workers of a page, a process for each kind of question, and one in reserve.

    Examples
    --------
    >>> desk, parts = Desk(), []
    >>> desk.ask(("network", {"network": "ring(4)"}, {}), parts.append)
    >>> parts[0]["names"], parts[-1]
    (['(0)', '(1)', '(2)', '(3)'], {'end': True})
    >>> desk.close()
    """

    def __init__(self) -> None:
        self._workers: dict[str, _Worker] = {}
        self._asked = {QUICK: threading.Event(), LONG: threading.Event()}
        self._locks = {QUICK: threading.Lock(), LONG: threading.Lock()}
        self._reserve: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._end = threading.Event()

    def warm(self) -> None:
        """Have kernels compiled, or read from the disk, ahead of questions."""
        worker = _Worker()
        worker.answered(("warm", {}, {}), lambda _: None, self._end)
        worker.end()

    def ask(self, question: Question, tell: Tell, cancelled: threading.Event | None = None) -> None:
        """Tell the parts of an answer as they come; the last is `END`, or has the key "error".

        A question ends the one of its kind before. Setting `cancelled` ends this one within a second.
        """
        kind, cancelled = KINDS.get(question[0], QUICK), cancelled or threading.Event()
        self._asked[kind].set()
        self._asked[kind] = cancelled
        with self._locks[kind]:
            if self._end.is_set() or cancelled.is_set():
                tell({"error": CANCELLED})
                return
            worker = self._workers.get(kind)
            if worker is None or not worker.process.is_alive():
                worker = self._workers[kind] = _Worker() if self._reserve.empty() else self._reserve.get()
            answered = worker.answered(question, tell, cancelled)
            if not answered:
                worker.end()
                del self._workers[kind]
            if cancelled.is_set() or not answered:
                tell({"error": CANCELLED if cancelled.is_set() else ENDED})
            if self._reserve.empty() and not self._end.is_set():
                self._reserve.put(_Worker())

    def close(self) -> None:
        """End all processes."""
        self._end.set()
        for cancelled in self._asked.values():
            cancelled.set()
        for kind, lock in self._locks.items():
            with lock:
                worker = self._workers.pop(kind, None)
                if worker is not None:
                    worker.end()
        while not self._reserve.empty():
            self._reserve.get().end()


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
