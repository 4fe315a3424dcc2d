"""State tables in CSV, as spreadsheets write them: a block for each kind of nodes, a row for each state.

Rows in front are settings: ``nodes,owner``, ``network,forward,Fwd``, ``core,cache,store`` and others. A block
begins with the name of a kind and its events; its rows are states, the first of which is the start. Nodes of the
first block are many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar

from unknot._base.toml_places import KeyPath, KeyPlace, Toml

CELL = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|(?!")([^,\n]*?))[ \t\r]*(,|\n|\Z)')
LISTS, NAMED = ("nodes", "numbers", "ordered"), {"network": "networks", "rooms": "rooms", "limits": "limits"}
OF_KINDS = ("core", "timers", "entries", "at")
Cell = tuple[str, int]
"""A text and its offset."""


class TableSheet(Toml):
    """A CSV text as the document that TOML would give, with the places of its cells."""

    language: ClassVar[str] = "CSV"

    @cached_property
    def document(self) -> dict[str, Any]:
        return self._read[0]

    @cached_property
    def places(self) -> dict[KeyPath, KeyPlace]:
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[dict[str, Any], dict[KeyPath, KeyPlace]]:
        document: dict[str, Any] = {}
        places: dict[KeyPath, KeyPlace] = {}
        head: list[Cell] = []
        first = True

        def put(path: tuple[str, ...], value: Any, at: int) -> None:
            inner = document
            for depth, key in enumerate(path[:-1], 1):
                inner = inner.setdefault(key, {})
                places.setdefault(path[:depth], KeyPlace(at, at))
                if not isinstance(inner, dict):
                    words = "a kind of nodes or a state needs a name of its own"
                    raise self.source.error(f"{key!r} is the name of a setting; {words}", at)
            if path[-1] in inner:
                raise self.source.error(f"{' '.join(path)} is told twice", at)
            inner[path[-1]] = value
            places[path] = KeyPlace(at, at)

        for row in self.rows():
            (name, at), *rest = row
            texts = [text for text, _ in rest if text]
            if not name and not texts:
                head = []
            elif not name:
                raise self.source.error("a row begins with a state, the name of a kind of nodes, or a setting", at)
            elif head:
                for (event, _), (text, place) in zip_longest(head[1:], rest, fillvalue=("", at)):
                    if text and not event:
                        raise self.source.error(f"no event stands above this cell in the row of {head[0][0]}", place)
                    if text:
                        put((head[0][0], name, event), text, place)
                document[head[0][0]].setdefault("start", name)
                document[head[0][0]].setdefault(name, {})
            elif name in LISTS:
                put((name,), texts, at)
            elif name in NAMED and texts:
                value = texts[1:] if name == "network" else number(" ".join(texts[1:]))
                put((NAMED[name], texts[0]), value, at)
            elif name in OF_KINDS and texts:
                put((texts[0], name), [number(one) for one in texts[1:]] if name == "at" else texts[1:], at)
            else:
                head = row
                put((name, "many"), first, at)
                first = False
        return document, places

    def rows(self) -> Iterator[list[Cell]]:
        """Rows of cells; those without a text are at ends of blocks."""
        row: list[Cell] = []
        at = 0
        while at < len(self.text) or row:
            match = CELL.match(self.text, at)
            if match is None:
                raise self.source.error('a cell in quotes ends with " and a comma; write " within as ""', at)
            quoted, plain, end = match.groups()
            text = plain if quoted is None else quoted.replace('""', '"')
            row.append((text.strip(), match.start(1 + (quoted is None))))
            at = match.end()
            if end != ",":
                yield row
                row = []


def number(text: str) -> int | str:
    """A whole number, or the text that is none."""
    return int(text) if text.isdecimal() and len(text) < 10 else text
