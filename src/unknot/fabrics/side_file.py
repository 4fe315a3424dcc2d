"""Files that belong to a fabric: what all of them have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unknot._base.errors import TextError


@dataclass
class SideFile:
    """A file of tables, levels or counts that is read before it is joined to its fabric.

    Attributes
    ----------
    where, lines :
        The file and its text, for messages.
    notes : list of str
        What was found on reading and is not an error.
    """

    where: str | Path
    lines: Sequence[str]
    notes: list[str] = field(default_factory=list, kw_only=True)

    def error(self, message: str, line: int) -> TextError:
        """An error at a line of the file."""
        return TextError(message, self.where, line, 0, self.lines[line - 1])


def integer(text: str) -> int:
    """Return a number in decimal, or in hexadecimal after ``0x``; ValueError if it is neither."""
    return int(text, 16 if text.startswith("0x") else 10)


_NOISE = re.compile(
    r"^(?:=~)+=? PuTTY log|^Script (?:started|done) on "
    r"|^\[?[\w.-]+@[\w.-]+(?:[: ][^\]\s]*)?\]?[$#](?: .*)?$"
    r"|^(?:src|libibmad|libibumad|ibdiag|\./)[\w./-]*\.c:[0-9]{1,9}; "
    r"|^ib(?:warn|panic|error|debug): \[[0-9]{1,9}\] |^-[WE]- (?!.*\{)|^umad[\w ]*\("
    r"|^saquery: |^smpquery: |^\*\*\* WARNING \*\*\*: "
)


@dataclass
class Noise:
    """Lines of a file that were skipped."""

    skipped: list[int] = field(default_factory=list)

    def has(self, line: str, number: int) -> bool:
        """Whether a line is none of the tool's output; then it is counted."""
        if _NOISE.match(line) is None:
            return False
        self.skipped.append(number)
        return True

    def notes(self, lines: Sequence[str]) -> list[str]:
        """Return one note that counts the skipped lines and quotes the first, or nothing."""
        if not self.skipped:
            return []
        first = self.skipped[0]
        count = f"{len(self.skipped)} lines" if len(self.skipped) > 1 else "1 line"
        return [
            f"{count} of error messages or terminal output skipped, the first in line {first}: {lines[first - 1]}"
        ]
