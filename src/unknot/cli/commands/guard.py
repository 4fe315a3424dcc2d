"""The end of a command: signals, exit codes, and what is said when Unknot itself is at fault."""

from __future__ import annotations

import _thread
import atexit
import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, NoReturn

from unknot._base.compile_time import long_compiling
from unknot._base.deadline import LOOK, WORK, Deadline
from unknot._base.output import is_writing
from unknot.cli.commands.errors import code_of_error
from unknot.cli.commands.printing import ANSWERING, flushed, notify
from unknot.cli.exit_codes import INTERRUPTED, UNDECIDED
from unknot.cli.failure import WANTED, Failure
from unknot_start import ENDING, of_signal

UNNOTICED = 0.5
"""Seconds after a signal in which Python code must notice it; compiled code does not, and is then left."""
UNWINDING = 0.95
"""Seconds after a signal in which everything must be cleaned up."""
CLEANING = 0.3
"""Seconds for what is done at the end of every process."""
SPARED = threading.Event()
"""Whether a first SIGINT was left to the command, which is to show the best it has within a second."""
_keeping = threading.Event()
_interrupted: list[int] = []
"""Signals that interrupted Python code, so that there is no answer; in an Event a second would wait for the first."""
_guarded = threading.Event()
"""Whether this process is a command, and may be ended."""
_repeated: list[int] = []
"""Signals that Unknot has sent to itself, since the first one was lost."""
_noticed: list[int] = []
"""Signals of those that interrupted Python code."""
AGAIN = 0.05
"""Seconds after which a lost signal is repeated."""
SAME = 0.2
"""Seconds within which a second SIGINT counts as the first: one sent to a whole job also comes by its parent."""


@contextlib.contextmanager
def keeping_the_best() -> Iterator[None]:
    """Leave the first SIGINT to the command, which ends its search and shows the best answer; a second ends all."""
    _keeping.set()
    try:
        yield
    finally:
        _keeping.clear()


def _end_tracker() -> None:
    """Wait for the helper process of multiprocessing, which would outlive this process for a moment.

    Only who started it can: in a worker it is known, but without an id.
    """
    tracking: Any = sys.modules.get("multiprocessing.resource_tracker")
    tracker: Any = getattr(tracking, "_resource_tracker", None)
    if getattr(tracker, "_pid", None) is not None:
        tracker._stop()


def _hear_nothing() -> None:
    """Ignore signals for the last moment, in which the interpreter would let them end the process by themselves."""
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)


class _Count:
    """Signals as the main thread, or the thread that watches, has counted them.

    Each counts for itself: compiled code keeps signals from the main thread, and the other sees several at once.
    """

    def __init__(self) -> None:
        self._spared: float | None = None
        self._repeated = 0

    def next(self, number: int) -> Literal["again", "same", "spared", "end"]:
        """Count a signal: a repeat of a lost one ("again"), a straggler ("same"), a spared one, or the end."""
        if number == signal.SIGINT:
            if len(_repeated) > self._repeated:
                # Python code sees one signal for several that came at a time; a straggler counts as the same.
                self._repeated, self._spared = len(_repeated), time.monotonic()
                return "again"
            if self._spared is not None and time.monotonic() < self._spared + SAME:
                return "same"
            if _keeping.is_set() and self._spared is None:
                self._spared = time.monotonic()
                return "spared"
        return "end"


class Guard:
    """Ends the process soon after a signal that asks for the end, also while the main thread is in compiled code.

    Python handles a signal when the main thread runs Python code again. A thread that reads the wakeup file
    descriptor learns of it at once, and ends the process if nothing happens soon. No file is left half written, since
    files are renamed into place.
    """

    def __init__(self) -> None:
        self._ended, self._count, self._code = threading.Event(), _Count(), INTERRUPTED
        read, write = os.pipe()
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        sys.unraisablehook = _lost
        threading.Thread(target=self._watch, args=(read,), name="unknot-guard", daemon=True).start()

    def begin(self) -> None:
        """Take the signals over; from here on the first raises KeyboardInterrupt."""
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._interrupt)

    def _interrupt(self, number: int, frame: Any) -> None:
        if _interrupted or self._ended.is_set():
            return  # it ends already; raised in the clean-up, this would leave threads to the end of the interpreter
        meaning = self._count.next(number)
        if meaning == "same":
            return
        if meaning == "spared":
            SPARED.set()
            os.write(2, b"interrupted; what was found so far is shown soon, and another Ctrl-C ends at once\n")
        else:
            (_interrupted if meaning == "end" else _noticed).append(number)
        raise KeyboardInterrupt

    def _watch(self, read: int) -> None:
        count = _Count()
        ending: list[int] = []
        while not ending:
            ending = [number for number in os.read(read, 64) if number in ENDING and count.next(number) == "end"]
        end = time.monotonic() + UNWINDING
        while not _interrupted and time.monotonic() < end - UNWINDING + UNNOTICED:
            time.sleep(AGAIN / 5)
        if not self._ended.is_set() and not _interrupted:
            leave_at_once(of_signal(ending[0]))
        if not self._ended.wait(max(0.0, end - time.monotonic())):
            leave_at_once(of_signal(ending[0]))
        time.sleep(max(0.0, end - time.monotonic()))
        os._exit(self._code)  # what the interpreter does at its end takes too long

    def end(self, code: int) -> NoReturn:
        """Leave with an exit code once all that was printed is written; threads that still work are left alone."""
        self._code = code = flushed(of_signal(_interrupted[0]) if _interrupted else code)
        self._ended.set()
        work = [thread for thread in threading.enumerate() if thread.name.startswith(WORK)]
        if _interrupted or code == INTERRUPTED or work:
            _clean_up()
            os._exit(code)
        sys.exit(code)


def _lost(unraisable: Any) -> None:
    """Suppress the message on an interrupt that was lost in Python code called from C.

    A process that is to end does so all the same. One that is to show the best it has found is interrupted once more.
    """
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
    elif not _interrupted:
        again = threading.Timer(AGAIN, _repeat)
        again.daemon = True
        again.start()


def _repeat() -> None:
    """Interrupt the main thread by real signals, so that blocking system calls end as well.

    One that comes just before it begins to wait is not noticed before the wait is over, so more follow.
    """
    before = len(_noticed)
    while len(_noticed) == before and not _interrupted:
        _repeated.append(signal.SIGINT)
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()
        time.sleep(AGAIN)


def end_in_time(deadline: Deadline) -> None:
    """Have the process end soon after a deadline, whatever it does then; without a guard nothing is done.

    Code that looks at the deadline has ended before. What writes a file or prints the answer may go on.
    """
    ending = deadline.closing.closing

    def follow() -> None:
        while not ending.over or is_writing() or ANSWERING.is_set():
            time.sleep(LOOK)
        leave_at_once(UNDECIDED, f"given up after {deadline.seconds:g} s, the time limit{long_compiling()}")

    if _guarded.is_set():
        threading.Thread(target=follow, name="unknot-limit", daemon=True).start()


def leave_at_once(code: int = INTERRUPTED, said: str = "interrupted") -> NoReturn:
    """End the process without asking the main thread: remove unfinished files, end its children, say so."""
    from unknot._base import outcomes
    from unknot._base.output import discard_unfinished

    with contextlib.suppress(Exception):
        held = outcomes.current()
        if held is not None and code == UNDECIDED:  # what is finished is kept
            held.place()
        discard_unfinished()
        _clean_up()
    with contextlib.suppress(OSError):
        shown = b"\x1b[?25h\n" if os.isatty(2) else b""
        os.write(2, shown + f"{said}\n".encode())
        failures = (Failure("time-limit" if code == UNDECIDED else "interrupted", said),)
        for number, text in (
            (1, "" if ANSWERING.is_set() else WANTED.stdout(failures)),
            (2, WANTED.stderr(failures)),
        ):
            os.write(number, f"{text}\n".encode() if text else b"")
    os._exit(code)


def _clean_up() -> None:
    """End child processes and give back what they shared, as the interpreter would at its end.

    Libraries whose work was cut off may fail in this; nobody could do anything about their tracebacks.
    """
    sys.unraisablehook = lambda _: None
    threading.excepthook = lambda _: None
    multiprocessing: Any = sys.modules.get("multiprocessing")
    for child in multiprocessing.active_children() if multiprocessing else ():
        child.kill()
    cleaning = threading.Thread(target=atexit._run_exitfuncs, daemon=True)
    cleaning.start()
    cleaning.join(CLEANING)


def run(command: Callable[[], Any]) -> NoReturn:
    """Run a command that ends with SystemExit, in the process of the command line."""
    atexit.register(_hear_nothing)  # runs last
    atexit.register(_end_tracker)  # before multiprocessing is imported, so that this runs after it has cleaned up
    warnings.showwarning = lambda message, *_, **__: notify(f"note: {message}")
    guard = Guard()
    _guarded.set()
    code = INTERRUPTED
    with contextlib.suppress(KeyboardInterrupt):
        guard.begin()
        code = _ran(command)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            guard.end(code)


def _ran(command: Callable[[], Any]) -> int:
    """Run a command; its exit code."""
    try:
        command()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BaseException as error:  # outside a command, as when its help or the version cannot be printed
        return code_of(error)
    return 0


def code_of(error: BaseException) -> int:
    """Say why a command came to no end; the exit code for it."""
    return code_of_error(error, interrupted=bool(_interrupted))
