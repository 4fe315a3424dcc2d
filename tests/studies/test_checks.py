"""Checks of a repository: findings at their lines, changed files, SARIF, the action and the hook."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.cli.test_cli import answer, refused, unknot_says
from unknot._base.errors import UnknotError
from unknot.cli.answers.schemas import json_schemas
from unknot.report.sarif import sarif
from unknot.studies.checks import Check, imported, load_checks

ROOT = Path(__file__).parents[2]
RULES = """import helper


@helper.marked
def around(network, vcs=1):
    from unknot.routing import dimension_order
    return dimension_order(network, dateline="none")


def straight(network):
    from unknot.routing import dimension_order
    return dimension_order(network)
"""
CHECKS = """[[check]]
network = "ring(5)"
routing = "rules/rule.py:around"

[[check]]
network = "net.tod"
routing = "dimension_order"
expect = "no"

[[check]]
network = "mesh(2, 2)"
routing = "rules/rule.py:straight"
switching = "wormhole"
"""
ESSENCE = Draft202012Validator(
    {
        "required": ["version", "runs", "$schema"],
        "properties": {
            "version": {"const": "2.1.0"},
            "runs": {
                "items": {
                    "required": ["tool", "results"],
                    "properties": {
                        "tool": {"properties": {"driver": {"required": ["name", "rules"]}}, "required": ["driver"]},
                        "results": {
                            "items": {
                                "required": ["ruleId", "level", "message", "locations"],
                                "properties": {
                                    "level": {"enum": ["none", "note", "warning", "error"]},
                                    "message": {"required": ["text"]},
                                    "locations": {"minItems": 1, "items": {"required": ["physicalLocation"]}},
                                },
                            }
                        },
                    },
                }
            },
        },
    }
)
"""What SARIF 2.1.0 asks of a log of results."""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "rules")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "rules"))
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "rule.py").write_text(RULES)
    (tmp_path / "rules" / "helper.py").write_text("import deeper\n\n\ndef marked(rule):\n    return rule\n")
    (tmp_path / "rules" / "deeper.py").write_text("import os\n")
    (tmp_path / "net.tod").write_text("mesh(2, 2)\n")
    (tmp_path / "unknot.toml").write_text(CHECKS)
    return tmp_path


def run(*words: str) -> Any:
    return unknot_says("run", "unknot.toml", "--allow-code", *words)


def test_findings_stand_at_their_lines(checkout: Path) -> None:
    result = run("--errors", "github", "--sarif", "found 1.sarif", "--json")
    assert result.exit_code == 1
    found = answer(result)
    Draft202012Validator(json_schemas()["run-checks"]).validate(found)
    checks = found["checks"]
    assert [(one["answer"], one["expect"], one["as_expected"]) for one in checks] == [
        ("no", "yes", False), ("yes", "no", False), ("yes", "yes", True),
    ]  # fmt: skip
    lines = [line for line in result.stderr.splitlines() if line.startswith("::")]
    assert lines[0].startswith(
        "::error file=rules/rule.py,line=5::rules/rule.py:around on ring(5), vct: deadlock of "
    )
    assert lines[1].startswith("::error file=unknot.toml,line=7::dimension_order on net.tod, vct: free of deadlock")
    assert len(lines) == 2
    log = json.loads(Path("found 1.sarif").read_text())
    ESSENCE.validate(log)
    results = log["runs"][0]["results"]
    places = [one["locations"][0]["physicalLocation"] for one in results]
    assert [(one["artifactLocation"]["uri"], one["region"]["startLine"]) for one in places] == [
        ("rules/rule.py", 5), ("unknot.toml", 7),
    ]  # fmt: skip
    assert {one["ruleId"] for one in results} <= {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}


@pytest.mark.parametrize(
    ("changed", "networks"),
    [
        (["rules/rule.py"], ["ring(5)", "mesh(2, 2)"]),
        (["rules/deeper.py"], ["ring(5)", "mesh(2, 2)"]),
        (["net.tod"], ["net.tod"]),
        (["unknot.toml"], ["ring(5)", "net.tod", "mesh(2, 2)"]),
        (["README.md", "gone.py"], []),
        (["gone.py", "net.tod"], ["net.tod"]),
    ],
)
def test_changed_files_choose_checks(changed: list[str], networks: list[str], checkout: Path) -> None:
    every = load_checks(Path("unknot.toml"), allow_code=True)
    chosen = every.touched([Path(file) for file in changed])
    assert [check.network for check in chosen.checks] == networks


def test_nothing_changed_is_no_finding(checkout: Path) -> None:
    result = run("--changed", "README.md", "--json")
    assert (result.exit_code, answer(result)["left_out"], answer(result)["checks"]) == (0, 3, [])


def test_imports_go_round(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from b import x\nimport part.c\n")
    (tmp_path / "b.py").write_text("import a, json\n")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "c.py").write_text("def (")
    assert imported(tmp_path / "a.py") == {tmp_path / name for name in ("a.py", "b.py", "part/c.py")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[check]]\nnetwork = 'ring(4)'\n", "unknot.toml:1:1: routing is missing here"),
        ("[[check]]\nnetwork = 'ring(4)'\nrouting = 'dou'\n", "unknot.toml:3:12: unknown routing 'dou'"),
        ("[[check]]\nnetwork = 'rink(4)'\nrouting = 'duato'\n", "unknot.toml:2:12: rink is not defined"),
        ("[[check]]\nnetwork = '../x.tod'\nrouting = 'duato'\n", "unknot.toml:2:1"),
        (
            "[[check]]\nnetwork = 'ring(4)'\nrouting = 'duato'\nexpect = 'deadlock'",
            'unknot.toml:4:10: expect is "yes"',
        ),
        (
            "[[check]]\nnetwork = 'ring(4)'\nrouting = 'duato'\nexpects = 'no'",
            "unknot.toml:4:1: unknown key 'expects'",
        ),
        ("[[check]]\nnetwork = 'ring(4)'\nrouting = 'up_down'\nswitching = 'vtc'", "unknot.toml:4:14"),
        ("[[check]]\nnetwork = 'ring(4)'\nrouting = 'up_down'\nvcs = '2'", "unknot.toml:4:7: a whole number"),
    ],
)
def test_mistakes_have_their_place(text: str, said: str, checkout: Path) -> None:
    Path("unknot.toml").write_text(text)
    assert said in refused("run", "unknot.toml")


def test_code_is_run_only_if_allowed(checkout: Path) -> None:
    Path("rules/rule.py").write_text("open('ran', 'w')\n")
    assert "unknot.toml:3:11: 'rules/rule.py:around' runs a Python file" in refused("run", "unknot.toml")
    assert not Path("ran").exists()


def test_options_of_studies_are_refused(checkout: Path) -> None:
    assert "--jobs is for studies" in refused("run", "unknot.toml", "--allow-code", "--jobs", "2")
    said = refused("run", "unknot.toml", "--allow-code", "--out", "x.svg")
    assert "reports and pictures are of studies; checks are written as .json, .csv, .parquet" in said
    (checkout / "study.toml").write_text("[[design]]\nnetwork = 'ring(4)'\nrouting = 'up_down'\n")
    assert "--changed and --sarif are for a file of checks" in refused("run", "study.toml", "--changed", "x")


def test_an_open_answer_is_a_warning() -> None:
    open_check = Check("ring(4)", "duato", file="/elsewhere/a b.py", message="undecided in the time given")
    log = sarif([open_check])
    (result,) = log["runs"][0]["results"]
    assert (result["level"], result["ruleId"]) == ("warning", "unknot-open")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///elsewhere/a%20b.py"
    assert open_check.as_expected is None
    ESSENCE.validate(log)


def in_shell(command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        command, env={**os.environ, "PATH": path, **more}, capture_output=True, text=True, check=False
    )


@pytest.mark.long
def test_the_hook_runs_the_checks_of_changed_files(checkout: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    done = in_shell([*shlex.split(hook["entry"]), "net.tod", "a file.py"])
    assert done.returncode == 1, done.stderr
    assert re.search(r"left out +2", done.stdout)
    assert "rules/rule.py" not in done.stdout


@pytest.mark.long
def test_the_action_runs_every_line() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    assert [step.get("shell", "bash") for step in steps] == ["bash"] * 3
    assert not any("${{" in step.get("run", "") for step in steps)  # inputs come by the environment
    assert steps[-1]["env"]["UNKNOT_ERRORS"] == "github"
    lines = "unknot show 'ring(4' \n\nfalse\necho last | cat\n"
    done = in_shell(["bash", "-e", "-o", "pipefail", "-c", steps[-1]["run"]], COMMANDS=lines, UNKNOT_ERRORS="github")
    assert done.returncode == 1
    assert "::error::NETWORK:1:5: this ( is never closed" in done.stderr
    assert done.stdout.endswith("last\n")
    assert in_shell(["bash", "-e", "-c", steps[-1]["run"]], COMMANDS="true").returncode == 0


def test_what_the_page_shows_is_read(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/pull-requests.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (tmp_path / "unknot.toml").write_text(text)
    assert [check.expect for check in load_checks(tmp_path / "unknot.toml", allow_code=True).checks] == ["yes", "no"]
    with pytest.raises(UnknotError, match="--allow-code"):
        load_checks(tmp_path / "unknot.toml")
