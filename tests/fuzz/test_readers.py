"""Damaged files of every format are read or refused with the name of the file: no crash, hang, flood or raw escape.

`make campaign` reads 30,000 effective inputs with each reader; ``UNKNOT_FUZZ_INPUTS`` and ``--hypothesis-seed``
change number and seed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.readers import READERS, ROOT, Reader


def fuzzed(name: str, inputs: int, seed: int, folder: Path) -> dict[str, Any]:
    """Run a worker process; its counts. Files that failed are kept in `folder`."""
    fast = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=fast if fast.is_dir() else None) as files:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.worker", name, str(inputs), str(seed), files],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        shutil.copytree(files, folder, dirs_exist_ok=True)
    assert done.returncode == 0, f"{name}, seed {seed}, the file is in {folder}: {done.stderr[-3000:]}"
    counts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert counts["effective"] >= inputs, counts
    assert not counts["failures"], counts
    return counts


@pytest.mark.campaign
@pytest.mark.parametrize("name", READERS)
def test_many_damaged_files(name: str, seed: int, tmp_path: Path) -> None:
    counts = fuzzed(name, int(os.environ.get("UNKNOT_FUZZ_INPUTS", "30000")), seed, tmp_path)
    print(json.dumps(counts))


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("name", READERS)
def test_some_damaged_files(name: str, seed: int, tmp_path: Path) -> None:
    from tests.fuzz.worker import run

    inputs = 20 if name == "study" else 40
    counts = run(name, inputs, seed, tmp_path)
    assert counts["effective"] >= inputs
    assert not counts["failures"], counts
    assert counts["read"] + counts["refused"] == counts["effective"]


def test_a_reading_that_takes_too_long_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended the process that ran the tests, on a machine that was busy with others."""
    from tests.fuzz import worker

    begun: list[Path] = []

    def read(path: Path) -> None:
        begun.append(path)
        while len(begun) > 1:  # the first is the good file
            pass

    monkeypatch.setattr(worker, "SLOWEST", 0.01)
    monkeypatch.setitem(READERS, "slow", Reader("slow", ".txt", lambda: [b"good"], read, lambda head: True))
    counts = worker.run("slow", 1, 1, tmp_path)
    assert counts["failure"] == counts["effective"] > 0
    assert all(words.startswith("TimeoutError: more than") for words in counts["failures"])
