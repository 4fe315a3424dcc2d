"""Routings from users' files: taken where names are, run from other people's files only when allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import unknot
from unknot.cli import app
from unknot.errors import RelationError, UnknotError
from unknot.studies import StudyError, load_study, run_study

CODE = """
from pathlib import Path
from unknot.routing import dimension_order, Relation

Path("was_run").touch()

def reversed_order(network, vcs=1, *, dateline="auto"):
    \"\"\"Dimension order from the last dimension to the first.\"\"\"
    order = list(reversed(range(len(network.radices))))
    return dimension_order(network, vcs, order=order, dateline=dateline)

def nothing(network):
    return 42
"""
STUDY = """
[[design]]
name = "mine"
network = "mesh(3, 3)"
routing = "my_routing.py:reversed_order"
[simulation]
loads = [0.1]
warmup = 50
measure = 100
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_routing.py").write_text(CODE)


def test_a_file_is_taken_where_a_name_is() -> None:
    assert unknot.check("mesh(3, 3)", routing="my_routing.py:reversed_order").deadlock_free
    run = unknot.simulate("mesh(3, 3)", 0.1, routing="my_routing.py:reversed_order", warmup=50, measure=100)
    assert run.vcs == 4
    words = ["check", "torus(4, 4)", "--routing", 'my_routing.py:reversed_order(dateline="none")', "--vcs", "2"]
    assert CliRunner().invoke(app, words).exit_code == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("my_routing.py:reverse_order", "did you mean reversed_order"),
        ("other.py:greedy", "other.py"),
        ("my_routing.py:nothing", "a Relation is wanted, got int"),
        ("broken.py:x", "ZeroDivisionError"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    Path("broken.py").write_text("1 / 0\n")
    with pytest.raises(UnknotError, match=said):
        unknot.check("mesh(3, 3)", routing=text)


def test_a_study_runs_code_only_when_allowed() -> None:
    Path("s.toml").write_text(STUDY)
    with pytest.raises(StudyError, match="only with --allow-code"):
        load_study("s.toml")
    refused = CliRunner().invoke(app, ["run", "s.toml"])
    assert refused.exit_code == 2
    assert "s.toml:5:" in refused.stderr
    assert not Path("was_run").exists()
    result = run_study(load_study("s.toml", allow_code=True), jobs=1)
    assert result.designs[0].verdict.deadlock_free
    assert result.designs[0].runs[0].routing == "dimension_order"


def test_another_code_is_another_point() -> None:
    from unknot.studies.points import proof_point

    Path("s.toml").write_text(STUDY)
    study = load_study("s.toml", allow_code=True)
    relation = study.designs[0].relation(study.folder)
    keys = set()
    for code in (CODE, CODE, CODE + "\n# changed\n"):
        Path("my_routing.py").write_text(code)
        keys.add(proof_point(study.designs[0], relation, study.folder, 1.0).key)
    assert len(keys) == 2


def test_a_replay_runs_no_code() -> None:
    words = ["check", "ring(4)", "--routing", "my_routing.py:reversed_order", "--export", "knot.json"]
    assert CliRunner().invoke(app, words).exit_code == 1
    Path("was_run").unlink()
    refused = CliRunner().invoke(app, ["replay", "knot.json"])
    assert refused.exit_code == 2
    assert "Python code, which is not run" in refused.stderr
    assert not Path("was_run").exists()
    named = CliRunner().invoke(app, ["replay", "knot.json", "--routing", "my_routing.py:reversed_order"])
    assert named.exit_code == 0


def test_a_file_without_a_function_is_no_routing() -> None:
    from unknot.routing.own import own_function

    with pytest.raises(RelationError, match=r"expected FILE\.py:FUNCTION"):
        own_function("dimension_order", "--routing")
