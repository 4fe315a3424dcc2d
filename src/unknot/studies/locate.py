"""Positions of keys and values in a TOML text, which the standard parser does not give, and limits of a study.

Limits are judged before anything is built: the size of the text, and the number of points."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError, UnknotError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)|(?P<line>\n)
    |(?P<text>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    |(?P<mark>[\[\]{}=,.])|(?P<bare>[^\s\[\]{}=,.\#"']+)""",
    re.VERBOSE | re.DOTALL,
)
KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Place:
    """Line and columns of a key and of its value, all counted from 1; for an item of a list both are the same."""

    line: int
    key: int
    value_line: int
    value: int


@dataclass
class _Reader:
    """Reader of the tokens of a valid TOML text that notes the place of every key path."""

    text: str
    places: dict[KeyPath, Place] = field(default_factory=dict)
    counts: dict[KeyPath, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tokens = list(tokens(self.text))
        self.next = 0

    def run(self) -> dict[KeyPath, Place]:
        table: KeyPath = ()
        while self._skip_lines():
            _, word, line, column = self.tokens[self.next]
            if word == "[":
                repeated = self.tokens[self.next + 1][1] == "["
                self.next += 1 + repeated
                table = self._header(self._key(), Place(line, column, line, column), repeated)
                self.next += 1 + repeated
            else:
                self._assign(table)
        return self.places

    def _header(self, keys: KeyPath, place: Place, repeated: bool) -> KeyPath:
        """The path a header opens: the name of a list of tables is followed by the number of its last table."""
        path: KeyPath = ()
        for depth, key in enumerate(keys, start=1):
            path = (*path, key)
            if repeated and depth == len(keys):
                self.counts[path] = self.counts.get(path, -1) + 1
            self.places.setdefault(path, place)
            if path in self.counts:
                path = (*path, self.counts[path])
        self.places.setdefault(path, place)
        return path

    def _assign(self, table: KeyPath) -> None:
        _, _, line, column = self.tokens[self.next]
        keys = self._key()
        self.next += 1
        path = (*table, *keys)
        for end in range(len(table) + 1, len(path)):
            self.places.setdefault(path[:end], Place(line, column, line, column))
        self._skip_lines()
        _, _, value_line, value = self.tokens[self.next]
        self.places[path] = Place(line, column, value_line, value)
        self._value(path)

    def _key(self) -> KeyPath:
        keys: list[str | int] = []
        while True:
            kind, word, _, _ = self.tokens[self.next]
            keys.append(word[1:-1] if kind == "text" else word)
            self.next += 1
            if self.tokens[self.next][1] != ".":
                return tuple(keys)
            self.next += 1

    def _value(self, path: KeyPath) -> None:
        word = self.tokens[self.next][1]
        if word == "[":
            self._list(path)
        elif word == "{":
            self.next += 1
            while self._skip_lines() and self.tokens[self.next][1] != "}":
                if self.tokens[self.next][1] == ",":
                    self.next += 1
                else:
                    self._assign(path)
            self.next += 1
        else:
            # A number such as 0.05 or a date comes as several tokens; it ends where a value must end.
            while self.next < len(self.tokens) and self.tokens[self.next][1] not in ("\n", ",", "]", "}"):
                self.next += 1

    def _list(self, path: KeyPath) -> None:
        self.next += 1
        index = 0
        while self._skip_lines():
            _, word, line, column = self.tokens[self.next]
            if word == "]":
                break
            if word == ",":
                self.next += 1
                continue
            self.places[(*path, index)] = Place(line, column, line, column)
            self._value((*path, index))
            index += 1
        self.next += 1

    def _skip_lines(self) -> bool:
        while self.next < len(self.tokens) and self.tokens[self.next][1] == "\n":
            self.next += 1
        return self.next < len(self.tokens)


def locate(text: str) -> dict[KeyPath, Place]:
    """Place of every key path of a TOML text that the standard parser accepts."""
    return _Reader(text).run()


def nearest(places: dict[KeyPath, Place], path: Sequence[str | int]) -> tuple[KeyPath, Place]:
    """The place of a path, or of the longest beginning of it that stands in the text."""
    known = tuple(path)
    while known and known not in places:
        known = known[:-1]
    return known, places.get(known, Place(1, 1, 1, 1))


def tokens(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Kind, text, line and column of each token that is not white space or a comment."""
    line, start, at = 1, 0, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            at += 1
            continue
        if match.lastgroup == "line":
            yield "line", "\n", line, at - start + 1
        elif match.lastgroup != "space":
            yield str(match.lastgroup), match.group(), line, at - start + 1
        breaks = match.group().count("\n")
        if breaks:
            line += breaks
            start = at + match.group().rindex("\n") + 1
        at = match.end()


MOST_BYTES = 4 << 20
MOST_DESIGNS = 10_000
MOST_POINTS = 100_000
MOST_LOADS = 10_000
DEEPEST = 32
"""Most brackets inside one another, and most parts of a dotted key."""
LONGEST_NUMBER = 100
_NUMBER = re.compile(r"[+-]?[0-9]")


def refuse_oversized(text: str, path: Path) -> None:
    """Refuse what would keep a TOML parser busy, or exhaust it, and is in no study.

    Raises
    ------
    TextError
        Keys of very many parts, brackets very deep inside one another, numbers of very many digits.
    """
    depth = dots = 0
    for kind, word, line, column in tokens(text):
        problem = ""
        if kind == "mark":
            depth = max(0, depth + (word in "[{") - (word in "]}"))
            dots = dots + 1 if word == "." else 0
            if depth > DEEPEST:
                problem = f"brackets more than {DEEPEST} deep inside one another"
        elif dots >= DEEPEST:
            problem = f"a key of more than {DEEPEST} parts"
        elif kind == "line":
            dots = 0
        elif len(word) > LONGEST_NUMBER and _NUMBER.match(word):
            problem = f"a number of {len(word):,} characters"
        if problem:
            raise TextError(f"{problem}; no study needs that", path, line, column, text.split("\n")[line - 1])


def points_of(designs: int, simulation: Any) -> int:
    """Return the number of points of a study, of a table ``[simulation]`` that nobody has checked yet."""
    if not isinstance(simulation, Mapping):
        return designs
    return designs * (1 + _loads(simulation.get("loads")) * _length(simulation.get("seeds")))


def require_few(designs: int, points: int) -> None:
    """Refuse a study that is too large to be run.

    Raises
    ------
    UnknotError
        Names both numbers and their limits.
    """
    if designs > MOST_DESIGNS or points > MOST_POINTS:
        raise UnknotError(
            f"this study has {_about(designs)} designs and, with loads and seeds, {_about(points)} points; it may "
            f"have {MOST_DESIGNS:,} designs and {MOST_POINTS:,} points: take shorter lists, or several studies"
        )


def _loads(value: Any) -> int:
    if not isinstance(value, Mapping):
        return 20 if value is None else _length(value)
    try:
        steps = (value["to"] - value["from"]) / value["step"]
    except (KeyError, TypeError, ZeroDivisionError, OverflowError):
        return 1
    return min(math.floor(steps), MOST_LOADS) + 1 if 0 <= steps < math.inf else 1


def _length(value: Any) -> int:
    return max(1, len(value)) if isinstance(value, list) else 1


def _about(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"more than 10^{len(str(number)) - 1}"
