"""Texts of options and rows of tables, piece by piece, with errors at the piece that is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from unknot._base.errors import TextError, UnknotError

_T = TypeVar("_T")


@dataclass(frozen=True)
class Piece:
    """A part of a text, without blanks around it, and its place.

    Parameters
    ----------
    text : str
    where : str or Path
        File name, or the name of an option, such as ``<router>``.
    column : int
        Of the first character, from 1.
    whole : str
        The line it is a part of; by default the text.
    line : int
        From 1.

    Examples
    --------
    >>> for piece in Piece("1:0.5,  hotspot(1, 2)", "<text>").split(","):
    ...     print(piece.column, piece.text)
    ...
    1 1:0.5
    9 hotspot(1, 2)
    """

    text: str
    where: str | Path
    column: int = 1
    whole: str | None = None
    line: int = 1

    def error(self, message: str) -> TextError:
        """An error with a caret under the piece."""
        return TextError(message, self.where, self.line, self.column, self.text if self.whole is None else self.whole)

    def part(self, start: int, stop: int | None = None) -> Piece:
        """The piece from one offset to another, without blanks around it."""
        text = self.text[start:stop]
        column = self.column + start + len(text) - len(text.lstrip())
        return replace(self, text=text.strip(), column=column, whole=self.text if self.whole is None else self.whole)

    def split(self, separator: str) -> Iterator[Piece]:
        """The pieces between separators that are not in parentheses, but for empty ones."""
        for match in re.finditer(rf"(?:\([^()]*\)|[^{separator}])+", self.text):
            if match[0].strip():
                yield self.part(*match.span())

    def pair(self, separator: str) -> tuple[Piece, Piece] | None:
        """The pieces before and behind a separator; None if it is not there."""
        at = self.text.find(separator)
        return None if at < 0 else (self.part(0, at), self.part(at + len(separator)))

    def read(self, make: Callable[[], _T]) -> _T:
        """Return the result of `make`, or raise its error with its place in the text."""
        try:
            return make()
        except TextError as error:
            within = replace(self, column=self.column + max(error.column, 1) - 1)
            raise within.error(error.message) from None
        except UnknotError as error:
            raise self.error(str(error)) from None


def cell_column(line: str, index: int) -> int:
    """Column, from 1, at which a cell of a CSV line begins, by its number from 0."""
    quoted = False
    for at, letter in enumerate(line):
        if index == 0:
            return at + 1 + len(line[at:]) - len(line[at:].lstrip())
        quoted ^= letter == '"'
        index -= letter == "," and not quoted
    return len(line) + 1
