"""Packed trees and paths of flows: as fast as all cuts of small platforms allow, and accepted."""

import random
from fractions import Fraction

import pytest

from tests.collectives.test_bounds import by_all_cuts, without_latency
from tests.collectives.test_chunks import drawn_platform, operation_on
from unknot._base.errors import NetworkError
from unknot.certificates import document
from unknot.certificates.plain import accept
from unknot.network.families import torus
from unknot_collectives import Operation, Platform, best, bound, candidates, optimal, platform_of, timed
from unknot_collectives.operation import KINDS
from unknot_collectives.platform import Channel


@pytest.mark.long
def test_no_cut_of_small_platforms_is_worse_than_the_schedule() -> None:
    draw = random.Random()
    for _ in range(25):
        platform = drawn_platform(draw, balanced=True)
        operation = operation_on(platform, draw.choice([kind for kind in KINDS if kind != "barrier"]))
        schedule = optimal(platform, operation)
        for one in (schedule, timed(schedule), timed(schedule.pipelined(3))):
            assert accept(document(None, None, [one.claim()])), platform
            assert one.busiest == schedule.busiest
        if operation.kind == "all_to_all":
            assert float(schedule.busiest) == pytest.approx(
                float(bound(without_latency(platform), operation).time), rel=1e-3
            )
        elif operation.kind == "all_reduce":
            assert schedule.busiest >= bound(without_latency(platform), operation).time
        else:
            assert schedule.busiest == by_all_cuts(platform, operation), (platform, operation)


def star(rates: tuple[int, ...]) -> Platform:
    hub = len(rates)
    ends = [(Channel(i, hub, Fraction(r)), Channel(hub, i, Fraction(r))) for i, r in enumerate(rates)]
    return Platform("star", hub + 1, tuple(c for pair in ends for c in pair), tuple(range(hub)))


def test_an_all_reduce_avoids_the_slow_member() -> None:
    """Three members on a switch, one at half the rate: reduce-scatter and all-gather take 4/3 of the time."""
    platform = star((2, 2, 1))
    whole = operation_on(platform, "all_reduce", Fraction(1))
    assert optimal(platform, whole).busiest == bound(platform, whole).time == 1
    parts = [
        bound(platform, operation_on(platform, kind, Fraction(1, 3))).time
        for kind in ("reduce_scatter", "all_gather")
    ]
    assert sum(parts) == Fraction(4, 3)


def test_switches_with_unequal_bandwidth_in_and_out() -> None:
    """The butterfly: the cut lets 2 pass, but a switch that copies nothing passes on what it gets, which is 1."""
    ends = [(0, 3), (0, 4), (3, 1), (3, 5), (4, 5), (4, 2), (5, 6), (6, 1), (6, 2)]
    platform = Platform("butterfly", 7, tuple(Channel(a, b, Fraction(1)) for a, b in ends), (0, 1, 2))
    broadcast = Operation("broadcast", platform.members, root=0)
    assert bound(platform, broadcast).time == Fraction(1, 2)
    schedule = optimal(platform, broadcast)
    assert accept(document(None, None, [schedule.claim()]))
    assert schedule.busiest == 1


@pytest.mark.long
def test_pieces_bring_the_time_near_the_bound() -> None:
    platform = platform_of(torus(3, 3), terminal=Fraction(4))
    gather = Operation("all_gather", platform.members, Fraction(36_000))
    least = bound(platform, gather).time
    choices = candidates(platform, gather, ["optimal"], pieces=(1, 4, 16))
    schedule = best(choices, gather.size)
    assert least <= schedule.time <= least * Fraction(105, 100)
    assert float(schedule.time) == pytest.approx(min(one.start_order(gather.size).time for one in choices))
    assert accept(document(None, None, [schedule.claim()]))


def test_what_cannot_be_packed_says_why() -> None:
    fine = Platform(
        "fine", 2, (Channel(0, 1, Fraction(10**9 + 7, 10**9)), Channel(1, 0, Fraction(1, 10**9 + 9))), (0, 1)
    )
    with pytest.raises(NetworkError, match="no common unit"):
        optimal(fine, operation_on(fine, "all_gather"))
    one_way = Platform("one way", 2, (Channel(0, 1, Fraction(1)),), (0, 1))
    for kind in ("all_gather", "all_reduce", "all_to_all"):
        with pytest.raises(NetworkError, match=r"no channel leads|no flow"):
            optimal(one_way, operation_on(one_way, kind))
    with pytest.raises(NetworkError, match="did you mean optimal"):
        candidates(one_way, operation_on(one_way, "broadcast"), ["optimum"])


def test_all_reduce_cannot_send_less_than_the_sum_of_what_members_need() -> None:
    platform = without_latency(platform_of(torus(4)))
    least = bound(platform, operation_on(platform, "all_reduce", Fraction(8)))
    assert (least.time, least.lengths) == (12, (0,) * 9 + (1, 0) * 3 + (1,))
    claim = least.claim()
    assert "alone copy and add up" in accept(document(None, None, [claim]))[-1]
