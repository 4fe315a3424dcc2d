"""Questions that became commands of their own: the old spelling answers alike, says so, and is in no help."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from typer.testing import CliRunner

from unknot.cli.commands.respelled import respelled
from unknot.cli.program import app, command_named

SPELLINGS = [
    (
        "check mesh(2) --all-sizes --routing lcfaa --switching saf",
        "every-size mesh(2) --routing lcfaa --switching saf",
    ),
    (
        "check mesh(2,2) --routing west_first --to dimension_order",
        "reconfigure west_first dimension_order --network mesh(2,2)",
    ),
    (
        "check line(2) --routing dimension_order --protocol request_reply(depth=2) --packet-length 4",
        "protocol request_reply(depth=2) --network line(2) --routing dimension_order --packet-length 4",
    ),
    ("design mesh(2) --vcs '1/1 1/1'", "design routing mesh(2) --vcs '1/1 1/1'"),
]


def without_times(answer: Any) -> Any:
    """An answer without what differs between two runs."""
    if isinstance(answer, list):
        return [without_times(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    return {key: without_times(value) for key, value in answer.items() if key not in ("seconds", "manifest")}


@pytest.mark.parametrize(("old", "new"), SPELLINGS)
def test_the_old_spelling_answers_alike_and_names_the_command(old: str, new: str) -> None:
    before, after = (CliRunner().invoke(app, [*shlex.split(words), "--json"]) for words in (old, new))
    assert before.exit_code == after.exit_code
    assert without_times(json.loads(before.stdout)) == without_times(json.loads(after.stdout))
    command = " ".join(new.split()[: 2 if new.startswith("design") else 1])
    assert f"`unknot {command}" in before.stderr
    assert "old spelling" not in after.stderr


def test_old_spellings_are_no_options_of_check() -> None:
    """`check` has none of them: words are spelled anew before a command is parsed."""
    known = {word for one in command_named("check").params for word in one.opts}
    assert not known & {"--all-sizes", "--to", "--protocol", "--packet-length"}
    refused = CliRunner().invoke(app, ["check", "mesh(2,2)", "--routing", "west_first", "--to=duato", "--smallest"])
    assert refused.exit_code == 2
    assert "No such option: --smallest" in refused.stderr


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("check --json ring(4) --to=b --routing a --vcs 2", "reconfigure a b --network ring(4) --json --vcs 2"),
        ("check --routing=a --vcs 2 ring(4) --to b --flows f", "reconfigure a b --network ring(4) --vcs 2 --flows f"),
        ("check --to b --routing a", "reconfigure a b"),
        ("check --protocol axi --routing a ring(4)", "protocol axi --network ring(4) --routing a"),
        ("check mesh(2) --routing a --all-sizes --json", "every-size mesh(2) --routing a --json"),
        ("convert a --to b", "convert a --to b"),
    ],
)
def test_networks_are_told_from_values(words: str, new: str) -> None:
    assert respelled(words.split(), lambda: ["--json"]) == new.split()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reconfigure", "west_first", "dimension_orde", "--network", "mesh(2,2)"], "did you mean dimension_order"),
        (["reconfigure", "duato", "west_first", "--network", "mesh(2,2)"], "--vcs gives both as many"),
        (["protocol", "axis", "--network", "mesh(2,2)", "--routing", "west_first"], "PROTOCOL:1:1: unknown protocol"),
        (["protocol", "axi", "--routing", "west_first"], "--network"),
        (["every-size", "mesh(4, 4)", "--routing", "west_first"], "a family is needed, mesh(3)"),
        (["design", "routing", "mesh(2)", "--adaptive", "some"], "expected full"),
    ],
)
def test_a_wrong_word_is_named(words: list[str], said: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert said in result.stderr
