"""TOML texts with the places of their keys and values, which the standard parser does not give, for errors there.

Readers check the entries of a document, each with the path at which a problem is shown.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Self

from unknot._base.errors import Source, TextError, UnknotError, near, shown
from unknot._base.input import read_text

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)|(?P<line>\n)
    |(?P<text>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
    |(?P<mark>[\[\]{}=,.])|(?P<bare>[^\s\[\]{}=,.\#"']+)""",
    re.VERBOSE | re.DOTALL,
)
KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class KeyPlace:
    """Offsets of a key and of its value; for an item of a list both are the same."""

    key: int
    value: int


Token = tuple[str, str, int]
"""Kind, text and offset."""


@dataclass(frozen=True)
class Toml:
    """A TOML text, and where it came from, for errors; `with` shows an `EntryError` at its place in the text.

    Attributes
    ----------
    document : dict
        Its plain values; a `TextError` where it is no TOML, or would keep a parser busy.
    """

    text: str
    where: str | Path
    language: ClassVar[str] = "TOML"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, EntryError):
            raise self.error(error.path, str(error), at_key=error.at_key) from None

    @cached_property
    def source(self) -> Source:
        return Source(self.text, self.where)

    @cached_property
    def document(self) -> dict[str, Any]:
        refuse_oversized(self.source)
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            what, _, place = str(error).removesuffix(")").rpartition(" (at ")
            lines = self.source.starts
            line, column = map(int, re.findall(r"\d+", place)) if "line" in place else (len(lines), 1)
            raise self.source.error(f"not valid TOML: {what}", lines[line - 1] + column - 1) from error

    @cached_property
    def places(self) -> dict[KeyPath, KeyPlace]:
        """Place of every key path."""
        return locate(self.text)

    def error(self, path: KeyPath, message: str, *, at_key: bool = False, inner: int = 0) -> TextError:
        """Return an error at the value of a key path, or at its key; `inner` is a column within the value, from 1.

        If the text lacks the path, the error is at the key of its longest beginning there.
        """
        known, place = nearest(self.places, path)
        at_key = at_key or len(known) < len(path)
        return self.source.error(message, place.key if at_key else place.value + inner)


def read_toml(path: str | Path, what: str, form: type[Toml] = Toml) -> Toml:
    """Read a file in TOML, or in another form; `what` is the subject of errors, such as "a study".

    Raises
    ------
    UnknotError
        If it is no regular file of text, cannot be read, or has more than `MOST_BYTES`.
    """
    size = Path(path).stat().st_size if Path(path).is_file() else 0
    if size > MOST_BYTES:
        raise UnknotError(f"{path}: {what} has at most {MOST_BYTES:,} bytes, this file {size:,}")
    return form(read_text(path, what=f"{what} is a {form.language} file in UTF-8"), path)


class EntryError(UnknotError):
    """An entry that cannot be.

    Parameters
    ----------
    message : str
        What is wrong.
    path : tuple of str or int
        Keys that lead to the place in its description.
    at_key : bool
        Whether the key there is wrong, not what it holds.
    """

    def __init__(self, message: str, path: KeyPath = (), at_key: bool = False) -> None:
        self.path, self.at_key = path, at_key
        super().__init__(message)

    def __reduce__(self) -> tuple[type[EntryError], tuple[str, KeyPath, bool]]:
        return type(self), (str(self), self.path, self.at_key)


Reader = Callable[[Any, KeyPath], Any]
"""What checks an entry and returns its value; the path of what is wrong goes with each error."""


def typed(kind: type, entry: Any, path: KeyPath) -> Any:
    """An entry of a type."""
    if type(entry) is not kind:
        words = {
            str: "a text",
            int: "a whole number",
            bool: "true or false",
            dict: f"a table [{path[0]}.NAME] for each" if len(path) == 1 else "a table",
            list: f'a list such as ["{entry}"]' if isinstance(entry, str) else "a list",
        }
        raise EntryError(f"{words[kind]} is needed here, not {shown(entry)}", path)
    return entry


TEXT, NUMBER, TRUTH = partial(typed, str), partial(typed, int), partial(typed, bool)


def list_of(reader: Reader) -> Reader:
    """Read a list of entries, as a tuple."""
    return lambda entry, path: tuple(reader(one, (*path, i)) for i, one in enumerate(typed(list, entry, path)))


def table_of(reader: Reader) -> Reader:
    """Read a table with entries by any names."""
    return lambda entry, path: {name: reader(one, (*path, name)) for name, one in typed(dict, entry, path).items()}


def record(readers: Mapping[str, Reader], *needed: str) -> Reader:
    """Read a table with some keys, each by its reader."""

    def read(entry: Any, path: KeyPath) -> dict[str, Any]:
        for key in typed(dict, entry, path):
            if key not in readers:
                raise EntryError(f"unknown key {key!r}; {near(key, readers)}", (*path, key), at_key=True)
        for key in needed:
            if key not in entry:
                raise EntryError(f"{key} is missing here", path)
        return {key: readers[key](one, (*path, key)) for key, one in entry.items()}

    return read


def locate(text: str) -> dict[KeyPath, KeyPlace]:
    """Place of every key path of a TOML text that the standard parser accepts."""
    places: dict[KeyPath, KeyPlace] = {}
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for statement in _split(tokens(text), "\n"):
        if statement[0][1] != "[":
            _assign(places, table, statement)
            continue
        # The name of a list of tables is followed by the number of its last table.
        repeated, keys, table = statement[1][1] == "[", _keys(statement), ()
        for depth, key in enumerate(keys, start=1):
            table = (*table, key)
            if repeated and depth == len(keys):
                counts[table] = counts.get(table, -1) + 1
            places.setdefault(table, _place(statement, statement))
            if table in counts:
                table = (*table, counts[table])
        places.setdefault(table, _place(statement, statement))
    return places


def _split(sequence: Iterable[Token], mark: str) -> Iterator[list[Token]]:
    """Yield the tokens between marks that are in no brackets, without ends of lines."""
    part: list[Token] = []
    depth = 0
    for token in sequence:
        kind, word, _ = token
        if word == mark and not depth:
            if part:
                yield part
            part = []
        elif kind != "line":
            depth += (kind == "mark") * ((word in "[{") - (word in "]}"))
            part.append(token)
    if part:
        yield part


def _assign(places: dict[KeyPath, KeyPlace], table: KeyPath, statement: list[Token]) -> None:
    """Note the places of ``key = value``, and of what is in the value."""
    equal = next(i for i, token in enumerate(statement) if token[1] == "=")
    path = (*table, *_keys(statement[:equal]))
    for end in range(len(table) + 1, len(path)):
        places.setdefault(path[:end], _place(statement, statement))
    places[path] = _place(statement, statement[equal + 1 :])
    _look_inside(places, path, statement[equal + 1 :])


def _look_inside(places: dict[KeyPath, KeyPlace], path: KeyPath, value: list[Token]) -> None:
    for index, member in enumerate(_split(value[1:-1], ",")):
        if value[0][1] == "{":
            _assign(places, path, member)
        elif value[0][1] == "[":
            places[(*path, index)] = _place(member, member)
            _look_inside(places, (*path, index), member)


def _keys(statement: list[Token]) -> KeyPath:
    return tuple(word[1:-1] if kind == "text" else word for kind, word, _ in statement if kind != "mark")


def _place(key: list[Token], value: list[Token]) -> KeyPlace:
    return KeyPlace(key[0][2], value[0][2])


def nearest(places: dict[KeyPath, KeyPlace], path: Sequence[str | int]) -> tuple[KeyPath, KeyPlace]:
    """The place of a path, or of the longest beginning of it that stands in the text."""
    known = tuple(path)
    while known and known not in places:
        known = known[:-1]
    return known, places.get(known, KeyPlace(0, 0))


def tokens(text: str) -> Iterator[Token]:
    """The tokens that are no white space and no comment."""
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "space":
            yield str(match.lastgroup), match.group(), match.start()


MOST_BYTES = 4 << 20
DEEPEST = 32
"""Most brackets inside one another, and most parts of a dotted key."""
LONGEST_NUMBER = 100
_NUMBER = re.compile(r"[+-]?[0-9]")


def refuse_oversized(source: Source) -> None:
    """Refuse what would keep a TOML parser busy, or exhaust it, and no file needs.

    Raises
    ------
    TextError
        Keys of very many parts, brackets very deep inside one another, numbers of very many digits.
    """
    depth = dots = 0
    for kind, word, at in tokens(source.text):
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
            raise source.error(f"{problem}; no file needs that", at)
