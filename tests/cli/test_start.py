"""Signals while the command starts: from its first line on they end in a word."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import unknot_start

START = Path(unknot_start.__file__)
FIRST = START.read_text(encoding="utf-8").splitlines().index("try:") + 1
COMMAND = "from unknot_start import main; main()"
"""What an installed `unknot` does."""
AT_A_LINE = f"""
import os, sys

left = int(sys.argv[1])
begun = False


def trace(frame, event, argument):
    global left, begun
    begun = begun or frame.f_code.co_filename == {str(START)!r} and frame.f_lineno > {FIRST}
    left -= begun
    if left <= 0:
        sys.settrace(None)
        os.kill(os.getpid(), {int(signal.SIGINT)})
    return trace


sys.argv = ["unknot", "--version"]
sys.settrace(trace)
{COMMAND}
"""
"""The command, which is interrupted after a number of lines of any file, its own first one counted first."""


def after_lines(count: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", AT_A_LINE, str(count)], capture_output=True, text=True, check=False, timeout=600
    )


@pytest.mark.parametrize("above", [3, 30, 300, pytest.param(3_000, marks=pytest.mark.campaign), 30_000])
def test_ctrl_c_after_the_first_line_ends_in_a_word(above: int) -> None:
    """The first lines import `signal`, the next set handlers; then everything else is imported."""
    count = random.randint(above // 3, above)
    done = after_lines(count)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n"), count


@pytest.mark.campaign
def test_ctrl_c_after_any_line_ends_in_a_word() -> None:
    counts = [int(10 ** random.uniform(0, 4.7)) for _ in range(150)]
    wrong = {}
    for count in counts:
        done = after_lines(count)
        if (done.returncode, done.stderr) not in ((130, "interrupted\n"), (0, "")):
            wrong[count] = done.returncode, done.stderr
    assert wrong == {}


@pytest.mark.campaign
def test_ctrl_c_at_any_moment_of_the_start() -> None:
    """By the clock: before the first line the interpreter ends by itself, and no line of Unknot is in its words."""
    words = [sys.executable, "-c", COMMAND, "--version"]
    began = time.monotonic()
    subprocess.run(words, capture_output=True, check=True)
    whole = time.monotonic() - began
    seen: Counter[str] = Counter()
    for _ in range(200):
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(random.uniform(0, whole))
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=600)[1]
        ours = "unknot" in said.replace(COMMAND, "")
        kind = "by the interpreter" if "Traceback" in said or process.returncode < 0 else "by the command"
        seen[f"{kind}, {process.returncode}"] += 1
        assert not ours, said
        assert process.returncode in (0, 130, -signal.SIGINT, 1), said
    print(f"\n{whole:.2f} s for the whole: {dict(seen)}")
