"""Texts of files to read, checked and decoded."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unknot._base.errors import TextError
from unknot._base.packed import read_bytes as read_bytes


def read_text(path: str | Path, *, what: str = "plain UTF-8 is needed", growth: int = 4) -> str:
    """The text of a UTF-8 or UTF-16 file, plain or gzipped; a byte order mark is dropped, line ends stay.

    Raises
    ------
    TextError
        As `read_bytes`, and with line and column of the first byte that is not text.
    """
    content = as_utf8(read_bytes(path, growth=growth))
    return _checked(content, path, what)


def read_utf8(path: str | Path, *, what: str = "plain UTF-8 is needed", growth: int = 4) -> bytes:
    """The bytes of such a text, checked.

    Raises
    ------
    TextError
        As `read_text`.
    """
    content = as_utf8(read_bytes(path, growth=growth))
    _checked(content, path, what)
    return content.removeprefix(b"\xef\xbb\xbf")


def as_utf8(content: bytes) -> bytes:
    """Return text as UTF-8: UTF-16 with a byte order mark, as Windows shells write, is converted; other
    bytes are kept.
    """
    if content[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return content
    return content[: len(content) // 2 * 2].decode("utf-16", errors="replace").encode()


def _checked(content: bytes, path: str | Path, what: str) -> str:
    bad = content.find(b"\0")
    text = ""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = error.start if bad < 0 else min(bad, error.start)
    if bad >= 0:
        line = content.count(b"\n", 0, bad) + 1
        column = bad - (content.rfind(b"\n", 0, bad) + 1) + 1
        raise TextError(f"this is not text: {what}", path, line, column)
    return text


def read_lines(path: str | Path, *, growth: int = 40) -> list[str]:
    """The lines of a UTF-8 text file, plain or gzipped; line n stands at index n − 1.

    Raises
    ------
    TextError
        If the file cannot be read, is empty, or is not text.
    """
    return lines_of(read_text(path, growth=growth), path)


def lines_of(text: str, path: str | Path) -> list[str]:
    """The lines of the text of a file.

    Raises
    ------
    TextError
        If there is nothing in it.
    """
    if not text.strip():
        raise TextError("this file is empty", path)
    return [line.rstrip("\r") for line in text.rstrip("\n").split("\n")]


def read_json(path: str | Path, *, growth: int = 60) -> Any:
    """The value of a JSON file. Whole numbers of more than 20 digits stay text.

    Raises
    ------
    TextError
        As `read_lines`; with line and column for what is not JSON, and for what is nested too deeply.
    """
    return _decoded(path, growth, _DECODER.decode)


def read_values(path: str | Path, *, growth: int = 60) -> list[Any]:
    """The values of a file with one or several JSON values one after the other; as `read_json`."""

    def values(text: str) -> list[Any]:
        found, at = list[Any](), len(text) - len(text.lstrip())
        while at < len(text):
            value, at = _DECODER.raw_decode(text, at)
            found.append(value)
            while text[at : at + 1].isspace():
                at += 1
        return found

    values_read: list[Any] = _decoded(path, growth, values)
    return values_read


_DECODER = json.JSONDecoder(parse_int=lambda digits: int(digits) if len(digits) <= 20 else digits)


def _decoded(path: str | Path, growth: int, decode: Callable[[str], Any]) -> Any:
    """Decode the text of a JSON file."""
    lines = read_lines(path, growth=growth)
    try:
        return decode("\n".join(lines))
    except json.JSONDecodeError as error:
        shown = lines[error.lineno - 1] if error.lineno <= len(lines) else ""
        raise TextError(f"this is not JSON: {error.msg}", path, error.lineno, error.colno, shown) from None
    except RecursionError:
        raise TextError("this JSON is nested too deeply", path) from None
