"""Nanoseconds and GB/s."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot._base.errors import UnknotError
from unknot._base.units import Scale, Units
from unknot.cli.program import ALL, app
from unknot.report import draw_curves, draw_load
from unknot.report.curve_points import points
from unknot.simulation import simulate


@given(st.floats(0.1, 10), st.floats(1, 256), st.floats(0, 1))
def test_loads_go_there_and_back(clock: float, flit: float, load: float) -> None:
    units = Units(clock, flit)
    assert units.flits_per_cycle(units.gb_per_s(load)) == pytest.approx(load)
    assert units.gb_per_s(1.0) == pytest.approx(clock * flit)


@pytest.mark.parametrize("text", ["2 GHz", "16 B", "2 GHz 16 B", "-1 GHz, 16 B", "0 GHz, 16 B", "2 THz, 1 B"])
def test_what_is_no_clock_and_no_width_is_refused(text: str) -> None:
    with pytest.raises(UnknotError, match="clock"):
        Units.of(text)


def test_a_run_in_nanoseconds(tmp_path: Path) -> None:
    words = ["simulate", "mesh(3, 3)", "--routing", "dimension_order", "--load", "0.1", "--measure", "300"]
    done = CliRunner().invoke(app, [*words, "--units", "500 MHz, 8 B", "--csv", str(tmp_path / "r.csv")])
    assert done.exit_code == 0, done.output
    with (tmp_path / "r.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["latency_mean_ns"]) == pytest.approx(2 * float(row["latency_mean"]))
    assert float(row["accepted_gb_per_s"]) == pytest.approx(4 * float(row["accepted_load"]))
    said = " ".join(done.stdout.split())
    assert "offered load 0.1 flits per cycle (0.4 GB/s)" in said
    assert f"cycles ({2 * float(row['latency_mean']):.4g} ns) latency p50" in said
    assert CliRunner().invoke(app, [*words, "--units", "fast"]).exit_code == 2


ON = ["mesh(2, 2)", "--routing", "dimension_order"]
COMMANDS = {
    "simulate": (["simulate", *ON, "--load", "0.1", "--measure", "200"], "latency_mean_ns", 1),
    "seeds": (["simulate", *ON, "--load", "0.1", "--measure", "200", "--seeds", "2"], "latency_mean_ns", 2),
    "trace": (["trace", *ON, "--requests", "2"], "makespan_ns", 1),
    "analyse": (["analyse", *ON], "throughput_gb_per_s", 1),
    "multicast": (["multicast", *ON], "latency_ns", 1),
    "collective": (["collective", "ring(4)", "--algorithm", "ring,direct"], "bound_ns", 3),
    "bytes": (["collective", "ring(4)", "--algorithm", "ring,direct"], "size_bytes", 3),
    "compare": (["compare", "ring(4) by duato"], "uniform_bound_gb_per_s", 1),
}
IN_UNITS = r" \([\d.e+]+ (?:[nµ]s|[kM]?B|GB/s)\)"
COMMANDS = {name: case for name, case in COMMANDS.items() if case[0][0] in ALL}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_with_cycles_takes_units(name: str) -> None:
    words, figure, rows = COMMANDS[name]
    done = CliRunner().invoke(app, [*words, "--units", "500 MHz, 8 B"])
    assert done.exit_code == 0, done.output
    plain = CliRunner().invoke(app, words)
    assert re.search(IN_UNITS, done.stdout)
    assert not re.search(IN_UNITS, plain.stdout)
    if name != "compare":  # of which a terminal shows as many columns as it has room for
        assert re.sub(IN_UNITS + r"|\s|─", "", done.stdout) == re.sub(r"\s|─", "", plain.stdout)
    found = json.loads(CliRunner().invoke(app, [*words, "--json", "--units", "500 MHz, 8 B"]).stdout)["units"]
    assert (found["clock_ghz"], found["flit_bytes"], len(found["values"])) == (0.5, 8.0, rows)
    assert any(figure in row for row in found["values"])
    assert json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["units"] is None


@pytest.mark.long
def test_studies_in_nanoseconds(tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    study.write_text(
        '[simulation]\nloads = [0.1]\nwarmup = 50\nmeasure = 200\n[[design]]\nnetwork = "ring(4)"\n'
        'routing = "dimension_order"\n'
    )
    done = CliRunner().invoke(app, ["run", str(study), "--out", str(tmp_path), "--units", "500 MHz, 8 B", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    (value,), run = found["units"]["values"], found["designs"][0]["runs"][0]
    assert value["latency_mean_ns"] == 2 * run["latency_mean"]
    page = (tmp_path / "s.html").read_text()
    assert "A cycle is 2 ns; a flit per cycle is 4 GB/s." in page
    assert "0.1 (0.4 GB/s)" in page
    assert f">{2 * run['latency_mean']:.2f}<" in page
    assert "--units" in page


@pytest.mark.long
def test_drawings_in_units_have_other_numbers_and_say_so() -> None:
    run = simulate("mesh(2, 2)", 0.1, routing="dimension_order", interval=100, warmup=100, measure=400)
    text = "500 MHz, 8 B"
    load = draw_load("mesh(2, 2)", run.utilisation, units=text).text
    assert f"busiest channel {4 * run.utilisation.max():.3g} GB/s" in load
    assert "flits per cycle" not in load
    runs = {"a": [run]}
    assert (
        draw_curves(runs, units=Units.of(text)).text == draw_curves(runs, units=text).text != draw_curves(runs).text
    )
    assert points([run])[0].on(Scale.of(text)).latency_mean == pytest.approx(2 * run.latency_mean)
