"""What the pages on the command line and on study files show is run here."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.cli.test_shown_runs import RUNS
from unknot.cli.program import ALL, app
from unknot.studies import StudyError, load_study

ROOT = Path(__file__).parents[1]
COMMANDS = re.findall(
    r"^\$ unknot (.*?)(?:    # exit code (\d))?$", (ROOT / "docs/command-line.md").read_text(), re.M
)
PAGE = (ROOT / "docs/study-files.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    """The block of code of this kind on the page about study files."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S)
    return str(found)


LONG = {
    "run examples/torus.toml",
    "repair examples/fabrics/opensm-torus8x8-dor --time-limit 20",
    'lanes "torus(8, 8)"',  # of its lanes: lanes/test_lanes.py; as a command: lanes/test_commands.py
    'simulate "mesh(3, 3)" --routing message_classes --protocol request_reply --load 0.2',  # cli/test_schemas.py
    'simulate "mesh(4, 4)" --routing dimension_order --vcs 2 --saturation',  # of others: cli/test_simulate.py
}
"""Commands that take seconds of processor time: in the campaign, as those that test_shown_runs.py runs."""
BEFORE = {"rerun torus.svg": ('show "torus(4, 4)" --out torus.svg',)}
"""Commands that write what another reads."""


@pytest.mark.parametrize(
    ("words", "code"),
    [pytest.param(*c, id=c[0], marks=[pytest.mark.campaign] if c[0] in {*LONG, *RUNS} else []) for c in COMMANDS],
)
def test_commands_end_as_the_page_says(
    words: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("docs", "examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    for line in (*BEFORE.get(words, ()), words):
        result = CliRunner().invoke(app, shlex.split(line))
    assert result.exit_code == int(code or 0), result.output


@pytest.mark.campaign
def test_a_sceptic_follows_the_page_on_evidence(tmp_path: Path) -> None:
    """All lines of its block in a shell that ends where a command fails, except where the page says so."""
    page = (ROOT / "docs/evidence.md").read_text(encoding="utf-8")
    (lines,) = [part for part in re.findall(r"```sh\n(.*?)```", page, re.S) if "plain.py" in part]
    lines = re.sub(r"^(.*?)    # .*exit code 1$", r"! \1", lines, flags=re.M)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", lines],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": accepted: ") > 80
    assert "wrong.json: REJECTED: a fault cuts 36 routes" in done.stdout


def test_every_command_is_shown() -> None:
    assert {words for words, _ in COMMANDS} >= LONG
    assert {words.split()[0] for words, _ in COMMANDS} == set(ALL)


def test_the_study_is_as_the_page_says(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(block("toml"), encoding="utf-8")
    study = load_study(path)
    assert [design.name for design in study.designs] == [
        "small",
        "torus(4, 4), duato, 3 VCs",
        "torus(4, 4), duato, 4 VCs",
        "mesh(4, 4), duato, 3 VCs",
        "mesh(4, 4), duato, 4 VCs",
    ]
    assert {design.packet_length for design in study.designs} == {4}


def test_the_problem_is_reported_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = block("toml").replace('"duato"', '"duatto"')
    Path("study.toml").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as caught:
        load_study("study.toml")
    assert str(caught.value) == block("text").rstrip("\n")


def test_the_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = block("toml").split("[[design]]   ")[0] + "[simulation]\nloads = [0.1]\nmeasure = 200\nwarmup = 200\n"
    Path("study.toml").write_text(text, encoding="utf-8")
    exec(compile(block("python"), "docs/study-files.md", "exec"), {})
    assert capsys.readouterr().out == "small True True\n"
