"""Every command with odd values ends by one of its exit codes: no crash, traceback, hang or raw escape.

`make campaign` runs 3,000 command lines; ``UNKNOT_FUZZ_LINES`` and ``--hypothesis-seed`` change number and seed.
"""

from __future__ import annotations

import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.commands import outcome
from tests.fuzz.lines import GOOD, line, prepare, texts
from tests.fuzz.readers import ROOT

EVIDENCE = [
    ["check", "mesh(2, 2)", "--routing", "west_first", "--evidence", "evidence.json"],
    ["check", "ring(4)", "--routing", "dimension_order(dateline='none')", "--export", "knot.json"],
]
"""Commands whose files others read."""


def fuzzed(lines: int, seed: int) -> tuple[Counter[int], list[str]]:
    """Exit codes of random command lines, and the lines that went wrong with the reason."""
    codes: Counter[int] = Counter()
    wrong = []
    draw = random.Random(seed)
    root = Path(tempfile.mkdtemp())  # a TemporaryDirectory would be removed by the first fork that ends
    try:
        good, folder = root / "good", root / "files"
        good.mkdir()
        names = prepare(good)
        for words in EVIDENCE:
            assert not outcome(words, good)[1]
        for _ in range(lines):
            shutil.copytree(good, folder, dirs_exist_ok=True)
            words = line(draw, names)
            code, why, took = outcome(words, folder)
            codes[code] += 1
            if why:
                wrong.append(f"{shlex.join(words)[:1500]!r} after {took:.1f} s: {why}")
                print(wrong[-1], flush=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return codes, wrong


def run(lines: int, seed: int) -> str:
    """The last line of a fresh process that runs this file; forks of it are small and have one thread."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.test_commands", str(lines), str(seed)],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"seed {seed}: {(done.stdout + done.stderr)[-5000:]}"
    return done.stdout.splitlines()[-1]


@pytest.mark.campaign
def test_many_command_lines(seed: int) -> None:
    print(run(int(os.environ.get("UNKNOT_FUZZ_LINES", "3000")), seed))


def test_every_option_that_takes_text_has_good_texts() -> None:
    without = {name for name in texts() if name not in GOOD}
    assert not without


def test_some_command_lines() -> None:
    """The same lines in every run; the campaign draws fresh ones, and knows of faults that are still open."""
    assert "0 wrong" in run(2, 2)


if __name__ == "__main__":
    counted, found = fuzzed(int(sys.argv[1]), int(sys.argv[2]))
    done = 1 - counted[2] / counted.total()
    print(f"{dict(counted)}, {done:.0%} not refused, {len(found)} wrong")
    sys.exit(bool(found))
