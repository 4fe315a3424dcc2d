"""Greedy trees: whole, within the bandwidth of a step, and refused where there are switches."""

import random
from fractions import Fraction

import pytest

from tests.collectives.test_chunks import drawn_platform, operation_on
from unknot._base.errors import NetworkError
from unknot.certificates import document
from unknot.certificates.plain import accept
from unknot_collectives import Operation, Platform, best, bound, candidates
from unknot_collectives.greedy import greedy
from unknot_collectives.platform import Channel
from unknot_collectives.proposals import BY_TREES


def test_schedules_are_accepted_and_never_below_the_bound() -> None:
    draw = random.Random()
    for _ in range(15):
        drawn = drawn_platform(draw, nodes=5)
        platform = Platform("drawn", drawn.num_nodes, drawn.channels, tuple(range(drawn.num_nodes)))
        whole = operation_on(platform, draw.choice(BY_TREES))
        choices = candidates(platform, whole, ["greedy"], pieces=(1, 3))
        schedule = best(choices, whole.size)
        assert accept(document(None, None, [schedule.claim()])), platform
        assert schedule.time >= bound(platform, whole).time
        if whole.kind in ("broadcast", "all_gather"):
            assert float(schedule.time) == pytest.approx(min(one.start_order(whole.size).time for one in choices))


def test_a_mesh_is_gathered_in_as_many_steps_as_its_corner_needs() -> None:
    """5 × 5 members: one in a corner receives 24 chunks over 2 channels in 12 steps, as published for TACOS."""
    ends = [(5 * y + x, 5 * y + x + 1) for x in range(4) for y in range(5)] + [(n, n + 5) for n in range(20)]
    channels = [Channel(a, b, Fraction(1), Fraction(1, 2)) for one, two in ends for a, b in ((one, two), (two, one))]
    platform = Platform("mesh", 25, tuple(channels), tuple(range(25)))
    gather = Operation("all_gather", platform.members)
    schedule = best(candidates(platform, gather, ["greedy"], pieces=(1,)), Fraction(800))
    assert 12 * 800 < schedule.time <= 12 * (800 + Fraction(1, 2))


def test_switches_and_members_apart_are_refused() -> None:
    ends = ((0, 2), (2, 3), (3, 1), (1, 3), (3, 2), (2, 0))
    hub = Platform("two hubs", 4, tuple(Channel(a, b, Fraction(1)) for a, b in ends), (0, 1))
    with pytest.raises(NetworkError, match="at most one switch apart"):
        candidates(hub, operation_on(hub, "all_gather"), ["greedy"])
    one_way = Platform("one way", 2, (Channel(0, 1, Fraction(1)),), (0, 1))
    with pytest.raises(NetworkError, match="no channel leads from each root"):
        candidates(one_way, operation_on(one_way, "all_gather"), ["greedy"])


def test_two_switches_of_members_are_gathered_as_fast_as_one_receives() -> None:
    """As members that lack the most come first, none is left behind."""
    channels = []
    for switch, other in ((0, 17), (17, 0)):
        for one in range(1, 17):
            channels += [Channel(*ends, Fraction(10)) for ends in ((switch, switch + one), (switch + one, switch))]
        channels += [Channel(switch + one, other + one - 1, Fraction(1)) for one in range(2, 17, 2)]
    pair = Platform("pair", 34, tuple(channels), tuple(node for node in range(34) if node % 17))
    assert greedy(pair, pair.members, Fraction(10)).time == pytest.approx(31)
