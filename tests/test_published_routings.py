"""The page on published routings: each of its commands answers as the table says, and the checker agrees."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.fabrics.named import network
from unknot.routing.named import routing
from unknot.verify import check

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/results/published-routings.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ unknot (.*?)(?:    # exit code (\d))?$", PAGE, re.M)
ANSWERS = re.findall(r"^\| (\d+) \|.*\| (free|\*\*deadlock\*\*) \|$", PAGE, re.M)
TIMES = {"2": 4, "10": 2}
"""Numbers of routings in one row."""


def test_each_command_answers_as_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    wanted = [answer == "free" for number, answer in ANSWERS for _ in range(TIMES.get(number, 1))]
    found = []
    for words, code in COMMANDS:
        result = CliRunner().invoke(app, [*shlex.split(words), "--json"])
        assert result.exit_code == int(code or 0), f"{words}\n{result.output}"
        answer = json.loads(result.stdout)
        if words.startswith("replay"):
            assert answer["accepted"]
            assert answer["replay"]["stuck"]
            continue
        assert answer["certificate_holds"], words
        assert answer["delivered"], words
        found.append(answer["deadlock_free"])
    assert found == wanted


@pytest.mark.parametrize("dateline", range(8))
def test_the_deadlock_needs_no_particular_dateline(dateline: int) -> None:
    ring = network("{(i) -> ((i + 1) % 8) for i in 8}")
    text = f"{ROOT}/examples/published/constellation.py:generalized_dateline(dateline={dateline}"
    assert check(routing(ring, f"{text})"), "vct").deadlock_free is False
    assert check(routing(ring, f"{text}, static=True)"), "vct").deadlock_free is True
