"""Configurations of BookSim as NETWORK and as routing of every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import unknot
from unknot.cli.program import app
from unknot.fabrics.formats import kind_of
from unknot_booksim import read_setup

TORUS = "topology = torus;\nk = 4;\nn = 2;\nrouting_function = dim_order;\nnum_vcs = 2;\nvc_buf_size = 4;\n"


@pytest.fixture(params=["torus.cfg", "torus.icnt", "torus44"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path(request.param).write_text(TORUS)
    return str(request.param)


def says(*words: str, code: int = 0) -> tuple[str, str]:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def test_the_file_tells_routing_technique_and_depth(file: str) -> None:
    out, err = says("check", file, "--json")
    answer = json.loads(out)
    assert answer["deadlock_free"] is True
    assert (answer["routing"], answer["vcs"], answer["switching"]) == (
        "dim_order of BookSim",
        2,
        "wormhole-nonatomic",
    )
    assert f"{file} tells --routing " in err
    assert "--switching wormhole-nonatomic --buffer-depth 4" in err


def test_the_answer_is_that_of_the_setup(file: str) -> None:
    setup = read_setup(file)
    ours = json.loads(says("analyse", file, "--json")[0])
    assert ours["routing"] == setup.relation.name
    assert unknot.verify.check(setup.relation, "wormhole-nonatomic").answer == "yes"


def test_the_command_line_wins(file: str) -> None:
    out, err = says("check", file, "--routing", "dimension_order", "--vcs", "2", "--switching", "saf", "--json")
    answer = json.loads(out)
    assert (answer["routing"], answer["switching"]) == ("dimension_order with crossing dateline", "saf")
    assert "--routing" not in err
    assert "tells --buffer-depth 4" in err


def test_commands_without_a_routing_take_the_network(file: str) -> None:
    assert json.loads(says("show", file, "--json")[0])["routers"] == 16
    out, err = says("lanes", file, "--json")
    assert json.loads(out)["lanes"] >= 1
    assert "--routing" not in err


def test_what_is_simulated_has_the_depth_of_the_file(file: str) -> None:
    run = json.loads(says("simulate", file, "--load", "0.1", "--measure", "200", "--warmup", "50", "--json")[0])
    assert (run["buffer_depth"], run["switching"]) == (4, "wormhole-nonatomic")


def test_the_kind_of_file_is_seen(file: str) -> None:
    assert kind_of(file) == "cfg"


def test_a_routing_of_another_network_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("torus.cfg").write_text(TORUS)
    _, err = says("check", "mesh(4, 4)", "--routing", "torus.cfg", code=2)
    assert "torus.cfg routes the network that it describes itself, not mesh(4, 4)" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TORUS.replace("dim_order", "dim_ordr"), "bad.cfg:4:20: routing_function: BookSim has no dim_ordr on torus"),
        (TORUS + "nonsense = 1;\n", "bad.cfg:7:1"),
        ("", "bad.cfg"),
    ],
)
def test_a_wrong_file_is_named_with_its_place(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.cfg").write_text(text)
    assert said in says("check", "bad.cfg", code=2)[1]
