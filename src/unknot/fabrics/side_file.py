"""Files that belong to a fabric: what all of them have."""

from __future__ import annotations

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
