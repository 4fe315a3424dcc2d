"""Entry point of the command `unknot`, in a package of its own that imports nothing of Unknot.

Signals have an owner before the first import that takes time. Ctrl-C before this file is read ends the interpreter in
its own way.
"""

import os

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C or SIGTERM ended."""


def _end_early(number: int, frame: object = None) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(of_signal(number))


def of_signal(number: int) -> int:
    """Return the exit code of a command that a signal ended: 130 for SIGINT and SIGTERM, else 128 and its number."""
    return INTERRUPTED if number in (2, 15) else 128 + number


try:
    import signal
except (KeyboardInterrupt, RuntimeError):  # the latter where an enumeration is interrupted
    _end_early(2)

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
"""Signals that ask a command to end; not every system has them all."""


def own_signals() -> None:
    """End at once, in a word, on a signal that comes before a command begins; then its guard takes them over."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end_early)


def main() -> None:
    """Run the command line; see `unknot.cli.program.main`."""
    try:
        own_signals()
    except KeyboardInterrupt:
        _end_early(2)
    from unknot.cli.program import main as program

    program()
