"""The command `unknot permute`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["permute", *words])
    return result.exit_code, result.stdout, result.stderr


def test_a_permutation_is_realised_and_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "routed.svg"
    code, out, err = run("rcbn(8)", "3,0,1,2,7,6,5,4", "--out", str(picture))
    assert code == 0
    assert "realised     yes" in out
    assert "t0 t3 01 s0r0, s1r0, s2r1 NO" in " ".join(out.split())
    assert err == f"wrote {picture}\n"
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_a_blocked_one() -> None:
    code, out, _ = run("omega(8)", "0,4,2,6,1,5,3,7")
    assert code == 1
    assert "realised     NO" in out


def test_dead_switches_and_json(tmp_path: Path) -> None:
    picture = tmp_path / "routed.png"
    words = ("rcbn(8)", "2,3,0,1,4,5,6,7", "--dead", "s1r0,s0r3-s1r3", "--json", "--out", str(picture))
    code, out, _ = run(*words)
    answer = json.loads(out)
    assert code == 1
    assert answer["dead"] == ["s1r0", "s0r3→s1r3"]
    assert answer["realised"] is False
    assert len(answer["messages"]) == 8
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_random_permutations_repeat() -> None:
    first, again, other = (run("benes(16)", "--random", seed) for seed in ("1", "1", "2"))
    assert first == again != other
    assert first[0] == 0
    assert "looping" in first[1]


def test_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["unknot_papers.multistage.search"], "MAX_VARIABLES", 1)
    code, out, _ = run("omega(16)", "--random", "2")
    assert code == 3
    assert "undecided" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rcbn(8)", "0,0,1,2,3,4,5,6"), "inputs 0 and 1 ask for the same output 0; nobody asks for output 7"),
        (("rcbn(8)", "0,1,2"), "8 outputs are needed"),
        (("rcbn(8)",), "the output of each input is needed"),
        (("rcbn(8)", "0,1,2,3,4,5,6,7", "--random", "1"), "not both"),
        (("mesh(2, 4)", "--random", "1"), "no multistage network"),
        (("rcbn(8)", "--random", "1", "--dead", "s7r7"), "--dead:1:1: network 'rcbn(8)' has no router called 's7r7'"),
        (("rcbn(9)", "--random", "1"), "power of 2"),
        (("rcbn(8)", "--random", "1", "--out", "x.jpg"), ".svg, .png or .pdf"),
    ],
)
def test_bad_input(words: tuple[str, ...], message: str) -> None:
    code, out, err = run(*words)
    assert code == 2
    assert out == ""
    assert message in err


def test_the_format_of_a_file_can_be_named() -> None:
    assert "--from FORMAT" in run("--help")[1]
