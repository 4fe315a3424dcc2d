"""Rows read from the pages of a store are those that SQLite reads, whatever their sizes."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

from unknot.studies.salvage import _LARGEST, _LEAF, PAGE, _number, salvaged


def test_rows_of_every_size(tmp_path: Path) -> None:
    draw = random.Random(3)
    sizes = [0, 1, 57, 58, 127, 128, *range(_LARGEST - 12, _LARGEST + 4), *range(2 * PAGE - 12, 2 * PAGE + 60, 5)]
    sizes += [draw.randrange(40_000) for _ in range(30)]
    rows = [(str(i), chr(97 + i % 26) * size, "ä", draw.randbytes(9).hex()) for i, size in enumerate(sizes)]
    path = tmp_path / "store"
    with sqlite3.connect(path) as base:
        base.execute(f"PRAGMA page_size = {PAGE}")
        base.execute("CREATE TABLE results (key TEXT, point TEXT, result TEXT, digest TEXT)")
        base.executemany("INSERT INTO results VALUES (?, ?, ?, ?)", rows)
        base.execute("CREATE TABLE others (a TEXT, b TEXT, c TEXT)")
        base.execute("INSERT INTO others VALUES ('three', 'texts', 'only')")
    base.close()
    found = [tuple(cell.decode() for cell in row) for row in salvaged(path)]
    assert sorted(found) == sorted(rows)
    assert list(salvaged(path, columns=3)) == [(b"three", b"texts", b"only")]
    content = bytearray(path.read_bytes())
    for start in range(PAGE, len(content), PAGE):  # pages that claim to hold more rows than fit
        if content[start] == _LEAF:
            content[start + 3 : start + 5] = b"\xff\xff"
    path.write_bytes(content)
    assert set(rows) <= {tuple(cell.decode(errors="replace") for cell in row) for row in salvaged(path)}
    path.write_bytes(content[:-PAGE])
    assert {tuple(cell.decode() for cell in row) for row in salvaged(path)} <= set(rows)


def test_numbers_of_every_length() -> None:
    """Seven bits a byte, the last byte without the sign to go on; the ninth has eight bits."""
    for value in (0, 1, 127, 128, 300, 2**14 - 1, 2**14, 2**21, 2**49 + 77, 2**56 - 1):
        groups = [value >> shift & 0x7F for shift in range(0, 56, 7) if shift == 0 or value >> shift][::-1]
        written = bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])
        assert _number(b"??" + written + b"?", 2) == (value, 2 + len(written))
    for value in (2**56, 2**64 - 1, 0x8123_4567_89AB_CDEF):
        written = bytes([*(value >> shift & 0x7F | 0x80 for shift in range(57, 7, -7)), value & 0xFF])
        assert _number(written, 0) == (value, 9)
