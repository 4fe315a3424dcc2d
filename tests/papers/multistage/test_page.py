"""The commands on docs/multistage.md end as it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app

PAGE = (Path(__file__).parents[3] / "docs/multistage.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ unknot (.*?)(?:    # exit code (\d))?$", PAGE, re.M)


@pytest.mark.parametrize(("words", "code"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_commands(words: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, shlex.split(words)).exit_code == int(code or 0)
    drawn = re.findall(r"--out (\S+)", words)
    assert [path.name for path in tmp_path.iterdir()] == drawn


def test_there_are_commands() -> None:
    assert len(COMMANDS) == 3
