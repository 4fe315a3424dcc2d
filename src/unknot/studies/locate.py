"""Positions of keys and values in a TOML text, which the standard parser does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)|(?P<line>\n)
    |(?P<text>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    |(?P<mark>[\[\]{}=,.])|(?P<bare>[^\s\[\]{}=,.\#"']+)""",
    re.VERBOSE | re.DOTALL,
)
Path = tuple[str | int, ...]


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
    places: dict[Path, Place] = field(default_factory=dict)
    counts: dict[Path, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tokens = list(tokens(self.text))
        self.next = 0

    def run(self) -> dict[Path, Place]:
        table: Path = ()
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

    def _header(self, keys: Path, place: Place, repeated: bool) -> Path:
        """The path a header opens: the name of a list of tables is followed by the number of its last table."""
        path: Path = ()
        for depth, key in enumerate(keys, start=1):
            path = (*path, key)
            if repeated and depth == len(keys):
                self.counts[path] = self.counts.get(path, -1) + 1
            self.places.setdefault(path, place)
            if path in self.counts:
                path = (*path, self.counts[path])
        self.places.setdefault(path, place)
        return path

    def _assign(self, table: Path) -> None:
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

    def _key(self) -> Path:
        keys: list[str | int] = []
        while True:
            kind, word, _, _ = self.tokens[self.next]
            keys.append(word[1:-1] if kind == "text" else word)
            self.next += 1
            if self.tokens[self.next][1] != ".":
                return tuple(keys)
            self.next += 1

    def _value(self, path: Path) -> None:
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

    def _list(self, path: Path) -> None:
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


def locate(text: str) -> dict[Path, Place]:
    """Place of every key path of a TOML text that the standard parser accepts."""
    return _Reader(text).run()


def nearest(places: dict[Path, Place], path: Sequence[str | int]) -> tuple[Path, Place]:
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
