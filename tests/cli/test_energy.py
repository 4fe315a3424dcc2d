"""Energy on the command line, in studies and in configurations of BookSim, as users see it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import unknot
from tests.simulation.energy.technologies import OWN, gates
from unknot.cli.program import app
from unknot.studies import load_study, run_study

DESIGN = "45nm, flit_width=128, clock=1, pitch=1.5, terminal_length=0.5"
SHORT = ["--routing", "dimension_order", "--warmup", "100", "--measure", "400"]


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_a_run_shows_power_area_and_energy_per_bit() -> None:
    said = run("simulate", "mesh(3, 3)", "--load", "0.2", "--energy", DESIGN, *SHORT)
    assert said.exit_code == 0, said.output
    for words in ("energy pj per bit", "energy static mw", "mm²", "crossbar", "buffer", "link"):
        assert words in said.output
    plain = run("simulate", "mesh(3, 3)", "--load", "0.2", *SHORT)
    assert "energy" not in plain.output


def test_json_has_routers_and_channels() -> None:
    said = run("simulate", "mesh(3, 3)", "--load", "0.2", "--energy", DESIGN, *SHORT, "--json", "--channels")
    answer = json.loads(said.stdout)
    energy = answer["energy"]
    assert energy["technology"] == "45nm"
    assert len(answer["routers"]) == 9
    parts = sum(part["dynamic_mw"] for part in energy["parts"])
    assert energy["dynamic_mw"] == pytest.approx(parts)
    links = next(part for part in energy["parts"] if part["name"] == "link")
    channels = sum(channel["dynamic_mw"] for channel in answer["channels"])
    routers = sum(router["dynamic_mw"] for router in answer["routers"])
    assert 0 < channels < links["dynamic_mw"]  # the rest is of terminals
    assert routers + links["dynamic_mw"] == pytest.approx(energy["dynamic_mw"])


def test_energy_changes_no_run() -> None:
    with_energy = unknot.simulate("mesh(3, 3)", "dimension_order", load=0.2, measure=300, energy=DESIGN)
    without = unknot.simulate("mesh(3, 3)", "dimension_order", load=0.2, measure=300)
    assert with_energy.latency_mean == without.latency_mean
    assert with_energy.energy.pj_per_bit > 0
    assert without.energy is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("45nm", "clock is missing"),
        ("45nm, clock=1", "flit_width is missing"),
        ("45nm, clock=1, flit_width=8", "nobody says how long the channels of mesh(3, 3) are"),
        ("45nm, clock=1, flit_width=8, pitch=1", "terminal_length is missing"),
        ("45nm, clock=1 mm", "--energy:1:7: clock is in GHz, got 'mm'"),
        ("elsewhere.toml", "--energy:1:1: 'elsewhere.toml' is no file and no technology"),
    ],
)
def test_what_is_missing_is_named(text: str, words: str) -> None:
    said = run("simulate", "mesh(3, 3)", "--load", "0.2", "--energy", text, *SHORT)
    assert said.exit_code == 2
    assert words in " ".join(said.output.split())


@pytest.mark.parametrize("option", [["--saturation"], ["--load", "0.1", "--protocol", "request_reply"]])
def test_other_kinds_of_runs_have_none(option: list[str]) -> None:
    said = run("simulate", "mesh(3, 3)", "--routing", "dimension_order", *option, "--energy", DESIGN)
    assert said.exit_code == 2
    assert "--energy" in said.output


def test_a_curve_draws_it(tmp_path: Path) -> None:
    said = run(
        "curve", "mesh(3, 3)", "--loads", "0.1, 0.2", "--energy", DESIGN, *SHORT, "--jobs", "1",
        "--out", str(tmp_path / "c.svg"), "--out", str(tmp_path / "c.csv"),
    )  # fmt: skip
    assert said.exit_code == 0, said.output
    assert 'width="1056pt"' in (tmp_path / "c.svg").read_text(encoding="utf-8")  # four panels, else three
    with open(tmp_path / "c.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    low, high = (float(row["pj_per_bit"]) for row in rows)
    assert low > high  # leakage is shared by more bits


def test_a_study_takes_it_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    study = tmp_path / "study.toml"
    text = (
        '[[design]]\nname = "a"\nnetwork = "ring(4)"\nrouting = "up_down"\n'
        "[simulation]\nloads = [0.1]\nmeasure = 200\n"
        'energy = "own.toml, flit_width=8, clock=1, channel_length=1, terminal_length=1"\n'
    )
    study.write_text(text, encoding="utf-8")
    (design,) = run_study(load_study(study), jobs=1).designs
    first = design.runs[0].energy
    assert first is not None
    assert run_study(load_study(study), jobs=1).designs[0].runs[0].energy.static_mw == first.static_mw  # type: ignore[union-attr]
    # Another technology is another point, though the text of the study is the same.
    (tmp_path / "own.toml").write_text(OWN.replace("19 uW", "38 uW"), encoding="utf-8")
    changed = run_study(load_study(study), jobs=1).designs[0].runs[0].energy
    assert changed is not None
    assert changed.static_mw > first.static_mw
    study.write_text(text.replace("flit_width=8", "flit_with=8"), encoding="utf-8")
    said = run("run", str(study))
    assert said.exit_code == 2
    assert "study.toml:8:" in said.output
    assert "unknown option 'flit_with'" in said.output


def test_a_configuration_of_booksim_has_power(tmp_path: Path) -> None:
    (tmp_path / "tech").write_text(gates(), encoding="utf-8")
    (tmp_path / "mesh").write_text(
        "topology = mesh; k = 3; n = 2; routing_function = dor; num_vcs = 2; injection_rate = 0.1; sim_power = 1; "
        "tech_file = tech; channel_width = 32;",
        encoding="utf-8",
    )
    said = run("run", str(tmp_path / "mesh"), "--json")
    energy = json.loads(said.stdout)["points"][0]["found"]["runs"][0]["energy"]
    assert energy["flit_width"] == 32
    assert energy["clock_ghz"] == pytest.approx(9.712, rel=1e-3)
    assert "tech_file" not in json.loads(said.stdout)["without_effect"]
    (tmp_path / "mesh").write_text(
        "topology = mesh; k = 3; n = 2; routing_function = dor; sim_power = 1;", encoding="utf-8"
    )
    said = run("run", str(tmp_path / "mesh"))
    assert said.exit_code == 2
    assert "tech_file names none" in " ".join(said.output.split())


def test_compare_has_energy_per_bit_of_runs(tmp_path: Path) -> None:
    designs = ["mesh(2, 2) by dimension_order", "ring(4) by up_down"]
    page = tmp_path / "designs.html"
    said = run(
        "compare",
        *designs,
        "--simulate",
        "--energy",
        DESIGN.replace("pitch", "channel_length"),
        "--json",
        "--out",
        str(page),
    )
    assert said.exit_code == 0, said.output
    rows = json.loads(said.stdout)["rows"]
    assert all(0.1 < row["pj_per_bit"] < 100 for row in rows)
    assert "pJ per bit" in page.read_text()
    refused = run("compare", *designs, "--energy", DESIGN)
    assert refused.exit_code == 2
    assert "add --simulate" in refused.output
    lacking = run("compare", *designs, "--simulate", "--energy", "45nm, flit_width=128, clock=1, pitch=1.5")
    assert lacking.exit_code == 2
    assert "terminal_length is missing" in lacking.output


def test_pictures_show_the_power_of_channels(tmp_path: Path) -> None:
    picture = tmp_path / "power.svg"
    said = run(
        "simulate",
        "mesh(3, 3)",
        "--load",
        "0.2",
        "--energy",
        DESIGN,
        *SHORT,
        "--out",
        str(picture),
        "--json",
        "--channels",
    )
    assert said.exit_code == 0, said.output
    text = picture.read_text()
    assert "Power of mesh(3, 3)" in text
    for channel in json.loads(said.stdout)["channels"]:
        assert f": {channel['dynamic_mw'] + channel['static_mw']:.3g} mW" in text
