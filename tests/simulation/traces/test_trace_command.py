"""The command `unknot trace`, and the drawing of messages over time."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from unknot.cli.program import app
from unknot.network import families as topologies
from unknot.routing import dimension_order
from unknot.simulation import read_trace, run_trace

TRACES = Path(__file__).parents[3] / "examples" / "traces"
HALO = (str(TRACES / "halo.csv"), "--routing", "dimension_order")
RING = (
    "ring(12)",
    str(TRACES / "round-a-ring.csv"),
    "--routing",
    "dimension_order(dateline='none')",
    "--vcs",
    "1",
    "--switching",
    "wormhole",
)


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["trace", *words])
    return result.exit_code, result.stdout, result.stderr


def test_a_file_in_words_with_results(tmp_path: Path) -> None:
    results = tmp_path / "halo.csv"
    code, out, err = run("mesh(4, 4)", *HALO, "--results", str(results))
    assert code == 0
    assert re.search(r"messages +96\b.*\n *flits +768\b", out)
    assert err == f"wrote {results}\n"
    network = topologies.mesh(4, 4)
    found = read_trace(results, network)
    assert list(found) == list(read_trace(TRACES / "halo.csv", network))
    makespan = run_trace(dimension_order(network, 4), found).makespan
    assert run_trace("mesh(4, 4)", found, routing="dimension_order").makespan == makespan
    assert f"{makespan} cycles" in out
    assert f",{makespan}," in results.read_text(encoding="utf-8")


def test_json_of_a_file_and_of_a_closed_loop() -> None:
    code, out, _ = run("mesh(4, 4)", *HALO, "--json")
    found = json.loads(out)
    assert (code, found["messages"], found["flits"], found["unfinished"]) == (0, 96, 768, 0)
    assert (found["reason"], found["deadlock"], found["closed_loop"]) == ("", None, None)
    code, out, _ = run("ring(4)", "--routing", "dimension_order", "--vcs", "2", "--requests", "5", "--json")
    found = json.loads(out)
    assert (code, found["messages"], found["closed_loop"]["done"]) == (0, 40, 20)
    assert found["closed_loop"]["makespan"] == found["makespan"]


def test_a_closed_loop_in_words() -> None:
    code, out, _ = run("ring(4)", "--routing", "dimension_order", "--vcs", "2", "--requests", "5", "--window", "2")
    assert code == 0
    assert re.search(r"closed loop requests +5\b.*\n *closed loop window +2\b.*\n *closed loop done +20\b", out)
    assert "round trip" in out


def test_a_deadlock_is_reported_with_exit_code_1_and_a_limit_with_3() -> None:
    code, out, _ = run(*RING)
    assert code == 1
    assert "deadlock of 4 messages" in " ".join(out.split())
    assert "can never move again" in out
    code, out, _ = run(*RING, "--json")
    assert code == 1
    assert len(json.loads(out)["deadlock"]["messages"]) == 4
    code, out, _ = run("mesh(4, 4)", *HALO, "--limit", "100")
    assert code == 3
    assert "the limit of 100 cycles was reached" in out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("mesh(4, 4)", "--routing", "dimension_order"), "a file of messages"),
        (("mesh(4, 4)", *HALO, "--requests", "3"), "a file of messages"),
        (("ring(4)", "--routing", "dimension_order", "--requests", "3", "--in-order"), "for files of messages"),
        (("mesh(3, 3)", *HALO), "no terminal called 't9'"),
        (("mesh(4, 4)", *HALO, "--switching", "vct", "--buffer-depth", "4"), "does not fit"),
    ],
)
def test_bad_input_ends_with_2(words: tuple[str, ...], text: str) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert text in err
