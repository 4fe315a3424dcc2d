"""Schedules of chunks run flit by flit."""

from fractions import Fraction

import pytest

from unknot._base.errors import NetworkError, SimulationError
from unknot.network.families import ring, torus
from unknot.routing import dimension_order
from unknot_collectives import (
    Group,
    Operation,
    bound,
    messages_of,
    optimal,
    platform_of,
    textbook,
)
from unknot_collectives.choice import by_algorithm
from unknot_collectives.comparison import compared
from unknot_collectives.execution import execute


def test_all_gather_on_a_torus_is_within_a_tenth_of_its_bound() -> None:
    """What the issue of this part asked: at most 1,050 cycles, where the terminals need 960."""
    network = torus(4, 4)
    platform = platform_of(network)
    gather = Operation("all_gather", platform.members, Fraction(64))
    assert bound(platform, gather).time == 961
    for algorithm, pieces, depth in (("bidirectional_ring", 1, None), ("ring", 2, 64)):
        schedule = textbook(platform, gather, algorithm).pipelined(pieces)
        run = execute(dimension_order(network, 2), schedule, buffer_depth=depth)
        assert run.makespan is not None
        assert 960 <= run.makespan <= 1050


def test_messages_carry_all_flits_and_wait_for_what_they_pass_on() -> None:
    network = ring(5)
    platform = platform_of(network)
    gather = Operation("all_gather", platform.members, Fraction(7))
    messages = messages_of(network, textbook(platform, gather, "ring").pipelined(3), together=False)
    assert sum(message.flits for message in messages) == 7 * 5 * 4
    for message in messages:
        assert all(messages[need].destination == message.source for need in message.needs)
    tiny = Operation("all_gather", platform.members, Fraction(1))
    messages = messages_of(network, textbook(platform, tiny, "ring").pipelined(3))
    assert [message.flits for message in messages] == [1] * 20


def test_every_algorithm_of_every_kind_comes_to_its_end_and_keeps_the_bound() -> None:
    network = torus(4)
    platform = platform_of(network)
    relation = dimension_order(network, 2)
    for kind in ("all_reduce", "all_to_all"):
        whole = Operation(kind, platform.members, Fraction(6))
        lower = bound(platform, whole)
        for row in compared(by_algorithm(platform, whole, pieces=(1, 2)), [lower], relation).tables[0]:
            assert row.measured is not None
            assert row.measured >= lower.time
            assert row.ratio == pytest.approx(row.measured / float(lower.time))


def test_what_does_not_run_says_why() -> None:
    network = ring(4)
    platform = platform_of(network)
    relation = dimension_order(network, 2)
    routers = Operation("all_gather", (0, 1, 2, 3), Fraction(4))
    with pytest.raises(NetworkError, match="not for the terminals of ring"):
        execute(relation, optimal(platform, routers))
    half = Operation("all_gather", platform.members, Fraction(1, 2))
    with pytest.raises(NetworkError, match="whole numbers of flits, not 1/2"):
        execute(relation, textbook(platform, half, "ring"))
    huge = Operation("all_gather", platform.members, Fraction(10**9))
    with pytest.raises(SimulationError, match="at most are"):
        execute(relation, textbook(platform, huge, "ring", group=Group(platform.members)))
