"""Compiled code on disk: a file for each function, named by all it was made of, sealed by a checksum of both.

The seal shows damage, and code under the name of another function, but not who wrote it. Compiled code runs with the
rights of the user, so the folder and all above it must be in the hands of the user or the administrator alone, as
OpenSSH demands of keys.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from unknot._base.output import replacing

CONSTANTS = (
    "unknot._base.arrays", "unknot._base.splitmix", "unknot.flow_control.pools", "unknot.routing.contract",
    *(f"unknot.simulation.engine.{name}" for name in ("allocators.registry", "codes", "scratch", "setup", "state")),
)  # fmt: skip
"""Modules that are not kernels but give them constants and functions."""
IMPORT = re.compile(
    r"^[ \t]*(?:from|import)[ \t]+([\w.]+)(?:[ \t]+import[ \t]+(?:\(([\w,\s]*)\)|([\w, \t]*)))?", re.M
)
MOST = 1000
"""Files that are kept; of more, those that were not used for longest are removed."""
ENDING, BEFORE = ".kernel", ".compiled"
"""Endings of the files, and of those whose seals did not have their names, which are only removed."""
OTHERS = stat.S_IWGRP | stat.S_IWOTH


def read(name: str) -> bytes | None:
    """Return the kept bytes of a name; None if missing or damaged."""
    path = folder() / (name + ENDING)
    try:
        sealed = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    seal, content = sealed[:32], sealed[32:]
    return content if _seal(name, content) == seal else None


def write(name: str, content: bytes) -> None:
    """Keep some content under a name, where that is possible, and remove what was not used for long."""
    with contextlib.suppress(OSError):
        with replacing(folder() / (name + ENDING)) as file:
            file.write(_seal(name, content) + content)
        files = kept()
        for path in sorted(files, key=lambda path: files[path].st_mtime)[: max(0, len(files) - MOST)]:
            path.unlink(missing_ok=True)


def _seal(name: str, content: bytes) -> bytes:
    return hashlib.sha256(f"{name}\0".encode() + content).digest()


def is_kept(name: str) -> bool:
    """Whether something is kept under a name; it may be damaged."""
    return (folder() / (name + ENDING)).is_file()


def kept() -> dict[Path, os.stat_result]:
    """Return the files of compiled code and their status, without those that another process removes meanwhile."""
    files = {}
    for path in (path for ending in (ENDING, BEFORE) for path in folder().glob("*" + ending)):
        with contextlib.suppress(FileNotFoundError):
            files[path] = path.stat()
    return files


def clear() -> int:
    """Remove all compiled code, as far as it can be removed; return how many files that were."""
    files = kept()
    for path in files:
        path.unlink(missing_ok=True)
    return len(files)


@cache
def folder() -> Path:
    """Return the folder of compiled code, created if missing.

    It is `unknot` in the folder that ``NUMBA_CACHE_DIR`` names, or in the user's cache. Where that cannot be written
    to, as in containers and on batch nodes, or is not safe, it is a private one among the temporary files, and a line
    on stderr says so.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    preferred = Path(named, "unknot") if named else _user_cache()
    reason = _refused(preferred)
    if not reason:
        return preferred
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


def _refused(path: Path) -> str:
    """Return why a folder cannot keep compiled code, empty if it can; a missing folder is created first."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        return f"{path} cannot be written to: {error.strerror}"
    return next(_faults(path), "")


def _faults(folder_: Path) -> Iterator[str]:
    """What would let others than user and administrator replace files of a folder, along its path."""
    if not hasattr(os, "getuid"):
        return
    path = folder_.absolute()
    # Both the links as they are written and what they lead to.
    for place in dict.fromkeys([path, *path.parents, path.resolve(), *path.resolve().parents]):
        status = place.lstat()
        if status.st_uid not in (0, os.getuid()):
            yield f"{folder_} is not trusted, because {place} belongs to another user"
        # In a folder such as /tmp nobody can rename what belongs to others.
        shared = place not in (path, path.resolve()) and status.st_mode & stat.S_ISVTX
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & OTHERS and not shared:
            yield f"{folder_} is not trusted, because others can write to {place} (chmod go-w {place})"


@cache
def sources_digest(module: str) -> str:
    """Return a hash of what the kernels of a module are made of: its file, and the kernels and constants it imports.

    An edit of one kernel so compiles those again that are made of it, and no others.
    """
    digest = hashlib.sha256()
    for name in sorted(made_of(module)):
        digest.update(f"{name} {_source(name)[0]} ".encode())
    return digest.hexdigest()[:16]


def made_of(module: str) -> set[str]:
    """Return a module and its direct and indirect imports among `*_kernel` modules and `CONSTANTS`."""
    reached, todo = {module}, [module]
    while todo:
        fresh = {name for name in _source(todo.pop())[1] if name.endswith("_kernel") or name in CONSTANTS} - reached
        reached |= fresh
        todo += fresh
    return reached


@cache
def _source(module: str) -> tuple[str, frozenset[str]]:
    """The hash of a module's file and the names of its imports; both empty without a file."""
    package, *inner = module.split(".")
    paths = getattr(sys.modules.get(package), "__path__", ()) if inner else ()
    own = getattr(sys.modules.get(module), "__file__", None)
    files = [Path(path, *inner).with_suffix(".py") for path in paths] + ([Path(own)] if own else [])
    file = next((file for file in files if file.is_file()), None)
    content = b"" if file is None else file.read_bytes()
    names: set[str] = set()
    for source, *imported in IMPORT.findall(content.decode(errors="replace")):
        names |= {source, *(f"{source}.{name.split()[0]}" for name in "".join(imported).split(",") if name.strip())}
    return hashlib.sha256(content).hexdigest(), frozenset(names)
