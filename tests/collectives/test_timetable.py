"""Packets that leave at the rates of the model."""

from __future__ import annotations

from fractions import Fraction

import pytest
from benchmarks.collective_runs import ABOVE, WITHIN, pairs

from unknot.network import families
from unknot.routing import dimension_order
from unknot_collectives import Operation, collective, platform_of, textbook
from unknot_collectives.execution import execute
from unknot_collectives.messages import messages_of
from unknot_collectives.timetable import timetable
from unknot_collectives.timing import timed


def test_a_message_alone_takes_as_long_as_by_the_model() -> None:
    """With the cycles of routers as latencies of channels: nothing waits."""
    network = families.line(5)
    operation = Operation("broadcast", (5, 9), Fraction(40), root=5)
    schedule = textbook(platform_of(network, stages=4), operation, "direct")
    assert execute(dimension_order(network), schedule).makespan == schedule.time


def test_packets_are_their_messages_and_need_all_of_what_these_need() -> None:
    network = families.mesh(3, 3)
    schedule = collective(network, "all_gather", block=40)
    messages, trace = messages_of(network, schedule, together=False), timetable(network, schedule)
    assert sum(one.flits for one in trace) == sum(one.flits for one in messages)
    assert max(one.flits for one in trace) == 16
    for one in trace:
        assert all(trace[need].destination == one.source for need in one.needs)
    assert [one.cycle for one in trace] == sorted(one.cycle for one in trace)


def test_a_timetable_without_conflicts_runs_as_the_model_says() -> None:
    """On fixed routes no two packets ever meet."""
    network = families.mesh(4, 4)
    relation = dimension_order(network, vcs=4)
    platform = platform_of(network, stages=4)
    schedule = timed(textbook(platform, Operation("all_to_all", platform.members, Fraction(64)), "pairwise"))
    made = execute(relation, schedule, packet=64)
    assert made.makespan == schedule.time


def test_large_messages_have_longer_packets() -> None:
    network = families.ring(4)
    trace = timetable(network, collective(network, "broadcast", block=200_000))
    assert len(trace) < 200_000 // 16


@pytest.mark.sampled(1 / 10)
@pytest.mark.parametrize("seed", range(10))
def test_the_model_is_near_its_run_on_drawn_pairs(seed: int) -> None:
    for *pair, row in pairs(2, 100 + seed):
        assert row.measured is not None
        assert row.time <= ABOVE * row.measured, pair
        assert row.measured <= 1.25 * row.time, (
            pair
        )  # most are within WITHIN; `benchmarks.collectives routes` lists all
    assert WITHIN < 1.25
