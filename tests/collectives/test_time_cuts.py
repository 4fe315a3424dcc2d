"""Bounds by cuts in time: never above what an exhaustive search reaches, and damaged ones are rejected."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from benchmarks.collective_gaps import KINDS, drawn

from unknot.certificates import document
from unknot.certificates.plain import Rejected, accept
from unknot_collectives import Operation, Platform, best, bound, candidates
from unknot_collectives.operation import ROOTED
from unknot_collectives.platform import Channel


def test_bounds_are_above_those_by_cuts_in_space_and_the_checker_agrees() -> None:
    draw, better = random.Random(3), 0
    for kind in KINDS:
        platform = drawn(draw, 5)
        root = draw.choice(platform.members) if kind in ROOTED else None
        operation = Operation(kind, platform.members, Fraction(draw.randint(1, 4)), root)
        plain, limit = bound(platform, operation), bound(platform, operation, in_time=True)
        assert limit.time >= plain.time
        better += limit.time > plain.time
        fastest = best(candidates(platform, operation, ["direct"]), operation.size)
        assert limit.time <= fastest.time
        accept(document(None, None, [limit.claim(), fastest.claim()]))
    assert better >= 2


def least_time(platform: Platform, flits: int, root: int) -> int:
    """The least time of a broadcast in whole flits on channels of bandwidth 1, by all choices of every cycle."""
    channels, every = platform.channels, (1 << flits) - 1
    states = {tuple((every if m == root else 0, ()) for m in range(platform.num_nodes))}
    time = 0
    while True:
        time += 1
        following = set()
        for state in states:
            # What each channel sends in this cycle: a flit that its source has, or none.
            options = [[None, *(f for f in range(flits) if state[c.source][0] >> f & 1)] for c in channels]
            for chosen in product(*options):
                nodes = [(has, list(comes)) for has, comes in state]
                for flit, c in zip(chosen, channels, strict=True):
                    if flit is not None:
                        nodes[c.target][1].append((time + int(c.latency), flit))
                after = []
                for has, comes in nodes:
                    arrived = sum({1 << flit for at, flit in comes if at <= time})
                    left = {(at, f) for at, f in comes if at > time and not (has | arrived) >> f & 1}
                    after.append((has | arrived, tuple(sorted(left))))
                following.add(tuple(after))
        if any(all(has == every for has, _ in state) for state in following):
            return time
        states = following


def test_no_bound_is_above_the_least_time_of_all_schedules() -> None:
    draw, tight = random.Random(3), 0
    for _ in range(8):
        pairs = [(0, 1), (1, 2), (0, 2)][: draw.randint(2, 3)]
        channels = tuple(Channel(a, b, Fraction(1), Fraction(draw.randint(0, 2))) for a, b in pairs)
        platform, flits = Platform("three", 3, channels, (0, 1, 2)), draw.randint(1, 2)
        operation = Operation("broadcast", (0, 1, 2), Fraction(flits), root=0)
        limit, least = bound(platform, operation, in_time=True), least_time(platform, flits, 0)
        accept(document(None, None, [limit.claim()]))
        assert limit.time <= least
        tight += limit.time > Fraction(99, 100) * least
    assert tight >= 3


def claim_of_cuts() -> dict:
    """An all-gather whose bound is one by cuts in time."""
    ends = [(0, 1, 2, 3), (1, 2, 1, 0), (0, 2, 1, 4)]
    both = [Channel(*way, Fraction(rate), Fraction(late)) for a, b, rate, late in ends for way in ((a, b), (b, a))]
    operation = Operation("all_gather", (0, 1, 2), Fraction(3))
    limit = bound(Platform("three", 3, tuple(both), (0, 1, 2)), operation, in_time=True)
    assert len(limit.in_time) > 1
    return limit.claim()


def test_damaged_cuts_are_rejected() -> None:
    claim = claim_of_cuts()
    cuts = claim["proof"]["cuts"]
    accept(document(None, None, [claim]))
    above, below = claim["time"]
    of_targets = [[cut[0], None, cut[1], cut[3]] for cut in cuts]
    for changed, words in (
        ({"time": [above * 11, below * 10]}, "may end"),
        ({"proof": {"cuts": [[*cut[:3], [[0, 1]] * claim["nodes"]] for cut in cuts]}}, "may end"),
        ({"proof": {"cuts": of_targets}}, "several members"),
        ({"proof": {"cuts": [*cuts, *of_targets]}}, "all name a source or all a target"),
        ({"proof": {"cuts": [[*cut[:3], cut[3][1:]] for cut in cuts]}}, "for each node"),
        ({"proof": {"cuts": [[cut[0], [1], None, cut[3]] for cut in cuts]}}, "are expected"),
    ):
        with pytest.raises(Rejected, match=words):
            accept(document(None, None, [claim | changed]))
