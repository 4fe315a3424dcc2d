"""Schedules without relays: replayed apart and by the checker for every operation, and faster over long channels."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from benchmarks.collective_gaps import KINDS, drawn

from tests.reference.collectives import replayed
from unknot.certificates import document
from unknot.certificates.plain import accept
from unknot_collectives import Operation, Platform, bound, textbook
from unknot_collectives.operation import ROOTED
from unknot_collectives.platform import Channel
from unknot_collectives.searching import ways_between
from unknot_collectives.unrelayed import unrelayed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("overhead", [0, 3])
def test_all_end_together_and_no_channel_carries_too_much(kind: str, overhead: int) -> None:
    draw = random.Random()
    platform = replace(drawn(draw), overhead=Fraction(overhead))
    root = draw.choice(platform.members) if kind in ROOTED else None
    operation = Operation(kind, platform.members, Fraction(draw.randint(1, 40), draw.choice((1, 3))), root)
    made = unrelayed(platform, operation, ways_between(platform, platform.members))
    accept(document(None, None, [made.claim()]))
    assert made.time == replayed(made) >= bound(platform, operation).time
    assert not any(made.starts)


def test_an_all_reduce_of_few_flits_over_long_channels_is_not_relayed() -> None:
    ends = [(a, b) for a in range(4) for b in range(4) if a != b]
    square = Platform("four", 4, tuple(Channel(a, b, Fraction(1), Fraction(20)) for a, b in ends), (0, 1, 2, 3))
    whole = Operation("all_reduce", square.members, Fraction(3))
    made = unrelayed(square, whole, ways_between(square, square.members))
    assert 23 <= made.time < Fraction("23.01")
    assert textbook(square, whole, "ring").time > 120


def test_a_bound_of_one_flit_counts_latencies_beside_busy_channels() -> None:
    # The channel into member 1 is busy for as long as the bound without latencies: cuts in time are above both.
    ends = {(0, 3): (2, 3), (1, 3): (2, 0), (2, 0): (4, 1), (2, 3): (1, 0)}
    both = [(*way, *kind) for (a, b), kind in ends.items() for way in ((a, b), (b, a))]
    channels = tuple(Channel(a, b, Fraction(rate), Fraction(late)) for a, b, rate, late in both)
    operation = Operation("all_to_all", (0, 1, 2, 3), Fraction(1))
    limit = bound(Platform("four", 4, channels, (0, 1, 2, 3)), operation, in_time=True)
    assert limit.time > 3
    accept(document(None, None, [limit.claim()]))
