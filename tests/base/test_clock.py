"""Time limits count what a design takes, and what compiling takes beyond some seconds."""

from __future__ import annotations

import threading
import time

import pytest
from numba.core.compiler_lock import global_compiler_lock

import unknot._base.kernels.types_kernel  # noqa: F401 (Numba reports to the clock from here on)
from unknot._base.deadline import Deadline, NoAnswerError, clock, compiling, within


def test_the_clock_stands_still_while_numba_compiles():
    before, began = clock(), time.monotonic()
    with global_compiler_lock:
        time.sleep(1.0)
        held = clock()
    assert held - before < 0.5
    time.sleep(0.2)
    assert clock() - held >= 0.2
    assert time.monotonic() - began - (clock() - before) >= 0.9


def test_the_clock_goes_on_where_compiling_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that others keep busy."""
    monkeypatch.setattr(compiling, "most", time.monotonic() - clock() + 0.2)
    began, before = time.monotonic(), clock()
    with global_compiler_lock:
        time.sleep(0.5)
        assert 0.3 <= clock() - before < time.monotonic() - began - 0.1
    with pytest.raises(NoAnswerError):
        within(0.1, lambda: global_compiler_lock(time.sleep)(0.5))
    assert "went into compiling" in Deadline.after(1).undecided("something")


def test_work_that_compiles_may_take_longer_than_its_limit():
    def work() -> str:
        with global_compiler_lock:
            time.sleep(0.5)
        return "done"

    assert within(0.1, work) == "done"


def test_work_that_does_not_end_is_given_up():
    forever = threading.Event()
    began = time.monotonic()
    with pytest.raises(NoAnswerError):
        within(0.1, forever.wait)
    assert time.monotonic() - began >= 0.1
    forever.set()


def test_an_error_of_the_work_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        within(1, lambda: 1 / 0)
