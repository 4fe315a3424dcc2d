"""`unknot convert`: files of one format to those of another."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from matplotlib.image import imread
from typer.testing import CliRunner, Result

from unknot.cli.program import app
from unknot.fabrics import FORMATS, read_network
from unknot.network.families import torus

FABRIC = Path(__file__).parents[2] / "examples/fabrics/opensm-leafspine-degraded-ftree"


def unknot_says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_round_the_formats_that_carry_everything(tmp_path: Path) -> None:
    last = "torus(4, 3, latency=2)"
    for i, ending in enumerate([".graphml", ".gml", ".json"]):
        path = str(tmp_path / f"net{i}{ending}")
        result = unknot_says("convert", last, path)
        assert result.exit_code == 0, result.output
        said = " ".join(result.stdout.split())
        assert said.startswith(f"file {path} format ")
        assert said.endswith("routers 12 network channels 48 network terminals 12")
        last = path
    assert read_network(last) == torus(4, 3, latency=2)


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.write])
def test_a_fabric_into_every_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / "fabric.x"
    result = unknot_says("convert", str(FABRIC), str(path), "--to", name, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["file"], found["format"]) == (str(path), name)
    assert (found["network"]["routers"], found["network"]["terminals"]) == (18, 72)
    decorated = ("terminals", "router names", "terminal names", "port numbers")
    assert found["dropped"] == [part for part in decorated if part not in FORMATS[name].keeps]
    assert name not in ("booksim", "garnet") or found["dropped"] == list(decorated[1:])


def test_what_is_dropped_is_reported(tmp_path: Path) -> None:
    result = unknot_says("convert", "torus(4, 4)", str(tmp_path / "net.edges"))
    said = " ".join(result.stdout.split())
    assert said.startswith(f"file {tmp_path / 'net.edges'} format edges network torus(4, 4) ")
    assert said.endswith("network terminals 16 dropped coordinates")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("torus(4, 4)", "net.xyz"), "no format has the ending '.xyz'"),
        (("torus(4, 4)", "net.x", "--to", "dott"), "did you mean dot?"),
        (("torsu(4, 4)", "net.dot"), "did you mean torus"),
        (("twins", "Net.py"), "parallel channels"),
        (("torus(4, 4)", "nowhere/net.dot"), "nowhere/net.dot: it cannot be written: No such file"),
    ],
)
def test_bad_input(words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twins").write_text("0 -- 1\n0 1\n")
    result = unknot_says("convert", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["twins"]


def test_a_broken_file_is_reported_with_its_position(tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text('{"nodes": [],\n  "edges": [}\n')
    result = unknot_says("convert", str(tmp_path / "net.json"), str(tmp_path / "net.gml"))
    assert result.exit_code == 2
    assert f"{tmp_path / 'net.json'}:2:13: " in result.stderr
    assert not (tmp_path / "net.gml").exists()


def test_pictures_in_both_formats(tmp_path: Path) -> None:
    for ending in ("svg", "png"):
        assert unknot_says("show", "ring(8)", "--out", str(tmp_path / f"a.{ending}")).exit_code == 0
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    assert imread(tmp_path / "a.png").size > 10_000
    refused = unknot_says("check", "ring(8)", "--routing", "duato", "--out", str(tmp_path / "a.jpg"))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "a.jpg: the ending tells what is written of an answer" in refused.stderr


def test_the_format_of_a_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("0 1\n1 2\n")
    path = str(tmp_path / "pairs")
    refused = unknot_says("show", path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "neither ending nor content shows of what format this file is; name it with --from" in refused.stderr
    assert (
        "nccl, taccl, json, lst, ibnetdiscover, iblinkinfo, netdump, dbcsv, ports, portcsv, opareport, ibsim, edges"
        in refused.stderr
    )
    assert unknot_says("show", path, "--from", "edges").stdout.splitlines()[1].split() == ["routers", "3"]
    assert unknot_says("show", path, "--from", "edges").stdout == unknot_says("show", f"edges:{path}").stdout
    removed = unknot_says("show", f"metis:{path}")
    assert (removed.exit_code, removed.stdout) == (2, "")
    assert "the format 'metis' was removed: write an edge list" in removed.stderr
    wrong = unknot_says("show", path, "--from", "edgse")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "there is no format 'edgse'; did you mean edges" in wrong.stderr


@pytest.mark.parametrize("name", ["show", "check", "convert", "simulate", "analyse", "faults", "audit"])
def test_every_command_that_reads_a_network_takes_the_format(name: str) -> None:
    assert "--from FORMAT" in unknot_says(name, "--help").stdout


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for words in (["show"], ["check", "--routing", "up_down"], ["audit"]):
        result = unknot_says(words[0], str(tmp_path / "pipe"), *words[1:])
        assert (result.exit_code, result.stdout) == (2, "")
        assert "it is a pipe, and only regular files are read" in result.stderr
