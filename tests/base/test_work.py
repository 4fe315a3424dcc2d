"""Limits that count work: the same answers with any clock."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import unknot
from unknot._base import compile_time, deadline
from unknot._base.deadline import MINUTE, Deadline, NoAnswerError, clock, counts_work, within
from unknot._base.work import counting_work, measuring_time, spend, work_done
from unknot.cli.program import app

COMMANDS = (
    ("lanes", "ring(9)"),
    ("lanes", "ring(6)", "--paths", "table"),
    ("lanes", "ring(7)", "--changes", "rising"),
    ("lanes", "random_regular(8, 3, seed=1)", "--lanes", "1"),
    ("design", "routing", "mesh(2)"),
    ("repair", "ring(5)", "--routing", "shortest_paths"),
    ("repair", "mesh(2, 3)", "--routing", "fully_adaptive"),
    ("repair", "examples/ethernet/dual-tor-one-queue"),
    ("faults", "ring(4)", "--routing", "up_down"),
    ("faults", "ring(3)", "--routing", "ospf", "--repair"),
    ("check", "mesh(2)", "--all-sizes", "--routing", "odd_even"),
    ("check", "mesh(3, 3)", "--routing", "fully_adaptive", "--switching", "wormhole"),
    ("check", "line(2)", "--routing", "dimension_order", "--protocol", "request_reply"),
    ("audit", "examples/ethernet/frr-two-links-down"),
)
BUSY = (("lanes", "torus(8, 8)"), *COMMANDS[1:])
LOOPS = 20


def test_deadlines_count_what_is_spent() -> None:
    with counting_work():
        limit = Deadline.after(10)
        spend(4)
        assert (limit.left, limit.over, clock()) == (6, False, 4)
        with counting_work():
            spend(7)
        assert limit.over
        assert limit.proving.left == 10
        assert limit.undecided("nothing") == "undecided with the work of 10 s: nothing"
        with measuring_time():
            assert work_done() is None
            spend(1)
    assert work_done() is None


def test_threads_that_work_is_handed_to_count_too() -> None:
    with counting_work():
        within(1, lambda: spend(2))
        assert work_done() == 2


def test_a_rule_that_loops_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "ENDLESS", 0.05)
    given_up = threading.Event()
    with counting_work(), pytest.raises(NoAnswerError):
        within(1, lambda: [None for _ in iter(given_up.is_set, True)])
    given_up.set()


def test_a_call_without_a_limit_counts_its_own_work() -> None:
    @counts_work
    def search(time_limit: float | None = None) -> tuple[float, float | None]:
        return deadline.begun(time_limit).left, work_done()

    assert search() == (MINUTE, 0.0)
    left, done = search(time_limit=5.0)
    assert left <= 5
    assert done is None


class Hurried:
    """A wall clock that goes 1,000 times as fast: it would cut each of these short."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    def monotonic(self) -> float:
        return self.began + 1000 * (time.monotonic() - self.began)


def answer(*words: str) -> tuple[int, Any]:
    said = CliRunner().invoke(app, [*words, "--json"])
    answered = json.loads(said.stdout)
    return said.exit_code, without_times(answered)


def without_times(answered: Any) -> Any:
    return {name: value for name, value in answered.items() if name not in ("seconds", "provenance", "judged")}


@pytest.mark.sampled(1 / 5)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_clock_1000_times_as_fast_changes_nothing(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    usual = answer(*words)
    hurried = Hurried()
    for module in (compile_time, deadline):
        monkeypatch.setattr(
            module, "time", SimpleNamespace(monotonic=hurried.monotonic, process_time=time.process_time)
        )
    assert answer(*words) == usual


def test_functions_with_a_limit_by_default_count_work() -> None:
    """A number of seconds by default would be read from the clock."""
    forgotten = []
    for path in sorted(Path(unknot.__file__).parents[1].glob("unknot*/**/*.py")):
        text = path.read_text()
        for node in ast.parse(text).body if "time_limit: float" in text else ():
            if isinstance(node, ast.FunctionDef):
                limits = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                seconds = [ast.unparse(default) for arg, default in limits if arg.arg == "time_limit" and default]
                counted = any(ast.unparse(decorator) == "counts_work" for decorator in node.decorator_list)
                if seconds and seconds[0] not in ("None", "NEVER", "0.0") and not counted:
                    forgotten.append(f"{path.name}: {node.name}")
    assert not forgotten


@pytest.mark.campaign
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be chosen here")
@pytest.mark.parametrize("words", BUSY, ids=" ".join)
def test_a_busy_machine_changes_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    """Beside 20 busy loops on the one processor that the command has, too."""
    command = [sys.executable, "-m", "unknot", *words, "--json"]
    usual = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    one = {min(os.sched_getaffinity(0))}
    pinned = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); "
    loops = [
        subprocess.Popen([sys.executable, "-c", pinned + "\nwhile True: pass", str(min(one))]) for _ in range(LOOPS)
    ]
    try:
        busy = subprocess.run(
            [sys.executable, "-c", pinned + "os.execv(sys.executable, sys.argv[2:])", str(min(one)), *command],
            capture_output=True, text=True, cwd=tmp_path,
        )  # fmt: skip
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert busy.returncode == usual.returncode, busy.stderr
    assert without_times(json.loads(busy.stdout)) == without_times(json.loads(usual.stdout))


def test_threads_count_all_that_they_spend() -> None:
    with counting_work():
        threads = [threading.Thread(target=within, args=(1, lambda: None)) for _ in range(2)]
        for thread in threads:
            thread.start()
            thread.join()
        for _ in range(100):
            spend(0.5)
        assert work_done() == 50
