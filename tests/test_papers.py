"""docs/papers.md: paths exist and commands run; `tests/papers/test_record.py` compares claims and answers."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"\| `unknot ([^`]+)`(?: \(exit code (\d)\))? \|$", PAGE, re.M)


def test_paths_exist() -> None:
    named = set(re.findall(r"`((?:src|examples)/[^`]+)`", PAGE))
    assert not [path for path in named if not (ROOT / path).exists()]
    scripts = {f"examples/papers/{path.name}" for path in (ROOT / "examples/papers").glob("*.py")}
    assert scripts <= named


LONG = {'show "line(2)[tree(2, 2)] * line(2) ** 6"'}
"""Commands that take seconds of processor time: in the campaign."""


@pytest.mark.parametrize(
    ("words", "code"),
    [pytest.param(*c, id=c[0], marks=[pytest.mark.campaign] * (c[0] in LONG)) for c in COMMANDS],
)
def test_commands_run(words: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, shlex.split(words))
    assert result.exit_code == int(code or 0), result.output


def test_every_row_has_its_command() -> None:
    tables = re.findall(r"^\| subject \| command \|\n\|[ |-]*\n((?:\|.*\n)+)", PAGE, re.M)
    rows = [row for table in tables for row in table.splitlines()]
    without = [row for row in rows if "`unknot " not in row]
    assert len(tables) == 5
    assert len(COMMANDS) > 25
    assert len(without) == 1, "of a network that no public text defines"
