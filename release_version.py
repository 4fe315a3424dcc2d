"""The version that a build gets: that of the tag, or of what comes after the newest release.

pyproject.toml names it; nothing imports it at run time.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent


def newest_release(changelog: str) -> tuple[int, int, int]:
    """The newest version that CHANGELOG dates."""
    dated = re.search(r"^## \[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d$", changelog, re.M)
    if dated is None:
        raise ValueError("CHANGELOG.md has no line '## [MAJOR.MINOR.PATCH] - YEAR-MONTH-DAY'")
    major, minor, patch = map(int, dated.groups())
    return major, minor, patch


def tag_of_commit(root: Path = ROOT) -> str | None:
    """The tag ``vMAJOR.MINOR.PATCH`` of the commit that is checked out; None without a tag, a repository or git."""
    if not (root / ".git").exists():  # git would look into the folders above
        return None
    words = ["git", "-C", str(root), "describe", "--tags", "--exact-match", "--match", "v[0-9]*"]
    try:
        return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def version(root: Path = ROOT) -> str:
    """The version of these sources.

    An sdist keeps the version it was made with. A clone without tags, or with later commits, is a development version
    of the next release, never the release itself.
    """
    kept = root / "PKG-INFO"
    if kept.exists():
        return re.search(r"^Version: (.+)$", kept.read_text(encoding="utf-8"), re.M)[1]  # type: ignore[index]
    if (tag := tag_of_commit(root)) is not None:
        return tag.removeprefix("v")
    major, minor, patch = newest_release((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    return f"{major}.{minor}.{patch + 1}.dev0"
