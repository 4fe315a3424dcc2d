"""Sweeps that are killed while they commit: no row is lost, doubled or changed, and nothing is left running."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.studies.sweep import NUMBERS, rows, text_of
from unknot.studies import run_study
from unknot.studies.workers import Calls

ROOT = Path(__file__).parents[2]
WAYS = [(number, group) for group in (False, True) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)]
STUDY = """[common]
network = ["ring(4)", "ring(5)"]
routing = "dimension_order"
buffer_depth = [4, 5]
[[design]]
vcs = 2
[simulation]
loads = { from = 0.002, to = 0.6, step = 0.002 }
stop_at_saturation = false
seeds = [1, 2, 3]
warmup = 20
measure = 60
"""


WORK = """
from unknot.cli.commands import guard
from unknot.studies.workers import workers

def work():
    with workers(None, 1) as pool:
        print(pool.submit(abs, -3).result())

guard.run(work)
"""


def session(number: int, *, ended: bool = False) -> list[str]:
    """The processes of a session, by what they run; with `ended` also those that nobody has waited for."""
    found = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            if process.name.isdecimal() and os.getsid(int(process.name)) == number:
                state = (process / "stat").read_text().rpartition(") ")[2][0]
                if ended or state != "Z":
                    found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def killed(file: Path, after: int, number: signal.Signals, group: bool) -> list[str]:
    """Run a sweep, kill it after a number of commits, and return the keys that it said were committed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.studies.sweep", str(file)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    keys = [line.strip() for line, _ in zip(process.stdout, range(after), strict=False)]
    (os.killpg if group else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=60)
    keys += out.split()
    if number == signal.SIGKILL:
        assert process.returncode in (-9, 0)
    else:
        assert process.returncode in (130, 0), err
        assert "Traceback" not in err, err
        assert "leaked" not in err, err
    until = time.monotonic() + 10
    while session(process.pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert session(process.pid) == []
    return keys


def kill_texts(store: Path, ways: Iterable[tuple[signal.Signals, bool]]) -> None:
    """Kill sweeps of the store and the processes alone, which start fast."""
    committed: set[str] = set()
    for after, (number, group) in enumerate(ways):
        committed |= set(killed(store, 5 + after % 20, number, group))
        found = list(rows(store))
        assert committed <= {key for key, _, _ in found}
        assert len(found) == len({key for key, _, _ in found}) <= NUMBERS
        assert all(result == text_of(int(key)) for key, _, result in found)
        if len(found) == NUMBERS:
            store.unlink()
            committed.clear()


def test_a_command_with_workers_waits_for_all_its_processes() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WORK],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        said = process.communicate(timeout=60)
        left = session(process.pid, ended=True)
    assert (said, process.returncode, left) == (("3\n", ""), 0, [])


class Interrupting(Executor):
    """An executor that is interrupted in the middle of each submission."""

    def __init__(self) -> None:
        self.futures = list[Future[Any]]()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        signal.raise_signal(signal.SIGINT)
        self.futures.append(Future())
        return self.futures[-1]


def test_an_interrupt_comes_after_a_submission() -> None:
    executor = Interrupting()
    calls = Calls(executor)
    with pytest.raises(KeyboardInterrupt):
        calls.submit(abs, -3)
    (future,) = executor.futures
    assert calls.ended(0.001) == []
    future.set_result(3)
    assert calls.ended(60) == [future]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.long
def test_kills(tmp_path: Path) -> None:
    kill_texts(tmp_path / "texts", WAYS[1:5])


@pytest.mark.campaign
def test_campaign_of_the_store(tmp_path: Path) -> None:
    """200 kills without the simulator."""
    kill_texts(tmp_path / "texts", (WAYS * 34)[:200])


def _everything(study: Path) -> Iterator[tuple[str, str, str]]:
    """What a study that nobody kills leaves in its store."""
    whole = study.with_name("whole.sqlite")
    run_study(study, store=whole, jobs=2)
    return rows(whole)


@pytest.mark.campaign
def test_campaign(tmp_path: Path) -> None:
    """200 kills of one study: main process and whole group, by three signals."""
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    wanted = {key: (point, result) for key, point, result in _everything(study)}
    rng, store = random.Random(), study.with_suffix(".sqlite")
    committed: set[str] = set()
    ends = dict.fromkeys(WAYS, 0)
    while sum(ends.values()) < 200:
        way = min(ends, key=lambda found: (ends[found], rng.random()))
        committed |= set(killed(study, rng.randint(1, 30), *way))
        found = list(rows(store))
        assert committed <= {key for key, _, _ in found}
        assert len(found) == len({key for key, _, _ in found})
        assert all(wanted[key] == (point, result) for key, point, result in found)
        ends[way] += 1
        print(sum(ends.values()), "kills,", len(found), "rows", flush=True)
        if len(found) == len(wanted):
            store.unlink()
            committed.clear()
    run_study(study, jobs=2)
    assert {key: (point, result) for key, point, result in rows(store)} == wanted
    print(ends)
