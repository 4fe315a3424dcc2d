"""Refutations as DIMACS and DRAT files, and what drat-trim says of them where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.synthesis.test_exact import effort, naive, refutation
from unknot.cli import app
from unknot.network import Network
from unknot.synthesis import Refutation, Rejected, write_refutation
from unknot.synthesis.exact import decide
from unknot.synthesis.ways import demand
from unknot.topologies import ring

DRAT_TRIM = shutil.which("drat-trim")


def one_lane(changes: str) -> tuple[Network, Refutation]:
    network = ring(5)
    found = decide(demand(network), 1, effort(), conflicts=10_000, changes=changes)
    assert isinstance(found, Refutation)
    return network, found


CASES = {
    "kept": refutation,
    "rising": lambda: one_lane("rising"),
    "any": lambda: one_lane("any"),
}


def clauses(path: Path) -> list[tuple[int, ...]]:
    lines = [line for line in path.read_text().splitlines() if line[0] not in "cp"]
    assert all(line.split()[-1] == "0" for line in lines)
    return [tuple(int(x) for x in line.split()[:-1]) for line in lines]


@pytest.mark.parametrize("name", CASES)
def test_files_hold_the_refutation(name: str, tmp_path: Path) -> None:
    network, found = CASES[name]()
    cnf, drat = write_refutation(network, found, tmp_path / "one")
    assert (cnf.name, drat.name) == ("one.cnf", "one.drat")
    given, steps = clauses(cnf), clauses(drat)
    head = next(line for line in cnf.read_text().splitlines() if line[0] == "p").split()
    assert (int(head[2]), int(head[3])) == (max(abs(x) for c in given for x in c), len(given))
    assert steps[-1] == ()
    assert naive(given, steps[:-1]) == -1


def test_evidence_that_makes_no_sense_is_not_written(tmp_path: Path) -> None:
    network, found = CASES["kept"]()
    with pytest.raises(Rejected):
        write_refutation(network, replace(found, cycles=((0, 99),)), tmp_path / "one.cnf")
    assert not list(tmp_path.iterdir())


def drat_trim(*files: Path) -> str:
    assert DRAT_TRIM is not None
    ran = subprocess.run([DRAT_TRIM, *map(str, files)], capture_output=True, text=True, timeout=300, check=False)
    return next((line for line in ran.stdout.splitlines() if line.startswith("s ")), ran.stdout)


@pytest.mark.skipif(DRAT_TRIM is None, reason="drat-trim is not installed")
@pytest.mark.parametrize("name", CASES)
def test_drat_trim_agrees(name: str, tmp_path: Path) -> None:
    network, found = CASES[name]()
    assert drat_trim(*write_refutation(network, found, tmp_path / "good")) == "s VERIFIED"
    assert drat_trim(*write_refutation(network, replace(found, cycles=()), tmp_path / "bad")) != "s VERIFIED"


def test_the_command(tmp_path: Path) -> None:
    for words, written in ((["kautz(2, 4)", "--time-limit", "60"], True), (["ring(5)"], False)):
        out = tmp_path / f"{words[0]}.cnf"
        result = CliRunner().invoke(app, ["lanes", *words, "--out", str(out)])
        assert result.exit_code == 0
        assert out.exists() == out.with_suffix(".drat").exists() == written
        assert ("was not written" in result.output) != written
