"""A hash of the code that computes results: the sources of Unknot and its extensions, and their libraries."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from unknot._base.extensions import folders

PACKAGE = Path(__file__).parents[1]
LIBRARIES = ("numba", "numpy", "scipy", "ortools")
"""Libraries whose code takes part in verdicts and runs."""


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return the hash of this installation, computed once per process (10 ms for 1.8 MB of sources)."""
    versions = {name: version(name) for name in LIBRARIES}
    return digest_of([PACKAGE, *folders()], {"python": "{}.{}".format(*sys.version_info), **versions})


def digest_of(packages: Iterable[Path], versions: dict[str, str]) -> str:
    """Return a hash of all Python sources under some folders and of the versions of libraries.

    Every source counts, whatever it seems to be about: a result must not outlive the code that made it.
    """
    digest = hashlib.sha256(repr(sorted(versions.items())).encode())
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]
