"""Tests that run a function, and whether they notice a fault in it.

Everything is imported once. A mutant is a fork of that process in which one function has other code; for kernels,
Numba is switched off. All times are processor times.
"""

from __future__ import annotations

import importlib
import inspect
import os
import resource
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from coverage import Coverage

from tests.mutation.sites import Mutant

LARGEST = 4 * 2**30
OPTIONS = [
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-W",
    "ignore",
    "--no-header",
    "--hypothesis-seed=7",
]


@dataclass
class Record:
    """A pytest plugin: which lines each test runs, how long it takes, whether it passes."""

    root: Path
    longest: float
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.coverage = Coverage(data_file=None, source=[str(self.root / "src")], messages=False)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, self.longest)
        begin = time.process_time()
        self.coverage.start()
        self.coverage.switch_context(item.nodeid)
        outcome = yield
        self.coverage.stop()
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.seconds[item.nodeid] = time.process_time() - begin
        if outcome.excinfo is not None:
            self.failed.add(item.nodeid)

    def pytest_sessionfinish(self) -> None:
        data = self.coverage.get_data()
        for file in data.measured_files():
            path = Path(file).relative_to(self.root).as_posix()
            for line, tests in data.contexts_by_lineno(file).items():
                self.runs[path, line] = set(tests) - self.failed - {""}

    def tests_of(self, mutant: Mutant, budget: float) -> list[str]:
        """Tests that run the faulty lines, the quickest first: what fits into some seconds, but at least three."""
        kept: list[str] = []
        total = 0.0
        for lines in mutant.lines():
            found = {test for line in lines for test in self.runs.get((mutant.path, line), ())}
            for test in sorted(found - set(kept), key=lambda test: (self.seconds[test], test)):
                total += self.seconds[test]
                if total > budget and len(kept) >= 3:
                    return kept
                kept.append(test)
        return kept


def _too_long(*_: object) -> None:
    raise TimeoutError("this test takes too long")


def record(root: Path, tests: list[str], longest: float) -> Record:
    """Run tests as they are."""
    found = Record(root, longest)
    pytest.main([o for o in OPTIONS if o != "-x"] + ["--tb=no", *tests], plugins=[found])
    return found


def cap_examples(most: int) -> None:
    """Let property tests draw few examples, and shrink none; to be called before tests are imported."""
    from hypothesis import Phase, settings

    make = settings.__init__

    def capped(self: Any, parent: Any = None, **kwargs: Any) -> None:
        kwargs["max_examples"] = min(most, kwargs.get("max_examples", most))
        make(self, parent, **{**kwargs, "phases": (Phase.explicit, Phase.generate), "database": None})

    settings.__init__ = capped  # type: ignore[method-assign]


def survives(mutant: Mutant, tests: list[str], seconds: float) -> bool:
    """Whether no test notices the fault; limits on processor time and memory notice one that never ends or grows."""
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + LARGEST, taken + LARGEST))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        status = 1
        try:
            _plant(mutant)
            status = int(pytest.main([*OPTIONS, "--tb=no", *tests]))
        finally:
            os._exit(status)
    for _ in range(int(1000 * seconds)):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)  # it waits for something that never comes
    os.waitpid(pid, 0)
    return False


def _plant(mutant: Mutant) -> None:
    """Give a function the code of the mutant, for all who imported it."""
    name = mutant.path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    owner: Any = importlib.import_module(name)
    *outer, last = mutant.function.split(".")
    for part in outer:
        owner = getattr(owner, part)
    target = inspect.getattr_static(owner, last)
    for inner in ("__func__", "func", "fget", "py_func", "__wrapped__"):
        target = getattr(target, inner, target) if not isinstance(target, FunctionType) else target
    if hasattr(target, "__wrapped__"):
        target = target.__wrapped__
    target.__code__ = mutant.code()
