"""The commands of all pages end and say the same where every clock runs 20 times as fast."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.test_docs import LONG, ROOT

CLOCKS = Path(__file__).parent / "docs" / "clocks"
SECONDS = re.compile(
    r"(?:\d+:)?\d[\d.e-]* (?:ms|s|minutes?|cycles per second)\b|^seconds +[\d.e-]+|\"\w*seconds\w*\": [\d.e-]+", re.M
)
MEASURED = {"cache"}
"""Commands that look at the machine."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = set("|<>&")
"""Signs of lines that a shell has to read."""


def commands_of(page: Path) -> list[str]:
    """Commands that a page shows and whose limits count work."""
    lines = re.findall(r"^\$ unknot (.*?)(?:\s+# .*)?$", page.read_text(encoding="utf-8"), re.M)
    return [line for line in lines if not {*line} & SHELL and "--time-limit" not in line and line not in MEASURED]


def said(pages: list[list[str]], *, fast: bool) -> list[tuple[str, int, str]]:
    """Exit codes and words of commands, all in one process; printed seconds are left out."""
    path = [str(ROOT), *([str(CLOCKS)] if fast else [])]
    done = subprocess.run(
        [sys.executable, "-m", "tests.docs.clocks.commands"], input=json.dumps(pages), cwd=ROOT, text=True,
        capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(path)}, check=False,
    )  # fmt: skip
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == sum(map(len, pages)), done.stderr
    return [(words, code, SECONDS.sub("SECONDS", text)) for words, code, text in rows]


def differences(pages: list[list[str]]) -> list[object]:
    """Commands whose exit codes or words differ with fast clocks."""
    usual, fast = (said(pages, fast=fast) for fast in (False, True))
    print(len(usual), "commands, exit codes", sorted(Counter(code for _, code, _ in usual).items()))
    return [(one, other) for one, other in zip(usual, fast, strict=True) if one != other]


def test_clocks_are_fast() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import time; b = time.monotonic(); time.sleep(0.2); print(time.monotonic() - b)"],
        env={**os.environ, "PYTHONPATH": str(CLOCKS)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert float(told.stdout) >= 4


@pytest.mark.long
def test_a_few_commands_heed_no_clock() -> None:
    drawn = random.sample([words for words in commands_of(ROOT / "docs/command-line.md") if words not in LONG], 3)
    assert differences([[words] for words in drawn]) == []


@pytest.mark.campaign
@pytest.mark.parametrize("page", [page for page in PAGES if commands_of(page)], ids=lambda page: page.stem)
def test_commands_heed_no_clock(page: Path) -> None:
    assert differences([commands_of(page)]) == []
