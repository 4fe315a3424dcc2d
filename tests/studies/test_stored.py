"""`unknot accept STUDY.sqlite`: stored evidence is checked against the design that its row names."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import copy

import pytest
from typer.testing import CliRunner

from tests.studies.test_foreign import STUDY, forged, row, rows
from tests.studies.test_run import Serial, written
from unknot.cli.program import app
from unknot.studies import run_study, store
from unknot.studies.stored import stored_evidence


def invoke(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = written(tmp_path_factory.mktemp("study"), STUDY)
    run_study(study, executor=Serial())
    return study


@pytest.fixture
def study(finished: Path, tmp_path: Path) -> Path:
    """A copy of the study and its store, to be damaged."""
    copy(finished.with_suffix(".sqlite"), tmp_path)
    return Path(copy(finished, tmp_path))


def objections(study: Path) -> list[str]:
    return [found.objection for found in stored_evidence(study.with_suffix(".sqlite")) if found.objection]


def test_a_finished_study(study: Path) -> None:
    """Three proofs, and a run of the unsafe design that came to a deadlock."""
    path = study.with_suffix(".sqlite")
    before = path.read_bytes()
    found = [*stored_evidence(path)]
    deadlocks = sum(bool(result.get("deadlock")) for _, point, result in rows(study) if point["kind"] == "run")
    assert deadlocks > 0
    assert len(found) == 3 + deadlocks
    assert not objections(study)
    assert path.read_bytes() == before


def test_rows_that_are_not_believed(study: Path) -> None:
    """The proof of another design, ranks of the wrong length, a verdict turned round, a point of another network."""
    _, _, proof = row(study, kind="proof", vcs=2, switching="vct")
    key, point, result = row(study, kind="proof", vcs=1)
    forged(study, key, point, proof)
    assert len(objections(study)) == 1
    forged(study, key, point, {**result, "verdict": {**result["verdict"], "deadlock_free": True}})
    assert len(objections(study)) == 1
    forged(study, key, {**point, "network": "torus(5, 5)"}, result)
    assert objections(study) == ["its key is that of another point"]
    forged(study, key, point, result)
    key, point, result = row(study, kind="proof", vcs=2, switching="saf")
    result["verdict"]["certificate"]["rank"].append(0)
    forged(study, key, point, result)
    assert len(objections(study)) == 1
    with closing(sqlite3.connect(study.with_suffix(".sqlite"))) as base, base:
        base.execute("UPDATE results SET checksum = 'x'")
    assert set(objections(study)) == {"its checksum does not match"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ({"routing": "own.py:rule"}, "Python code, which is not run"),
        ({"network": "../elsewhere.edges"}, "outside"),
        ({"network": 7}, "no texts"),
        ({"network": "torus(4, 5)"}, "another network of this name"),
        ({"vcs": "2"}, "no texts"),
    ],
)
def test_points_that_name_something_else(study: Path, text: dict[str, object], said: str) -> None:
    from unknot.studies.points import Point

    _, point, result = row(study, kind="proof", vcs=1)
    changed = {**point, **text}
    forged(study, Point(changed, b"").key, changed, result)
    (objection,) = objections(study)
    assert said in objection


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END",
        "CREATE TABLE other (a)",
        "CREATE INDEX i ON results (point)",
    ],
)
def test_hostile_schemas_are_refused(study: Path, statement: str) -> None:
    path = study.with_suffix(".sqlite")
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(statement)
    code, _, err = invoke("accept", str(path))
    assert code == 2
    assert "one table and nothing else" in err


def test_a_view_in_place_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(
            "CREATE VIEW results AS WITH RECURSIVE n(key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM n) "
            "SELECT key, key AS point, key AS result, key AS checksum FROM n"
        )
    assert invoke("accept", str(path))[0] == 2


def test_giant_cells_and_damaged_pages_are_refused(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = study.with_suffix(".sqlite")
    monkeypatch.setattr(store, "MOST_BYTES", 1000)
    code, _, err = invoke("accept", str(path))
    assert (code, "too big" in err) == (2, True)
    monkeypatch.undo()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    assert invoke("accept", str(path))[0] == 2


def test_rows_that_are_open(study: Path) -> None:
    """They are no evidence, and nothing is wrong with them: a third answer."""
    key, point, result = row(study, kind="proof", vcs=2, switching="saf")
    verdict = {**result["verdict"], "deadlock_free": None, "certificate": None, "configuration": None}
    forged(study, key, point, {**result, "verdict": verdict, "replay": None})
    code, out, _ = invoke("accept", str(study.with_suffix(".sqlite")), "--json")
    (said,) = json.loads(out)["files"]
    assert (code, said["accepted"]) == (3, None)
    assert said["says"][0].startswith("open, without evidence: torus(4, 4)")


def test_the_command(study: Path) -> None:
    """A line for each row that is rejected, and one about all."""
    path = str(study.with_suffix(".sqlite"))
    code, out, _ = invoke("accept", path)
    assert (code, "rows accepted" in out, "REJECTED" in out) == (0, True, False)
    key, point, result = row(study, kind="proof", vcs=1)
    forged(study, key, point, {**result, "verdict": None})
    code, out, _ = invoke("accept", path, "--json")
    (said,) = json.loads(out)["files"]
    assert (code, said["accepted"], len(said["says"])) == (1, False, 2)
    assert said["says"][0].startswith("REJECTED: torus(4, 4), dimension_order")
