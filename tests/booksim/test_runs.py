"""Configurations of BookSim run from the command line."""

from __future__ import annotations

import csv
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.booksim.files import MESH, credited, understood, written
from tests.cli.test_schemas import schema
from unknot._base.deadline import Deadline
from unknot._base.errors import SimulationError, TextError, UnknotError
from unknot.cli.commands.display import number
from unknot.cli.program import app
from unknot.simulation import Router, simulate
from unknot.studies.workers import Calls
from unknot_booksim.runs import ConfiguredPoint, run_batches, run_booksim, sweep_of
from unknot_booksim.setup import Setup


def run(*words: str) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.output


def test_verdict_and_figures_are_printed(tmp_path: Path) -> None:
    path = written(tmp_path, MESH + "print_csv_results = 1; watch_out = -; stats_out = x; alloc_iters = 2;")
    printed = run("run", path, "seed=4", "sim_count=2")
    setup = understood(tmp_path, "seed=4", "sim_count=2", "alloc_iters=2")
    runs = [simulate(setup.relation, 0.1, seed=seed, **setup.options) for seed in (4, 5)]
    assert re.search(r"^deadlock-free +yes$", printed, re.M)
    assert re.search(r"^delivers +yes$", printed, re.M)
    row = next(line for line in printed.splitlines() if line.lstrip().startswith("0.1 "))
    for name in ("latency_mean", "network_latency_mean", "hops_mean"):
        assert number(sum(getattr(one, name) for one in runs) / 2) in row
    assert "without effect here: print_csv_results, watch_out, stats_out" in printed
    assert "BookSim ignores it" in printed


def test_sweep(tmp_path: Path) -> None:
    path = written(tmp_path)
    printed = run("run", path, "--sweep", "injection_rate=0.1:1.0:0.45")
    lines = [line.split() for line in printed.splitlines() if line.startswith(" ") and "injection" in line]
    assert [line[0] for line in lines] == [f"injection_rate={load}" for load in ("0.1", "0.55", "1")]
    assert ["yes" in line for line in lines] == [True, True, False]
    assert "seed 0: saturated" in printed
    words = ["run", str(path), "--sweep", "injection_rate=0.1:0.2:0.1", "--json", "--jobs", "2"]
    answer = json.loads(CliRunner().invoke(app, words).stdout)
    schema("run-booksim").validate(answer)
    assert [point["setting"] for point in answer["points"]] == ["injection_rate=0.1", "injection_rate=0.2"]
    assert answer["deadlock_free"] is True


@pytest.mark.long
def test_a_sweep_of_loads_writes_its_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path).rename(tmp_path / "mesh.cfg")
    short = ("run", path, "sample_period=100")
    said = run(*short, "--sweep", "injection_rate=0.1:0.2:0.1", "--out", "found", "--csv", "all.csv")
    for name in ("found/mesh.csv", "found/mesh.svg", "all.csv"):
        assert f"wrote {name}" in said
    rows = list(csv.DictReader(Path("found/mesh.csv").read_text().splitlines()))
    assert [row["offered_load"] for row in rows] == ["0.1", "0.2"]
    assert "stable up to 0.2" in Path("found/mesh.svg").read_text()
    run(*short, "--sweep", "num_vcs=1:2:1", "--out", "other")
    assert {path.name for path in Path("other").iterdir()} == {"mesh.csv", "mesh.csv.manifest.json"}


@pytest.fixture
def slow_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Points of a sweep that never end, by their settings; others are known at once."""
    (point,) = run_booksim(understood(tmp_path, "sample_period=100"))
    slow, released = set[str](), threading.Event()

    def known(setting: str, *_: object) -> ConfiguredPoint:
        if setting in slow:
            released.wait()
        return replace(point, setting=setting)

    monkeypatch.setattr("unknot_booksim.runs._run", known)
    yield slow
    released.set()


LIMITED = ("--sweep", "injection_rate=0.1:0.3:0.1", "--jobs", "2", "--time-limit", "1.5", "--out", "found")


def test_a_limit_loses_no_finished_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow_points: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path).rename(tmp_path / "mesh.cfg")
    slow_points.add("injection_rate=0.2")
    result = CliRunner().invoke(app, ["run", str(path), "--json", "--csv", "all.csv", *LIMITED])
    assert result.exit_code == 3, result.output
    answer = json.loads(result.stdout)
    schema("run-booksim").validate(answer)
    assert [point["setting"] for point in answer["points"]] == ["injection_rate=0.1", "injection_rate=0.3"]
    assert (answer["complete"], answer["deadlock_free"]) == (False, True)
    assert "given up after 1.5 s, the time limit: 2 of 3 points were finished" in result.stderr
    for name in ("found/mesh.csv", "all.csv"):
        assert len(list(csv.DictReader(Path(name).read_text().splitlines()))) == 2
    assert "mesh, 2 of 3 points" in Path("found/mesh.svg").read_text()


def test_a_limit_without_finished_points_leaves_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow_points: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    slow_points.update(f"injection_rate=0.{tenth}" for tenth in (1, 2, 3))
    result = CliRunner().invoke(app, ["run", str(written(tmp_path)), "--csv", "all.csv", *LIMITED])
    assert result.exit_code == 3, result.output
    assert re.search(r"^deadlock-free +yes$", result.stdout, re.M)
    assert re.search(r"^complete +NO, others were not finished$", result.stdout, re.M)
    assert "all.csv was not written: there are no rows" in result.stderr
    assert not Path("found").exists()
    assert not Path("all.csv").exists()


def test_ctrl_c_keeps_finished_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow_points: set[str]) -> None:
    monkeypatch.chdir(tmp_path)
    slow_points.add("injection_rate=0.3")
    monkeypatch.setattr("unknot.cli.commands.guard.SPARED", spared := threading.Event())
    monkeypatch.setattr("unknot.cli.commands.shared.SPARED", spared)
    monkeypatch.setattr("unknot_booksim.command.SPARED", spared)
    ended = Calls.ended

    def interrupted(calls: Calls, timeout: float) -> list[Any]:
        if first := ended(calls, 0.2):
            return first
        spared.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(Calls, "ended", interrupted)
    result = CliRunner().invoke(app, ["run", str(written(tmp_path)), *LIMITED[:-4], "--csv", "all.csv"])
    assert result.exit_code == 130, result.output
    assert len(Path("all.csv").read_text().splitlines()) == 3
    assert re.search(r"^complete +NO, others were not finished$", result.stdout, re.M)


def test_batches_end_at_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = understood(tmp_path, "sim_type=batch", "batch_size=10", "batch_count=3")
    whole = run_batches(setup)
    assert [len(times) for times in whole] == [3]
    limit, passed = Deadline.after(600), iter((True, False))
    monkeypatch.setattr(Deadline, "unless_over", lambda _, work: work() if next(passed) else None)
    assert run_batches(setup, time_limit=limit) == [whole[0][:1]]


def test_a_sweep_takes_the_processors_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot._base.threads.processors", lambda: 3)
    asked: list[int] = []

    def noted(setup: Setup, *, jobs: int, **options: Any) -> list[ConfiguredPoint]:
        asked.append(jobs)
        return run_booksim(setup, **options)

    monkeypatch.setattr("unknot_booksim.runs.run_booksim", noted)
    path = written(tmp_path)
    for words in ((), ("--jobs", "2")):
        run("run", path, "--sweep", "injection_rate=0.1:0.2:0.1", *words)
    assert asked == [3, 2]


def test_a_sweep_of_sizes_builds_networks_anew(tmp_path: Path) -> None:
    points = run_booksim(understood(tmp_path), sweep=sweep_of("k=2:4:2"))
    assert [point.runs.runs[0].hops_mean for point in points] == pytest.approx([1.0, 2.5], abs=0.1)


@pytest.mark.parametrize(
    "text", ["k", "k=1:2", "rate=1:2:1", "k=1:x:1", "k=2:1:1", "k=1:2:0", "k=1:2.5:1", "topology=1:2:1"]
)
def test_sweeps_that_are_none(text: str) -> None:
    with pytest.raises(TextError):
        sweep_of(text)


def test_faithful_runs_last_as_long_as_those_of_booksim(tmp_path: Path) -> None:
    shortest = understood(tmp_path, "sample_period=1", "max_samples=1", "warmup_periods=0", faithful=True)
    assert (shortest.options["warmup"], shortest.options["measure"]) == (0, 1)
    for key in ("sample_period", "max_samples"):
        with pytest.raises(UnknotError, match=f"{key}: a whole number from 1"):
            understood(tmp_path, f"{key}=0")
    setup = understood(tmp_path, "sample_period=500", faithful=True)
    simulated = run_booksim(setup)[0].runs.runs[0]
    assert (simulated.warmup, simulated.measured) == (1500, 3500)


def test_a_load_above_one_is_offered_and_saturates(tmp_path: Path) -> None:
    """Also where the network takes all that a terminal sends, and each class by its own share."""
    full = understood(tmp_path, "packet_size=20", "traffic=neighbor", faithful=True)
    found = run_booksim(full)[0].runs
    assert (full.load, found.offered_load, found.stable) == (pytest.approx(2.0), pytest.approx(2.0), False)
    assert found.accepted_load == pytest.approx(1, abs=0.01)
    assert "accepted 1 of 2 flits" in found.reason
    more = ("classes=2", "class_priority={1,0}", "priority=class", "packet_size=5", "injection_rate={0.12,0.12}")
    both = understood(tmp_path, *more, "traffic=neighbor", "vc_allocator=select", "sw_allocator=select")
    accepted = [one.accepted_load for one in run_booksim(both)[0].runs.runs[0].classes]
    assert accepted == pytest.approx([0.6, 0.4], abs=0.03), "the first goes first at its terminal"


def test_options_of_the_router(tmp_path: Path) -> None:
    setup = understood(
        tmp_path, "routing_delay=0", "vc_alloc_delay=2", "sw_alloc_delay=3", "st_prepare_delay=1", "credit_delay=4",
        "speculative=1", "vc_allocator=islip(3)", "sw_allocator=islip(3)", "priority=age", "hold_switch_for_packet=1",
    )  # fmt: skip
    assert setup.options["router"] == credited(0, 2, 3, 2, 4, True, "islip", 3, "age", None, True)
    assert setup.options["switching"] == "wormhole-nonatomic"
    setup = understood(tmp_path, "wait_for_tail_credit=1", "buf_size=8", "alloc_iters=2")
    assert (setup.options["switching"], setup.options["buffer_depth"]) == ("wormhole", 4)
    assert setup.options["router"].iterations == 2
    assert understood(tmp_path, "alloc_iters=2", faithful=True).options["router"].iterations == 1


def test_a_configuration_names_a_network(tmp_path: Path) -> None:
    path = written(tmp_path, "topology = mesh; k = 3; n = 2; routing_function = dor;")
    result = CliRunner().invoke(app, ["convert", str(path), str(tmp_path / "s.edges"), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["network"]["routers"] == 9


def test_options_for_booksim_alone(tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    study.write_text('[[design]]\nname = "a"\nnetwork = "ring(3)"\nrouting = "up_down"\n', encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(study), "k=3"])
    assert result.exit_code == 2
    assert "for a configuration of BookSim 2" in result.output
    result = CliRunner().invoke(app, ["run", str(written(tmp_path)), "--store", "x.sqlite"])
    assert result.exit_code == 2
    assert "--store and --dask are for studies" in result.output


def test_speedups(tmp_path: Path) -> None:
    setup = understood(tmp_path, "input_speedup=2", "internal_speedup=1.5", "credit_delay=2")
    assert setup.options["router"] == credited(credit_delay=2, input_speedup=2, internal_speedup=1.5)
    for keys, words in (
        (("internal_speedup=0.5",), "internal_speedup must be a number from 1 to 16"),
        (("output_buffer_size=0",), "lets nothing through"),
    ):
        with pytest.raises(UnknotError, match=words):
            understood(tmp_path, *keys)
    router = understood(tmp_path, "internal_speedup=2", "output_buffer_size=4").options["router"]
    assert router == credited(internal_speedup=2, output_buffer=4)
    setup = understood(tmp_path, "output_buffer_size=4")
    assert setup.options["router"] == credited()
    assert setup.warnings[0].startswith("<command line>:1: output_buffer_size: without speedup nothing waits behind")
    slow = understood(tmp_path, "st_prepare_delay=1", "output_buffer_size=4", faithful=True).options["router"]
    assert slow == credited(traversal_delay=2, output_buffer=4, pipelined=False)


def test_shared_buffers(tmp_path: Path) -> None:
    setup = understood(tmp_path, "buffer_policy=shared", "buf_size=16", "num_vcs=4")
    assert setup.options["router"] == credited(own_slots=1)
    assert setup.options["buffer_depth"] == 4
    both = "buffer_policy=limited", "max_held_slots=6", "private_buf_size=2", "vc_buf_size=8"
    assert understood(tmp_path, *both).options["router"] == credited(own_slots=2, most_slots=6)
    several = understood(tmp_path, "buffer_policy=shared", "output_speedup=2").options["router"]
    assert several == credited(own_slots=1, output_speedup=2)
    for keys, words in (
        (("buffer_policy=dynamic",), "buffer_policy: dynamic is not built"),
        (("buffer_policy=shared", "private_bufs=1"), "private_bufs: 1 is not built"),
        (("buffer_policy=shared", "private_buf_size=0"), "could wait for others for ever"),
        (("buffer_policy=shared", "private_buf_size={1,2}"), "the same number of slots"),
        (("buffer_policy=shared", "buf_size=15", "num_vcs=4"), "a multiple of 4 VCs, got 15"),
        (("buffer_policy=limited", "max_held_slots=1", "private_buf_size=2"), "less than the 2 slots"),
    ):
        with pytest.raises(UnknotError, match=words):
            understood(tmp_path, *keys)


def test_allocators(tmp_path: Path) -> None:
    def router(*keys: str, faithful: bool = False) -> Router:
        router: Router = understood(tmp_path, *keys, faithful=faithful).options["router"]
        return router

    for name in ("wavefront", "rr_wavefront", "loa", "max_size", "pim", "select"):
        assert router(f"vc_allocator={name}", f"sw_allocator={name}") == credited(allocator=name)
    assert router("vc_allocator=pim(3)", "sw_allocator=wavefront") == credited(
        allocator="pim", switch_allocator="wavefront", iterations=3
    )
    assert router("sw_allocator=separable_output_first") == credited(switch_allocator="select")
    assert router("sw_allocator=separable_output_first", "alloc_iters=2", faithful=True).iterations == 1
    assert router("vc_busy_when_full=1") == credited(claim_credit=True)
    for keys, words in (
        (("vc_allocator=wavefrnt",), "did you mean wavefront"),
        (("vc_allocator=separable_input_first(tree)",), "arbiter tree is not built"),
    ):
        with pytest.raises(UnknotError, match=words):
            understood(tmp_path, *keys)
    assert router("vc_allocator=select", "vc_prioritize_empty=1").empty_first
    assert router("priority=age", "vc_priority_donation=1") == credited(priority="age", donate_priority=True)
    setup = understood(tmp_path, "vc_prioritize_empty=1", "vc_priority_donation=1", "vc_shuffle_requests=1")
    assert setup.options["router"] == credited()
    assert len(setup.warnings) == 3


def test_batches(tmp_path: Path) -> None:
    """Packets that go one after the other take as long as each of them, and the cycle in which it is noticed."""
    text = (
        "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 2; traffic = bitcomp; packet_size = 2;"
        "sim_type = batch; batch_size = 10; batch_count = 2; max_outstanding_requests = 1;"
    )
    path = written(tmp_path, text)
    printed = run("run", path)
    shown = [float(value) for value in re.findall(r"\d+", re.findall(r"^batches +\((.*)\)$", printed, re.M)[0])]
    # BookSim: 390; the longest way has 6 channels, and at its end the tail is one flit later.
    assert shown == pytest.approx([10 * (5 * 6 + 7 + 1 + 1)] * 2, abs=15)
    assert "deadlock-free" in printed
    answer = json.loads(run("run", path, "max_outstanding_requests=0", "--json"))
    schema("run-booksim").validate(answer)
    ((first, second),) = answer["batches"]
    assert first == second
    assert first < shown[0] / 3
    for keys, words in (
        (("packet_size={{1,2}}",), "packets of a batch have one size"),
        (("classes=2",), "batches of several classes"),
        (("batch_size=0",), "batch_size: a whole number from 1"),
    ):
        with pytest.raises(UnknotError, match=words):
            understood(tmp_path, *keys, text=text)
    result = CliRunner().invoke(app, ["run", str(path), "--sweep", "k=2:4:2"])
    assert result.exit_code == 2
    assert "sim_type = batch has none" in result.output


def test_arbiters(tmp_path: Path) -> None:
    matrix = credited(allocator="separable_input_first", arbiter="matrix")
    both = ("vc_allocator=separable_input_first(matrix)", "sw_allocator=separable_input_first(matrix)")
    assert understood(tmp_path, *both, faithful=True).options["router"] == matrix
    plain = ("vc_allocator=separable_input_first", "sw_allocator=separable_input_first", "arb_type=matrix")
    assert understood(tmp_path, *plain).options["router"] == matrix
    assert understood(tmp_path, *plain, faithful=True).options["router"].arbiter == "round_robin"
    setup = understood(tmp_path, *plain[:2], "arb_type=tree")
    assert setup.options["router"].arbiter == "round_robin"
    assert "BookSim ignores it" in setup.warnings[0]
    with pytest.raises(SimulationError, match="a matrix arbiter is of"):
        Router(arbiter="matrix")


def test_each_allocator_has_its_own_rounds_and_arbiter(tmp_path: Path) -> None:
    def router(*overrides: str) -> Router:
        router: Router = understood(tmp_path, *overrides, faithful=True).options["router"]
        return router

    assert router("vc_allocator=islip", "sw_allocator=pim(2)") == credited(
        switch_allocator="pim", iterations=1, switch_iterations=2
    )
    assert router("vc_allocator=separable_input_first(matrix)", "sw_allocator=select") == credited(
        allocator="separable_input_first", arbiter="matrix", switch_allocator="select", switch_arbiter="round_robin"
    )
    assert router("vc_allocator=wavefront", "sw_allocator=separable_input_first(matrix)") == credited(
        allocator="wavefront", arbiter="matrix", switch_allocator="separable_input_first"
    )


def test_all_keys_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, "// nothing here\n")
    assert "stable" in run("run", path, "topology=mesh", "k=3", "n=2", "routing_function=dor", "num_vcs=2")
    failed = CliRunner().invoke(app, ["run", str(path)])
    assert failed.exit_code == 2


def test_a_file_names_network_files_of_its_folder_alone(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("root:x:0:0\n")
    net = "router 0 node 0 router 1\nrouter 1 node 1 router 0\n"
    (tmp_path / "net").write_text(net)
    text = "topology = anynet; routing_function = min; num_vcs = 2; injection_rate = 0.1; network_file = {};"
    for name in (secret, "../secret", "/etc/passwd"):
        result = CliRunner().invoke(app, ["run", str(written(inside, text.format(name)))])
        assert result.exit_code == 2
        assert "outside the folder of this file; allow it with --outside-files" in result.output
        assert "root:" not in result.output
    (inside / "link").symlink_to(tmp_path / "net")
    with pytest.raises(UnknotError, match="outside the folder"):
        understood(inside, text=text.format("link"))
    path = written(inside, text.format("../net"))
    assert "stable" in run("run", path, "--outside-files")
    assert "stable" in run("run", path, f"network_file={tmp_path / 'net'}")
    deep = inside / "examples"
    deep.mkdir()
    with pytest.raises(UnknotError, match="'net' is outside the folder of this file; allow it"):
        understood(deep, text=text.format("net"))
    assert "stable" in run("run", written(deep, text.format("net")), "--outside-files"), "as from a folder above"
    (inside / "net").write_text(net)
    assert understood(inside, text=text.format("net")).relation.network.num_terminals == 2


@pytest.mark.parametrize("x", [2, 8])
def test_flattened_butterflies_in_rows_of_any_length(tmp_path: Path, x: int) -> None:
    """BookSim has 23.50 and 23.46 at load 0.1; x counts in lengths of channels and in numbers of nodes."""
    text = (
        f"topology = flatfly; k = 2; n = 4; c = 4; x = {x}; y = {x}; xr = 2; yr = 2; routing_function = ran_min; "
        "num_vcs = 4; injection_rate = 0.1;"
    )
    setup = understood(tmp_path, text=text, faithful=True)
    simulated = simulate(setup.relation, 0.1, seed=1, **(setup.options | {"warmup": 1000, "measure": 4000}))
    assert simulated.latency_mean == pytest.approx(23.48, rel=0.01)
    with pytest.raises(TextError, match="whole rows of x"):
        understood(tmp_path, text=text.replace(f"x = {x}; y = {x}", "x = 5; y = 5"))


def test_figures_in_nanoseconds(tmp_path: Path) -> None:
    file = tmp_path / "b.cfg"
    file.write_text(
        "topology = mesh;\nk = 2;\nn = 2;\nrouting_function = dor;\ninjection_rate = 0.1;\nsample_period = 200;\n"
    )
    done = CliRunner().invoke(app, ["run", str(file), "--units", "500 MHz, 8 B"])
    assert done.exit_code == 0, done.output
    assert re.search(r"^ +0\.1 \(0\.4 GB/s\) .*\([\d.]+ ns\)", done.stdout, re.M)
