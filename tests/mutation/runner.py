"""Tests that run a function, and whether they notice a fault in it.

One run of pytest does it all. Every test runs once as it is, which shows its time and the lines it runs. A mutant is
a fork of that process in which one function has other code; it ends with the first test that fails. For kernels,
Numba is switched off. All times are processor times.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import inspect
import os
import random
import resource
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage
from numba.core.compiler_lock import global_compiler_lock

from tests.mutation.sites import Mutant

LARGEST = 4 * 2**30
OPTIONS = ["-q", "--tb=no", "--no-header", "--no-summary", "-W", "ignore", "--hypothesis-seed=7"]
OPTIONS += ["--hypothesis-profile=campaign"]  # all cases of sweeps, of which a run draws a share
PLUGINS = ["-p", "no:cacheprovider", "-p", "no:xdist"]


class TooLongError(BaseException):
    """A test takes too long; no `Exception`, which Hypothesis would look for again in simpler examples."""


@dataclass
class Tests:
    """A pytest plugin: which lines each test runs, its time, whether it passes; then `try_faults` tries the faults.

    Attributes
    ----------
    longest, alone : float
        Seconds that a test may take, and that all may take as they are. Every function has a first turn before any
        has a second one with other parameters; within a turn, those of files named `first` go first.
    """

    root: Path
    longest: float
    alone: float
    first: set[str]
    try_faults: Callable[[Tests], None]
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    planted: bool = False

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        turn: Counter[str] = Counter()
        order = {}
        for item in random.Random(0).sample(session.items, len(session.items)):
            order[item] = turn[item.nodeid.partition("[")[0]], item.path.stem.removeprefix("test_") not in self.first
            turn[item.nodeid.partition("[")[0]] += 1
        self.items = {item.nodeid: item for item in sorted(order, key=order.__getitem__)}
        end = time.process_time() + self.alone
        coverage = Coverage(data_file=None, source=[str(self.root / "src")], messages=False)
        coverage.start()
        for name, item in self.items.items():
            if time.process_time() > end:
                break
            coverage.switch_context(name)
            signal.signal(signal.SIGPROF, self._too_long)
            # Again and again, as code that goes on after any error goes on after this one too.
            signal.setitimer(signal.ITIMER_PROF, self.longest, 1.0)
            begin = time.process_time()
            reports = runtestprotocol(item, log=False, nextitem=None)
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.seconds[name] = time.process_time() - begin
            if any(report.failed for report in reports):
                self.failed.add(name)
        coverage.stop()
        measured = coverage.get_data()
        for file in measured.measured_files():
            path = Path(file).relative_to(self.root).as_posix()
            for line, tests in measured.contexts_by_lineno(file).items():
                self.runs[path, line] = set(tests) - self.failed - {""}
        gc.collect()
        self.caches = [found for found in gc.get_objects() if type(found) is functools._lru_cache_wrapper]
        gc.freeze()
        self.try_faults(self)
        return True

    def _too_long(self, _: int, __: FrameType | None) -> None:
        if global_compiler_lock.is_locked():  # what is compiled is kept for other tests
            signal.setitimer(signal.ITIMER_PROF, self.longest, 1.0)
        else:
            raise TooLongError

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> None:
        if self.planted and call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
            os._exit(1)

    def of(self, mutant: Mutant, budget: float) -> list[str]:
        """Tests that run the faulty lines, the quickest first: what fits into some seconds, but at least three."""
        kept: list[str] = []
        total = 0.0
        for lines in mutant.lines():
            covering = {test for line in lines for test in self.runs.get((mutant.path, line), ())}
            for test in sorted(covering - set(kept), key=lambda test: (self.seconds[test], test)):
                total += self.seconds[test]
                if total > budget and len(kept) >= 3:
                    return kept
                kept.append(test)
        return kept

    def survives(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether no test notices the fault; limits on time and memory notice one that never ends or grows."""
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                self._run(mutant, tests)
                status = 0
            finally:
                os._exit(status)
        end = time.monotonic() + 60 + 10 * sum(self.seconds[test] for test in tests)
        while not (ended := os.waitpid(pid, os.WNOHANG))[0] and time.monotonic() < end:
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # what waits for something that never comes, and what it started
        return os.waitstatus_to_exitcode((ended if ended[0] else os.waitpid(pid, 0))[1]) == 0

    def _run(self, mutant: Mutant, tests: list[str]) -> None:
        """Run tests with the fault in place; the process ends where one of them fails or takes far too long."""
        os.setsid()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + LARGEST, taken + LARGEST))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        for cache in self.caches:
            if str(cache.__module__).startswith(("unknot.", "tests.")):
                cache.cache_clear()
        _plant(mutant)
        self.planted = True
        for test in tests:
            signal.setitimer(signal.ITIMER_PROF, 3 + 4 * self.seconds[test])  # rules may be compiled again
            runtestprotocol(self.items[test], log=False, nextitem=None)


def run(tests: list[str], plugin: Tests) -> None:
    """Run tests as they are, then whatever is to be found out with them."""
    with tempfile.TemporaryDirectory() as folder:
        pytest.main([*OPTIONS, *PLUGINS, f"--basetemp={folder}/tests", *tests], plugins=[plugin])


def cap_examples(most: int) -> None:
    """Let property tests draw few examples, and shrink none; to be called before tests are imported."""
    from hypothesis import Phase, settings

    from tests import drawing

    make = settings.__init__

    def capped(self: Any, parent: Any = None, **kwargs: Any) -> None:
        kwargs["max_examples"] = min(most, kwargs.get("max_examples", most))
        make(self, parent, **{**kwargs, "phases": (Phase.explicit, Phase.generate), "database": None})

    settings.__init__ = capped  # type: ignore[method-assign]
    drawing.draw_until = lambda enough, test, rounds=0: test()  # few examples seldom meet the rare cases


def count_bits_in_python() -> None:
    """Give kernels functions in place of Numba's intrinsics, which Python cannot run; before kernels are imported."""
    from unknot._base.kernels import mask_kernel

    mask_kernel.how_many = lambda word: (int(word) & (2**64 - 1)).bit_count()
    mask_kernel.lowest = lambda word: (int(word) & -int(word)).bit_length() - 1


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
