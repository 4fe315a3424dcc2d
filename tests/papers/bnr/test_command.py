"""The command `unknot bnr`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.stdout


@pytest.mark.long
def test_a_table_prints_draws_and_ends_as_it_should(tmp_path: Path) -> None:
    code, text = run("bnr", "mesh(2, 2, 3)", "--routing", "planar_adaptive", "--out", str(tmp_path / "table.png"))
    assert code == 1
    assert "BNRs are not provided" in text
    assert (tmp_path / "table.png").read_bytes().startswith(b"\x89PNG")
    code, text = run("bnr", "mesh(3, 3)", "--routing", "lcfaa", "--switching", "wormhole", "--json")
    answer = json.loads(text)
    assert code == 1
    assert answer["holds"] is answer["deadlock_free"] is False
    assert answer["reasons"] == ["it can deadlock under wormhole"]
    assert [row["provided"] for row in answer["bnrs"]] == [True] * 4
    assert run("bnr", "mesh(3, 3)", "--routing", "lcfaa", "--switching", "saf")[0] == 0
    assert run("bnr", "torus(3, 3)", "--routing", "duato")[0] == 0
    assert run("bnr", "ring(5)", "--routing", "lcfaa")[0] == 2
    code, text = run("bnr", "mesh(3, 3)", "--routing", "pbfaa(returns=False)", "--switching", "vct")
    assert code == 0
    assert "refusal" in text
    assert "is not offered" in text
    code, text = run("bnr", "mesh(2, 3)", "--routing", "west_first", "--json")
    forbidden = json.loads(text)["bnrs"][1]["forbidden"]
    assert (forbidden["source"], forbidden["channels"]) == ("t1", ["(1,0)→(1,1)", "(1,1)→(0,1)"])


def test_formats_can_be_named_and_pictures_have_known_endings(tmp_path: Path) -> None:
    assert "--from FORMAT" in run("bnr", "--help")[1]
    said = CliRunner().invoke(app, ["bnr", "mesh(3, 3)", "--routing", "duato", "--out", str(tmp_path / "a.jpg")])
    assert (said.exit_code, said.stdout) == (2, "")
    assert "a.jpg: the ending tells what is written of an answer" in said.stderr
