"""The commands of the page on the command line keep their exit code on a processor that others use too."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_docs import BEFORE, COMMANDS, ROOT

LOOPS = 20
"""Programs that never rest, on the processor of the command."""
pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no process is bound to a processor here"),
]


def started(words: list[str], **options: object) -> subprocess.Popen[str]:
    """A process on the processor that has the lowest number."""
    only = {min(os.sched_getaffinity(0))}
    return subprocess.Popen(words, text=True, preexec_fn=lambda: os.sched_setaffinity(0, only), **options)  # type: ignore[call-overload,no-any-return]


@pytest.fixture(scope="module", autouse=True)
def loops() -> Iterator[None]:
    """Programs that never rest, until the last command has ended."""
    running = [started([sys.executable, "-c", "while True: pass"]) for _ in range(LOOPS)]
    yield
    for one in running:
        one.kill()
        one.wait()


@pytest.mark.parametrize(("words", "code"), [pytest.param(*one, id=one[0]) for one in COMMANDS])
def test_commands_end_as_the_page_says_beside_busy_loops(words: str, code: str, tmp_path: Path) -> None:
    for folder in ("docs", "examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for line in (*BEFORE.get(words, ()), words):
        with started(
            [sys.executable, "-m", "unknot", *shlex.split(line)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as command:
            said, _ = command.communicate()
    clocked = {3} if "--time-limit" in words else set()  # a limit of time is reached on a slow machine
    assert command.returncode in {int(code or 0), *clocked}, said
