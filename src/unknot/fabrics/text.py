"""Text of fabric files: plain or gzipped, whole or not at all."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from unknot.errors import TextError

_GZIP = b"\x1f\x8b"


def read_bytes(path: str | Path, limit: int = -1) -> bytes:
    """The first `limit` bytes of a file, or all of it, unpacked when it is gzipped.

    Raises
    ------
    TextError
        If the file cannot be opened, or its packed form is damaged or cut off.
    """
    try:
        with Path(path).open("rb") as file:
            if file.read(2) != _GZIP:
                file.seek(0)
                return file.read(limit)
        with gzip.open(path, "rb") as packed:
            return packed.read(limit)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TextError(f"this gzipped file is damaged or cut off ({error})", path) from error
    except OSError as error:
        raise TextError(f"cannot read this file: {error.strerror or error}", path) from error


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 text file, plain or gzipped; line n stands at index n − 1.

    Raises
    ------
    TextError
        If the file cannot be read, is empty, or is not text.
    """
    data = read_bytes(path)
    if not data.strip():
        raise TextError("this file is empty", path)
    bad = data.find(b"\0")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = error.start if bad < 0 else min(bad, error.start)
    if bad >= 0:
        line = data.count(b"\n", 0, bad) + 1
        column = bad - (data.rfind(b"\n", 0, bad) + 1) + 1
        raise TextError("this is not text: plain UTF-8 is wanted", path, line, column)
    return [line.rstrip("\r") for line in text.rstrip("\n").split("\n")]
