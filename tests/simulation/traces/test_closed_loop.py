"""Closed loops: closed forms, windows kept, and the trace of a loop run again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import SimulationError
from unknot._base.switching import SWITCHINGS
from unknot.network import families as topologies
from unknot.routing import dimension_order
from unknot.simulation.traces.closed_loop import closed_loop
from unknot.simulation.traces.trace_run import run_trace

MESH = dimension_order(topologies.mesh(3, 3), 2)
ONE = [8, *[-1] * 8]
"""Terminal 0 asks terminal 8, five routers away; nobody else asks."""


def test_one_request_at_a_time_takes_round_trips_service_and_thinking():
    loop = closed_loop(MESH, requests=10, window=1, request_flits=2, reply_flits=5, traffic=ONE, service=7, think=11)
    trip = (5 * 4 + 7 + 1) + 7 + (5 * 4 + 7 + 4)
    assert loop.round_trip_mean == loop.round_trip_p50 == loop.round_trip_max == trip
    assert loop.makespan == loop.finished[0] == 10 * trip + 9 * 11
    assert loop.finished[1:].tolist() == [-1] * 8
    assert loop.throughput == 10 * 7 / (9 * loop.makespan)
    assert (loop.done, loop.run.unfinished, loop.reason) == (10, 0, "")


def test_without_replies_a_request_is_done_when_it_has_arrived():
    loop = closed_loop(MESH, requests=10, window=1, request_flits=3, reply_flits=0, traffic=ONE)
    assert loop.makespan == 10 * (5 * 4 + 7 + 2)
    assert len(loop.run.trace) == 10


def test_a_wide_window_is_bound_by_the_injection_channel():
    loop = closed_loop(MESH, requests=200, window=200, reply_flits=0, request_flits=8, traffic=ONE)
    assert loop.makespan >= 200 * 8
    narrow = closed_loop(MESH, requests=200, window=2, reply_flits=0, request_flits=8, traffic=ONE)
    assert narrow.makespan > loop.makespan


@given(
    st.integers(1, 12),
    st.integers(1, 5),
    st.integers(0, 4),
    st.integers(0, 9),
    st.integers(0, 9),
    st.sampled_from(SWITCHINGS),
    st.sampled_from(["uniform", "tornado", "hotspot(3, share=0.5)"]),
    st.integers(0, 3),
)
def test_windows_are_kept_and_the_trace_runs_the_same(
    requests, window, reply_flits, service, think, switching, traffic, seed
):
    loop = closed_loop(
        MESH,
        requests=requests,
        window=window,
        reply_flits=reply_flits,
        service=service,
        think=think,
        traffic=traffic,
        switching=switching,
        seed=seed,
    )
    run, trace = loop.run, loop.run.trace
    many = trace.classes.count("request")
    assert loop.done == many
    done = run.arrived[-many:]
    if reply_flits:
        assert (run.ready[many:] == run.arrived[:many] + service).all()
        assert (trace.source[many:] == trace.destination[:many]).all()
    for t in range(9):
        mine = np.flatnonzero(trace.source[:many] == t)
        for i in mine:
            cycle = run.ready[i]
            outstanding = (run.ready[mine] <= cycle) & ((done[mine] > cycle) | (mine == i))
            assert outstanding.sum() <= window
    again = run_trace(MESH, trace, switching=switching, seed=seed)
    for name in ("ready", "injected", "arrived"):
        assert (getattr(again, name) == getattr(run, name)).all()
    assert again.makespan == loop.makespan


def test_a_limit_and_a_deadlock_are_reported():
    loop = closed_loop(MESH, requests=50, limit=100)
    assert loop.makespan is None
    assert loop.throughput is None
    assert 0 < loop.done < 450
    assert loop.reason.startswith("the limit of 100 cycles")
    assert (loop.finished == -1).all(), "none has all its 50 replies"
    ring = dimension_order(topologies.ring(8), dateline="none")
    stuck = closed_loop(ring, requests=40, window=8, request_flits=40, reply_flits=0, traffic="tornado")
    assert stuck.run.deadlock is not None
    assert stuck.reason.startswith("deadlock")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"requests": 0}, "requests"),
        ({"window": True}, "window"),
        ({"reply_flits": -1}, "reply_flits"),
        ({"request_flits": 0}, "request_flits"),
        ({"service": -1}, "service"),
        ({"reply_flits": 9, "buffer_depth": 8}, "does not fit"),
        ({"traffic": list(range(9))}, "no terminal has another one"),
    ],
)
def test_loops_that_cannot_be_are_refused(options, text):
    with pytest.raises(SimulationError, match=text):
        closed_loop(MESH, **options)
