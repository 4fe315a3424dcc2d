"""XML files, with errors that name line and column of an element."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from unknot._base.errors import TextError
from unknot._base.input import read_bytes


class XmlElement(Element):
    """An element with its place, and its attributes checked."""

    __slots__ = ("column", "line", "path")
    path: str | Path
    line: int
    column: int

    if TYPE_CHECKING:  # all elements of a file are of this class

        def __iter__(self) -> Iterator[XmlElement]: ...
        def iter(self, tag: str | None = None) -> Generator[XmlElement]: ...
        def findall(self, path: str, namespaces: dict[str, str] | None = None) -> list[Any]: ...
        def find(self, path: str, namespaces: dict[str, str] | None = None) -> Any: ...

    def error(self, words: str) -> TextError:
        """An error at the line and column of the element."""
        return TextError(f"<{self.tag[:40]}>: {words}", self.path, self.line, self.column)

    def word(self, key: str, known: Collection[str] = ()) -> str:
        """An attribute; TextError if it is missing, or none of the known words."""
        if key not in self.attrib:
            raise self.error(f"attribute {key!r} is missing")
        word = self.attrib[key]
        if known and word not in known:
            raise self.error(f"{key} is one of {', '.join(sorted(known))}; got {word[:40]!r}")
        return word

    def number(self, key: str, least: int = 0, most: int = 10**9) -> int:
        """An attribute that is a whole number; TextError if it is none, or out of range."""
        word = self.word(key)
        digits = word.removeprefix("-")
        number = int(word) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else None
        if number is None or not least <= number <= most:
            raise self.error(f"{key} is a whole number from {least} to {most}; got {word[:40]!r}")
        return number


def read_xml(path: str | Path, *, growth: int = 60) -> XmlElement:
    """The outermost element of a file.

    Parameters
    ----------
    growth : int
        Bytes of memory for a byte of text, at the peak of reading.

    Raises
    ------
    TextError
        With line and column for what is not XML, and for a document type: its entities can expand a few bytes into
        gigabytes.
    """
    content = read_bytes(path, growth=growth)
    parser = expat.ParserCreate(namespace_separator="}")

    def placed(tag: str, attributes: dict[str, str]) -> XmlElement:
        element = XmlElement(f"{{{tag}" if "}" in tag else tag, attributes)
        element.path, element.line, element.column = path, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        return element

    def refuse(*_: object) -> None:
        raise TextError("a document type is not read; remove it", path, parser.CurrentLineNumber)

    builder = TreeBuilder(placed)
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = builder.data, refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        words, text = expat.errors.messages[error.code], content.split(b"\n")[error.lineno - 1 : error.lineno]
        shown = b"".join(text).decode("utf-8", errors="replace")
        raise TextError(
            f"this is not well-formed XML: {words}", path, error.lineno, error.offset + 1, shown
        ) from error
    except (ValueError, LookupError) as error:
        if isinstance(error, TextError):
            raise
        raise TextError(f"this is not well-formed XML: {error}", path) from error
    return cast(XmlElement, builder.close())
