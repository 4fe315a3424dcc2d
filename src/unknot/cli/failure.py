"""Errors as data: an object of JSON, and annotations of a GitHub workflow."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from unknot._base.errors import ErrorCode, TextError, UnknotError, visible

Code = ErrorCode | Literal["usage", "file", "missing-library", "memory", "time-limit", "interrupted", "internal"]
"""Kinds of errors: those of the user have them as `UnknotError.code`."""
_PLACED = re.compile(
    r"(?P<file>[^\n]+?):(?P<line>[1-9]\d{0,8})(?::(?P<column>[1-9]\d{0,8}))?: (?P<message>.+)", re.DOTALL
)
_IN_CODE = re.compile(r"\((?P<file>[^()\n]+), line (?P<line>[1-9]\d{0,8}), in ")
_CARET = re.compile(r"\n {4}[^\n]*(?:\n {4} *\^)?\s*$")
"""The line in question below a sentence, and the caret below that line."""


@dataclass(frozen=True)
class Failure:
    """An error that ended a command.

    Attributes
    ----------
    code : str
        Kind of the error.
    message : str
        The sentence on stderr without its place and without the line in question.
    file : str or None
        The file, or the option or argument (`--routing`, `NETWORK`) whose text is wrong.
    line, column : int or None
        Place in it, both from 1.
    hint : str or None
        Advice, the end of the message behind its last semicolon.
    """

    code: Code
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    hint: str | None = None


def failures_of(error: BaseException, sentence: str, code: Code | None = None) -> tuple[Failure, ...]:
    """Return the problems named by an error, in order."""
    problems: Sequence[BaseException] = getattr(error, "problems", ())
    several = [(problem, str(problem)) for problem in problems] or [(error, sentence)]
    return tuple(_failure(problem, said, code or _code_of(problem)) for problem, said in several)


def _code_of(error: BaseException) -> Code:
    if isinstance(error, UnknotError):
        return error.code
    return "file" if isinstance(error, OSError) else "request"


def _failure(error: BaseException, sentence: str, code: Code) -> Failure:
    """One problem as data: its place from the error itself, else from its text."""
    if isinstance(error, TextError):
        return _hinted(Failure(code, error.message, error.where, error.line or None, error.column or None))
    if isinstance(error, OSError):
        return Failure(code, error.strerror or sentence, str(error.filename) if error.filename is not None else None)
    text = _CARET.sub("", sentence)
    if placed := _PLACED.fullmatch(text):
        column = int(placed["column"]) if placed["column"] else None
        return _hinted(Failure(code, placed["message"], placed["file"], int(placed["line"]), column))
    if raised := _IN_CODE.search(text):
        return _hinted(Failure(code, text, raised["file"], int(raised["line"])))
    file, colon, message = text.partition(": ")
    named = colon and message and (is_file(file) or file.startswith("--"))
    return _hinted(Failure(code, message, file) if named else Failure(code, text))


def _hinted(failure: Failure) -> Failure:
    _, _, hint = failure.message.rpartition("; ")
    return replace(failure, hint=hint if hint != failure.message else None)


def is_file(name: str) -> bool:
    """Whether a name of any characters is that of a file."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def as_json(failures: Sequence[Failure]) -> str:
    """Return an object with the first error, and the others of the same file in `further`; ASCII alone."""
    first, *others = map(asdict, failures)
    return json.dumps({"error": first, "further": others}, indent=2)


def annotation(
    message: str,
    file: str | None = None,
    line: int | None = None,
    column: int | None = None,
    level: Literal["error", "warning"] = "error",
) -> str:
    """Return the line by which a GitHub workflow shows a message at its place.

    A place in an option or argument stands in front of the message.

    Examples
    --------
    >>> annotation("100% wrong", "--vcs", 1)
    '::error::--vcs:1: 100%25 wrong'
    """
    if file is None or not is_file(file):
        place = ":".join([file or "", *(str(number) for number in (line, column) if number)])
        message, file, line, column = f"{place}: {message}" if file else message, None, None, None
    named = {"file": file and _from_workspace(file), "line": line, "col": column}
    properties = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in named.items() if value is not None)
    return f"::{level}{' ' if properties else ''}{properties}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    """The text with the marks of GitHub's commands as %XX, and all other controls written out."""
    for mark in "%\r\n" + more:
        text = text.replace(mark, f"%{ord(mark):02X}")
    return visible(text)


def _from_workspace(file: str) -> str:
    """The name of a file from the folder of the workflow's checkout, as annotations take it."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    name = os.path.relpath(file, workspace) if workspace else file
    return file if name.startswith("..") else Path(name).as_posix()


class Wanted:
    """The forms in which errors of the command are given beside sentences."""

    json, github = threading.Event(), threading.Event()

    def begin(self, words: Sequence[str], form: str | None) -> None:
        """Read the words of a command line, which may be wrong, for the forms of its errors."""
        before = words[: words.index("--")] if "--" in words else words
        for event, wanted in ((self.json, "--json" in before), (self.github, form == "github")):
            event.set() if wanted else event.clear()

    def stdout(self, failures: Sequence[Failure]) -> str:
        """Return the text for stdout; empty where none is wanted."""
        return as_json(failures) if self.json.is_set() else ""

    def stderr(self, failures: Sequence[Failure]) -> str:
        """Return the text for stderr beside the sentence; empty where none is wanted."""
        lines = (annotation(one.message, one.file, one.line, one.column) for one in failures)
        return "\n".join(lines) if self.github.is_set() else ""


WANTED = Wanted()


def in_front(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a command line into --errors with its value, wherever that stands, and the rest."""
    end = words.index("--") if "--" in words else len(words)
    taken = {
        at for at in range(end) if words[at].startswith("--errors=") or "--errors" in words[max(at - 1, 0) : at + 1]
    }
    return [words[at] for at in sorted(taken)], [word for at, word in enumerate(words) if at not in taken]
