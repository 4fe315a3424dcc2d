"""Signs of life in a pipe: what a command is doing, from time to time, and nothing on stdout."""

from __future__ import annotations

import json
import re
import time

import pytest
from typer.testing import CliRunner

from unknot.cli.commands import activity
from unknot.cli.program import app


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "EVERY", 0.02)
    monkeypatch.delenv("UNKNOT_QUIET", raising=False)


@pytest.mark.sampled(1 / 5)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("repair", "torus(4, 4)", "--routing", "dimension_order", "--time-limit", "1"), "looking for remedies"),
        (("lanes", "torus(4, 4)"), "looking for lanes"),
        (("check", "torus(4, 4)", "--routing", "lanes"), "building lanes"),
        (("simulate", "torus(4, 4)", "--routing", "duato", "--load", "0.2"), "simulating: "),
        (("trace", "mesh(4, 4)", "--routing", "dimension_order", "--requests", "200"), "simulating, "),
    ],
)
def test_a_pipe_is_told_what_goes_on(words: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(app, [*words, "--json"])
    json.loads(result.stdout)
    lines = [line for line in result.stderr.splitlines() if line.endswith(" s")]
    assert any(line.startswith(said) for line in lines), result.stderr


FOUND = [
    (("lanes", "torus(4, 4)"), r"looking for lanes: .*; 1 lane, highest load \S+, at least \S+, \d+ s"),
    (
        ("curve", "mesh(4, 4)", "--routing", "duato", "--loads", "0.1:0.4:0.1"),
        r"curve: duato, load 0\.\d: done \d of \d; latest: \S+ cycles at load 0\.\d, \d+ s",
    ),
    (("faults", "torus(4, 4)", "--routing", "up_down"), r"faults: .* \d+ of 32; holds \d+, \d+ s"),
    (
        ("simulate", "mesh(4, 4)", "--routing", "duato", "--load", "0.2", "--measure", "200000"),
        r"simulating: measuring, cycle \S+; mean latency \S+ cycles, \d+ s",
    ),
]
"""Commands, and a line that names what they have found so far."""


@pytest.mark.long
@pytest.mark.parametrize(("words", "line"), FOUND)
def test_a_line_names_what_was_found_so_far(words: tuple[str, ...], line: str) -> None:
    result = CliRunner().invoke(app, [*words, "--json"])
    assert re.search(line, result.stderr), result.stderr


def wait_for(capsys: pytest.CaptureFixture[str], sign: str) -> None:
    lines: list[str] = []
    until = time.monotonic() + 600
    while not any(re.fullmatch(sign, line) for line in lines):
        assert time.monotonic() < until, lines
        time.sleep(0.01)
        lines += capsys.readouterr().err.splitlines()


def test_the_count_and_the_stage_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    with activity.signs(), activity.working("looking") as tell:
        tell("round", 3, 12000)
        wait_for(capsys, r"looking: round 3 of 12,000, \d+ s")
        with activity.working("proving"):
            wait_for(capsys, r"proving, \d+ s")
        wait_for(capsys, r"looking: round 3 of 12,000, \d+ s")
    capsys.readouterr()
    time.sleep(0.1)
    assert len(capsys.readouterr().err.splitlines()) <= 1  # that which was being written when it ended


def test_they_can_be_turned_off(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("UNKNOT_QUIET", "1")
    with activity.signs():
        time.sleep(0.1)
    assert not capsys.readouterr().err
