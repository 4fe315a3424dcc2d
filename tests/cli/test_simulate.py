"""`unknot simulate` on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import unknot
from unknot.cli.program import app


def unknot_says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def answer(result: Result) -> dict[str, Any]:
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_simulate_json_has_the_attributes_of_a_run() -> None:
    words = ["simulate", "mesh(4, 4)", "--routing", "dimension_order", "--load", "0.1", "--packet-length", "2"]
    words += ["--seed", "7", "--warmup", "300", "--measure", "1000"]
    result = unknot_says(*words, "--json")
    assert result.exit_code == 0
    found = answer(result)
    options = {"packet_length": 2, "seed": 7, "warmup": 300, "measure": 1000}
    run = unknot.simulation.simulate("mesh(4, 4)", 0.1, routing="dimension_order", **options)
    assert (found["vcs"], found["vcs_chosen"], found["switching"]) == (4, True, "vct")
    assert "VCs 4 (chosen; --vcs gives another number)" in " ".join(unknot_says(*words).stdout.split())
    given = answer(unknot_says(*words, "--json", "--vcs", "1"))
    assert (given["vcs"], given["vcs_chosen"]) == (1, False)
    for key, value in vars(run).items():
        assert key in ("utilisation", "occupancy", "lengths", "router", "faults", "network", "classes", "pairs") or (
            found[key] == value
        )
    assert found["classes"] == []
    assert (found["lengths"], found["router"]) == ({}, vars(run.router))
    assert found["ns_per_flit_hop"] > 0
    assert found["channels"] is None
    every = answer(unknot_says(*words, "--json", "--channels"))["channels"]
    assert [channel["utilisation"] for channel in every] == run.utilisation.tolist()
    assert found["stable"] is True
    assert found["deadlock"] is None
    assert "latency" in unknot_says(*words).stdout


def test_simulate_draws_where_the_load_sits(tmp_path: Path) -> None:
    words = ["simulate", "mesh(3, 3)", "--routing", "dimension_order", "--load", "0.1", "--measure", "500", "--out"]
    path = tmp_path / "load.svg"
    assert unknot_says(*words, str(path)).exit_code == 0
    assert "busiest channel" in path.read_text(encoding="utf-8")
    assert unknot_says(*words, str(tmp_path / "load.pdf")).exit_code == 0
    assert unknot_says(*words, str(tmp_path / "load.jpg")).exit_code == 2


@pytest.mark.long
def test_simulate_with_several_seeds() -> None:
    words = ["simulate", "mesh(3, 3)", "--routing", "dimension_order", "--load", "0.05", "--measure", "1000"]
    words += ["--seeds", "3"]
    alone, together = (json.loads(unknot_says(*words, "--json", "--jobs", jobs).stdout) for jobs in ("1", "2"))
    assert alone.pop("manifest") != together.pop("manifest")
    assert alone == together
    assert alone["stable_runs"] == len(alone["runs"]) == 3
    assert alone["latency_half_width"] > 0
    assert "stable runs 3" in " ".join(unknot_says(*words).stdout.split())


def test_simulate_writes_the_knot_it_was_tied_in(tmp_path: Path) -> None:
    picture, file = tmp_path / "knot.svg", tmp_path / "knot.json"
    design = ["torus(4, 4)", "--routing", "fully_adaptive", "--packet-length", "4"]
    where = ["--out", str(picture), "--export", str(file)]
    done = unknot_says("simulate", *design, "--vcs", "1", "--load", "1", *where)
    assert done.exit_code == 0
    assert "deadlock" in done.stdout
    assert picture.read_text("utf-8").startswith("<svg")
    assert unknot_says("replay", str(file)).exit_code == 0
    file.unlink()
    calm = unknot_says("simulate", *design, "--vcs", "4", "--load", "0.01", "--measure", "200", *where)
    assert calm.exit_code == 0
    assert not file.exists()
    assert "no deadlock, so" in calm.stderr


def test_simulate_takes_options_of_routers_and_injection() -> None:
    found = json.loads(
        unknot_says(
            "simulate", "mesh(3, 3)", "--routing", "dimension_order", "--load", "0.05", "--measure", "1000", "--json",
            "--router", "routing_delay=0", "--packet-length", "1:0.5, 5:0.5", "--bursts", "0.05, 0.1",
            "--interval", "200",
        ).stdout
    )  # fmt: skip
    assert (found["router"]["routing_delay"], found["packet_length"]) == (0, 5)
    assert found["lengths"] == {"1": 0.5, "5": 0.5}
    assert found["bursts"] == {"begin": 0.05, "end": 0.1}
    assert len(found["series"]["accepted"]) == found["cycles"] // 200


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--load", "0.1", "--router", "alocator=islip"), "did you mean allocator"),
        (("--load", "0.1", "--packet-length", "two"), "expected a number of flits"),
        (("--load", "0.1", "--bursts", "0.1"), "expected two probabilities"),
        (("--load", "0.1", "--seeds", "2", "--interval", "10"), "--interval is for one run"),
        (("--load", "0.1", "--precision", "0.1", "--measure", "10"), "give either it or measure"),
        (("--saturation", "--seeds", "2"), "--saturation is for one run"),
        (("--saturation", "--precision", "0.1"), "--precision is for one run"),
    ],
)
def test_simulate_says_what_does_not_fit(words: tuple[str, ...], said: str) -> None:
    result = unknot_says("simulate", "mesh(3, 3)", "--routing", "dimension_order", *words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("network", "words", "begins"),
    [
        ("mesh(3, 3)", ("--routing", "dimension_order"), "deadlock-free: "),
        ("ring(5)", ("--routing", "fully_adaptive", "--vcs", "1"), "NOT deadlock-free: "),
        ("mesh(24, 24)", ("--routing", "dimension_order"), "not asked: 5,419,008 pairs"),
    ],
)
def test_a_run_says_what_is_proved_of_its_design(network: str, words: tuple[str, ...], begins: str) -> None:
    run = ["simulate", network, *words, "--load", "0.02", "--warmup", "0", "--measure", "20", "--json"]
    assert json.loads(CliRunner().invoke(app, run).stdout)["proof"].startswith(begins)


@pytest.mark.long
def test_a_curve_searches_saturation() -> None:
    words = ["curve", "line(2)", "--routing", "dimension_order", "--vcs", "1", "--saturation"]
    (design,) = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["designs"]
    lower, upper = design["saturation"]
    assert 0 < lower < upper < 1.03 * lower or any(run["outcome"] == "too short" for run in design["runs"])
    refused = CliRunner().invoke(app, [*words, "--loads", "0.1, 0.2"])
    assert refused.exit_code == 2
    assert "--loads chooses the loads; leave it out" in refused.output


def test_simulate_searches_saturation() -> None:
    words = ["simulate", "line(2)", "--routing", "dimension_order", "--vcs", "4", "--saturation"]
    found = answer(unknot_says(*words, "--json"))
    assert found["zero_load_latency"] == 9.5
    assert found["runs"][0]["offered_load"] <= found["load"]
    assert "zero load latency" in unknot_says(*words).stdout
    for wrong in (words[:-1], [*words, "--load", "0.1"], [*words, "--measure", "100"]):
        assert unknot_says(*wrong).exit_code == 2


def test_simulate_completes_with_zero_when_it_finds_a_deadlock() -> None:
    words = ("simulate", "ring(8)", "--routing", "dimension_order", "--load", "0.9", "--packet-length", "16")
    words += ("--vcs", "1", "--switching", "wormhole")
    result = unknot_says(*words, "--json")
    assert result.exit_code == 0
    found = answer(result)
    assert found["stable"] is False
    assert found["deadlock"]["messages"]
    assert "can never move again" in unknot_says(*words).stdout


def test_options_of_the_help_stand_in_the_groups_of_the_arguments() -> None:
    from dataclasses import fields
    from inspect import signature

    from unknot.cli.commands.simulate import DesignOptions, ExecutionOptions, MeasurementOptions, TrafficOptions
    from unknot.simulation import simulate

    groups = {
        one.heading: [field.name for field in fields(one) if field.name != "network"]
        for one in (DesignOptions, TrafficOptions, MeasurementOptions, ExecutionOptions)
    }
    shown = CliRunner().invoke(app, ["simulate", "--help"]).output
    sections = dict(re.findall(r"^(\w[\w ]+):\n((?:  .*\n?)+)", shown, re.M))
    for group, names in groups.items():
        called = {"traffic_class": "class", "deadline": "time-limit"}
        options = [called.get(name, name.replace("_", "-")) for name in names]
        assert re.findall(r"^  --([a-z-]+)", sections[group], re.M) == options
    order = [name for names in groups.values() for name in names]
    arguments = [name for name in signature(simulate).parameters if name in order and name != "load"]
    assert arguments == [name for name in order if name in arguments]
    documented = re.findall(r"\*(\w[\w ]+)\.\*", simulate.__doc__ or "")
    assert documented == list(groups)


@pytest.mark.long
def test_a_measurement_that_is_too_short_is_undecided() -> None:
    words = [
        "simulate",
        "mesh(16, 16)",
        "--routing",
        "dimension_order",
        "--load",
        "0.1",
        "--warmup",
        "20",
        "--measure",
        "60",
    ]
    result = unknot_says(*words)
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert re.search(r"outcome too short reason too short: .* warm up and measure for longer", said)
    assert "saturated" not in said
    found = answer(unknot_says(*words, "--json"))
    assert (found["outcome"], found["stable"]) == ("too short", False)


@pytest.mark.parametrize(
    ("option", "text", "column"),
    [
        ("--fault", "200: router 1 2", 13),
        ("--class", "share=.5, flits=x", 17),
        ("--router", "iterations=2, allocator=islp", 25),
        ("--traffic", "hotspot(x)", 9),
        ("--packet-length", "1:0.5, x:0.5", 8),
        ("--units", "2 Hz", 1),
        ("--bursts", "0.1, x", 6),
    ],
)
def test_errors_in_texts_of_options_stand_at_their_place(option: str, text: str, column: int) -> None:
    words = ("simulate", "mesh(4, 4)", "--routing", "dimension_order", "--load", "0.1")
    result = unknot_says(*words, option, text)
    assert result.exit_code == 2
    first, line, caret = result.stderr.splitlines()
    assert first.startswith(f"{option}:1:{column}: ")
    assert (line, caret) == (f"    {text}", " " * (3 + column) + "^")
