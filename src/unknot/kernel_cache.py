"""Compiled kernels on disk: dropped when any source they are made of has changed.

Numba keeps compiled kernels beside their source and compiles again when that one file changes. It does not see that a
kernel also holds functions and constants of other files.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import stat
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

CONSTANTS = ("splitmix.py", "routing/relation.py", "simulation/engine/state.py")
"""Files that are not kernels but give them constants and functions."""


def folder_for(package: Path) -> str:
    """A folder for compiled kernels where Numba finds none, else empty: a private one among the temporary files.

    Numba keeps kernels beside their sources or in the user's cache. Where the installation is read-only and there is
    no home, as in containers and on batch nodes, it would refuse to compile at all.
    """
    beside = all(_writable(folder / "__pycache__") for folder in {s.parent for s in package.rglob("*_kernel.py")})
    if beside or _writable(Path(_user_cache())):
        return ""
    folder = _private_folder()
    warnings.warn(
        f"neither the folder of the installation nor the user's cache can be written to; kernels are compiled into "
        f"{folder}, which takes up to a minute once (NUMBA_CACHE_DIR names another folder)",
        stacklevel=2,
    )
    return str(folder)


def _user_cache() -> str:
    from numba.misc.appdirs import AppDirs

    numba: Any = AppDirs
    return str(numba(appname="numba", appauthor=False).user_cache_dir)


def _private_folder() -> Path:
    """A folder among the temporary files that nobody else can write to: compiled code is loaded from it."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir(), f"unknot-kernels-{user}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        own = stat.S_ISDIR(found.st_mode) and (found.st_uid == user or not hasattr(os, "getuid"))
        if own and not found.st_mode & 0o022:
            return folder
    return Path(tempfile.mkdtemp(prefix="unknot-kernels-"))


def _writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def without_a_look_at_blas() -> None:
    """Load the part of Numba that looks for SciPy's linear algebra, but without the look: it takes 0.25 s.

    Unknot requires SciPy, so it is. A rule that multiplies matrices still has Numba look when it is compiled.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    from numba.np import linalg

    look = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look


def drop_stale(package: Path, cache: str = "") -> bool:
    """Remove the compiled kernels of a package if they were made of other sources; True if so.

    They are beside their sources, or in the folder `cache` that NUMBA_CACHE_DIR names. Where it cannot be written to
    nothing is done; Numba then keeps its files elsewhere.
    """
    sources = sorted(package.rglob("*_kernel.py"))
    digest = hashlib.sha256()
    for source in [*sources, *(package / name for name in CONSTANTS)]:
        digest.update(source.read_bytes())
    stamp = _folder(package / "kernels", cache) / "kernels.sha256"
    with contextlib.suppress(OSError):
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return False
        for folder in {_folder(source, cache) for source in sources}:
            for compiled in folder.glob("*_kernel.*.nb[ic]"):
                compiled.unlink(missing_ok=True)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        fresh = stamp.with_name(f"{stamp.name}.{os.getpid()}")
        fresh.write_text(digest.hexdigest())
        fresh.replace(stamp)
        return True
    return False


def _folder(source: Path, cache: str) -> Path:
    """Folder in which Numba keeps what it compiles of a source."""
    if not cache:
        return source.parent / "__pycache__"
    folder = os.path.dirname(os.path.abspath(source))
    return Path(cache, f"{Path(folder).name}_{hashlib.sha1(folder.encode()).hexdigest()}")
