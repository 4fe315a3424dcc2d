"""Answers on drawn tables against the naive twin."""

from __future__ import annotations

import pytest

from tests.reference.controllers import TooLargeError, Twin
from tests.reference.packed_controllers import PackedTwin
from tests.verify.controllers.agreement import compare, compare_rooms
from tests.verify.controllers.drawn import table


def test_both_twins_find_the_same_states() -> None:
    whole = 0
    for seed in range(16):
        twins = [kind(table(seed), 2, 2, shared=seed % 2 > 0, most=4_000) for kind in (Twin, PackedTwin)]
        try:
            naive, packed = (one.deadlock() for one in twins)
        except TooLargeError:
            continue
        assert (naive is None) == (packed is None), seed
        whole += naive is None
        assert naive is not None or twins[0].states == twins[1].states, seed
    assert whole


def test_drawn_tables() -> None:
    seen = compare(range(24), 6_000, caches=2)
    assert seen["no True"] > 5
    assert seen["yes False"] + seen["yes None"] > 2


def test_least_rooms_of_drawn_tables() -> None:
    seen = compare_rooms(range(24), 600)
    assert seen["none"] > 3
    assert seen["cost 2"] > 2


@pytest.mark.campaign
def test_least_rooms_of_many_tables() -> None:
    seen = compare_rooms(range(1000, 1500), 5_000)
    print(sorted(seen.items()))
    assert sum(seen.values()) - seen["too large"] - seen["open"] - seen["limits too"] >= 300
    assert seen["limits too"] >= 100


@pytest.mark.campaign
def test_five_hundred_tables() -> None:
    seen = compare(range(1000, 1520), 40_000, caches=3)
    print(sorted(seen.items()))
    assert seen["no True"] > 125
    assert seen["yes False"] + seen["yes None"] > 125
    assert seen["large"] > 260
    assert seen["open False"] + seen["open None"] + seen["open True"] <= 10
    assert all(seen[one] >= 50 for one in CONSTRUCTS)


CONSTRUCTS = (
    "take", "stall", "set aside", "store", "load", "evict", "condition", "carried", "owner", "next", "sharers", "due",
    "ordered network", "shared network",
)  # fmt: skip
"""What drawn tables make use of."""
