"""Sweeps: what is computed, what is kept, and that the result depends on nothing else."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import UnknotError
from unknot._base.memory import limit, memory_limit
from unknot._base.work import work_done
from unknot.cli.answers.studies import design_answer
from unknot.network.families import ring
from unknot.routing import dimension_order
from unknot.simulation import Router
from unknot.simulation.run.backlog import CARRIED
from unknot.simulation.run.parts import Ending
from unknot.simulation.run.run import Run
from unknot.simulation.run.scenario import Measurement
from unknot.studies import Design, Simulation, Study, StudyResult, load_study, run_study
from unknot.studies import run as starting
from unknot.studies import sweep as module
from unknot.studies import workers as workers_module
from unknot.studies.packed_results import plain
from unknot.studies.points import Point, compute, proof_point, read, run_point
from unknot.studies.store import Store
from unknot.studies.workers import PER_CORE, workers
from unknot.traffic import Bursts
from unknot.verify import check

STUDY = """[common]
network = "torus(4, 4)"
[[design]]
name = "unsafe"
routing = "dimension_order"
vcs = 1
packet_length = 6
[[design]]
name = "safe"
routing = "dimension_order"
vcs = 2
[simulation]
loads = [0.1, 0.3, 0.6, 0.9]
seeds = [1, 2]
warmup = 200
measure = 500
"""
Computed = list[dict[str, Any]]


class Serial(Executor):
    """Computes at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def written(folder: Path, text: str = STUDY) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


def spoken(result: StudyResult) -> str:
    return json.dumps([design_answer(design) for design in result.designs], default=list)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Computed:
    """Every point that is computed, in order."""
    seen: Computed = []

    def watched(point: Point) -> str:
        seen.append(point.what)
        return compute(point)

    monkeypatch.setattr(module, "compute", watched)
    return seen


def test_options_are_part_of_a_point(tmp_path: Path) -> None:
    plain = Design(name="a", network="ring(4)", routing="dimension_order")
    relation = plain.relation()

    def what(**changed: Any) -> dict[str, Any]:
        design = plain.model_copy(update=changed)
        point = run_point(design, relation, tmp_path, 0.05, 1, Measurement(100, 200))
        assert read(point, compute(point)).stable
        return json.loads(point.text)

    assert [what()[name] for name in ("router", "bursts", "precision")] == [vars(Router()), None, None]
    assert what(router=Router(routing_delay=0))["router"] == vars(Router(routing_delay=0))
    assert what(bursts=Bursts(0.1, 0.2))["bursts"] == {"begin": 0.1, "end": 0.2}
    assert what(packet_length={5: 1.0, 1: 3.0})["packet_length"] == {"1": 3.0, "5": 1.0}


@pytest.mark.long
def test_proves_and_simulates_every_design(tmp_path: Path) -> None:
    result = run_study(written(tmp_path), executor=Serial())
    unsafe, safe = result.designs
    assert unsafe.verdict.deadlock_free is False
    assert unsafe.certificate_holds
    assert unsafe.replay is not None
    assert unsafe.replay.stuck
    assert safe.verdict.deadlock_free is True
    assert safe.certificate_holds
    assert safe.replay is None
    assert safe.delivery.delivered
    for design in result.designs:
        points = [(run.offered_load, run.seed) for run in design.runs]
        assert points == sorted(points)
        unstable = [run.offered_load for run in design.runs if not run.stable]
        assert not unstable or min(unstable) == points[-1][0]
        assert {run.packet_length for run in design.runs} == {design.design.packet_length}
    assert any(run.deadlock is not None for run in unsafe.runs)


def test_a_second_run_computes_nothing_and_says_the_same(tmp_path: Path, computed: Computed) -> None:
    first = run_study(written(tmp_path), executor=Serial())
    number = len(computed)
    assert number >= 2 + sum(len(design.runs) for design in first.designs)
    second = run_study(tmp_path / "study.toml", executor=Serial())
    assert len(computed) == number
    assert spoken(second) == spoken(first)


def test_only_what_changed_is_computed(tmp_path: Path, computed: Computed) -> None:
    run_study(written(tmp_path), executor=Serial())
    computed.clear()
    run_study(
        written(tmp_path, STUDY.replace("[0.1,", "[0.05, 0.1,").replace('"safe"', '"renamed"')), executor=Serial()
    )
    assert {(what["kind"], what.get("load")) for what in computed} == {("run", 0.05)}
    assert len(computed) == 4


@pytest.mark.long
def test_the_result_does_not_depend_on_the_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = load_study(written(tmp_path, STUDY.replace("0.1, 0.3, 0.6, 0.9", "0.3")))
    wanted = spoken(run_study(study, executor=Serial(), store=tmp_path / "serial"))
    with ThreadPoolExecutor(4) as threads:
        assert spoken(run_study(study, executor=threads, jobs=9, store=tmp_path / "threads")) == wanted
    with monkeypatch.context() as patch:
        patch.setattr(workers_module, "_Pool", None)
        assert spoken(run_study(study, jobs=2, store=tmp_path / "threads of its own")) == wanted
    monkeypatch.setattr(starting, "SMALL_POINTS", 0)
    assert spoken(run_study(study, jobs=2, store=tmp_path / "processes")) == wanted


@pytest.mark.parametrize(
    ("change", "small"),
    [
        ({}, True),
        ({"loads": {"from": 0.01, "to": 0.99, "step": 0.01}}, False),
        ({"measure": starting.SMALL_CYCLES + 1}, False),
        ({"measure": None, "precision": 0.1}, False),
        ({"network": "mesh(16, 16)"}, False),
    ],
)
def test_small_studies_need_no_processes(change: dict[str, Any], small: bool) -> None:
    design = Design(name="one", network=change.pop("network", "ring(4)"), routing="dimension_order")
    study = Study(designs=(design,), simulation=Simulation(**({"loads": (0.1,), "measure": 100} | change)))
    assert starting._is_small(study, [design.relation()]) is small


def test_code_of_a_user_runs_in_processes(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("from unknot.routing import dimension_order as mine\n")
    text = '[[design]]\nnetwork = "ring(4)"\nrouting = "own.py:mine"\n'
    study = load_study(written(tmp_path, text), allow_code=True)
    assert not starting._is_small(study, [dimension_order(ring(4))])


def test_threads_of_a_study() -> None:
    begun, end = threading.Event(), threading.Event()

    def waits() -> int | None:
        begun.set()
        end.wait()
        return limit()

    with workers(None, 1, threads=True) as pool:
        with memory_limit("300M"):
            first, second, third = pool.submit(waits), pool.submit(limit), pool.submit(int, "x")
            fourth = pool.submit(int, "11", base=2)
        begun.wait()
        assert second.cancel()
        end.set()
        assert first.result() == 300 * 2**20
        with pytest.raises(ValueError, match="invalid literal"):
            third.result()
        assert fourth.result() == 3
    end.clear()
    with suppress(KeyboardInterrupt), workers(None, 1, threads=True) as pool:
        pool.submit(waits)
        raise KeyboardInterrupt
    assert not end.is_set(), "nobody waited for the thread"
    end.set()


@pytest.mark.long
def test_after_an_interruption_the_rest_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = spoken(run_study(written(tmp_path), executor=Serial(), store=tmp_path / "whole"))
    left = 5

    def interrupted(point: Point) -> str:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return compute(point)

    monkeypatch.setattr(module, "compute", interrupted)
    monkeypatch.setattr(module, "BATCH_SECONDS", 1e-9)
    with pytest.raises(KeyboardInterrupt):
        run_study(tmp_path / "study.toml", executor=Serial(), jobs=1)
    seen: list[str] = []
    monkeypatch.setattr(module, "compute", compute)
    result = run_study(tmp_path / "study.toml", executor=Serial(), progress=lambda what, d, t: seen.append(what))
    assert sum("kept from before" in what for what in seen) == 5
    assert spoken(result) == wanted


def fake(stable: Callable[[float, int], bool]) -> Callable[[Point], str]:
    """Runs that are stable where requested; proofs are real."""
    none = [None] * 7
    ending = Ending(cycles=0, flit_hops=0, switching="wormhole", buffer_depth=8)
    base = Run(0, 0, *none, stable=True, reason="", packets=0, packet_length=1, seed=1, **vars(ending))

    def instead(point: Point) -> str:
        if point.what["kind"] == "proof":
            return compute(point)
        load, seed = point.what["load"], point.what["seed"]
        return json.dumps(replace(base, offered_load=load, seed=seed, stable=stable(load, seed)), default=plain)

    return instead


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_search_looks_below_loads_in_doubt(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without loads there are steps of 1 %, and the interval goes to the highest load that is stable for sure."""
    plain_runs = fake(lambda load, seed: load < 0.42)

    def instead(point: Point) -> str:
        doubt = point.what["kind"] != "proof" and 0.4 < point.what["load"] < 0.42
        change = {"stable": False, "reason": "too short: to tell"} if doubt else {}
        return json.dumps({**json.loads(plain_runs(point)), **change})

    monkeypatch.setattr(module, "compute", instead)
    text = f'{STUDY[: STUDY.index("[simulation]")]}[simulation]\nsearch = "saturation"\n'
    study = load_study(written(tmp_path, text)).model_copy(update={"path": None})
    for design in run_study(study, executor=Serial(), jobs=jobs).designs:
        assert design.saturation is not None
        lower, upper = design.saturation
        assert 0.395 < lower * (1 + CARRIED) <= 0.4
        assert 0.42 <= upper < 0.425
        assert len(design.runs) <= 14


def swept(study: Study, jobs: int) -> list[tuple[float, int]]:
    result = run_study(study, executor=Serial(), jobs=jobs)
    return [(run.offered_load, run.seed) for run in result.designs[0].runs]


@pytest.mark.parametrize("jobs", [1, 2, 50])
def test_loads_end_with_the_first_unstable_one(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        module, "compute", fake(lambda load, seed: load < 0.3 or (load, seed) in {(0.3, 1), (0.9, 1)})
    )
    study = load_study(written(tmp_path)).model_copy(update={"path": None})
    assert swept(study, jobs) == [(0.1, 1), (0.1, 2), (0.3, 1), (0.3, 2)]


def test_all_loads_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "compute", fake(lambda load, seed: False))
    text = STUDY.replace("[simulation]", "[simulation]\nstop_at_saturation = false")
    study = load_study(written(tmp_path, text)).model_copy(update={"path": None})
    assert swept(study, 3) == [(load, seed) for load in (0.1, 0.3, 0.6, 0.9) for seed in (1, 2)]


@given(st.data(), st.integers(1, 40), st.integers(1, 3), st.integers(1, 4))
def test_bisection_finds_the_first_unstable_load(data: st.DataObject, count: int, seeds: int, jobs: int) -> None:
    loads = [(1 + at) / 100 for at in range(count)]
    first = data.draw(st.integers(0, count), "position of the first unstable load")
    unstable_seed = data.draw(st.integers(1, seeds))
    tried: set[float] = set()
    seen: list[tuple[int, int]] = []

    def stable(load: float, seed: int) -> bool:
        tried.add(load)
        return load not in loads[first:] or seed != unstable_seed

    text = f'{STUDY[: STUDY.index("[simulation]")]}[simulation]\nsearch = "saturation"\nloads = {loads}\n'
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "compute", fake(stable))
        path = written(Path(folder), f"{text}seeds = {list(range(1, seeds + 1))}\n")
        study = load_study(path).model_copy(update={"path": None})
        result = run_study(study, executor=Serial(), jobs=jobs, progress=lambda what, d, t: seen.append((d, t)))
    for design in result.designs:
        points = [(run.offered_load, run.seed) for run in design.runs]
        assert {load for load, seed in points if seed == 1} == tried
        # All seeds run at the highest load that is stable, and where the others showed that it is not.
        several = {load for load, seed in points if seed == seeds}
        assert design.stable_up_to == (loads[first - 1] if first else None)
        if seeds > 1 and unstable_seed == 1:
            assert several == set(loads[max(0, first - 1) : first])
            assert len(points) <= count.bit_length() + seeds - 1
    assert seen[-1][0] == seen[-1][1]
    # A later seed that is stable nowhere has all loads tried, from the highest down.
    assert len(tried) <= (count.bit_length() if unstable_seed == 1 else count)
    # No load is left between the highest that is stable and the lowest that is not.
    assert {*loads[max(0, first - 1) : first + 1]} <= tried


def test_points_before_a_fault_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(point: Point) -> str:
        if point.what.get("load") == 0.9:
            raise UnknotError("this point fails")
        return fake(lambda load, seed: True)(point)

    monkeypatch.setattr(module, "compute", fails)
    with pytest.raises(UnknotError, match="this point fails"):
        run_study(written(tmp_path), executor=Serial(), jobs=1)
    with Store(tmp_path / "study.sqlite") as store:
        assert len(store) == 2 + 2 * 3 * 2  # proofs, and runs of two designs at three loads with two seeds


@pytest.mark.long
def test_progress_ends_when_everything_is_done(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    run_study(written(tmp_path), executor=Serial(), progress=lambda what, done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert all(done <= total for done, total in seen)


def test_only_proofs_without_a_simulation(tmp_path: Path, computed: Computed) -> None:
    result = run_study(written(tmp_path, STUDY[: STUDY.index("[simulation]")]), executor=Serial())
    assert [design.runs for design in result.designs] == [(), ()]
    assert {what["kind"] for what in computed} == {"proof"}


def test_a_design_that_loses_packets_is_not_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(point: Point) -> str:
        text = json.loads(compute(point))
        if point.what["kind"] == "proof" and point.what["vcs"] == 2:
            text["delivery"]["delivered"] = False
        return json.dumps(text)

    monkeypatch.setattr(module, "compute", lossy)
    unsafe, safe = run_study(written(tmp_path), executor=Serial()).designs
    assert unsafe.runs
    assert safe.runs == ()


def test_proofs_count_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their limit is no time, which a busy machine would end sooner, whichever process computes the row."""
    counted = []

    def noted(*args: Any, **options: Any) -> Any:
        counted.append(work_done())
        return check(*args, **options)

    monkeypatch.setattr("unknot.verify.check", noted)
    design = load_study(written(tmp_path)).designs[0]
    compute(proof_point(design, design.relation(), tmp_path, 60.0))
    assert counted == [0.0]


def test_the_key_holds_what_matters_and_nothing_else(tmp_path: Path) -> None:
    first, second = load_study(written(tmp_path)).designs
    relation, other = first.relation(), second.relation()

    def keys(design: Any, built: Any, folder: Path) -> tuple[str, str]:
        return proof_point(design, built, folder, 60.0).key, run_point(
            design, built, folder, 0.1, 1, Measurement()
        ).key

    base = keys(first, relation, tmp_path)
    assert keys(first.model_copy(update={"name": "x"}), relation, tmp_path / "y") == base
    assert keys(second, other, tmp_path)[0] != base[0]
    for change in ({"switching": "wormhole"}, {"buffer_depth": 9}, {"routing": "duato"}, {"vcs": 4}):
        changed = keys(first.model_copy(update=change), relation, tmp_path)
        assert changed[0] != base[0]
        assert changed[1] != base[1]
    longer = keys(first.model_copy(update={"packet_length": 7}), relation, tmp_path)
    assert (longer[0] == base[0], longer[1] == base[1]) == (True, False)
    points = {run_point(first, relation, tmp_path, *p, Measurement()).key for p in [(0.1, 2), (0.2, 1)]}
    points |= {run_point(first, relation, tmp_path, 0.1, 1, Measurement(*p)).key for p in [(9, None), (None, 9)]}
    assert len(points | {base[1]}) == 5


def test_an_error_in_a_worker_is_reported_in_words(tmp_path: Path) -> None:
    design = load_study(written(tmp_path)).designs[0]
    point = proof_point(design, design.relation(), tmp_path, 60.0)
    broken = replace(point, what={**point.what, "switching": "sideways"})
    with pytest.raises(UnknotError, match="unknown flow control 'sideways'") as caught:
        compute(broken)
    assert type(caught.value) is UnknotError


def test_a_killed_worker_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(point: Point) -> str:
        if point.what["kind"] == "run":
            raise BrokenProcessPool
        return compute(point)

    monkeypatch.setattr(module, "compute", killed)
    with pytest.raises(UnknotError, match="a worker process was killed"):
        run_study(written(tmp_path), executor=Serial())
    with Store(tmp_path / "study.sqlite") as store:
        assert len(store) == 2


@pytest.mark.parametrize("damage", ["{}", "[]", "null", "", "{", "[" * 40_000, '{"verdict": 1}'])
def test_a_row_that_cannot_be_read_is_computed_again(damage: str, tmp_path: Path, computed: Computed) -> None:
    study = written(tmp_path, STUDY[: STUDY.index("[simulation]")])
    wanted = spoken(run_study(study, executor=Serial()))
    with Store(tmp_path / "study.sqlite") as store:
        ((key, point),) = store._base.execute("SELECT key, point FROM results LIMIT 1")
        store.put(key, point, damage)
    computed.clear()
    notes: list[str] = []
    assert spoken(run_study(study, executor=Serial(), note=notes.append)) == wanted
    assert [what["kind"] for what in computed] == ["proof"]
    (note,) = notes
    assert "is not used" in note


@pytest.mark.long
def test_the_precision_is_passed_on(tmp_path: Path, computed: Computed) -> None:
    text = """[[design]]
network = "ring(4)"
routing = "dimension_order"
vcs = 2
[simulation]
loads = [0.1]
precision = %s
"""
    cycles = {}
    for precision in (0.3, 0.0005):
        (design,) = run_study(written(tmp_path, text % precision), executor=Serial()).designs
        assert computed[-1]["precision"] == precision
        (run,) = design.runs
        assert run.latency_half_width is not None
        assert run.latency_mean is not None
        assert run.latency_half_width <= precision * run.latency_mean
        cycles[precision] = run.cycles
    assert cycles[0.0005] > cycles[0.3]


def test_jobs_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(UnknotError, match="at least 1 job"):
        run_study(written(tmp_path), jobs=0)


def test_processes_keep_to_the_limit_of_memory() -> None:
    with memory_limit("300M"), workers(None, 1) as pool:
        assert pool.submit(limit).result() == 300 * 2**20


def test_more_processes_than_a_machine_can_bear_are_refused() -> None:
    with (
        pytest.raises(UnknotError, match="100000000 jobs at a time are too many for this machine"),
        workers(None, 10**8),
    ):
        pass
    with workers(None, PER_CORE):
        pass


def test_a_study_keeps_to_the_processors_of_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under Slurm or taskset a process has a few processors of a node; a worker for each of the node is too many."""
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {3, 5, 7}, raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 512)
    started: list[int] = []

    def seen(executor: Executor | None, jobs: int, *, threads: bool = False) -> Any:
        started.append(jobs)
        return workers(Serial(), jobs)

    monkeypatch.setattr("unknot.studies.run.workers", seen)
    run_study(written(tmp_path, STUDY.split("[simulation]")[0]))
    assert started == [3]
    with pytest.raises(UnknotError, match="at most 48, 16 for each core"), workers(None, 49):
        pass


def test_processors_are_counted_in_one_place() -> None:
    sources = (Path(module.__file__).parents[1]).rglob("*.py")
    assert [path.name for path in sources if "cpu_count" in path.read_text()] == ["threads.py"]
