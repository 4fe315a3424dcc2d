"""The command `unknot multicast`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

import unknot_collectives
from unknot.cli.program import app
from unknot.network import Network
from unknot.report.export import export
from unknot_collectives import Chunk, Operation, Schedule, Transfer, platform_of


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["multicast", *words])
    return result.exit_code, result.stdout, result.stderr


def test_a_broadcast_in_words_and_as_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "broadcast.svg"
    code, out, err = run("hypercube(3)", "--routing", "dimension_order", "--out", str(picture))
    assert code == 0
    assert "steps 3" in " ".join(out.split())
    step, source, destination, flits, *_ = out.splitlines()[-2].split()
    assert (step, source, destination, flits) == ("2", "3", "7", "8")
    assert "meetings" not in out
    assert err == f"wrote {picture}\n"
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_meetings_are_named() -> None:
    code, out, _ = run("itm(24, seed=3)", "--routing", "fully_adaptive", "--order", "numbers")
    assert code == 0
    assert "meetings" in out
    assert "r1→r4" in out
    code, out, _ = run("mesh(4, 4)", "--routing", "dimension_order", "--operation", "all_reduce")
    assert (code, "t7 → t3 and t11 → t3" in " ".join(out.split())) == (0, True)


@pytest.mark.parametrize("operation", ["broadcast", "scatter", "gather", "reduce", "all_gather", "all_reduce"])
def test_every_operation_as_json(operation: str) -> None:
    words = (
        "mesh(3, 3)",
        "--routing",
        "dimension_order",
        "--operation",
        operation,
        "--members",
        "1,5,7",
        "--root",
        "4",
    )
    code, out, _ = run(
        *words, "--block", "4", "--overhead", "10", "--switching", "vct", "--buffer-depth", "16", "--json"
    )
    answer = json.loads(out)
    assert code == 0
    assert {"operation", "root", "members", "steps", "sends", "meetings", "latency", "deadlock", "network"} < set(
        answer
    )
    assert answer["operation"] == operation
    assert sorted(answer["members"]) == [1, 4, 5, 7]
    assert answer["steps"] == (4 if operation.startswith("all") else 2)
    assert (answer["block"], answer["overhead"], answer["switching"], answer["deadlock"]) == (4, 10, "vct", None)
    assert answer["latency"] == max(send["arrived"] for send in answer["sends"])
    assert all(send["blocked"] >= 0 for send in answer["sends"])
    assert min(send["started"] for send in answer["sends"]) >= 10


@pytest.mark.parametrize("routing", ["lanes", "lanes(seed=2)", 'lanes(paths="table")', "routes.json"])
def test_routes_that_a_search_designed(routing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    export("ring(5)", "routes.json", routing="lanes")
    assert run("ring(5)", "--routing", routing)[0] == 0


def test_a_schedule_that_deadlocks_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def round_a_ring(network: Network, *_: object, block: int, order: str) -> Schedule:
        platform, size = platform_of(network), Fraction(block)
        chunks = tuple(Chunk(size, 12 + i, 12 + (i + 6) % 12) for i in range(0, 12, 3))
        sends = tuple(Transfer(0, k, chunk.source, chunk.target, ()) for k, chunk in enumerate(chunks))
        return Schedule("ring", platform, Operation("all_to_all", platform.members, size), chunks, sends)

    monkeypatch.setattr(unknot_collectives, "collective", round_a_ring)
    words = (
        "ring(12)",
        "--routing",
        "dimension_order(dateline='none')",
        "--block",
        "60",
        "--vcs",
        "1",
        "--switching",
        "wormhole",
    )
    code, out, _ = run(*words)
    assert code == 1
    assert "can never move again" in out
    assert "waits for" in out
    code, out, _ = run(*words, "--json")
    answer = json.loads(out)
    assert code == 1
    assert answer["latency"] is None
    assert len(answer["deadlock"]["messages"]) == 4


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--root", "9"], "has no terminal 9"),
        (["--root", "-1"], "has no terminal -1"),
        (["--operation", "gather", "--members", "3,99"], "has no terminal 99"),
        (["--operation", "gather", "--members", "3,3"], "named twice"),
        (["--operation", "gather", "--members", "a,b"], "--members:1:1: expected numbers of terminals"),
        (["--members", "0"], "at least two members"),
        (["--operation", "brodcast"], "did you mean broadcast?"),
        (["--order", "circel"], "did you mean circle?"),
        (["--order", "circle"], "no circular order"),
        (["--block", "0"], "whole number"),
        (["--overhead", "-1"], "overhead"),
        (["--overhead", "9" * 30], "overhead must be a whole number of cycles from 0 to"),
        (["--out", "a.jpg"], "a.jpg: the ending tells what is written of an answer"),
        (["--switching", "worm"], "unknown switching 'worm'; did you mean wormhole?"),
        (["--buffer-depth", "8", "--block", "9"], "does not fit"),
    ],
)
def test_bad_input_is_reported(words: list[str], shown: str) -> None:
    code, out, err = run("mesh(3, 3)", "--routing", "dimension_order", *words)
    assert (code, out) == (2, "")
    assert shown in err


def test_the_general_kind_has_no_circle() -> None:
    code, _, err = run('itm(12, "general", seed=2)', "--routing", "fully_adaptive", "--order", "circle")
    assert code == 2
    assert "general kind" in err


def test_networks_in_two_parts_and_without_terminals_are_refused(tmp_path: Path) -> None:
    parts = tmp_path / "parts.txt"
    parts.write_text("0 1\n2 3\n", encoding="utf-8")
    code, _, err = run(str(parts), "--routing", "shortest_paths")
    assert (code, "not connected" in err) == (2, True)
