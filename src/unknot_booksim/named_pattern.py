"""A pattern or an injection process as a configuration names it, with its values in parentheses."""

from __future__ import annotations

import re

from unknot._base.errors import UnknotError
from unknot_booksim.built import Built
from unknot_booksim.configuration import Configuration, split

_CALL = re.compile(r"([^(]*)(?:\((.*)\))?")


class NamedPattern:
    """A pattern or injection process as the configuration names it, with its values in parentheses."""

    def __init__(self, configuration: Configuration, built: Built, key: str) -> None:
        self.configuration, self.built, self.key = configuration, built, key
        self.text = configuration.one(key)
        match = _CALL.fullmatch(self.text)
        if match is None:
            raise self.error(f"a name, or a name with values in parentheses, is needed: {self.text}")
        self.name, inside = match[1], match[2] or ""
        self.values = split("{" + inside + "}")
        if inside.startswith("{"):
            self.values = split(self.values[0]) if len(self.values) == 1 else self.values
        elif configuration.faithful:
            self.values = (inside,) if inside else ()
        self.nodes = built.network.num_terminals

    def error(self, message: str) -> UnknotError:
        """An error at the place where it is named."""
        return self.configuration.error(self.key, message)

    def whole(self, at: int, otherwise: str) -> int:
        """The value at a position, or that of a key."""
        if at >= len(self.values):
            return self.configuration.whole(otherwise)
        return self.numbers(at)[0]

    def nodes_of(self) -> list[int]:
        """The nodes of a list that is all of the text."""
        self.values = (self.text,)
        nodes = self.numbers(0, self.nodes)
        if min(nodes) < 0:
            raise self.error(f"nodes from 0 to {self.nodes - 1} are needed, not {min(nodes)}")
        return nodes

    def numbers(self, at: int, limit: int | None = None) -> list[int]:
        """The whole numbers of a value that is a list, each below a limit."""
        listed = []
        for text in split(self.values[at]):
            text = text.split(",")[0] if self.configuration.faithful else text
            if not re.fullmatch(r"-?\d{1,9}", text) or (limit is not None and not -1 <= int(text) < limit):
                most = f" below {limit}" if limit is not None else ""
                raise self.error(f"whole numbers{most} are needed, not {text!r}")
            listed.append(int(text))
        if not listed:
            raise self.error("this list is empty")
        return listed
