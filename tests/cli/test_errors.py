"""Errors as data: one JSON object, and lines that GitHub reads, whatever stands in messages and names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from tests.cli.test_cli import unknot_says
from unknot._base.errors import (
    ExtensionError,
    NetworkError,
    RelationError,
    SimulationError,
    TextError,
    UnknotError,
    visible,
)
from unknot.cli.answers.failures import ErrorAnswer
from unknot.cli.answers.form import model
from unknot.cli.commands import guard
from unknot.cli.failure import Failure, annotation, as_json, failures_of, in_front
from unknot.cli.program import app

SCHEMA = Draft202012Validator(model(ErrorAnswer).model_json_schema(mode="serialization"))
HOSTILE = st.text(st.characters() | st.sampled_from("%\r\n:,;'\"\x1b\u2028\u202e\ud800"), max_size=40)
PLACES = st.none() | st.integers(1, 10**9)
STUDY = '[[design]]\nnetwork = "ring(4"\nrouting = "du"\nvcs = 0\n'


def errors_of(*words: str, code: int = 2) -> tuple[list[dict[str, object]], str]:
    """The errors on stdout of a command that fails, and what is said on stderr."""
    result = unknot_says(*words)
    assert result.exit_code == code, result.output
    found = json.loads(result.stdout)
    SCHEMA.validate(found)
    return [found["error"], *found["further"]], result.stderr


def error_of(*words: str, code: int = 2) -> tuple[dict[str, object], str]:
    (error,), said = errors_of(*words, code=code)
    return error, said


def test_a_text_of_an_option_is_a_place() -> None:
    error, said = error_of("check", "ring(4)", "--routing", "duatto", "--json")
    assert error == {
        "code": "text",
        "message": "unknown routing 'duatto'; did you mean duato?",
        "file": "--routing",
        "line": 1,
        "column": 1,
        "hint": "did you mean duato?",
    }
    assert "--routing:1:1: unknown routing 'duatto'" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("check", "ring(4)", "--rotuing", "duato", "--json"), "No such option: --rotuing"),
        (("check", "--json", "ring(4)"), "Missing option '--routing'"),
        (("chekc", "ring(4)", "--json"), "No such command 'chekc'"),
        (("check", "ring(4)", "--routing", "duato", "--vcs", "x", "--json"), "Invalid value for '--vcs'"),
        (("check", "ring(4)", "--json", "--json", "--routing", "duato", "--routing", "duato"), "more than once"),
    ],
)
def test_errors_of_usage_are_objects(words: tuple[str, ...], message: str) -> None:
    error, said = error_of(*words)
    assert error["code"] == "usage"
    assert message in str(error["message"])
    assert str(error["hint"]).endswith(" -h")
    assert "Usage: unknot" in said


def test_all_problems_of_a_study_are_there(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    errors, _ = errors_of("run", str(study), "--json")
    assert [(error["code"], error["line"], error["column"]) for error in errors] == [
        ("text", 2, 16), ("text", 3, 12), ("text", 4, 7),
    ]  # fmt: skip
    assert {error["file"] for error in errors} == {str(study)}


def test_a_fault_of_ones_own_rule_has_its_line(tmp_path: Path) -> None:
    rule = tmp_path / "rule.py"
    rule.write_text("def greedy(network):\n    return 1 / 0\n")
    error, _ = error_of("check", "ring(4)", "--routing", f"{rule}:greedy", "--json")
    assert (error["code"], error["file"], error["line"]) == ("routing", str(rule), 2)
    rule.write_text("def greedy(network):\n    return (\n")
    error, _ = error_of("check", "ring(4)", "--routing", f"{rule}:greedy", "--json")
    assert (error["file"], error["line"]) == (str(rule), 2)


def test_faults_of_unknot_and_of_disks_are_objects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for failing, code, ends in (
        (KeyError("x"), "internal", 70),
        (KeyboardInterrupt(), "interrupted", 130),
        (MemoryError(), "memory", 2),
        (ModuleNotFoundError(name="matplotlib"), "missing-library", 2),
        (OSError(28, "No space left on device", str(tmp_path)), "file", 2),
    ):
        monkeypatch.setattr("unknot.fabrics.named.network", Mock(side_effect=failing))
        error, _ = error_of("show", "ring(4)", "--json", code=ends)
        assert error["code"] == code
    assert (error["message"], error["file"]) == ("No space left on device", str(tmp_path))


def test_an_answer_on_stdout_stays_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = unknot_says("show", "ring(4)", "--json")
    monkeypatch.setattr("unknot._base.outcomes.Outcomes.place", Mock(side_effect=UnknotError("no room")))
    late = unknot_says("show", "ring(4)", "--json")
    assert late.exit_code == 2
    assert "no room" in late.stderr
    assert json.loads(late.stdout) == json.loads(shown.stdout)


def test_without_json_nothing_is_on_stdout() -> None:
    assert unknot_says("check", "ring(4)", "--routing", "duatto").stdout == ""
    assert unknot_says("check", "ring(4)", "--routing", "duatto", "--", "--json").stdout == ""


@pytest.mark.parametrize("form", [("--errors", "github"), ("--errors=github",), ()])
def test_github_gets_a_line_for_each_error(
    form: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("50%,a:b.toml").write_text(STUDY)
    if not form:
        monkeypatch.setenv("UNKNOT_ERRORS", "github")
    for words in (("run", "50%,a:b.toml", *form), (*form, "run", "50%,a:b.toml")):
        result = unknot_says(*words)
        lines = [line for line in result.stderr.splitlines() if line.startswith("::")]
        assert [line.partition("::")[2].partition("::")[0] for line in lines] == [
            f"error file=50%25%2Ca%3Ab.toml,line={line},col={column}" for line, column in ((2, 16), (3, 12), (4, 7))
        ]
        assert result.stdout == ""
    assert "::error::--routing:1:1: unknown" in unknot_says("check", "ring(4)", "--routing", "duatto", *form).stderr
    assert "::error::No such option: --vcz" in unknot_says("check", "ring(4)", "--vcz", "1", *form).stderr


def test_a_form_of_errors_that_is_unknown_is_refused() -> None:
    assert "did you mean github?" in unknot_says("show", "ring(4)", "--errors", "gitub").stderr
    assert unknot_says("show", "ring(4)", "--errors").exit_code == 2
    help_alone = CliRunner(env={"UNKNOT_ERRORS": "github"}).invoke(app, [])
    assert help_alone.stderr.splitlines()[0].startswith("Usage:")
    assert "::" not in help_alone.stderr
    assert "\\n" not in help_alone.output


def test_names_are_those_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "a.py").write_text("")
    monkeypatch.chdir(tmp_path / "part")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert annotation("wrong", "a.py", 3) == "::error file=part/a.py,line=3::wrong"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    assert annotation("wrong", "a.py", 3) == "::error file=a.py,line=3::wrong"


@given(
    words=st.lists(st.sampled_from(["--errors", "--errors=github", "github", "--", "check", "--json"]), max_size=7)
)
def test_errors_may_stand_anywhere(words: list[str]) -> None:
    front, rest = in_front(words)
    assert sorted(front + rest) == sorted(words)
    before = rest[: rest.index("--")] if "--" in rest else rest
    assert not any(word.startswith("--errors") for word in before)


@given(message=HOSTILE, file=st.none() | HOSTILE, line=PLACES, column=PLACES)
def test_nothing_breaks_the_line_of_github(
    message: str, file: str | None, line: int | None, column: int | None
) -> None:
    shown = annotation(message, file, line, column)
    assert visible(shown) == shown
    assert "\n" not in shown
    head, said = re.fullmatch(r"::error( [^:]*)?::(.*)", shown).groups()  # type: ignore[union-attr]
    assert all(re.fullmatch(r"(file|line|col)=[^,:]*", each) for each in (head or "").split(",") if each.strip())
    assert not re.search(r"%(?!25|0A|0D|2C|3A)", shown)
    assert (visible(message) == message) <= (said.replace("%25", "%").endswith(message))


@given(message=HOSTILE, where=HOSTILE, line=st.integers(0, 9), column=st.integers(0, 9), text=HOSTILE)
def test_nothing_breaks_the_object(message: str, where: str, line: int, column: int, text: str) -> None:
    error = TextError(message, where, line, column, text)
    for one in (error, UnknotError(str(error)), ExtensionError(message), OSError(2, message, where)):
        shown = as_json(failures_of(one, str(one)))
        found = json.loads(shown)
        assert shown.isascii()
        SCHEMA.validate(found)
        assert isinstance(found["error"]["message"], str)
    (first,) = failures_of(error, str(error))
    assert (first.message, first.file, first.line) == (message, where, line or None)


def test_the_last_word_before_a_hard_end_is_data_too() -> None:
    """The process is ended elsewhere: what it writes to the descriptors is looked at from a parent."""
    words = ["check", "torus(4, 4)", "--json"]
    script = (
        "from unknot.cli.commands import guard\nfrom unknot.cli.failure import WANTED\n"
        f"WANTED.begin({words!r}, 'github')\nguard.leave_at_once(3, 'given up after 1 s, the time limit')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == guard.UNDECIDED
    assert json.loads(done.stdout)["error"]["code"] == "time-limit"
    assert "::error::given up after 1 s" in done.stderr


class _OwnError(SimulationError):
    """An error of an extension, say."""


def test_kinds_of_errors_have_codes() -> None:
    kinds = {NetworkError: "network", RelationError: "routing", _OwnError: "simulation"}
    assert {kind: failures_of(kind("x"), "x")[0].code for kind in kinds} == kinds
    assert failures_of(UnknotError("x"), "x") == (Failure("request", "x"),)
