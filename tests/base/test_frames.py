"""Results as rows: every one says what it is a result of; data frames, CSV and Parquet hold the same."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

import unknot
from unknot._base.frames import columns_of, to_frame, write_csv, write_parquet
from unknot.cli.program import app
from unknot.simulation import replicate, saturation
from unknot.studies import run_study
from unknot.studies.study import Design, Simulation, Study

WHAT = ("network", "routing", "vcs", "switching", "traffic", "offered_load", "seed")
SHORT = {"warmup": 100, "measure": 300}


def test_every_row_says_what_it_is_of() -> None:
    found = replicate("mesh(3, 3)", 0.1, routing="dimension_order", traffic="transpose", seeds=[3, 5], **SHORT)
    frame = found.to_frame()
    assert list(frame.columns[: len(WHAT)]) != []
    wanted = {"network": "mesh(3, 3)", "routing": "dimension_order", "vcs": 4, "switching": "vct"}
    for name, value in {**wanted, "traffic": "transpose", "offered_load": 0.1}.items():
        assert set(frame[name]) == {value}
    assert list(frame["seed"]) == [3, 5]
    assert list(frame["latency_mean"]) == [run.latency_mean for run in found.runs]
    (alone,) = found.runs[0].rows
    assert alone == found.rows[0]


@pytest.mark.long
def test_a_search_and_a_study_are_frames() -> None:
    found = saturation("line(2)", routing="dimension_order", tolerance=0.5)
    assert list(found.to_frame()["offered_load"]) == [run.offered_load for run in found.runs]
    designs = tuple(Design(name=f"{n} VCs", network="ring(4)", routing="dimension_order", vcs=n) for n in (1, 2))
    result = run_study(Study(designs=designs, simulation=Simulation(loads=(0.05,), warmup=50, measure=100)), jobs=1)
    frame = result.to_frame()
    assert list(frame["design"]) == ["1 VCs", "2 VCs"]
    assert list(frame["deadlock_free"]) == [False, True]
    assert list(frame["vcs"]) == [1, 2]


def test_a_network_is_a_frame_of_channels_and_a_graph() -> None:
    network = unknot.network.families.ring(4)
    frame = network.to_frame()
    assert list(frame["source"]) == network.source.tolist()
    assert frame["name"][0] == network.channel_name(0)
    assert network.to_networkx().number_of_edges() == network.num_channels


def test_csv_and_parquet_hold_the_rows(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": "x, y", "c": None, "d": True}, {"a": 2, "b": "z\n", "c": 0.5, "d": False}]
    write_csv(columns_of(rows), tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [list("abcd"), ["1", "x, y", "", "True"], ["2", "z\n", "0.5", "False"]]
    from pyarrow import parquet

    write_parquet(columns_of(rows), tmp_path / "r.parquet")
    assert parquet.read_table(tmp_path / "r.parquet").to_pylist() == rows
    assert to_frame(rows).shape == (2, 4)


def test_the_commands_write_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["simulate", "mesh(3, 3)", "--routing", "dimension_order", "--load", "0.1", "--measure", "300"]
    assert CliRunner().invoke(app, [*words, "--csv", "one.csv"]).exit_code == 0
    assert CliRunner().invoke(app, [*words, "--seeds", "2", "--csv", "two.csv"]).exit_code == 0
    Path("s.toml").write_text(
        "[[design]]\nname = 'a'\nnetwork = 'ring(4)'\nrouting = 'duato'\n"
        "[simulation]\nloads = [0.05, 0.1]\nwarmup = 50\nmeasure = 100\n"
    )
    done = CliRunner().invoke(app, ["run", "s.toml", "--jobs", "1", "--csv", "s.csv", "--parquet", "s.parquet"])
    assert done.exit_code == 0, done.output
    lines = {}
    for name in ("one", "two", "s"):
        with Path(f"{name}.csv").open(newline="") as file:
            lines[name] = list(csv.DictReader(file))
    assert [len(found) for found in lines.values()] == [1, 2, 2]
    for row in [*lines["one"], *lines["two"], *lines["s"]]:
        assert all(row[name] for name in WHAT)
    assert [row["design"] for row in lines["s"]] == ["a", "a"]
    assert Path("s.parquet").read_bytes().startswith(b"PAR1")
