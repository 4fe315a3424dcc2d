"""Nanoseconds and GB/s."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from unknot.cli import app
from unknot.errors import UnknotError
from unknot.units import Units


@given(st.floats(0.1, 10), st.floats(1, 256), st.floats(0, 1))
def test_loads_go_there_and_back(clock: float, flit: float, load: float) -> None:
    units = Units(clock, flit)
    assert units.flits_per_cycle(units.gb_per_s(load)) == pytest.approx(load)
    assert units.gb_per_s(1.0) == pytest.approx(clock * flit)


@pytest.mark.parametrize("text", ["2 GHz", "16 B", "2 GHz 16 B", "-1 GHz, 16 B", "0 GHz, 16 B", "2 THz, 1 B"])
def test_what_is_no_clock_and_no_width_is_refused(text: str) -> None:
    with pytest.raises(UnknotError, match="units: "):
        Units.of(text)


def test_a_run_in_nanoseconds(tmp_path: Path) -> None:
    words = ["simulate", "mesh(3, 3)", "--routing", "dimension_order", "--load", "0.1", "--measure", "300"]
    done = CliRunner().invoke(app, [*words, "--units", "500 MHz, 8 B", "--csv", str(tmp_path / "r.csv")])
    assert done.exit_code == 0, done.output
    with (tmp_path / "r.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["latency_mean_ns"]) == pytest.approx(2 * float(row["latency_mean"]))
    assert float(row["accepted_gb_per_s"]) == pytest.approx(4 * float(row["accepted_load"]))
    assert "offered 0.4, accepted" in " ".join(done.stdout.split())
    assert CliRunner().invoke(app, [*words, "--units", "fast"]).exit_code == 2
