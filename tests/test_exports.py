"""Counterexamples as files, replayed; explanations."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from unknot import deliver, replay
from unknot._base.errors import UnknotError
from unknot._base.switching import SWITCHINGS
from unknot.certificates import Verdict, evidence_holds
from unknot.cli.answers.configuration_file import configuration_on, read_configuration, write_configuration
from unknot.cli.program import app
from unknot.network.families import mesh, ring, torus
from unknot.report.explanation import explain
from unknot.routing import Relation, dimension_order, duato, fully_adaptive
from unknot.verify import check


def unknot_says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "knot.json"
    relation = dimension_order(torus(4, 4))
    found = check(relation).configuration
    assert found is not None
    write_configuration(relation, found, path, network="torus(4, 4)", routing="dimension_order", vcs=1)
    return path


def test_what_is_written_is_read(file: Path) -> None:
    relation = dimension_order(torus(4, 4))
    read = read_configuration(file)
    assert (read.network, read.routing, read.vcs) == ("torus(4, 4)", "dimension_order", 1)
    assert configuration_on(relation, read) == check(relation).configuration


def damaged(file: Path, *keys: str | int, value: Any) -> Path:
    """The file with one value changed."""
    content = json.loads(file.read_text(encoding="utf-8"))
    place = content
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("keys", "value", "shown"),
    [
        (("format",), "other", "format: "),
        (("version",), 2, "version: "),
        (("configuration", "messages"), [], "configuration.messages: "),
        (("configuration", "messages", 1, "held"), [], r"configuration.messages\[1\].held: "),
        (("configuration", "messages", 1, "wanted"), [], r"configuration.messages\[1\].wanted: "),
        (("configuration", "messages", 0, "source"), -1, r"configuration.messages\[0\].source: "),
        (("configuration", "messages", 0, "source"), "0", r"configuration.messages\[0\].source: "),
        (("configuration", "switching"), "vtc", "configuration.switching: "),
        (("more",), 1, "more: "),
    ],
)
def test_a_damaged_file_is_refused_where_it_is_damaged(
    file: Path, keys: tuple[str | int, ...], value: object, shown: str
) -> None:
    with pytest.raises(UnknotError, match=shown):
        read_configuration(damaged(file, *keys, value=value))


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for content in (b"", b"{", b"\xff\xfe", b"[1]"):
        path.write_bytes(content)
        with pytest.raises(UnknotError, match=r"x\.json"):
            read_configuration(path)
    assert unknot_says("replay", str(path)).exit_code == 2
    assert unknot_says("replay", str(tmp_path / "missing.json")).exit_code == 2


def test_a_file_of_another_network(file: Path) -> None:
    read = read_configuration(file)
    with pytest.raises(UnknotError, match="64 virtual channels"):
        configuration_on(dimension_order(torus(5, 4)), read)
    with pytest.raises(UnknotError, match="is of another network"):
        configuration_on(dimension_order(torus(2, 2, 4)), read)
    moved = damaged(file, "configuration", "messages", 0, "address", value=99)
    with pytest.raises(UnknotError, match="too small for it"):
        configuration_on(dimension_order(torus(4, 4)), read_configuration(moved))


def test_replay(file: Path) -> None:
    result = unknot_says("replay", str(file))
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "accepted yes" in said
    assert "replay injected yes" in said
    assert "Message 1: " in result.stdout


def test_replay_of_what_is_no_deadlock(file: Path, tmp_path: Path) -> None:
    length = damaged(file, "configuration", "messages", 0, "length", value=7)
    result = unknot_says("replay", str(length), "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["accepted"], found["replay"]) == (False, None)
    assert "does not fill" in found["objection"]
    damaged(file, "configuration", "messages", 0, "length", value=8)
    content = json.loads(file.read_text(encoding="utf-8"))
    del content["configuration"]["messages"][0]
    file.write_text(json.dumps(content), encoding="utf-8")
    result = unknot_says("replay", str(file), "--out", str(tmp_path / "knot.svg"))
    assert result.exit_code == 1
    assert "accepted NO objection message" in " ".join(result.stdout.split())
    assert (tmp_path / "knot.svg").exists()


def test_a_routing_that_holds_refuses_the_counterexample_of_another(tmp_path: Path) -> None:
    path = tmp_path / "knot.json"
    assert unknot_says("check", "ring(6)", "--routing", "fully_adaptive", "--export", str(path)).exit_code == 1
    assert unknot_says("replay", str(path)).exit_code == 0
    assert unknot_says("check", "mesh(3, 3)", "--routing", "fully_adaptive", "--export", str(path)).exit_code == 1
    assert unknot_says("replay", str(path), "--routing", "dimension_order").exit_code == 1


def test_nothing_is_written_when_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "knot.json"
    result = unknot_says("check", "mesh(3, 3)", "--routing", "dimension_order", "--export", str(path))
    assert result.exit_code == 0
    assert not path.exists()
    assert "no counterexample" in result.stderr


# --- explanations -------------------------------------------------------------------------------------------------


@cache
def examples() -> tuple[Relation, ...]:
    return dimension_order(mesh(3, 3)), dimension_order(ring(5)), fully_adaptive(mesh(3, 3)), duato(mesh(3, 3))


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_explanations_give_names_and_numbers(switching: str) -> None:
    """Of every relation and technique: each part is there, and every message described has its place."""
    for relation in examples():
        verdict = check(relation, switching)
        found = verdict.configuration
        carried = replay(relation, found) if found is not None else None
        holds = evidence_holds(relation, verdict)
        parts = explain(relation, verdict, deliver(relation), holds=holds, replay=carried)
        text = {part.title: "\n".join(part.paragraphs) for part in parts}
        assert relation.network.name in text["The question"]
        assert verdict.size is not None
        assert f"{verdict.size.states:,} states" in text["Who depends on whom"]
        assert "and accepted the " in text["How far to trust this"]
        if found is None:
            assert "a contradiction" in text["Why it cannot deadlock"].lower()
        else:
            assert text["How it comes about"].count(", takes ") == len(found.messages)
            for vc in found.holder:
                assert relation.vcs.name(vc) in text["How it comes about"]
            assert "the cycle is closed" in text["Why nothing moves any more"]
            assert "In the simulator no message, " in text["Why nothing moves any more"]


def test_the_way_out_is_one() -> None:
    """The example of an escape names a VC that the packet waits for and that was struck out before."""
    relation = duato(mesh(4, 4))
    verdict = check(relation, "vct")
    parts = explain(relation, verdict, deliver(relation))
    (shown,) = [p for part in parts for p in part.paragraphs if "is the packet's way out" in p]
    assert "VC 0" in shown.split(". ")[-1]


def test_an_open_question_says_how_far_it_got() -> None:
    relation = dimension_order(mesh(2, 2))
    verdict = Verdict(None, "wormhole", "exact search", "all", "undecided after 1 s: only 3 of 8 VCs are left")
    parts = explain(relation, verdict, deliver(relation))
    assert any("only 3 of 8 VCs" in p for part in parts for p in part.paragraphs)


def test_explain_on_the_command_line() -> None:
    result = unknot_says("check", "ring(5)", "--routing", "dimension_order", "--explain")
    assert result.exit_code == 1
    for title in ("The question", "Who depends on whom", "How it comes about", "Why nothing moves any more"):
        assert title in result.stdout
    assert (
        json.loads(unknot_says("check", "ring(5)", "--routing", "dimension_order", "--json").stdout)["explanation"]
        is None
    )


def test_the_smallest_on_the_command_line() -> None:
    words = ("check", "mesh(3, 3)", "--routing", "fully_adaptive", "--smallest")
    found = json.loads(unknot_says(*words, "--json").stdout)
    assert found["smallest"]["proved"] is True
    assert len(found["configuration"]["messages"]) == found["smallest"]["messages_bound"] == 4
    assert found["certificate_holds"] is True
    shown = unknot_says(*words)
    assert shown.exit_code == 1
    assert "messages bound 4, held bound 4, proved yes" in " ".join(shown.stdout.split())
    none = unknot_says("check", "mesh(3, 3)", "--routing", "dimension_order", "--smallest", "--json")
    assert json.loads(none.stdout)["smallest"] is None
