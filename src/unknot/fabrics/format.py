"""What all formats of files share: what a format is, and texts while they are read."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import IntArray, Ints
from unknot._base.errors import TextError
from unknot._base.input import read_utf8
from unknot._base.phrases import count
from unknot.fabrics.fabric import LAST_UNICAST, Fabric
from unknot.network import Network


@dataclass(frozen=True)
class Format:
    """A format of files that hold a network, a fabric, or something of a fabric.

    Attributes
    ----------
    name : str
        Name on the command line.
    words : str
        What such a file is, in words.
    endings : tuple of str
        Endings of file names; the first is the usual one. ``.txt``, ``.dump`` and ``.conf`` decide on writing only.
    read : callable
        Takes a path and returns a `Network`, `Fabric`, `TableFile`, `LevelFile`, `LaneFile` or
        `MulticastFile`, by `holds`.
    write : callable or None
        None where Unknot only reads.
    sign : callable or None
        Takes the first 64 KiB of a file and returns something true if the file is of this format for certain; None
        where the content does not show it.
    keeps : frozenset of str
        Which of `PARTS` it carries. Everything else is dropped on writing; what would change the channels or
        their ends is refused by the writer instead.
    holds : str
        ``network``, ``fabric``, ``tables``, ``levels`` (of paths), ``lanes`` (of levels),
        ``multicast`` (tables), ``groups`` (of adaptive routing), or ``program`` for what is only written.
    joins_ports : bool
        Whether terminals that are ports of one host are written as one host.

    Examples
    --------
    >>> from unknot.fabrics import FORMATS
    >>> from unknot.network.families import mesh
    >>> edges = FORMATS["edges"]
    >>> edges.words, edges.endings, edges.dropped(mesh(2, 2))
    ('an edge list', ('.edges', '.txt'), ['coordinates'])
    """

    name: str
    words: str
    endings: tuple[str, ...]
    read: Callable[[Path], Any]
    write: Callable[[Network, Path], None] | None = None
    sign: Callable[[str], object] | None = None
    keeps: frozenset[str] = frozenset()
    holds: Literal["network", "fabric", "tables", "levels", "lanes", "multicast", "groups", "program"] = "network"
    joins_ports: bool = False

    def dropped(self, network: Network) -> list[str]:
        """The parts of a network that differ from the defaults and are not carried."""
        return [part for part, present in PARTS.items() if part not in self.keeps and present(network)]


def refusing(reason: str) -> Callable[[Path], Network]:
    """A reader of a format that is only written, which gives the reason.

    Raises
    ------
    TextError
        Always.
    """

    def refuse(path: Path) -> Network:
        raise TextError(reason, path)

    return refuse


PARTS: dict[str, Callable[[Network], bool]] = {
    "latencies": lambda network: bool((network.latency != 1).any()),
    "bandwidths": lambda network: bool((network.bandwidth != 1).any()),
    "terminals": lambda network: (
        not (
            np.array_equal(network.inject, np.arange(network.num_routers))
            and np.array_equal(network.inject, network.eject)
        )
    ),
    "router names": lambda network: network.router_labels is not None,
    "terminal names": lambda network: network.terminal_labels is not None,
    "coordinates": lambda network: network.coordinates is not None,
    "port numbers": lambda network: network.ports is not None,
}
"""Parts of a network beside routers and channels, each with the test whether a network has it."""
EVERYTHING = frozenset(PARTS)


_NOISE = re.compile(
    r"^(?:=~)+=? PuTTY log|^Script (?:started|done) on "
    r"|^\[?[\w.-]+@[\w.-]+(?:[: ][^\]\s]*)?\]?[$#](?: .*)?$"
    r"|^(?:\x1b\[[0-9;?]*[A-Za-z]|[\r\x07])*[\w.-]+ \[ ?[\w .:-]{1,80}\] (?:\([\w -]{1,40}\) )?[#>](?: .*)?$"
    r"|^(?:src|libibmad|libibumad|ibdiag|\./)[\w./-]*\.c:[0-9]{1,9}; "
    r"|^ib(?:warn|panic|error|debug): \[[0-9]{1,9}\] |^-[WE]- (?!.*\{)|^umad[\w ]*\("
    r"|^saquery: |^smpquery: |^\*\*\* WARNING \*\*\*: "
)


K = TypeVar("K")


class Lines(Protocol):
    """Lines of a text by number, counted from 0."""

    def __getitem__(self, index: int, /) -> str: ...


@dataclass
class FabricText:
    """The text of a fabric during reading: its lines, and notes about it.

    Attributes
    ----------
    where : str or Path
        The file, for messages.
    lines : sequence of str
        Its text.
    notes : list of str
        Remarks for the reader.
    skipped : list of int
        Lines that are none of the tool's output.
    """

    where: str | Path
    lines: Lines
    notes: list[str] = field(default_factory=list, kw_only=True)
    skipped: list[int] = field(default_factory=list, kw_only=True)

    def error(self, message: str, line: int, column: int = 0) -> TextError:
        """An error at a line of the file."""
        return TextError(message, self.where, line, column, self.lines[line - 1])

    def unicast(self, lid: int, line: int) -> int:
        """A LID; TextError if it is none of a port."""
        if not 1 <= lid <= LAST_UNICAST:
            raise self.error(f"LID 0x{lid:04x} is not a unicast LID (1 to 0x{LAST_UNICAST:04x})", line)
        return lid

    def once(self, lines: dict[K, int], key: K, line: int, words: str) -> None:
        """Note the line of a key; TextError if an earlier line has the key, too."""
        if lines.setdefault(key, line) != line:
            raise self.error(f"a second {words}; line {lines[key]} was the first", line)

    def switch(self, fabric: Fabric, guid: int, words: str, line: int) -> int:
        """Return the switch of a GUID; TextError if the fabric has none."""
        if guid not in fabric.router_of:
            raise self.error(
                f"{fabric.fabric_file} has no switch 0x{guid:016x}; do fabric and {words} belong together?", line
            )
        return fabric.router_of[guid]

    def require_port(self, fabric: Fabric, router: int, port: int, line: int) -> None:
        """Refuse a port that a switch does not have."""
        if port > (most := int(fabric.switch_ports[router])):
            name = fabric.network.router_name(router)
            raise self.error(f"{name} has ports 0 to {most}, not {port}", line)

    def stray(self, line: str, number: int, kind: str, *, column: int = 0, is_cut: bool = False) -> None:
        """Count noise, and refuse any other line unless the line is cut off."""
        if _NOISE.match(line) is not None:
            self.skipped.append(number)
        elif not is_cut:
            raise self.error(f"{kind} no such line; is it broken or cut off?", number, column)

    def note_noise(self) -> None:
        """Add a note that counts the skipped lines and quotes the first, if there are any."""
        if self.skipped:
            first = self.skipped[0]
            lines = f"{count(len(self.skipped), 'line')} of error messages or terminal output skipped"
            self.notes.append(f"{lines}, the first in line {first}: {self.lines[first - 1]}")


def row_of(line: str) -> list[str]:
    """Return the cells of a line of a CSV file, without blanks around them; none where a cell is too long."""
    try:
        return [cell.strip() for cell in next(csv.reader([line]))]
    except (csv.Error, StopIteration):
        return []


def integer(text: str) -> int:
    """Return a number in decimal, or in hexadecimal after ``0x``; ValueError if it is neither."""
    return int(text, 16 if text.startswith("0x") else 10)


Bytes = npt.NDArray[np.uint8]
_NEWLINE = ord("\n")
_DIGIT = np.full(256, -1, dtype=np.int32)
for _digit in range(16):
    _DIGIT[[ord(f"{_digit:x}"), ord(f"{_digit:X}")]] = _digit


class LargeText:
    """The lines of a UTF-8 text, each decoded when it is asked for.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    TextError
        If the file cannot be read, is empty, or is not text.
    """

    def __init__(self, path: str | Path) -> None:
        self.content = read_utf8(path, growth=4)
        if not self.content.strip():
            raise TextError("this file is empty", path)

    def __getitem__(self, index: int) -> str:
        begin = 0
        for _ in range(index):
            begin = self.content.index(b"\n", begin) + 1
        return self.line(begin)[0]

    def line(self, begin: int) -> tuple[str, int]:
        """The line that begins at a byte, and where the next one does."""
        end = self.content.find(b"\n", begin)
        end = len(self.content) if end < 0 else end
        return self.content[begin:end].decode().rstrip("\r"), end + 1


def row_starts(content: bytes) -> Ints:
    """Offsets of the lines of a text of whole lines."""
    ends = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == _NEWLINE)
    return np.concatenate([[0], ends[:-1] + 1])


def numbers_at(content: Bytes, places: Ints, digits: int, base: int = 10) -> IntArray:
    """Return the numbers of a given length at some places, in base 10 or 16; negative for other characters."""
    numbers = np.zeros(places.size, dtype=np.int32)
    bad = np.zeros(places.size, dtype=bool)
    for digit in range(digits):
        digit_value = _DIGIT[content[places + digit]]
        bad |= (digit_value < 0) | (digit_value >= base)
        numbers = numbers * base + digit_value
    return np.where(bad, np.int32(-1), numbers)
