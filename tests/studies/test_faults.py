"""Faults in studies: in the runs of a design, swept over, kept in the store, and refused at their place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.simulation import simulate
from unknot.studies import load_study, run_study
from unknot.studies.load import StudyError

FILE = """
[[design]]
name = "mesh"
network = "mesh(3, 3)"
routing = "up_down"
vcs = 2
faults = {faults}

[simulation]
loads = [0.1]
warmup = 100
measure = 400
"""


def written(folder: Path, faults: str) -> Path:
    path = folder / "study.toml"
    path.write_text(FILE.format(faults=faults))
    return path


@pytest.mark.long
def test_runs_of_designs_have_their_faults(tmp_path: Path) -> None:
    faults = ["200: (1,1)<->(1,2)", "300: router (2,2); routing up_down"]
    path = written(tmp_path, f"[[], {faults!r}]")
    calm, struck = run_study(path, store=tmp_path / "points.sqlite").designs
    assert calm.design.name == "mesh: no faults"
    assert struck.design.name == f"mesh: faults {'; '.join(faults)}"
    alone = simulate("mesh(3, 3)", 0.1, routing="up_down", vcs=2, warmup=100, measure=400, faults=faults)
    assert list(struck.runs) == [alone]
    assert [each.fault for each in alone.faults] == faults
    assert alone.lost_packets > 0
    assert not calm.runs[0].faults
    first, last = alone.faults
    assert first.latency_before is not None
    assert last.latency_after is not None
    delay = last.latency_after - first.latency_before
    columns = ("lost_packets", "lost_flits", "fault_delay")
    assert [struck.rows[0][name] for name in columns] == [alone.lost_packets, alone.lost_flits, delay]
    assert [calm.rows[0][name] for name in columns] == [0, 0, None]
    again = []
    kept = run_study(path, store=tmp_path / "points.sqlite", progress=lambda what, *_: again.append(what))
    assert all("kept" in words for words in again)
    assert list(kept.designs[1].runs) == [alone]
    shown = CliRunner().invoke(app, ["run", str(path)]).stdout.replace("\n", " ")
    assert len(re.findall(r"lost +lost", shown)) == 1  # a table without faults has no such columns


@pytest.mark.parametrize(
    ("faults", "column", "words"),
    [
        ('["200: (1,1)<->(1,2)", "300: router 7 7"]', 46, "no router called '7 7'"),
        ('[[], ["200: (1,1)->(2,2)"]]', 22, "no channel from (1,1) to (2,2)"),
        ('["200: routing foo"]', 25, "unknown routing 'foo'"),
        ('["200: (0,0)<->(0,1); (0,0)<->(1,0); routing up_down"]', 10, "none is a root"),
        ("[3]", 11, "string"),
    ],
)
def test_faults_that_cannot_be_are_shown_where_they_stand(
    tmp_path: Path, faults: str, column: int, words: str
) -> None:
    with pytest.raises(StudyError) as caught:
        load_study(written(tmp_path, faults))
    (problem,) = caught.value.problems
    assert words in str(problem)
    assert (problem.line, problem.column) == (7, column)


def test_faults_beside_pools_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, '["200: router (2,2)"]\nswitching = "damq(reserved=1)"')
    with pytest.raises(StudyError, match="do not go with the flow control"):
        load_study(path)
