"""Stored evidence is checked when it is read: a row of another design with a fitting checksum is not believed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.studies.test_run import Serial, spoken, written
from unknot.studies import run_study
from unknot.studies.store import Store

STUDY = """[[design]]
network = "torus(4, 4)"
routing = "dimension_order"
vcs = 1
[[design]]
network = "torus(4, 4)"
routing = "dimension_order"
vcs = 2
[[design]]
network = "torus(4, 4)"
routing = "dimension_order"
vcs = 2
switching = "saf"
name = "saf"
[simulation]
loads = [0.1, 1.0]
warmup = 20
measure = 60
"""
Rows = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A study that has run, and what it said."""
    study = written(tmp_path_factory.mktemp("study"), STUDY)
    return study, spoken(run_study(study, executor=Serial()))


def rows(study: Path) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    with closing(sqlite3.connect(study.with_suffix(".sqlite"))) as base:
        found = base.execute("SELECT key, point, result FROM results ORDER BY key").fetchall()
    return [(key, json.loads(point), json.loads(result)) for key, point, result in found]


def row(study: Path, **which: Any) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The one row whose point has these values."""
    (found,) = [r for r in rows(study) if all(r[1].get(name) == value for name, value in which.items())]
    return found


def forged(study: Path, key: str, point: dict[str, Any], result: Any) -> None:
    """Put a result into the store, with the checksum that goes with it."""
    with Store(study.with_suffix(".sqlite")) as store:
        store.put(key, json.dumps(point, sort_keys=True, separators=(",", ":")), json.dumps(result))


def judged(study: Path, expected: str, why: str) -> None:
    """The study says the same as at first, with one note, and afterwards without."""
    notes: list[str] = []
    assert spoken(run_study(study, executor=Serial(), note=notes.append)) == expected
    (note,) = notes
    assert why in note
    assert "it is computed again" in note
    again: list[str] = []
    assert spoken(run_study(study, executor=Serial(), note=again.append)) == expected
    assert again == []


def test_the_proof_of_another_design(answers: tuple[Path, str]) -> None:
    """A torus with one VC is not free because a row says so, with ranks for twice as many VCs."""
    study, expected = answers
    key, point, _ = row(study, kind="proof", vcs=1)
    _, _, proof = row(study, kind="proof", vcs=2, switching="vct")
    assert proof["verdict"]["deadlock_free"] is True
    forged(study, key, point, proof)
    assert len(proof["verdict"]["certificate"]["rank"]) == 128
    judged(study, expected, "64 ranks of a kind that proves vct are needed")


def _other_ranks(proof: dict[str, Any]) -> None:
    proof["verdict"]["certificate"]["rank"].reverse()


def _other_technique(proof: dict[str, Any]) -> None:
    proof["verdict"]["switching"] = "saf"


def _not_delivered(proof: dict[str, Any]) -> None:
    proof["delivery"]["undelivered_pairs"] = 3


def _no_evidence(proof: dict[str, Any]) -> None:
    proof["verdict"]["certificate"] = None


def _letters(proof: dict[str, Any]) -> None:
    proof["verdict"]["certificate"]["rank"] = list("ranks")


def _huge(proof: dict[str, Any]) -> None:
    proof["verdict"]["certificate"]["rank"][0] = 10**40


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_other_ranks, "certificate fails at"),
        (_other_technique, "of another design"),
        (_not_delivered, "of another design"),
        (_no_evidence, "needs evidence"),
        (_letters, "cannot be read"),
        (_huge, "cannot be read"),
    ],
)
def test_damaged_proofs(answers: tuple[Path, str], change: Callable[[dict[str, Any]], None], why: str) -> None:
    study, expected = answers
    key, point, proof = row(study, kind="proof", vcs=2, switching="vct")
    change(proof)
    forged(study, key, point, proof)
    judged(study, expected, why)


def test_a_counterexample_that_is_none(answers: tuple[Path, str]) -> None:
    study, expected = answers
    key, point, proof = row(study, kind="proof", vcs=1)
    proof["verdict"]["configuration"]["messages"].pop()
    forged(study, key, point, proof)
    judged(study, expected, "does not wait for what it has to")
    key, point, proof = row(study, kind="proof", vcs=1)
    proof["replay"]["stuck"] = False
    forged(study, key, point, proof)
    judged(study, expected, "its replay is another one")


def test_the_run_of_another_design_and_a_deadlock_that_is_none(answers: tuple[Path, str]) -> None:
    study, expected = answers
    key, point, _ = row(study, kind="run", vcs=1, load=0.1)
    _, _, other = row(study, kind="run", vcs=1, load=1.0)
    forged(study, key, point, other)
    judged(study, expected, "the run of another point")
    key, point, run = row(study, kind="run", vcs=2, load=0.1, switching="vct")
    run["deadlock"] = row(study, kind="proof", vcs=1)[2]["verdict"]["configuration"]
    forged(study, key, point, run)
    judged(study, expected, "message 1 cannot go from")


def test_the_verdict_says_that_it_was_checked(answers: tuple[Path, str]) -> None:
    """Also where the row said that it was not, or could not be."""
    study, expected = answers
    key, point, proof = row(study, kind="proof", vcs=2, switching="vct")
    proof["certificate_holds"] = None
    forged(study, key, point, proof)
    result = run_study(study, executor=Serial())
    assert [design.certificate_holds for design in result.designs] == [True] * 3
    assert spoken(result) == expected


VIEW = """CREATE VIEW results AS WITH RECURSIVE n(key) AS (SELECT '0' UNION ALL SELECT key || '' FROM n)
SELECT key, '' AS point, '' AS result, '' AS checksum FROM n WHERE key = '1'"""


@pytest.mark.parametrize(
    "schema",
    [
        f"DROP TABLE results; {VIEW}",
        "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",
        "CREATE VIEW other AS SELECT * FROM results",
        "CREATE TABLE other (x)",
        "CREATE INDEX fast ON results (lower(result))",
        "DROP TABLE results; CREATE TABLE results (key TEXT PRIMARY KEY, point, result, checksum AS (key || point))",
    ],
    ids=["recursive view", "trigger", "view", "table", "index", "computed column"],
)
def test_only_the_table_of_results_is_used(schema: str, tmp_path: Path) -> None:
    """A store with anything else in it is set aside."""
    path = tmp_path / "s.sqlite"
    with Store(path) as store:
        store.put("a", "point", "x")
    with closing(sqlite3.connect(path)) as base:
        base.executescript(schema)
    notes: list[str] = []
    with Store(path, note=notes.append) as store:
        assert store.get("a") is None
        store.put("b", "point", "y")
        assert store.get("b") == "y"
        assert store._base.execute("PRAGMA trusted_schema").fetchone() == (0,)
    (note,) = notes
    assert "more in it than its table" in note
    assert "s.damaged-1.sqlite" in note
