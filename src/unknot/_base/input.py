"""Files to read: only regular ones, plain or gzipped, and no more of them than memory allows."""

from __future__ import annotations

import codecs
import gzip
import json
import os
import stat
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from unknot._base import memory
from unknot._base.errors import TextError
from unknot._base.outcomes import note_read

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20


def read_bytes(path: str | Path, limit: int = -1, *, growth: int = 4) -> bytes:
    """The first `limit` bytes of a file, or all of it, unpacked when it is gzipped.

    Parameters
    ----------
    limit : int
        Most bytes to return; −1 for all.
    growth : int
        Bytes of memory for each byte of text, once it is read and understood.

    Raises
    ------
    TextError
        If it is no regular file, cannot be opened, or its packed form is damaged or cut off.
    SizeError
        If what the file holds would take more memory than may be used; a gzipped file is unpacked no further.
    """
    try:
        with _regular(Path(path)) as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            size = 0 if packed or limit >= 0 else os.fstat(file.fileno()).st_size
            memory.require(f"reading {path}", size * growth)
            if not packed:
                return file.read(limit)
            with gzip.GzipFile(fileobj=file) as inner:
                return _unpacked(inner, path, limit, growth)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TextError(f"this gzipped file is damaged or cut off ({error})", path) from error
    except OSError as error:
        raise TextError(f"cannot read this file: {error.strerror or error}", path) from error


def _regular(path: Path) -> BinaryIO:
    """Open without waiting for anybody, and refuse what is no regular file."""
    if "\0" in str(path):
        raise TextError("no file has a name with a zero byte", ascii(str(path)))
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    note_read(handle)
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(mode), "a device")
        raise TextError(f"cannot read this file: it is {kind}, and only regular files are read", path)
    return open(handle, "rb")


def _unpacked(file: gzip.GzipFile, path: str | Path, limit: int, growth: int) -> bytes:
    if limit >= 0:
        return file.read(limit)
    pieces = bytearray()
    while piece := file.read(_PIECE):
        pieces += piece
        memory.require(
            f"reading {path}, which unpacks to {memory.in_words(len(pieces))} or more,", len(pieces) * growth
        )
    return bytes(pieces)


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
    lines = read_lines(path, growth=growth)
    try:
        return json.loads("\n".join(lines), parse_int=lambda digits: int(digits) if len(digits) <= 20 else digits)
    except json.JSONDecodeError as error:
        shown = lines[error.lineno - 1] if error.lineno <= len(lines) else ""
        raise TextError(f"this is not JSON: {error.msg}", path, error.lineno, error.colno, shown) from None
    except RecursionError:
        raise TextError("this JSON is nested too deeply", path) from None
