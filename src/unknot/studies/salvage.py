"""Rows that are still whole in a damaged SQLite file, read from its pages without SQLite.

Only leaves of tables are read, wherever they stand, and what the tree above them says does not matter. What comes out
may be damaged or out of date: the caller checks it. The file format is described in "Database File Format",
https://www.sqlite.org/fileformat2.html, sections 1.6 and 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

PAGE = 4096
"""Bytes of a page in our stores."""
_LEAF = 0x0D
_LARGEST = PAGE - 35
"""Bytes of a row up to which it stands whole in its leaf."""
_LEAST = (PAGE - 12) * 32 // 255 - 23
"""Fewest bytes of a row in its leaf when the rest stands on overflow pages."""


def salvaged(path: Path, columns: int = 4) -> Iterator[tuple[bytes, ...]]:
    """Yield the rows that can be read from the leaves of a file, each with the given number of texts."""
    content = path.read_bytes()
    for start in range(0, len(content), PAGE):
        head = start + 100 * (start == 0)
        if content[head : head + 1] != bytes([_LEAF]):
            continue
        cells = int.from_bytes(content[head + 3 : head + 5], "big")
        for cell in range(min(cells, PAGE // 4)):
            at = int.from_bytes(content[head + 8 + 2 * cell : head + 10 + 2 * cell], "big")
            row = _texts(_payload(content, start, at), columns)
            if row:
                yield row


def _payload(content: bytes, start: int, at: int) -> bytes:
    """Return the record of a cell, collected over its overflow pages; empty if it leads nowhere."""
    size, at = _number(content, start + at)
    _, at = _number(content, at)
    if size > len(content) or at > start + PAGE:
        return b""
    if size <= _LARGEST:
        return content[at : at + size]
    local = _LEAST + (size - _LEAST) % (PAGE - 4)
    local = local if local <= _LARGEST else _LEAST
    parts, found = [content[at : at + local]], local
    page = int.from_bytes(content[at + local : at + local + 4], "big")
    while found < size and 0 < page <= len(content) // PAGE:
        first = (page - 1) * PAGE
        parts.append(content[first + 4 : first + PAGE])
        found += PAGE - 4
        page = int.from_bytes(content[first : first + 4], "big")
    return b"".join(parts)[:size]


def _texts(record: bytes, columns: int) -> tuple[bytes, ...]:
    """Return the values of a record that holds just the given number of texts; else nothing."""
    end, at = _number(record, 0)
    sizes: list[int] = []
    while at < end <= len(record) and len(sizes) <= columns:
        kind, at = _number(record, at)
        if kind < 13 or kind % 2 == 0:
            return ()
        sizes.append((kind - 13) // 2)
    if len(sizes) != columns or end + sum(sizes) > len(record):
        return ()
    texts = []
    for size in sizes:
        texts.append(record[end : end + size])
        end += size
    return tuple(texts)


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, seven bits a byte and eight in the ninth, and where it ends."""
    value = 0
    for count in range(9):
        byte = content[at] if at < len(content) else 0
        at += 1
        if count == 8:
            return value << 8 | byte, at
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value, at
