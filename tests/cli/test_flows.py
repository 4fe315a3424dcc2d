"""Flows from a file: simulated at their bandwidths, by flow and by channel, and what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import unknot
from tests.cli.test_schemas import schema
from unknot.cli.program import app
from unknot.lane_assignment import read_flows
from unknot.lane_assignment.flows import only

ROOT = Path(__file__).parents[2]
CHIP, FLOWS = str(ROOT / "examples/chip.edges"), str(ROOT / "examples/chip.csv")
SHORT = ("--packet-length", "4", "--warmup", "500", "--measure", "3000")
UNITS = ("--units", "1 GHz, 8 B")


def says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def found(*words: str) -> dict[str, Any]:
    result = says("simulate", CHIP, "--flows", FLOWS, *words, *SHORT, "--json")
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    schema("simulate").validate(answer)
    return answer


@pytest.mark.long
def test_bandwidths_say_the_load() -> None:
    answer = found("--routing", "up_down", *UNITS)
    # ddr0 sends 2400 + 2200 MB/s of the 8 GB/s of a flit per cycle
    assert answer["offered_load"] == pytest.approx(4.6 / 8)
    assert answer["traffic"] == "chip.csv"
    flows = {(flow["source"], flow["target"]): flow for flow in answer["flows"]}
    assert len(flows) == 13
    assert flows["cpu0", "ddr0"]["offered_gbit_per_s"] == pytest.approx(12.8)
    for flow in flows.values():
        assert flow["offered_gbit_per_s"] == pytest.approx(64 * flow["offered"])
        assert flow["accepted_gbit_per_s"] == pytest.approx(64 * flow["accepted"])
        assert flow["latency_mean_ns"] == pytest.approx(flow["latency_mean"])
        assert flow["accepted"] == pytest.approx(flow["offered"], rel=0.5, abs=0.02)
    latencies = [flow["latency_mean"] for flow in answer["flows"]]
    assert latencies == sorted(latencies, reverse=True)
    total = sum(flow["accepted"] for flow in flows.values())
    assert total == pytest.approx(10 * answer["accepted_load"], rel=0.05)
    assert len(answer["channels"]) == 20
    for channel in answer["channels"]:
        assert channel["gbit_per_s"] == pytest.approx(64 * channel["utilisation"])


@pytest.mark.long
def test_a_load_scales_them_and_units_are_not_needed() -> None:
    answer = found("--routing", "lanes", "--load", "0.2")
    assert answer["offered_load"] == 0.2
    assert {flow["latency_mean_ns"] for flow in answer["flows"]} == {None}
    network = unknot.fabrics.read_network(CHIP)
    matrix = read_flows(FLOWS, network)
    again = unknot.simulation.simulate(
        only(unknot.routing.named.routing_to_simulate(network, "lanes", flows=matrix), matrix),
        0.2, traffic=matrix, packet_length=4, warmup=500, measure=3000,
    )  # fmt: skip
    assert again.latency_mean == answer["latency_mean"]


def test_tables_name_flows_and_channels() -> None:
    shown = says("simulate", CHIP, "--routing", "up_down", "--flows", FLOWS, *UNITS, *SHORT).stdout
    shown = " ".join(shown.split())
    for words in ("accepted gbit per s", "latency mean", "ddr0 gpu ", "12.8", " ns)", "utilisation", "s6→s5"):
        assert words in shown
    plain = says("simulate", CHIP, "--routing", "up_down", "--flows", FLOWS, "--load", "0.1", *SHORT).stdout
    assert "gbit" not in plain
    assert "offered accepted" in " ".join(plain.split())


def test_other_commands_take_the_same_file() -> None:
    assert says("curve", CHIP, "--routing", "lanes", "--flows", FLOWS, "--loads", "0.1, 0.2", *SHORT).exit_code == 0
    assert (
        says(
            "simulate", CHIP, "--routing", "up_down", "--flows", FLOWS, "--load", "0.1", "--seeds", "2", *SHORT
        ).exit_code
        == 0
    )


def test_routers_stand_for_their_only_terminal() -> None:
    Path("flows.csv").write_text('source,target\n"(0,0)","(1,1)"\n"(1,0)",t0\n')
    result = says(
        "simulate",
        "mesh(2, 2)",
        "--routing",
        "dimension_order",
        "--flows",
        "flows.csv",
        "--load",
        "0.1",
        *SHORT,
        "--json",
    )
    assert result.exit_code == 0, result.output
    flows = {(flow["source"], flow["target"]) for flow in json.loads(result.stdout)["flows"]}
    assert flows == {("t0", "t3"), ("t1", "t0")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "flows.csv: cannot read this file: No such file"),
        ("", "there is no 'source'"),
        ("source,target,bandwidth\n", "there is no flow in it"),
        ("from,to\nt0,t1\n", "there is no 'source'"),
        ("source,target\nt0,cpu\n", "flows.csv:2:4: network 'mesh(2, 2)' has no terminal called 'cpu'"),
        ("source,target\nt0,t9\n", "no terminal called 't9'"),
        ("source,target\nt0,9\n", "terminals are numbered 0 to 3"),
        ("source,target\nt0\n", "flows.csv:2:3"),
        ("source,target\nt1,t1\n", "a flow goes to another terminal"),
        ("source,target,bandwidth\nt0,t1,5 furlongs\n", "'5 furlongs' is no bandwidth"),
        ("source,target,bandwidth\nt0,t1,-5\n", "is no bandwidth"),
        ("source,target,bandwidth\nt0,t1,nan\n", "is no bandwidth"),
        ("source,target,bandwidth\nt0,t1,9000GB/s\n", "t0 sends 9000 GB/s, and a terminal sends 8 GB/s at most"),
        ("\x00", "this is not text"),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "curve"])
def test_what_is_wrong_with_a_file_is_said(command: str, text: str | None, said: str) -> None:
    if text is not None:
        Path("flows.csv").write_text(text)
    if command == "curve" and "9000" in (text or ""):
        pytest.skip("loads of a curve scale the flows")
    result = says(command, "mesh(2, 2)", "--routing", "dimension_order", "--flows", "flows.csv", *UNITS)
    assert result.exit_code == 2, result.output
    assert said in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--units", "fast"), "--units:1:1: expected a clock and a width"),
        ((), "or --flows with --units"),
        (("--load", "0.1", "--saturation"), "give either --load"),
        (("--load", "0.1", "--traffic", "tornado"), "leave out --traffic"),
        (("--load", "0.1", "--class", "share=1"), "leave out --traffic and --class"),
        (("--load", "2"), "load must be a number from 0 to 1"),
    ],
)
def test_words_that_do_not_fit_are_refused(words: tuple[str, ...], said: str) -> None:
    result = says("simulate", CHIP, "--routing", "up_down", "--flows", FLOWS, *words)
    assert result.exit_code == 2
    assert said in result.stderr
