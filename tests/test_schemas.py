"""What is printed and written as JSON has the published form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from typer.testing import CliRunner

from unknot import answers
from unknot.checker import evidence_holds
from unknot.cli import app
from unknot.routing import dimension_order
from unknot.schemas import FORMS, json_schemas
from unknot.switching import SWITCHINGS
from unknot.testing import interpreted
from unknot.topologies import ring
from unknot.verify import Verdict, check

SCHEMAS = Path(__file__).parents[1] / "docs" / "schemas"


def schema(name: str) -> Draft202012Validator:
    content = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(content)
    return Draft202012Validator(content)


def printed(*words: str) -> Any:
    result = CliRunner().invoke(app, [*words, "--json"])
    assert result.exit_code in (0, 1, 3), result.output
    return json.loads(result.stdout)


def test_the_published_schemas_are_those_of_the_program() -> None:
    """Written anew with `python -m unknot.schemas docs/schemas`."""
    assert {path.stem for path in SCHEMAS.glob("*.json")} == set(FORMS)
    for name, content in json_schemas().items():
        assert json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8")) == content


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("words", [("duato", "3"), ("dimension_order", "1")])
def test_check(words: tuple[str, str], switching: str, tmp_path: Path) -> None:
    routing, vcs = words
    file = tmp_path / "knot.json"
    found = printed(
        "check", "torus(3, 4)", "--routing", routing, "--vcs", vcs, "--switching", switching, "--explain",
        "--export", str(file),
    )  # fmt: skip
    schema("check").validate(found)
    assert file.exists() == (found["deadlock_free"] is False)
    if file.exists():
        content = json.loads(file.read_text(encoding="utf-8"))
        schema("configuration").validate(content)
        assert content["configuration"] == found["configuration"]
        again = printed("replay", str(file))
        schema("replay").validate(again)
        assert again["accepted"] is True
        assert again["replay"]["stuck"] is True


def test_verdicts_in_the_answers_of_audits_and_open_ones() -> None:
    relation = interpreted(dimension_order(ring(4)))
    for switching in SWITCHINGS:
        verdict = check(relation, switching)
        schema("verdict").validate(answers.of_verdict(relation, verdict, evidence_holds(relation, verdict)))
    undecided = Verdict(None, "wormhole", "exact search", "", "undecided")
    schema("verdict").validate(answers.of_verdict(relation, undecided, None))


def test_schemas_refuse_what_is_not_so() -> None:
    found = printed("check", "ring(4)", "--routing", "dimension_order")
    for damage in (
        {"deadlock_free": "no"},
        {"switching": "worm"},
        {"configuration": {**found["configuration"], "messages": []}},
        {"surprise": 1},
    ):
        with pytest.raises(ValidationError):
            schema("check").validate({**found, **damage})
    with pytest.raises(ValidationError):
        schema("check").validate({key: value for key, value in found.items() if key != "method"})
