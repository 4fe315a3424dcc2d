"""Compiled code on disk: a file for each function, named by all it was made of, sealed by a checksum.

Compiled code runs with the rights of the user, so the folder and all above it must be in the hands of the user or the
administrator alone, as OpenSSH demands of keys.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from unknot._base.output import WriteError, write_bytes

PACKAGE = Path(__file__).parents[2]
CONSTANTS = ("_base/splitmix.py", "routing/candidate.py", "simulation/engine/state.py")
"""Files that are not kernels but give them constants and functions."""
MOST = 1000
"""Files that are kept; of more, those that were not used for longest are removed."""
ENDING = ".compiled"
OTHERS = stat.S_IWGRP | stat.S_IWOTH


def read(name: str) -> bytes | None:
    """Return what was kept under a name; None if there is nothing, or if it is damaged."""
    path = folder() / (name + ENDING)
    try:
        sealed = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    seal, content = sealed[:32], sealed[32:]
    return content if hashlib.sha256(content).digest() == seal else None


def write(name: str, content: bytes) -> None:
    """Keep some content under a name, where that is possible, and remove what was not used for long."""
    with contextlib.suppress(OSError, WriteError):
        write_bytes(folder() / (name + ENDING), hashlib.sha256(content).digest() + content)
        files = sorted(kept(), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - MOST)]:
            path.unlink(missing_ok=True)


def kept() -> list[Path]:
    """Return the files of compiled code."""
    return list(folder().glob("*" + ENDING))


def clear() -> int:
    """Remove all compiled code, as far as it can be removed; return how many files that were."""
    files = kept()
    for path in files:
        path.unlink(missing_ok=True)
    return len(files)


@cache
def folder() -> Path:
    """Return the folder of compiled code, which is made if it is not there.

    It is `unknot` in the folder that ``NUMBA_CACHE_DIR`` names, or in the user's cache. Where that cannot be written
    to, as in containers and on batch nodes, or is not safe, it is a private one among the temporary files, and a line
    on stderr says so.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    wanted = Path(named, "unknot") if named else _user_cache()
    reason = _refused(wanted)
    if not reason:
        return wanted
    private = Path(tempfile.gettempdir(), f"unknot-kernels-{os.getuid() if hasattr(os, 'getuid') else 0}")
    if _refused(private):
        private = Path(tempfile.mkdtemp(prefix="unknot-kernels-"))
        atexit.register(shutil.rmtree, private, ignore_errors=True)
    print(
        f"unknot: {reason}; kernels are compiled into {private}, which takes up to a minute once "
        "(NUMBA_CACHE_DIR names another folder)",
        file=sys.stderr,
    )
    return private


def _user_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("unknot", appauthor=False)


def _refused(wanted: Path) -> str:
    """Return why a folder cannot keep compiled code, empty if it can; make it if it is not there."""
    try:
        wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            pass
    except OSError as error:
        return f"{wanted} cannot be written to: {error.strerror}"
    return next(_faults(wanted), "")


def _faults(wanted: Path) -> Iterator[str]:
    """What would let others than user and administrator replace files of a folder, along its path."""
    if not hasattr(os, "getuid"):
        return
    path = wanted.absolute()
    # Both the links as they are written and what they lead to.
    for place in dict.fromkeys([path, *path.parents, path.resolve(), *path.resolve().parents]):
        found = place.lstat()
        if found.st_uid not in (0, os.getuid()):
            yield f"{wanted} is not trusted, because {place} belongs to another user"
        # In a folder such as /tmp nobody can rename what belongs to others.
        shared = place not in (path, path.resolve()) and found.st_mode & stat.S_ISVTX
        if not stat.S_ISLNK(found.st_mode) and found.st_mode & OTHERS and not shared:
            yield f"{wanted} is not trusted, because others can write to {place} (chmod go-w {place})"


@cache
def sources_digest(package: Path = PACKAGE) -> str:
    """Return a hash of all files of a package that kernels are made of: names and content (2 ms for 60 files)."""
    found = hashlib.sha256()
    constants = [str(package / name) for name in CONSTANTS if (package / name).exists()]
    for source in sorted([*kernels_in(str(package)), *constants]):
        content = Path(source).read_bytes()
        found.update(f"{source[len(str(package)) :]} {len(content)} ".encode() + content)
    return found.hexdigest()[:16]


def digests_for(module: str) -> list[str]:
    """Return the digests of what a kernel of a module rests on: Unknot's sources and those of its own package."""
    root = sys.modules.get(module.partition(".")[0])
    own = [Path(place) for place in getattr(root, "__path__", ())]
    return [sources_digest(package) for package in dict.fromkeys([PACKAGE, *own])]


def kernels_in(parent: str) -> Iterator[str]:
    """The files of kernels under a folder."""
    with os.scandir(parent) as entries:
        for entry in entries:
            if entry.name.endswith("_kernel.py"):
                yield entry.path
            elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                yield from kernels_in(entry.path)
