"""Studies on workers of Dask: the same result, and no point is missing when a worker dies."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from tests.studies.test_run import spoken
from unknot.errors import UnknotError, missing_extra
from unknot.studies import run_study
from unknot.studies.clusters import cluster

distributed = pytest.importorskip("distributed", reason="dask is not installed")
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
measure = 20000
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


@pytest.mark.filterwarnings("ignore")
def test_a_worker_is_killed(study: Path) -> None:
    """A run of the command line at a scheduler of its own goes on with the other worker."""
    environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s"}
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
         "--no-dashboard", "--scheduler-file", str(study.with_suffix(".json"))],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    while not study.with_suffix(".json").exists():
        time.sleep(0.05)
    words = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(study.with_suffix(".json"))]
    workers = [
        subprocess.Popen(
            [*words, "--nthreads", "1", "--no-nanny", "--no-dashboard"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, cwd=study.parent,
        )
        for _ in range(2)
    ]  # fmt: skip
    import json

    address = json.loads(study.with_suffix(".json").read_text())["address"]
    command = subprocess.Popen(
        [sys.executable, "-m", "unknot", "run", study.name, "--dask", address],
        cwd=study.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    store = study.with_suffix(".sqlite")
    assert command.stderr is not None
    try:
        wait_for(command.stderr, 1)
        workers[0].kill()
        _, err = command.communicate(timeout=100)
        assert command.returncode == 0, err
    finally:
        for process in (*workers, scheduler, command):
            process.kill()
            process.wait()
    assert points(store) == 13


@pytest.mark.filterwarnings("ignore")
def test_local_workers_give_the_same_result(study: Path) -> None:
    study.write_text(STUDY.replace("20000", "400"))
    with cluster("local", 2) as (executor, jobs):
        assert jobs == 2
        found = run_study(study, executor=executor, jobs=jobs)
        assert executor.submit(os.getpid).result() != os.getpid()
    assert spoken(found) == spoken(run_study(study, store=study.with_name("other.sqlite")))


def test_an_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot.studies.clusters.PATIENCE", 1)
    with pytest.raises(UnknotError, match=r"--dask tcp://127\.0\.0\.1:9"), cluster("tcp://127.0.0.1:9"):
        pass


@pytest.mark.parametrize(("library", "extra"), [("distributed", "dask"), ("dask_jobqueue", "slurm")])
def test_what_is_missing_is_named(library: str, extra: str) -> None:
    assert f"pip install 'unknot[{extra}]'" in missing_extra(ModuleNotFoundError(name=library))
