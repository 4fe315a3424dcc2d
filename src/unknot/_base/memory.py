"""Memory: what there is, what may be used, and what the parts of a design take.

Whatever grows with a number somebody wrote is estimated before it is built: `require` refuses what does not fit
`limit`. The limit belongs to the context (`contextvars`), as set with `memory_limit`; there is no global state.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from unknot._base.errors import UnknotError

GIB = 2**30
DEFAULT = 4 * GIB
"""Most bytes that may be used unless a limit is set, however many there are."""
LEAST = 2**28
"""Least limit that is taken from the memory there is; the libraries alone take about as much."""
ROUTER, DIMENSION, CHANNEL, TERMINAL = 96, 32, 96, 32
"""Bytes at the peak of building a network: of each router, coordinate, channel and terminal."""

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,9}))? ?([KMGT]?)(?:i?B)?", re.IGNORECASE)
_set: ContextVar[int | None] = ContextVar("unknot.memory_limit", default=None)


class SizeError(UnknotError):
    """Something that is estimated to take more memory than may be used.

    Parameters
    ----------
    what : str
        What was asked for.
    estimate, limit : int
        Bytes.
    """

    def __init__(self, what: str, estimate: int, limit: int) -> None:
        self.what, self.estimate, self.limit = what, estimate, limit
        enough = f"{-(-estimate // 2**30)}G"
        super().__init__(
            f"{what} would take about {in_words(estimate)} of memory; the limit is {in_words(limit)}. On a machine "
            f"that has it, give --max-memory {enough} (in Python: with unknot.memory_limit('{enough}'): …)"
        )

    def __reduce__(self) -> tuple[type[SizeError], tuple[str, int, int]]:
        return SizeError, (self.what, self.estimate, self.limit)


def require(what: str, estimate: int) -> None:
    """Refuse what does not fit the memory that may be used.

    Parameters
    ----------
    what : str
        What is about to be built, as the subject of a sentence: ``"complete(90000)"``.
    estimate : int
        Bytes it takes at its peak.

    Raises
    ------
    SizeError
        Names the estimate, the limit and how to raise it.

    Examples
    --------
    >>> with memory_limit("1G"):
    ...     require("a table of 10 rows", 80)
    """
    if estimate <= LEAST and _set.get() is None:
        return
    most = limit()
    if estimate > most:
        raise SizeError(what, estimate, most)


def of_network(routers: int, channels: int, terminals: int = 0, dimensions: int = 1) -> int:
    """Bytes at the peak of building a network, within about a factor of two (measured on 20 families)."""
    return (ROUTER + DIMENSION * dimensions) * routers + CHANNEL * channels + TERMINAL * terminals


@contextmanager
def memory_limit(size: int | str | None) -> Iterator[None]:
    """Set how many bytes may be used within a ``with`` block; None leaves the limit as it is.

    Parameters
    ----------
    size : int, str or None
        Bytes, or a text such as ``"16G"``. Worker processes start with their own: hand `limit` on to them.

    Yields
    ------
    None
        The limit holds until the block ends.

    Raises
    ------
    UnknotError
        If it is not such a size.

    Examples
    --------
    >>> with memory_limit("512M"):
    ...     limit()
    536870912
    """
    if size is None:
        yield
        return
    before = _set.set(size_of(size))
    try:
        yield
    finally:
        _set.reset(before)


def limit() -> int:
    """Bytes that may be used: as set, or half of what is available, between 256 MiB and 4 GiB."""
    stated = _set.get()
    return max(LEAST, min(DEFAULT, available() // 2)) if stated is None else stated


def size_of(size: int | str) -> int:
    """Bytes of a size such as ``16G``, ``512 MiB`` or ``1.5G``; units count in powers of 1024.

    Raises
    ------
    UnknotError

    Examples
    --------
    >>> size_of("1.5K")
    1536
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    match = _SIZE.fullmatch(size.strip()) if isinstance(size, str) else None
    scale = _UNITS[match[3].upper()] if match else 0
    count = int(match[1]) * scale + int(match[2] or 0) * scale // 10 ** len(match[2] or "") if match else 0
    if not count:
        shown = repr(size if isinstance(size, (str, float)) else str(type(size).__name__))[:60]
        raise UnknotError(f"a size of memory is a number of bytes such as 4000000000, 512M or 16G; got {shown}")
    return count


def in_words(size: int) -> str:
    """A number of bytes with a unit, short even if it is very long.

    Examples
    --------
    >>> in_words(5_600_000_000)
    '5.22 GiB'
    """
    if size >= 10**6 * 2**40:
        return "more than a million TiB"
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        scale = _UNITS[unit[0]]
        if size >= scale:
            return f"{size / scale:.3g} {unit}" if size < 1000 * scale else f"{size // scale:,} {unit}"
    return f"{size} bytes"


def enforce() -> None:
    """Have the system refuse this process more than there is, where the platform can: a hard limit behind estimates.

    Without it a system that promises more memory than it has would end the process, or another one, without a word.
    """
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    size = _resident() + max(LEAST, available())
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def available() -> int:
    """Bytes this process can still take: of the machine, of its control groups, of its resource limits."""
    used = _resident()
    bounds = [_of_machine(), *_of_groups(), *_of_process(used)]
    return max(0, min(bounds))


def _of_machine() -> int:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        import os

        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2 * DEFAULT


def _of_groups(root: Path = Path("/sys/fs/cgroup"), groups: Path = Path("/proc/self/cgroup")) -> Iterator[int]:
    """Yield the memory left in each control group, version 1 or 2, of this process and in the groups above."""
    for line in _lines(groups):
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "memory") and "memory" not in controllers.split(","):
            continue
        base = root if not controllers else root / "memory"
        most, taken = (
            ("memory.max", "memory.current")
            if not controllers
            else ("memory.limit_in_bytes", "memory.usage_in_bytes")
        )
        group = base / path.strip("/")
        for folder in {base, group, *(up for up in group.parents if up.is_relative_to(base))}:
            bound, now = (_lines(folder / name) for name in (most, taken))
            if bound and bound[0].isdecimal():
                cached = [int(row.split()[1]) for row in _lines(folder / "memory.stat") if _CACHE.match(row)]
                yield int(bound[0]) - (int(now[0]) if now else 0) + sum(cached[:1])


_CACHE = re.compile(r"(total_)?inactive_file \d+$")
"""The row of memory.stat with pages of files that are given up when memory is needed."""


def _of_process(used: int) -> Iterator[int]:
    try:
        import resource
    except ImportError:
        return
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield soft - used


def _resident() -> int:
    """Bytes of address space this process holds."""
    for line in _lines(Path("/proc/self/status")):
        if line.startswith("VmSize:"):
            return int(line.split()[1]) * 1024
    return 0


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, ValueError):
        return []
