"""Compiled kernels on disk: dropped when any source they are made of has changed.

Numba keeps compiled kernels beside their source and compiles again when that one file changes. It does not see that a
kernel also holds functions and constants of other files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

CONSTANTS = ("routing/relation.py", "simulation/layout.py")
"""Files that are not kernels but give them constants."""


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
    """Where Numba keeps what it compiles of a source."""
    if not cache:
        return source.parent / "__pycache__"
    folder = os.path.dirname(os.path.abspath(source))
    return Path(cache, f"{Path(folder).name}_{hashlib.sha1(folder.encode()).hexdigest()}")
