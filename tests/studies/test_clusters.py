"""Studies on workers of Dask: the same result, and no point is missing when a worker dies."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL, PIPE
from types import SimpleNamespace
from typing import IO, Any

import pytest

from tests.studies.test_run import spoken
from unknot._base.errors import UnknotError, missing_extra
from unknot.studies import run_study
from unknot.studies.workers import cluster

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="dask is not installed")
STUDY = """[common]
network = "ring(5)"
routing = "dimension_order"
[[design]]
name = "a"
vcs = 2
[simulation]
loads = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
seeds = [1, 2]
warmup = 100
measure = 1000000
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def points(store: Path) -> int:
    """Points that are kept."""
    with sqlite3.connect(store) as base:
        return int(base.execute("SELECT count(*) FROM results").fetchone()[0])


def wait_for(said: IO[str], least: int) -> int:
    """Read what a run says until a number of points is done, which is returned."""
    for line in said:
        if (match := re.match(r"study.toml: (\d+)/13 ", line)) and int(match[1]) >= least:
            return int(match[1])
    raise AssertionError("it ended")


@dataclass
class Run:
    """A study on the command line, at a scheduler of its own with some workers."""

    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]
    command: subprocess.Popen[str]


@pytest.fixture
def run(study: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s"}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    file = study.with_suffix(".json")
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    scheduler = subprocess.Popen([*words, "--no-dashboard", "--scheduler-file", str(file)], **quiet)
    while not file.exists() or not file.read_text().rstrip().endswith("}"):
        time.sleep(0.05)
    words = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1"]
    workers = [
        subprocess.Popen([*words, "--no-nanny", "--no-dashboard"], cwd=study.parent, **quiet)
        for _ in range(request.param)
    ]
    address = json.loads(file.read_text())["address"]
    command = subprocess.Popen(
        [sys.executable, "-m", "unknot", "run", study.name, "--dask", address],
        cwd=study.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    yield Run(scheduler, workers, command)
    for process in (*workers, scheduler, command):
        process.kill()
        process.wait()


ALONE = """
import sys, time
from distributed import LocalCluster
server = LocalCluster(
    n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None
)
print(server.scheduler_address, flush=True)
sys.stdin.read()
"""
"""A scheduler with a worker in one process."""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_is_killed(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study ends with what to do; what was done is kept, and resumed it has the rows of one that was not."""
    import dask
    import distributed  # noqa: F401  # whose options Dask then knows

    study.write_text(STUDY.replace("1000000", "400"))
    with subprocess.Popen(
        [sys.executable, "-c", ALONE], stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        with (
            dask.config.set({"distributed.comm.timeouts.connect": "20s"}),
            pytest.raises(
                UnknotError, match=r"is gone.* finished points are kept: start it again, or leave out --dask"
            ),
            cluster(server.stdout.readline().strip()) as (executor, jobs),
        ):
            run_study(study, executor=executor, jobs=jobs, progress=lambda _, done, __: done == 3 and server.kill())
    kept = points(study.with_suffix(".sqlite"))
    assert 3 <= kept < 13
    stages: list[str] = []
    resumed = run_study(study, progress=lambda stage, done, total: stages.append(stage))
    assert sum(stage.endswith("kept from before") for stage in stages) == kept
    assert resumed.rows == run_study(study, store=study.with_name("other.sqlite")).rows


@pytest.mark.campaign
@pytest.mark.parametrize("run", [2], indirect=True)
@pytest.mark.filterwarnings("ignore")
def test_a_worker_is_killed(study: Path, run: Run) -> None:
    """The study goes on with the other worker."""
    assert run.command.stderr is not None
    wait_for(run.command.stderr, 1)
    run.workers[0].kill()
    _, err = run.command.communicate(timeout=600)
    assert run.command.returncode == 0, err
    assert points(study.with_suffix(".sqlite")) == 13


@pytest.mark.campaign
@pytest.mark.parametrize("run", [1], indirect=True)
@pytest.mark.filterwarnings("ignore")
def test_the_scheduler_is_killed(study: Path, run: Run) -> None:
    """The study ends with a sentence; of the points that were reported as done, none is computed again."""
    assert run.command.stderr is not None
    done = wait_for(run.command.stderr, 3)
    run.scheduler.kill()
    _, err = run.command.communicate(timeout=600)
    assert run.command.returncode == 2, err
    assert err.splitlines()[-1].startswith("the cluster that computes points is gone (was its scheduler killed?)")
    assert "Traceback" not in err
    kept = points(study.with_suffix(".sqlite"))
    assert done <= kept < 13
    told: list[str] = []
    found = run_study(study, progress=lambda stage, done, total: told.append(stage))
    assert sum(stage.endswith("kept from before") for stage in told) == kept
    assert sum(stage.endswith("done") for stage in told) == 13 - kept
    assert len(found.designs[0].runs) == 12


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_local_workers_give_the_same_result(study: Path) -> None:
    study.write_text(STUDY.replace("1000000", "400"))
    with cluster("local", 1) as (executor, jobs):
        assert jobs == 1
        found = run_study(study, executor=executor, jobs=jobs)
        assert executor.submit(os.getpid).result() != os.getpid()
    assert spoken(found) == spoken(run_study(study, store=study.with_name("other.sqlite")))


def test_an_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot.studies.workers.PATIENCE", 1)
    with pytest.raises(UnknotError, match=r"--dask tcp://127\.0\.0\.1:9"), cluster("tcp://127.0.0.1:9"):
        pass


@pytest.mark.parametrize("where", ["submitit", "http://127.0.0.1:9"])
def test_what_is_no_address(where: str) -> None:
    """At once: a client of Dask that was given one would complain for 40 seconds at the end of the process."""
    with pytest.raises(UnknotError, match=rf"--dask {where}: .* give local, slurm or its address"), cluster(where):
        pass


def slurm(folder: Path, monkeypatch: pytest.MonkeyPatch, sbatch: str, **options: Any) -> None:
    """A command sbatch, and workers of this machine in place of its jobs."""
    import distributed

    path = folder / "sbatch"
    path.write_text(f"#!/bin/sh\n{sbatch}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    class Cluster(distributed.LocalCluster):  # type: ignore[misc]  # mypy passes over Dask
        def __init__(self) -> None:
            if options.get("cores") is None:
                raise ValueError("You must specify how much cores\nand memory")
            super().__init__(n_workers=0, threads_per_worker=1, processes=False, dashboard_address=None)

        def job_script(self) -> str:
            return "#SBATCH -p all\n"

        def scale(self, n: int = 0, *, jobs: int = 0) -> Any:
            return super().scale(n or jobs)

    monkeypatch.setitem(sys.modules, "dask_jobqueue", SimpleNamespace(SLURMCluster=Cluster))


@pytest.mark.filterwarnings("ignore")
def test_jobs_of_slurm_compute_points(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study.write_text(STUDY.replace("1000000", "400"))
    slurm(tmp_path, monkeypatch, "grep -q 'SBATCH -p all'", cores=1)
    with cluster("slurm", 1) as (executor, jobs):
        by_jobs = run_study(study, executor=executor, jobs=jobs)
    assert by_jobs.rows == run_study(study, store=study.with_name("other.sqlite")).rows


@pytest.mark.parametrize(
    ("sbatch", "cores", "message"),
    [
        (None, None, "there is no command sbatch here"),
        (
            "exit 0",
            None,
            "jobqueue.yaml of dask-jobqueue does not describe the jobs: You must specify how much cores and memory",
        ),
        ("echo invalid partition >&2; exit 1", 1, "Slurm refuses the jobs of jobqueue.yaml: invalid partition"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_slurm_that_takes_no_jobs_is_not_awaited(
    sbatch: str | None, cores: int | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sbatch is None:
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        slurm(tmp_path, monkeypatch, sbatch, cores=cores)
    with pytest.raises(UnknotError, match=f"--dask slurm: {message}"), cluster("slurm"):
        pass


@pytest.mark.parametrize(("library", "extra"), [("distributed", "dask"), ("dask_jobqueue", "slurm")])
def test_what_is_missing_is_named(library: str, extra: str) -> None:
    assert f"pip install 'unknot[{extra}]'" in missing_extra(ModuleNotFoundError(name=library))
