"""Time limits of the search for lanes, and Ctrl-C after it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from unknot.lane_assignment import ChangingLanes, Lanes, changing_lanes, lanes
from unknot.search.effort import SearchEffort
from unknot.verify import check

LIMIT, SLACK = 0.5, 3.0
"""Seconds for a search, and of the processor for what comes before, between two looks at the clock, and after.

In this time, no phase on a torus of 256 routers comes to its end by itself.
"""


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize(
    "search",
    [
        lambda: lanes("torus(16, 16)", time_limit=LIMIT),
        lambda: changing_lanes("torus(16, 16)", "table", changes="ports", time_limit=LIMIT),
    ],
    ids=["kept, free", "ports, table"],
)
def test_a_search_ends_in_time(search: Callable[[], Lanes | ChangingLanes]) -> None:
    lanes("ring(5)")
    changing_lanes("ring(5)", "table", changes="ports")
    began = time.process_time()
    laned = search()
    assert time.process_time() - began < LIMIT + SLACK
    assert not laned.complete
    assert check(laned.relation).deadlock_free


@pytest.mark.parametrize("change", [None, "rising"])
def test_ctrl_c_while_routes_are_chosen(change: str | None) -> None:
    said = []

    def interrupt(stage: str, done: int, total: int) -> None:
        said.append(stage)
        if said.count("choosing routes of low load") == 1:
            said.append("choosing routes of low load")
            raise KeyboardInterrupt

    if change is None:
        laned: Lanes | ChangingLanes = lanes("torus(5, 5)", progress=interrupt)
    else:
        laned = changing_lanes("torus(5, 5)", changes=change, progress=interrupt)
    assert (laned.count, laned.complete) == (2, False)
    assert check(laned.relation).deadlock_free


@pytest.mark.long
def test_ctrl_c_while_orders_are_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("unknot.lane_assignment.low_loads.search", interrupt)
    laned = lanes("torus(6, 6)", effort=200, tries=2)
    assert (laned.count, laned.complete) == (2, False)
    assert check(laned.relation).deadlock_free


def test_an_annealing_cools_in_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count(step=0.01)
    monkeypatch.setattr("unknot.search.effort.clock", lambda: next(seconds))
    effort = SearchEffort(0.4)
    temperatures = []
    for moves, hot, cold in effort.cooled(1 << 40, (8.0, 1.0), share=0.5):
        assert moves > 0
        assert hot >= cold
        temperatures.append(hot)
    assert effort.hurried
    assert not effort.over
    assert temperatures[0] == 8.0
    assert 1.0 <= temperatures[-1] < 2.0
    assert np.all(np.diff(temperatures) <= 0)
    calm = SearchEffort(100)
    steps = list(calm.cooled(40_000, (8.0, 1.0)))
    assert sum(moves for moves, _, _ in steps) == 40_000
    assert (steps[0][1], steps[-1][2]) == (8.0, 1.0)
    assert calm.complete


def test_slow_moves_are_few_between_two_looks_at_the_clock() -> None:
    steps = [step.moves for step in SearchEffort().cooled(40, (8.0, 1.0), words=1 << 25)]
    assert steps == [2] * 20
    assert [step.moves for step in SearchEffort().cooled(3, (8.0, 1.0), words=1 << 40)] == [1, 1, 1]


@pytest.mark.long
def test_a_real_signal_ends_a_search_within_a_second() -> None:
    """Seconds of the processor from SIGINT to the answer, on a torus that is searched for long."""
    sent = []

    def interrupt() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    def report(stage: str, done: int, total: int) -> None:
        if not sent and "pairs left" in stage:
            sent.append(0.0)
            threading.Timer(0.5, interrupt).start()

    lanes("ring(5)")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        laned = lanes("torus(13, 13)", time_limit=300, progress=report)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.process_time() - sent[1] < 1.0
    assert not laned.complete
    assert check(laned.relation).deadlock_free
