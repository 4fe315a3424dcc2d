"""Printing: nothing that a terminal obeys, nothing that a stream cannot hold."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unknot._base.errors import visible
from unknot._base.manifest import STDOUT, manifest_of
from unknot._base.output import is_captured
from unknot.cli.commands.asking import asked
from unknot.cli.exit_codes import BAD_INPUT, FAILS, HOLDS, NOBODY_READS
from unknot.cli.failure import WANTED, Failure

_ASCII = str.maketrans(
    {
        "→": "->",
        "–": "-",
        "—": "-",
        "…": "...",
        "×": "x",
        "·": "*",
        "±": "+-",
        "“": '"',
        "”": '"',
        "’": "'",
        "≤": "<=",
    }
    | {"≥": ">=", "−": "-", "β": "beta", "τ": "tau"}
)
"""Replacements of characters, for streams that hold ASCII alone."""


ANSWERING = threading.Event()
"""Whether the answer is being printed; a reader of it may take any time."""


def show(text: str) -> None:
    """Print lines on stdout."""
    ANSWERING.set()
    print(printable(text, sys.stdout))


def wrote(path: Path | str, more: str = "") -> None:
    """Say that a file was written, unless it was not."""
    if not is_captured():
        notify(f"wrote {path}{more}")


def notify(text: str) -> None:
    """Print a line on stderr, where it disturbs nobody who reads the answer; in Python it is a remark."""
    if (kept := asked()) is not None:
        kept.remarks.append(text)
        return
    with contextlib.suppress(OSError, ValueError):
        print(printable(text, sys.stderr), file=sys.stderr, flush=True)


def give_failures(failures: Sequence[Failure]) -> None:
    """Print errors as data if wanted: annotations on stderr, an object on stdout in place of the answer."""
    with contextlib.suppress(OSError, ValueError):
        if text := WANTED.stderr(failures):
            print(printable(text, sys.stderr), file=sys.stderr, flush=True)
        if (text := WANTED.stdout(failures)) and not ANSWERING.is_set():
            print(text)


def show_json(answer: dict[str, Any]) -> None:
    """Print one JSON object on stdout, with the manifest of the command that runs."""
    manifest = manifest_of(STDOUT)
    if manifest is not None:
        answer = {**answer, "manifest": vars(manifest)}
    ANSWERING.set()
    unicode = holds_unicode(sys.stdout)
    print(_escaped(json.dumps(answer, indent=2, ensure_ascii=not unicode, default=list)))


def printable(text: str, stream: Any) -> str:
    """The text as a stream can hold it, control characters but for ends of lines written out."""
    text = visible(text, "\n")
    return text if holds_unicode(stream) or text.isascii() else _in(text, stream)


def holds_unicode(stream: Any) -> bool:
    """Whether any character can be written."""
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _in(text: str, stream: Any) -> str:
    encoding = stream.encoding
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _escaped(text: str) -> str:
    """Escape control and invisible characters in JSON; they stand in its strings alone."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(
        character if character == "\n" or visible(character) == character else json.dumps(character)[1:-1]
        for character in text
    )


def flushed(code: int) -> int:
    """Flush printed text and return the exit code, another code if flushing fails."""
    for stream, counts in ((sys.stdout, True), (sys.stderr, False)):
        try:
            stream.flush()
        except BrokenPipeError:
            code = NOBODY_READS if counts else code
            _redirect(stream)
        except (OSError, ValueError) as error:
            _redirect(stream)
            if counts:
                notify(f"stdout: it cannot be written: {getattr(error, 'strerror', None) or error}")
                code = BAD_INPUT if code in (HOLDS, FAILS) else code
    return code


def _redirect(stream: Any) -> None:
    """Let the interpreter find nothing to complain of when it flushes once more."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
