"""A curve in one call and in one command: the same runs as a study and as simulate, drawn, written and kept."""

from __future__ import annotations

import csv
import json
import multiprocessing
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import unknot
from tests.cli.test_schemas import schema
from unknot._base import deadline
from unknot._base.errors import UnknotError
from unknot.cli.program import app
from unknot.network.families import mesh
from unknot.report.curve_points import points
from unknot.report.study_report import study_page
from unknot.routing import dimension_order, duato
from unknot.studies import curve, load_study, run_study, sweep
from unknot.studies.points import Point, compute

SHORT: dict[str, Any] = {"warmup": 100, "measure": 300}
WORDS = ("--warmup", "100", "--measure", "300")
ROUTINGS = ("--routing", "dimension_order", "--routing", "duato")


def says(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_differences_need_two_designs() -> None:
    with pytest.raises(UnknotError, match="differences are of two routings or more, got duato alone"):
        curve("mesh(3, 3)", routing="duato", loads="0.1", differences=True, **SHORT)
    assert says("curve", "mesh(3, 3)", "--routing", "duato", "--differences").exit_code == 2


@pytest.mark.long
def test_a_curve_is_what_simulate_says_load_by_load() -> None:
    found = curve("mesh(3, 3)", routing=["dimension_order", "duato"], loads="0.1:0.2:0.1", seeds=(1, 5), **SHORT)
    for routing, design in zip(("dimension_order", "duato"), found.designs, strict=True):
        assert design.design.name == routing
        assert design.verdict.deadlock_free
        assert list(design.runs) == [
            unknot.simulation.simulate("mesh(3, 3)", load, routing=routing, seed=seed, **SHORT)
            for load in (0.1, 0.2)
            for seed in (1, 5)
        ]
    frame = found.to_frame()
    assert frame.shape[0] == 8
    assert set(frame["design"]) == {"dimension_order", "duato"}
    assert found.plot().text.startswith("<svg")
    assert found.plot(units="2 GHz, 16 B") != found.plot()
    assert "dimension_order: stable up to 0.2; duato: stable up to 0.2" in repr(found.plot())


def test_it_is_the_study_with_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        '[[design]]\nnetwork = "torus(3, 3)"\nrouting = "duato"\ntraffic = "tornado"\npacket_length = 4\n'
        "[simulation]\nloads = [0.1, 0.3]\nwarmup = 100\nmeasure = 300\n"
    )
    options: dict[str, Any] = {"loads": [0.3, 0.1], "traffic": "tornado", "packet_length": 4, "store": "study.sqlite"}
    study = run_study(load_study("study.toml"))
    told: list[str] = []
    found = curve(
        "torus(3, 3)", routing="duato", progress=lambda stage, done, total: told.append(stage), **options, **SHORT
    )
    assert found.designs[0].runs == study.designs[0].runs
    assert len(told) == 3
    assert all("kept from before" in stage for stage in told)  # one store, the same points


@pytest.mark.long
def test_it_stops_past_saturation_unless_told_otherwise() -> None:
    hot = {"traffic": "hotspot([0])", "routing": "dimension_order", "loads": "0.2:1:0.2"}
    long = {"warmup": 100, "measure": 3000}
    *before, last = (run.outcome for run in curve("mesh(3, 3)", **hot, **long).designs[0].runs)
    assert {*before} <= {"stable", "too short"}
    assert last == "saturated"
    assert len(before) < 4
    assert len(curve("mesh(3, 3)", **hot, beyond=True, **long).designs[0].runs) == 5


def test_objects_stand_where_text_does() -> None:
    network = mesh(3, 3)
    relations = {"one": dimension_order(network, 4), "two": duato(network, 4)}
    found = curve(relations, loads=[0.2], traffic=np.eye(9, k=1), **SHORT)
    for name, relation in relations.items():
        (design,) = (each for each in found.designs if each.design.name == name)
        assert design.runs == (unknot.simulation.simulate(relation, 0.2, traffic=np.eye(9, k=1), **SHORT),)
    other = curve(network, routing="dimension_order", loads=[0.2], **SHORT)
    assert other.designs[0].runs[0] == unknot.simulation.simulate(network, 0.2, routing="dimension_order", **SHORT)


def test_other_traffic_and_other_relations_are_other_points() -> None:
    network, kept = mesh(3, 3), "curve.sqlite"

    def computed(relation: unknot.Relation, traffic: Any) -> int:
        told: list[str] = []
        options: dict[str, Any] = {"loads": [0.1], "store": kept, **SHORT}
        curve({"mine": relation}, traffic=traffic, progress=lambda stage, done, total: told.append(stage), **options)
        return sum("kept" not in stage for stage in told)

    first = dimension_order(network)
    assert computed(first, np.eye(9, k=1)) == 2
    assert computed(first, np.eye(9, k=1)) == 0
    assert computed(first, np.eye(9, k=2)) == 1  # the proof is the same
    assert computed(dimension_order(network, order=[1, 0]), np.eye(9, k=2)) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"loads": "fast"}, "loads are FROM:TO:STEP"),
        ({"loads": "0.1:0.2"}, "loads are FROM:TO:STEP"),
        ({"loads": [2]}, "loads: this should be less than or equal to 1"),
        ({"loads": []}, "no load in it"),
        ({"loads": "0.5:0.1:0.1"}, "`from` must not exceed `to`"),
        ({"loads": "0.1:0.2:0"}, "step: this should be greater than 0"),
        ({"seeds": ()}, "at least one seed"),
        ({"switching": "cut"}, "unknown flow control .cut.; did you mean vct"),
        ({"packet_length": 99}, "a packet of 99 flits does not fit a buffer of 8"),
        ({"routing": []}, "one routing at least"),
        ({"routing": None}, "by keyword: routing="),
        ({"traffic": "tornadoes"}, "did you mean tornado"),
        ({"traffic": [0, 1]}, "one destination for each of the 4 terminals"),
        ({"precision": 0.1, "measure": 10}, "give either it or measure"),
        ({"jobs": 0}, "at least 1 job"),
        ({"jobs": float("nan")}, "at least 1 job"),
        ({"bursts": 3}, r"bursts must be None or Bursts, such as Bursts\(begin=0.01, end=0.1\), got 3"),
        ({"router": "routing_delay=1"}, "router must be a Router"),
        ({"seeds": 3}, "seeds: this should be a valid tuple, got 3"),
        ({"loads": 0.1}, "loads: this should be a valid tuple, got 0.1"),
        ({"loads": ["x"]}, "loads: this should be a valid number, got 'x'"),
        ({"routing": 3}, "by keyword: routing="),
        ({"switching": None}, "unknown switching None"),
        ({"vcs": "2"}, "at least 1 VC, got '2'"),
        ({"time_limit": 0}, "curve: the time limit must be a positive number of seconds, got 0"),
    ],
)
def test_what_makes_no_sense_is_said(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknotError, match=said):
        curve("mesh(2, 2)", **{"routing": "duato", "loads": [0.1], **change})


@pytest.mark.parametrize("change", [{"bursts": 3}, {"router": "routing_delay=1"}, {"switching": 1}, {"vcs": "2"}])
def test_simulate_refuses_the_same(change: dict[str, Any]) -> None:
    with pytest.raises(UnknotError, match=f"{next(iter(change))}|at least 1 VC"):
        unknot.simulation.simulate("mesh(2, 2)", 0.1, **{"routing": "duato", **change})


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_curve_keeps_what_a_time_limit_leaves(jobs: int) -> None:
    """The points that were done, lowest loads first, are those of the whole curve; a store goes on from them."""
    options: dict[str, Any] = {"routing": ROUTINGS[1::2], "loads": "0.1:0.3:0.1", "seeds": (1, 5), "jobs": jobs}
    whole = curve("mesh(3, 3)", **options, **SHORT)
    assert not curve("mesh(3, 3)", **options, **SHORT, time_limit=600).cut_short
    for enough in (0, 1, 3, 8):
        now, done = deadline.clock(), [0]

        def clock(now: float = now, done: list[int] = done, enough: int = enough) -> float:
            return now + (1000 if done[0] >= enough else 0)

        def count(stage: str, many: int, total: int, done: list[int] = done) -> None:
            done[0] = many

        over = deadline.Deadline(900, now + 500)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(deadline, "clock", clock)
            patch.setattr(sweep, "BATCH_SECONDS", 1e-9)  # else all that is left is one batch, and done in time
            found = curve("mesh(3, 3)", **options, **SHORT, time_limit=over, progress=count, store="s.sqlite")
        assert found.cut_short
        for part, design in zip(found.designs, whole.designs, strict=True):
            assert part.runs == design.runs[: len(part.runs)]
            assert not part.runs or part.verdict.deadlock_free == design.verdict.deadlock_free
        if not enough:
            assert {(each.verdict.deadlock_free, each.delivery.delivered) for each in found.designs} == {(None, None)}
        assert len(list(found.rows)) == sum(len(each.runs) for each in found.designs)
    again = curve("mesh(3, 3)", **options, **SHORT, store="s.sqlite")
    assert [each.runs for each in again.designs] == [each.runs for each in whole.designs]


def test_a_curve_ends_in_time_though_a_point_goes_on(tmp_path: Path) -> None:
    """Also where the point is computed by another process, which is ended then."""
    began = time.monotonic()
    found = curve("mesh(4, 4)", routing="duato", loads=[0.1], measure=2**39, time_limit=1.0, store="a.sqlite")
    assert found.cut_short
    assert time.monotonic() - began < 600
    assert not multiprocessing.active_children()


def test_the_command_says_that_a_limit_left_points_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3, as docs/reference/exit-codes.md has it; what is finished is printed and written."""
    words = ("curve", "mesh(3, 3)", *ROUTINGS[:2], "--loads", "0.1:0.3:0.1", *WORDS, "--out", "cut.csv", "--json")
    with monkeypatch.context() as during:
        during.setattr(
            "unknot.studies.load_curve.run_study",
            lambda *given, **more: replace(run_study(*given, **more), cut_short=True),
        )
        cut = says(*words, "--time-limit", "600")
    assert cut.exit_code == 3
    assert (json.loads(cut.stdout)["complete"], "wrote cut.csv" in cut.stderr) == (False, True)
    assert "given up after 600 s, the time limit; points that are done are kept in cut.sqlite" in cut.stderr
    whole = says(*words)
    assert (whole.exit_code, json.loads(whole.stdout)["complete"]) == (0, True)
    page = (Path(__file__).parents[2] / "docs/reference/exit-codes.md").read_text()
    assert "finished points of `curve` and of a sweep are printed and written" in page


@pytest.mark.long
def test_the_command_draws_writes_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("curve", "mesh(3, 3)", *ROUTINGS, "--loads", "0.1:0.3:0.1", *WORDS)
    first = says(*words, "--out", "curve.svg", "--out", "curve.csv")
    assert first.exit_code == 0, first.output
    assert first.stdout.count(" stable  ") == 6
    assert "wrote curve.svg" in first.stderr
    assert Path("curve.svg").read_text().startswith("<svg")
    rows = list(csv.DictReader(Path("curve.csv").read_text().splitlines()))
    assert [(row["design"], row["offered_load"]) for row in rows] == [
        (routing, load) for routing in ("dimension_order", "duato") for load in ("0.1", "0.2", "0.3")
    ]
    Path("curve.svg").unlink()
    computed: list[Point] = []
    monkeypatch.setattr("unknot.studies.sweep.compute", lambda point: computed.append(point) or compute(point))
    again = says(*words, "--out", "curve.svg", "--json", "--units", "1 GHz, 8 B")
    assert (again.exit_code, computed) == (0, []), again.output
    found = json.loads(again.stdout)
    schema("curve").validate(found)
    assert [design["name"] for design in found["designs"]] == ["dimension_order", "duato"]
    assert len(found["units"]["values"]) == 6
    # a longer curve takes the points there are
    longer = says(*words[:-6], "--loads", "0.1:0.4:0.1", *WORDS, "--out", "curve.svg")
    assert longer.exit_code == 0, longer.output
    assert [point.what["load"] for point in computed] == [0.4, 0.4]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mesh(3, 3)",), "Missing option '--routing'"),
        (("mesh(3, 3)", "--routing", "duato", "--out", "x.xyz"), ".json, .csv, .parquet, .svg, .png or .pdf"),
        (("mesh(3, 3)", "--routing", "duato", "--loads", "0.6:0.1:0.1"), "got 0.6:0.1:0.1"),
        (("mesh(3, 3)", "--routing", "duato", "--loads", "1:2"), "loads are FROM:TO:STEP"),
        (("mesh(3, 3)", "--routing", "dutao"), "did you mean duato"),
        (("mesh(3, 3)", "--routing", "duato", "--flows", "none.csv"), "none.csv: cannot read this file"),
        (("mesh(3, 3)", "--routing", "duato", "--units", "fast"), "--units:1:1: expected a clock and a width"),
        (("mesh(3, 3)", "--routing", "duato", "--out", "no/such/curve.svg", *WORDS), "no/such"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], said: str) -> None:
    result = says("curve", *words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.long
def test_a_load_that_is_too_short_to_tell_is_no_saturation() -> None:
    """The window ends while the network fills: loads go on, and nothing says that it is not stable."""
    found = curve("mesh(8, 8)", routing="dimension_order", vcs=1, loads=(0.1, 0.12), warmup=10, measure=30, jobs=1)
    runs = found.designs[0].runs
    assert [run.outcome for run in runs] == ["too short", "too short"]
    assert [point.undecided for point in points(runs)] == [True, True]
    drawn = found.plot()
    assert "no load decided, too short to tell at 0.1, 0.12" in repr(drawn)
    assert "too short to tell" in drawn.text
    assert "not stable" not in drawn.text
    page = study_page(found)
    assert page.count("? too short") == 2
    assert "✗" not in page[page.index("<h2>Runs</h2>") :]
