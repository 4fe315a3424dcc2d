"""Settings of all tests.

Property tests draw fresh examples on every run, without time limits on single examples. The header of a run gives its
seed; `pytest --hypothesis-seed=N` draws the same examples again, in any worker and for any selection of tests.

Each kernel, and in a fresh clone each source, is compiled by one worker; others wait and load what it compiled.
"""

from __future__ import annotations

import functools
import gc
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
import typer.testing
from hypothesis import HealthCheck, settings

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

os.environ.setdefault("UNKNOT_QUIET", "1")  # what is compiled on the way is no matter of a test
os.environ.setdefault("NUMBA_OPT", "1")  # as on the command line; Numba reads it when it is imported
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # jsonschema does without; a second to load
# Of a command that is called in the process, most of the time goes into the options of all commands, which stay.
typer.testing._get_command = functools.cache(typer.main.get_command)  # type: ignore[attr-defined]

settings.register_profile(
    "unknot",
    max_examples=30,
    deadline=None,
    derandomize=False,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("unknot")


def pytest_sessionstart() -> None:
    """Spare the garbage collector the tests, which stay to the end."""
    gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Let one worker turn all sources into bytecode in a fresh clone, while the others wait."""
    worker, done = os.environ.get("PYTEST_XDIST_WORKER"), session.config.rootpath / ".pytest_cache" / "collected"
    patience = time.monotonic() + 120
    while worker not in (None, "gw0") and not done.exists() and time.monotonic() < patience:
        time.sleep(0.05)
    yield
    if worker == "gw0":
        done.parent.mkdir(exist_ok=True)
        done.touch()


def pytest_collection_finish() -> None:
    """Collect garbage seldom: of the many small objects that tests keep, a tenth of the time went into looking."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed of this run unless one was given; workers of pytest-xdist receive it with the other options."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # As in a job that a script runs in the background; processes that tests start would ignore Ctrl-C as well.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(secrets.randbelow(2**32))
    if "PYTEST_XDIST_WORKER" in os.environ:
        compile_one_at_a_time(config.rootpath / ".pytest_cache" / "kernels")


def compile_one_at_a_time(folder: Path) -> None:
    """Let Numba compile, or load, a cached kernel only while no other worker does so with the same one.

    Locks are taken from callers to callees, so that no two workers can wait for one another.
    """
    if fcntl is None:
        return
    from numba.core import event
    from numba.core.ccallback import CFunc
    from numba.core.dispatcher import Dispatcher

    from unknot._base.kernels.kept_kernel import Kept

    folder.mkdir(parents=True, exist_ok=True)

    def one_at_a_time(compile_plainly: Callable[..., Any]) -> Callable[..., Any]:
        def compiled(self: Any, *signature: Any) -> Any:
            if not isinstance(self._cache, Kept):
                return compile_plainly(self, *signature)
            with event.trigger_event("numba:compiler_lock"), (folder / self._cache.name).open("w") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                return compile_plainly(self, *signature)

        return compiled

    for kind in (Dispatcher, CFunc):
        kind.compile = one_at_a_time(kind.compile)  # type: ignore[attr-defined]


@pytest.fixture
def seed(pytestconfig: pytest.Config) -> int:
    """Seed of this run, for tests that draw without Hypothesis."""
    return int(pytestconfig.option.hypothesis_seed)


def pytest_report_header(config: pytest.Config) -> str:
    return f"property tests: repeat with --hypothesis-seed={config.option.hypothesis_seed}"
