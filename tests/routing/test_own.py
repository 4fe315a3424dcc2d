"""Routings from users' files: taken where names are, run from other people's files only when allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import unknot
from unknot._base.errors import RelationError, UnknotError
from unknot.cli.program import app
from unknot.simulation import simulate
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
MINE = "my_routing.py:reversed_order"
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
    assert unknot.verify.check("mesh(3, 3)", routing="my_routing.py:reversed_order").deadlock_free
    run = simulate("mesh(3, 3)", 0.1, routing="my_routing.py:reversed_order", warmup=50, measure=100)
    assert run.vcs == 4
    words = ["check", "torus(4, 4)", "--routing", 'my_routing.py:reversed_order(dateline="none")', "--vcs", "2"]
    assert CliRunner().invoke(app, words).exit_code == 1
    faults = [CliRunner().invoke(app, ["faults", "mesh(2, 2)", "--routing", name]) for name in (MINE, "west_first")]
    assert faults[0].exit_code == faults[1].exit_code


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("my_routing.py:reverse_order", "did you mean reversed_order"),
        ("other.py:greedy", "other.py"),
        ("my_routing.py:nothing", "a Relation is needed, got int"),
        ("broken.py:x", "ZeroDivisionError"),
        ("bare.py:no_network", r"bare.py: no_network\(\) must take the network first"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    Path("broken.py").write_text("1 / 0\n")
    Path("bare.py").write_text("def no_network():\n    return 0\n")
    with pytest.raises(UnknotError, match=said):
        unknot.verify.check("mesh(3, 3)", routing=text)


FAULTY = """
import sys
import numpy as np
from unknot.routing import Relation, up_down

def raises(network):
    return helper({})

def helper(names):
    return names["nothing"]  # line 10

def leaves(network):
    sys.exit(1)

def refused(network):
    return up_down(network, root=99)

def late(network):
    table = np.zeros(3, dtype=np.int64)
    def rule(at, address, out):
        return table[at + 99]  # line 21
    return Relation(network, 1, rule, "late")

def rule_leaves(network):
    def rule(at, address, out):
        sys.exit(1)  # line 26
    return Relation(network, 1, rule, "leaving")

class Made:
    def __init__(self, network):
        raise OSError(5, "no such thing")  # line 31
"""


@pytest.mark.parametrize(
    ("name", "said", "cause"),
    [
        ("raises", r"faulty.py: raises() raised KeyError: 'nothing' (faulty.py, line 10, in helper)", KeyError),
        ("leaves", r"faulty.py: leaves() raised SystemExit: 1 (faulty.py, line 13, in leaves)", SystemExit),
        ("Made", r"raised OSError: [Errno 5] no such thing (faulty.py, line 31, in __init__)", OSError),
        ("refused", r"99", None),
        ("late", r"late at the injection port of t0 for t0: the rule raised IndexError: index", IndexError),
        ("late", r"(faulty.py, line 21, in rule)", IndexError),
        ("rule_leaves", r"the rule raised SystemExit: 1 (faulty.py, line 26, in rule)", SystemExit),
        ("unfinished.py:x", "unfinished.py:1:6: '(' was never closed\n    def x(\n         ^", SyntaxError),
        ("ending.py:x", r"ending.py raised SystemExit: 0 (ending.py, line 2, in <module>)", SystemExit),
    ],
)
@pytest.mark.parametrize("command", ["check", "simulate"])
def test_an_error_of_the_users_code_names_its_line(
    name: str, said: str, cause: type[BaseException] | None, command: str
) -> None:
    Path("faulty.py").write_text(FAULTY)
    Path("unfinished.py").write_text("def x(\n")
    Path("ending.py").write_text("import sys\nsys.exit(0)\n")
    text = name if ":" in name else f"faulty.py:{name}"
    words = [command, "mesh(3, 3)", "--routing", text, *(["--load", "0.1"] if command == "simulate" else [])]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    with pytest.raises(UnknotError) as found:
        unknot.verify.check("mesh(3, 3)", routing=text)
    assert cause is None or isinstance(found.value.__cause__, cause)


def test_a_rule_that_fails_when_it_is_compiled_names_its_line() -> None:
    """The network is too large for a table of the rule."""
    Path("faulty.py").write_text(FAULTY)
    with pytest.raises(RelationError, match=r"the rule raised IndexError: .* \(faulty.py, line 21, in rule\)"):
        unknot.verify.check("mesh(18, 18)", routing="faulty.py:late")


@pytest.mark.long
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

    assert own_function("dimension_order", "--routing") is None
    with pytest.raises(RelationError, match=r"--routing: name the function in none\.py as well, as none\.py:F"):
        own_function(" none.py", "--routing")
