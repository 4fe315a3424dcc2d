"""The process in which a command works: where a parent watches it, that parent's only child."""

from __future__ import annotations

from pathlib import Path


def children(pid: int) -> list[int]:
    """Children of a process, where the system lists them."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in listed.read_text().split()] if listed.exists() else []


def working(pid: int) -> int:
    """The process that does the work of a command line that was started."""
    return next(iter(children(pid)), pid)
