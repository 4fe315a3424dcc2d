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


def drop_stale(package: Path) -> bool:
    """Remove the compiled kernels of a package if they were made of other sources; True if so.

    Where the package cannot be written to nothing is done; Numba then keeps its files elsewhere.
    """
    digest = hashlib.sha256()
    for source in sorted([*package.rglob("*_kernel.py"), *(package / name for name in CONSTANTS)]):
        digest.update(source.read_bytes())
    stamp = package / "__pycache__" / "kernels.sha256"
    with contextlib.suppress(OSError):
        if stamp.exists() and stamp.read_text() == digest.hexdigest():
            return False
        for compiled in package.rglob("__pycache__/*_kernel.*.nb[ic]"):
            compiled.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        fresh = stamp.with_name(f"{stamp.name}.{os.getpid()}")
        fresh.write_text(digest.hexdigest())
        fresh.replace(stamp)
        return True
    return False
