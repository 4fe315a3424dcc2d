"""Files that belong to a fabric: what all of them have, noise in them, and large texts of many rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

from unknot._base.errors import TextError
from unknot._base.input import read_utf8


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


Bytes = npt.NDArray[np.uint8]
_ZERO, _NEWLINE = ord("0"), ord("\n")
_HEX = np.full(256, -1, dtype=np.int32)
for _digit in range(16):
    _HEX[[ord(f"{_digit:x}"), ord(f"{_digit:X}")]] = _digit


class LargeText(Sequence[str]):
    """The lines of a UTF-8 text, each decoded when it is asked for; a walk over all of them is linear.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    TextError
        If the file cannot be read, is empty, or is not text.
    """

    def __init__(self, path: str | Path) -> None:
        self.data = read_utf8(path, growth=4)
        if not self.data.strip():
            raise TextError("this file is empty", path)

    def __len__(self) -> int:
        return self.data.rstrip(b"\n").count(b"\n") + 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return list(self)[index]
        begin = 0
        for _ in range(index if index >= 0 else len(self) + index):
            begin = self.data.find(b"\n", begin) + 1
            if not begin:
                raise IndexError(index)
        return self.line(begin)[0]

    def __iter__(self) -> Iterator[str]:
        at = 0
        while at < len(self.data):
            line, at = self.line(at)
            yield line

    def line(self, begin: int) -> tuple[str, int]:
        """The line that begins at a byte, and where the next one does."""
        end = self.data.find(b"\n", begin)
        end = len(self.data) if end < 0 else end
        return self.data[begin:end].decode().rstrip("\r"), end + 1


def row_starts(data: bytes) -> npt.NDArray[np.int64]:
    """Offsets of the lines of a text of whole lines."""
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE)
    return np.concatenate([[0], ends[:-1] + 1])


def hexadecimal(data: Bytes, places: npt.NDArray[np.int64], digits: int) -> npt.NDArray[np.int32]:
    """Return the hexadecimal numbers of a given length at some places; negative where there are other characters."""
    numbers = np.zeros(places.size, dtype=np.int32)
    bad = np.zeros(places.size, dtype=bool)
    for digit in range(digits):
        value = _HEX[data[places + digit]]
        bad |= value < 0
        numbers = numbers * 16 + value
    return np.where(bad, np.int32(-1), numbers)


def decimal(data: Bytes, places: npt.NDArray[np.int64], digits: int) -> npt.NDArray[np.int32]:
    """Return the decimal numbers of a given length at some places; negative where there are other characters."""
    numbers = np.zeros(places.size, dtype=np.int32)
    bad = np.zeros(places.size, dtype=bool)
    for digit in range(digits):
        value = data[places + digit].astype(np.int32) - _ZERO
        bad |= (value < 0) | (value > 9)
        numbers = numbers * 10 + value
    return np.where(bad, np.int32(-1), numbers)
