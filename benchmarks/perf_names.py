"""Run a command with the names of its compiled functions for `perf`, which knows those of files only.

``perf record python -m benchmarks.perf_names simulate "mesh(8, 8)" …``, then `perf report`. Functions that this run
compiles have none: give the command twice.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from unknot._base.kernels import cache, linked, native
from unknot.cli.program import main

PERF_FOLDER = Path("/tmp")
"""Where `perf` reads the names of compiled functions of a process, from ``perf-PID.map``."""
FUNCTION, SYMBOLS = 2, 2
"""Types of a symbol and of a section in ELF."""


def symbols(code: bytes) -> Iterator[tuple[str, int]]:
    """Yield names and sizes of the functions of a 64-bit ELF object; of another object nothing."""
    if code[:5] != b"\x7fELF\x02":
        return
    (start,), (size, count) = struct.unpack_from("<Q", code, 40), struct.unpack_from("<HH", code, 58)
    sections = [struct.unpack_from("<IIQQQQI", code, start + size * i) for i in range(count)]
    for _, kind, _, _, offset, length, names in sections:
        if kind == SYMBOLS:
            for at in range(offset, offset + length, 24):
                name, kind, _, _, _, width = struct.unpack_from("<IBBHQQ", code, at)
                begin = sections[names][4] + name
                if kind & 15 == FUNCTION and width:
                    yield code[begin : code.index(b"\0", begin)].decode(), width


def short_symbol(symbol: str) -> str:
    """Return module and function of a mangled name of Numba's.

    Examples
    --------
    >>> short_symbol("_ZN6unknot13router_kernel4sendB3v12Ex")
    'router_kernel.send'
    """
    parts, rest = [], symbol.partition("_ZN")[2]
    while rest[:1].isdigit():
        digits = len(rest) - len(rest.lstrip("0123456789"))
        end = digits + int(rest[:digits])
        parts.append(rest[digits:end])
        rest = rest[end:]
    return ".".join(parts[-2:]) or symbol


def write_perf_map(code: bytes, address_of: Callable[[str], int]) -> None:
    """Append the functions of an object that was linked, to the map of this process."""
    lines = [
        f"{address_of(name):x} {size:x} {short_symbol(name)}\n" for name, size in symbols(code) if address_of(name)
    ]
    with (PERF_FOLDER / f"perf-{os.getpid()}.map").open("a", encoding="utf-8") as file:
        file.writelines(lines)


def load(file: str) -> int:
    """Link a function that was kept, as `linked.load`, and write its name down."""
    address = linked.load(file)
    if address:
        code = (cache.read(file) or b"").partition(b"\0")[2]
        write_perf_map(code, linked.linker().get_function_address)
    return address


if __name__ == "__main__":
    native.load = load
    sys.argv[0] = "unknot"
    main()
