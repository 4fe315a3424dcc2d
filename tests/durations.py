"""Processor seconds of tests: kept in `.pytest_cache` after a run, and on record for those that take a while.

`python -m tests.durations` brings the record, `tests/costs.json`, up to the last runs: best after `make test` with
all kernels compiled. A run of folders draws the tests on record, each so seldom that it takes `QUICK` seconds a run
in the mean, but one of `SELDOM` runs at least takes it.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

PLACE = Path(".pytest_cache") / "seconds.json"
RECORD = Path(__file__).with_name("costs.json")
QUICK = 0.08
"""Seconds that a test may take in each run."""
SELDOM = 6
"""Of so many runs, one at least takes a test, however long it takes."""
WHOLE = ("tests/test_docs", "tests/test_pages.py::test_commands", "tests/routing/test_catalogue")
"""Tests that each run takes: commands that a user reads in the docs, and every routing."""


def seconds_of_tests(root: Path) -> dict[str, float]:
    """Processor seconds of each test that ran in a whole run; empty in a fresh clone."""
    return _read(root / PLACE)


def keep_seconds(root: Path, took: dict[str, float]) -> None:
    """Keep what tests took, beside what is known of others."""
    file = root / PLACE
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(seconds_of_tests(root) | took), encoding="utf-8")


def chances() -> dict[str, float]:
    """How often each test on record is taken."""
    return {name: max(1 / SELDOM, QUICK / seconds) for name, seconds in _read(RECORD).items()}


def recorded(old: dict[str, float], took: dict[str, float]) -> dict[str, float]:
    """Return the record with new seconds: of tests that take longer than `QUICK`, in files that may be drawn."""
    both = {name: round(seconds, 2) for name, seconds in sorted({**old, **took}.items())}
    return {name: seconds for name, seconds in both.items() if seconds > QUICK and not name.startswith(WHOLE)}


def _read(file: Path) -> dict[str, float]:
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(kept, dict):
            return kept
    return {}


if __name__ == "__main__":
    root = Path(__file__).parents[1]
    there = {name: seconds for name, seconds in _read(RECORD).items() if (root / name.partition("::")[0]).exists()}
    made = recorded(there, seconds_of_tests(root))
    RECORD.write_text(json.dumps(made, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
