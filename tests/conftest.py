"""Settings of all tests.

Property tests draw fresh examples on every run, without time limits on single examples. The header of a run gives its
seed; `pytest --hypothesis-seed=N` draws the same examples again, in any worker and for any selection of tests.
Of most tests there are seven, and in the campaign 300. Of sweeps over cases that are alike
(`@pytest.mark.sampled(share)`) a run draws a share by the same seed; the campaign takes all of them. Of tests that
take a second or more (`@pytest.mark.long`) runs of folders draw one of six, and runs that name their file take all;
other tests that take a while are on record in `costs.json` and are drawn by what they cost (`tests/durations.py`).
Of the loops that the simulator has for routers of one kind, each of which takes seconds to compile, a run draws one;
the work of the others is done by the loop for all.

Each kernel, and in a fresh clone each source, is compiled by one worker; others wait and load what it compiled.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import math
import os
import random
import secrets
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import typer.testing
from hypothesis import HealthCheck, settings

from tests.declared import needs_missing, use_declared
from tests.durations import SELDOM, chances, keep_seconds
from unknot._base import deadline

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

use_declared()
os.environ.setdefault("UNKNOT_QUIET", "1")  # what is compiled on the way is no matter of a test
os.environ.setdefault("NUMBA_OPT", "1")  # as on the command line; Numba reads it when it is imported
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # jsonschema does without; a second to load
# Of a command that is called in the process, most of the time goes into the options of all commands, which stay.
typer.testing._get_command = functools.cache(typer.main.get_command)  # type: ignore[attr-defined]

deadline.compiling.most = math.inf  # tests compile for many commands in one process

for profile, examples in {"unknot": 7, "campaign": 300}.items():
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=False,
        database=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
settings.load_profile("unknot")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out files of tests that need a package off the path (`tests/test_alone.py`)."""
    return (collection_path.suffix == ".py" and needs_missing(collection_path)) or None


def pytest_sessionstart() -> None:
    """Spare the garbage collector the tests, which stay to the end."""
    gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Let one worker turn all sources into bytecode in a fresh clone, while the others wait."""
    worker, done = os.environ.get("PYTEST_XDIST_WORKER"), session.config.rootpath / ".pytest_cache" / "collected"
    patience = time.monotonic() + 600
    while worker not in (None, "gw0") and not done.exists() and time.monotonic() < patience:
        time.sleep(0.05)
    yield
    if worker == "gw0":
        done.parent.mkdir(exist_ok=True)
        done.touch()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of sweeps marked as sampled, and of long or costly tests, draw a share by the seed; all in the campaign.

    Where a case is named all cases are taken, where a file is named its long tests.
    """
    if config.getoption("hypothesis_profile") == "campaign" or any("[" in word for word in config.args):
        return
    seed, sweeps = config.option.hypothesis_seed, dict[str, list[pytest.Item]]()
    named = {config.invocation_params.dir / word.partition("::")[0] for word in config.args}
    left_out: set[pytest.Item] = set()
    often = chances()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if item.get_closest_marker("campaign"):
            continue
        long = item.get_closest_marker("long") is not None
        kind, chance = (name, 1 / SELDOM) if long else (item.nodeid, often.get(item.nodeid, 1.0))
        if item.path not in named and random.Random(f"{seed} {kind}").random() >= chance:
            left_out.add(item)
        elif item.get_closest_marker("sampled"):
            sweeps.setdefault(name, []).append(item)
    for name, cases in sweeps.items():
        share = cases[0].get_closest_marker("sampled").args[0]  # type: ignore[union-attr]
        draw = random.Random(f"{seed} {name}")
        left_out.update(draw.sample(cases, len(cases) - max(1, math.ceil(share * len(cases)))))
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def draw_loop(seed: int) -> None:
    """Leave the simulator its loops for usual, large and all routers, and one other; results are the same."""
    from unknot.simulation.engine import kernels, setup

    kinds = {"FAST_VIEWS": setup.FAST_VIEWS, "GENERAL_VIEWS": setup.GENERAL_VIEWS}
    views = {(name, view) for name, views in kinds.items() for view in views}
    special = {(name, view) for name, view in views if not view.startswith("usual") and view not in ("wide", "view")}
    kept = views - special | {random.Random(f"{seed} loops").choice(sorted(special))}
    for name, entries in kinds.items():
        vars(kernels)[name] = {view: entry for view, entry in entries.items() if (name, view) in kept}


def pytest_collection_finish(session: pytest.Session) -> None:
    """Draw a loop of the simulator; from here on collect garbage seldom.

    Of the many small objects that tests keep, a tenth of the time went into looking.
    """
    if session.config.getoption("hypothesis_profile") != "campaign":
        draw_loop(session.config.option.hypothesis_seed)
    global _spent
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()
    _spent = sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed of this run unless one was given; workers of pytest-xdist have that of the process they serve."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # As in a job that a script runs in the background; processes that tests start would ignore Ctrl-C as well.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.hypothesis_seed is None:
        of_run = getattr(config, "workerinput", {}).get("hypothesis_seed")
        config.option.hypothesis_seed = of_run or str(secrets.randbelow(2**32))
    if "PYTEST_XDIST_WORKER" in os.environ:
        compile_one_at_a_time(config.rootpath / ".pytest_cache" / "kernels")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker of pytest-xdist the seed of the run, which is no word of the command line."""
    node.workerinput["hypothesis_seed"] = node.config.option.hypothesis_seed


def compile_one_at_a_time(folder: Path) -> None:
    """Let a kernel or rule be compiled, or loaded, only while no other worker does so with the same one.

    Locks are taken from callers to callees, so that no two workers can wait for one another.
    """
    if fcntl is None:
        return
    from numba.core import event
    from numba.core.dispatcher import Dispatcher

    from unknot._base.kernels import native_kernel
    from unknot._base.kernels.kept_kernel import Kept
    from unknot._base.kernels.linked import load
    from unknot._base.kernels.native import Native
    from unknot.routing import relation_kernel
    from unknot.routing.pointer import Pointer, file_of_rule

    folder.mkdir(parents=True, exist_ok=True)
    compile_kernel, compile_rule, compile_plainly = (
        native_kernel.compiled,
        relation_kernel._in_one_piece,
        Dispatcher.compile,
    )

    @contextlib.contextmanager
    def alone(name: str) -> Iterator[None]:
        with event.trigger_event("numba:compiler_lock"), (folder / name).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def kernel(native: Native) -> Any:
        with alone(native.file):
            address = load(native.file)
            return Pointer(address, None) if address else compile_kernel(native)

    def rule(plain: Any, size: int, options: dict[str, bool]) -> Any:
        name = file_of_rule(plain, size, options)
        if name is None:
            return compile_rule(plain, size, options)
        with alone(name):
            address = load(name)
            return Pointer(address, None) if address else compile_rule(plain, size, options)

    def dispatched(self: Any, *signature: Any) -> Any:
        if not isinstance(self._cache, Kept):
            return compile_plainly(self, *signature)
        with alone(self._cache.name):
            return compile_plainly(self, *signature)

    native_kernel.compiled, relation_kernel._in_one_piece = kernel, rule
    Dispatcher.compile = dispatched


_took: dict[str, float] = {}
_spent = 0.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Write into each report the processor seconds since the last one, of ended processes too."""
    global _spent
    report = yield
    before, _spent = _spent, sum(os.times()[:4])
    report.spent = _spent - before  # type: ignore[attr-defined]
    return report  # type: ignore[return-value]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _took[report.nodeid] = round(_took.get(report.nodeid, 0.0) + getattr(report, "spent", 0.0), 2)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what tests took, for runs that begin with the quickest (`tests/changed.py`)."""
    if "PYTEST_XDIST_WORKER" not in os.environ and _took:
        keep_seconds(session.config.rootpath, _took)


@pytest.fixture(autouse=True, scope="module")
def nothing_goes_on() -> Iterator[None]:
    """Refuse work that was given up and keeps the processor busy: all later tests of the process would pay for it."""
    yield
    if not any(thread.name == deadline.WORK for thread in threading.enumerate()):
        return
    patience, busy = time.process_time() + 5, True
    while busy and time.process_time() < patience:
        before = time.process_time()
        time.sleep(0.1)
        busy = time.process_time() - before > 0.005
    assert not busy, "work that a test of this file gave up still runs; end it, as with an event that it looks at"


@pytest.fixture
def seed(pytestconfig: pytest.Config) -> int:
    """Seed of this run, for tests that draw without Hypothesis."""
    return int(pytestconfig.option.hypothesis_seed)


def pytest_report_header(config: pytest.Config) -> str:
    return f"property tests: repeat with --hypothesis-seed={config.option.hypothesis_seed}"
