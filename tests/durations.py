"""Seconds that tests took when they last ran here, kept in `.pytest_cache`."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

PLACE = Path(".pytest_cache") / "seconds.json"


def seconds_of_tests(root: Path) -> dict[str, float]:
    """Seconds by the clock of each test that ran in a whole run; empty in a fresh clone."""
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads((root / PLACE).read_text(encoding="utf-8"))
        if isinstance(kept, dict):
            return kept
    return {}


def keep_seconds(root: Path, took: dict[str, float]) -> None:
    """Keep what tests took, beside what is known of others."""
    file = root / PLACE
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(seconds_of_tests(root) | took), encoding="utf-8")
