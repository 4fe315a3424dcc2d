"""Widths of tables where answers go through a pipe to a reader at a terminal, and where they go into a file."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

WORDS = ["compare", "ring(4) by up_down", "complete(4) by up_down"]
COLUMNS = 90


@pytest.fixture
def terminal() -> Any:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    yield theirs
    os.close(ours)
    os.close(theirs)


def widest(text: str) -> int:
    return max(len(line.rstrip()) for line in text.splitlines())


@pytest.mark.long
def test_a_pipe_is_as_wide_as_the_terminal_behind_it(terminal: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "unknot", *WORDS], stdout=subprocess.PIPE, stderr=terminal, text=True
    )
    assert done.returncode == 0
    assert "complete(4)" in done.stdout
    assert widest(done.stdout) <= COLUMNS


@pytest.mark.long
def test_a_file_has_every_row_on_a_line(terminal: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    with path.open("w") as file:
        done = subprocess.run([sys.executable, "-m", "unknot", *WORDS], stdout=file, stderr=terminal)
    assert done.returncode == 0
    assert widest(path.read_text()) > 2 * COLUMNS
