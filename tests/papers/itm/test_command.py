"""The command `unknot itm`, and the pages on meshes and on collective operations."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.fabrics.test_machines import machine
from unknot.cli.program import app
from unknot.fabrics.named import network as named
from unknot_papers.itm import spanning
from unknot_papers.itm.topology import KINDS

ROOT = Path(__file__).parents[3]
PAGES = {name: (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("itm", "collectives")}
COMMANDS = [
    found
    for page in PAGES.values()
    for found in re.findall(r"^\$ unknot (.*?)(?:    # exit code (\d))?$", page, re.M)
]
LONG = (
    'collective "torus(4, 4)" --operation all_gather',
    'collective "torus(4, 4)" --operation all_reduce --groups',
    'collective "mesh(3, 3)" --size 1kB',
    'collective "torus(16, 16)"',
    'collective "dragonfly(8, 4, 4)"',
    "collective examples/collectives/cloud-topology.xml --library",
    "collective nccl-topology.xml --library",
)
"""Commands that take seconds to minutes: in the campaign. tests/collectives has their parts."""
FABRICS = sorted(path.name for path in (ROOT / "examples/fabrics").iterdir() if path.is_dir())


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["itm", *words])
    return result.exit_code, result.stdout, result.stderr


def answer(*words: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = run(*words, "--json")
    found = json.loads(out)
    assert isinstance(found, dict)
    return code, found


def test_a_network_that_has_an_escape_layer(tmp_path: Path) -> None:
    picture = tmp_path / "mesh.svg"
    code, out, err = run("itm(12, extra=6, seed=2)", "--out", str(picture))
    assert code == 0
    said = " ".join(out.split())
    assert "kind exterior found yes" in said
    assert "network channels 54" in said
    assert "added vcs 42" in said
    assert "wormhole yes, wormhole-nonatomic NO" in said
    assert f"wrote {picture}" in err
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_the_same_as_json() -> None:
    code, found = answer("itm(12, extra=6, seed=2)")
    assert code == 0
    assert set(found) == {
        "itself", "why_not", "chordal", "kind", "found", "proved", "method", "reason", "links", "circle", "added_vcs",
        "verdicts", "routes", "network", "manifest",
    }  # fmt: skip
    assert (found["itself"], found["chordal"], found["found"], found["added_vcs"]) == ("", False, True, 42)
    assert found["verdicts"] == {"saf": True, "vct": True, "wormhole": True, "wormhole-nonatomic": False}
    assert len(found["links"]) == 21
    assert sorted(found["circle"]) == sorted({end for link in found["links"] for end in link})
    layers, _, adaptive, every = found["routes"]
    assert layers["adaptivity"] == every["adaptivity"] == 1.0
    assert layers["mean_hops"] <= adaptive["mean_hops"]


def test_a_mesh_is_recognised() -> None:
    code, found = answer("itm(9)")
    assert (code, found["itself"], found["chordal"]) == (0, "exterior", True)
    assert answer('itm(9, "general", seed=2)', "--kind", "general")[1]["itself"] == "general"


def test_a_network_that_has_none() -> None:
    code, out, _ = run("torus(4, 4)")
    assert code == 1
    assert "found no" in " ".join(out.split()).lower()
    assert "triangles that share links" in out
    assert "two layers" not in out
    assert "up*/down*, adaptive" in out


def test_a_network_of_the_other_kind_only(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("a b\na c\nb c\na d\nb d\na e\nb e\n", encoding="utf-8")
    code, found = answer(str(book))
    assert (code, found["found"], found["proved"], found["itself"]) == (1, False, True, "general")
    assert found["method"] == "exact search (CP-SAT)"
    assert found["links"] is None
    code, found = answer(str(book), "--kind", "general")
    assert (code, found["circle"], len(found["links"])) == (0, None, 7)


def test_when_the_time_is_over_nothing_is_said_to_be_proved() -> None:
    code, found = answer("itm(60, degree=8, extra=60, seed=5)", "--time-limit", "0.001", "--compared", "3")
    assert (code, found["found"], found["proved"]) == (3, False, False)
    assert "nothing is proved" in found["reason"]


def test_a_large_network_is_not_compared_unless_asked() -> None:
    code, out, err = run("itm(600, seed=1)")
    assert code == 0
    assert "itself exterior" in " ".join(out.split())
    assert "--compared" in err
    assert "wormhole" not in out


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["itm(9)", "--kind", "outer"], "the kind is"),
        (["itm(9)", "--time-limit", "0"], "time limit"),
        (["itm(2)"], "from 3"),
        (["itm(9)", "--out", "mesh.gif"], "svg"),
        (["nosuch.file"], "nosuch.file"),
    ],
)
def test_bad_input_is_reported(words: list[str], printed: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert printed in err


def test_a_network_in_two_parts_is_refused(tmp_path: Path) -> None:
    parts = tmp_path / "parts.txt"
    parts.write_text("0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n", encoding="utf-8")
    code, _, err = run(str(parts))
    assert code == 2
    assert "not connected" in err


@pytest.mark.sampled(1 / 3)
@pytest.mark.filterwarnings("ignore:.*cables are:UserWarning")  # a mesh is sought whatever the rates
@pytest.mark.parametrize("fabric", FABRICS)
def test_no_fabric_among_the_examples_has_a_spanning_mesh_of_either_kind(fabric: str) -> None:
    network = named(str(ROOT / "examples/fabrics" / fabric))
    for kind in KINDS:
        found = spanning(network, kind)
        assert found.mesh is None
        assert found.proved
        assert "triangle" in found.reason


@pytest.mark.parametrize(
    ("words", "code"),
    [pytest.param(*c, id=c[0], marks=[pytest.mark.campaign] if c[0].startswith(LONG) else []) for c in COMMANDS],
)
def test_commands_of_the_pages(words: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "nccl-topology.xml").write_text(machine())
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, shlex.split(words))
    assert result.exit_code == int(code or 0), result.output


def test_the_pages_have_commands() -> None:
    assert len(COMMANDS) >= 6


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_says_what_the_page_says(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    codes, shown = (re.findall(rf"```{kind}\n(.*?)```", PAGES[page], re.S) for kind in ("python", "text"))
    assert len(codes) == len(shown) > 0
    for code, text in zip(codes, shown, strict=True):
        exec(compile(code, f"docs/{page}.md", "exec"), {})
        assert capsys.readouterr().out == text
