"""Time limits count what a design takes, and what compiling takes beyond some seconds."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from numba.core.compiler_lock import global_compiler_lock

import unknot._base.kernels.types_kernel  # noqa: F401 (Numba reports to the clock from here on)
from unknot._base import compile_time, deadline
from unknot._base.deadline import Deadline, NoAnswerError, clock, compiling, within


@dataclass
class Hand:
    """The hand of the clock on the wall, which goes on only where a test moves it, or by a step at every look."""

    at: float = 1000.0
    step: float = 0.0

    def look(self) -> float:
        self.at += self.step
        return self.at


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    hand = Hand()
    wall = SimpleNamespace(monotonic=hand.look, process_time=time.process_time)
    for module in (compile_time, deadline):
        monkeypatch.setattr(module, "time", wall)
    return hand


def test_the_clock_stands_still_while_numba_compiles(hand: Hand) -> None:
    before = clock()
    with global_compiler_lock:
        hand.at += 5.0
        assert clock() == pytest.approx(before)
    assert clock() == pytest.approx(before)
    hand.at += 0.25
    assert clock() == pytest.approx(before + 0.25)


def test_the_clock_goes_on_where_compiling_takes_long(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that others keep busy."""
    before = clock()
    monkeypatch.setattr(compiling, "most", hand.at - before + 2.0)
    with global_compiler_lock:
        hand.at += 5.0
        assert clock() == pytest.approx(before + 3.0)
        hand.step = 0.2
        with pytest.raises(NoAnswerError):
            within(0.1, threading.Event().wait)
    assert "went into compiling" in Deadline.after(1).undecided("something")


def test_work_that_compiles_may_take_longer_than_its_limit(hand: Hand) -> None:
    def work() -> str:
        with global_compiler_lock:
            hand.at += 60.0
            time.sleep(0.2)  # the clock is looked at meanwhile
        return "done"

    assert within(0.01, work) == "done"


def test_work_that_does_not_end_is_given_up() -> None:
    forever = threading.Event()
    began = time.monotonic()
    with pytest.raises(NoAnswerError):
        within(0.1, forever.wait)
    assert time.monotonic() - began >= 0.1
    forever.set()


def test_an_error_of_the_work_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        within(1, lambda: 1 / 0)
