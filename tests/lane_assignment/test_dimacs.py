"""Refutations as DIMACS, DRAT and LRAT files, and what other checkers say of them where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.lane_assignment.test_exact import effort, naive, refutation
from unknot.certificates import Rejected
from unknot.cli.program import app
from unknot.lane_assignment import Refutation, write_refutation
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.evidence import RefutationFiles
from unknot.lane_assignment.served_pairs import shortest_pairs
from unknot.network import Network
from unknot.network.families import ring

CHECKERS = {"drat-trim": "drat", "lrat-check": "lrat", "cake_lpr": "lrat"}
"""Checkers that are not ours, and the form of the proof that each reads."""


def one_lane(changes: str) -> tuple[Network, Refutation]:
    network = ring(5)
    answer = refute(shortest_pairs(network, None), 1, effort(), conflicts=10_000, changes=changes)
    assert isinstance(answer, Refutation)
    return network, answer


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
    network, evidence = CASES[name]()
    files = write_refutation(network, evidence, tmp_path / "one")
    assert (files.clauses.name, files.drat.name, files.lrat.name) == ("one.cnf", "one.drat", "one.lrat")
    formula, steps = clauses(files.clauses), clauses(files.drat)
    head = next(line for line in files.clauses.read_text().splitlines() if line[0] == "p").split()
    assert (int(head[2]), int(head[3])) == (max(abs(x) for c in formula for x in c), len(formula))
    assert steps[-1] == ()
    assert naive(formula, steps[:-1]) == -1
    for number, line in enumerate(clauses(files.lrat)):
        assert line[0] == len(formula) + 1 + number
        assert line[1 : line.index(0)] == steps[number]


def test_evidence_that_makes_no_sense_is_not_written(tmp_path: Path) -> None:
    network, evidence = CASES["kept"]()
    with pytest.raises(Rejected):
        write_refutation(network, replace(evidence, cycles=((0, 99),)), tmp_path / "one.cnf")
    assert not list(tmp_path.iterdir())


def verified(checker: str, files: RefutationFiles) -> bool:
    proof = getattr(files, CHECKERS[checker])
    ran = subprocess.run(
        [checker, str(files.clauses), str(proof)], capture_output=True, text=True, timeout=600, check=False
    )
    return any(line.strip() in ("s VERIFIED", "c VERIFIED", "s VERIFIED UNSAT") for line in ran.stdout.splitlines())


@pytest.mark.parametrize("checker", CHECKERS)
def test_other_checkers_agree(checker: str, tmp_path: Path) -> None:
    if shutil.which(checker) is None:
        pytest.skip(f"{checker}, a program that no Python package brings, is not installed")
    for case in CASES.values():
        network, refutation = case()
        assert verified(checker, write_refutation(network, refutation, tmp_path / "good"))
        assert not verified(checker, write_refutation(network, replace(refutation, cycles=()), tmp_path / "bad"))


@pytest.mark.long
def test_the_command(tmp_path: Path) -> None:
    for words, written in ((["kautz(2, 4)", "--time-limit", "60"], True), (["ring(5)"], False)):
        out = tmp_path / f"{words[0]}.cnf"
        result = CliRunner().invoke(app, ["lanes", *words, "--export", str(out)])
        assert result.exit_code == 0
        assert out.exists() == out.with_suffix(".drat").exists() == out.with_suffix(".lrat").exists() == written
        assert ("was not written" in result.output) != written
