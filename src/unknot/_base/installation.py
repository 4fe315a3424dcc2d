"""The installation that computes outcomes: its commit, a digest of its code, and the versions of its libraries."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from unknot._base.extensions import folders

PACKAGE = Path(__file__).parents[1]
LIBRARIES = ("numba", "numpy", "scipy", "ortools", "python-sat")
"""Libraries whose code takes part in verdicts and runs."""


@lru_cache(maxsize=1)
def libraries() -> dict[str, str]:
    """The versions of Python and of those `LIBRARIES` that are installed."""
    versions = {"python": "{}.{}".format(*sys.version_info)}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # comes with an extra
            continue
    return versions


@lru_cache(maxsize=1)
def code_digest() -> str:
    """Return the hash of this installation, computed once per process (10 ms for 1.8 MB of sources)."""
    return digest_of([PACKAGE, *folders()], libraries())


def digest_of(packages: Iterable[Path], versions: Mapping[str, str]) -> str:
    """Return a hash of all Python sources under some folders and of the versions of libraries.

    Every source counts, whatever it seems to be about: a result must not outlive the code that made it.
    """
    digest = hashlib.sha256(repr(sorted(versions.items())).encode())
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


@lru_cache(maxsize=1)
def commit() -> str | None:
    """The commit of a checkout, or the one that pip installed from; None where neither is known."""
    git = PACKAGE.parents[1] / ".git"
    try:
        if git.exists():
            words = ["git", "--git-dir", str(git), "rev-parse", "HEAD"]
            return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()
        source = json.loads(distribution("unknot").read_text("direct_url.json") or "{}")
        name: str | None = source.get("vcs_info", {}).get("commit_id")
        return name
    except (OSError, subprocess.CalledProcessError, PackageNotFoundError):
        return None
