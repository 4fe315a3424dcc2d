"""Exit codes of all commands, and a parent process that says so if native code ends one."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any, NoReturn

from unknot_start import INTERRUPTED as INTERRUPTED
from unknot_start import of_signal

HOLDS, FAILS, UNDECIDED = 0, 1, 3
"""The property holds, or a command has done its work; it does not hold; it is open."""
BAD_INPUT = 2
"""The input is wrong, or too large for the memory."""
INTERNAL = 70
"""A fault of Unknot, or of a library that it uses: there is no answer."""
NOBODY_READS = 141
"""Standard output was closed."""
FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
"""Names of the signals that the parent hands on."""
CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS")
"""Names of the signals by which the system ends a program for its own fault."""


def watch() -> None:
    """Go on in a child process; the parent waits for it, and ends as it ends.

    It has to be called before threads are started. Where a signal does not tell who sent it (macOS, Windows), nothing
    is done.
    """
    if not hasattr(signal, "sigwaitinfo") or not hasattr(os, "fork"):
        return
    import fcntl

    watched = {signal.SIGCHLD, *(getattr(signal, name) for name in FORWARDED)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(write)
        # The pipe closes when the parent is killed; the kernel then sends SIGIO, which ends a process.
        fcntl.fcntl(read, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    os.close(read)
    while True:
        came = signal.sigwaitinfo(watched)
        if came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                _end(status)
        elif came.si_code <= 0:  # by a process; what the terminal sends, the child is sent too
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, came.si_signo)


def _end(status: int) -> NoReturn:
    """End as the child did; say so where a signal ended it."""
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    name = signal.strsignal(number) or f"signal {number}"
    if number in (signal.SIGABRT, signal.SIGKILL):
        why, code = "most likely for want of memory; take a smaller design, or a larger machine", BAD_INPUT
    elif number in [getattr(signal, crash, None) for crash in CRASHES]:
        why, code = "a fault of Unknot or of a library that it uses; please report the command", INTERNAL
    else:
        why, code = "a signal asked for the end", of_signal(number)
    with contextlib.suppress(OSError):
        os.write(2, f"ended from outside Python ({name}), so there is no answer: {why}\n".encode())
    os._exit(code)


def open_streams() -> None:
    """Have all three standard streams: no other file takes the number of one, and any character can be written."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            while os.open(os.devnull, os.O_RDWR) < number:
                pass
        stream: Any = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        elif number and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
