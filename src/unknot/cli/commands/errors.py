"""Errors that end a command: the sentence, the error as data, and the exit code."""

from __future__ import annotations

import re

from unknot._base import memory
from unknot._base.errors import UnknotError, missing_extra
from unknot._base.three_valued import NoTruthError
from unknot.cli.commands.printing import give_failures, notify
from unknot.cli.exit_codes import BAD_INPUT, INTERNAL, INTERRUPTED, NOBODY_READS
from unknot.cli.failure import Code, failures_of


def code_of_error(error: BaseException, *, interrupted: bool) -> int:
    """Say why a command came to no end; the exit code for it.

    An unknown error after an interrupt is due to that: C code that calls Python drops the exception and fails in its
    own way.
    """
    if isinstance(error, BrokenPipeError):
        return NOBODY_READS
    if isinstance(error, KeyboardInterrupt):
        return _interrupt(error)
    code: Code | None = None
    if isinstance(error, UnknotError) and not isinstance(error, NoTruthError):
        said = re.sub(r"^<([\w-]+)>:", r"--\1:", str(error))  # the text of an argument is an option here
    elif isinstance(error, OSError):
        said = f"{error.filename or 'unknot'}: {error.strerror or error}"
    elif isinstance(error, ImportError) and (missing := missing_extra(error)):
        said, code = missing, "missing-library"
    else:
        return _interrupt(error) if interrupted else _internal_error(error)
    return _say(error, said, BAD_INPUT, code)


def _interrupt(error: BaseException) -> int:
    return _say(error, "interrupted", INTERRUPTED, "interrupted")


def _say(error: BaseException, said: str, ends: int, code: Code | None) -> int:
    """Say a sentence, give the error as data where it is wanted, and return the exit code."""
    notify(said)
    give_failures(failures_of(error, said, code))
    return ends


def _internal_error(error: BaseException) -> int:
    """Say in a sentence that Unknot itself is at fault, and where the traceback is; the exit code for it."""
    if isinstance(error, MemoryError):
        left = memory.in_words(memory.available())
        why = f" ({str(error)[:300]})" if str(error) else ""
        said = (
            f"out of memory: this takes more than there is, {left}; take a smaller design, or a larger machine{why}"
        )
        return _say(error, said, BAD_INPUT, "memory")
    what = (f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)[:300]
    from unknot._base.extensions import author_of

    where = _kept(_traceback(error))
    said = (
        f"internal error, so there is no answer: this is a fault of {author_of(error)} ({what}); traceback: {where}"
    )
    return _say(error, said, INTERNAL, "internal")


def _traceback(error: BaseException) -> str:
    import traceback

    try:
        return "".join(traceback.format_exception(error, limit=-60))
    except Exception:
        return "it cannot be shown"


def _kept(trace: str) -> str:
    """The name of a file of its own that has the traceback; itself, where none can be written."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="unknot-", suffix=".traceback", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(trace)
        return file.name
    except OSError:
        return trace
