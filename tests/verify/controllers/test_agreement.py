"""Answers on drawn tables against the naive twin."""

from __future__ import annotations

import pytest

from tests.verify.controllers.agreement import compare, compare_rooms


def test_drawn_tables() -> None:
    seen = compare(range(24), 2_000, caches=2)
    assert seen["no True"] > 5
    assert seen["yes False"] + seen["yes None"] > 2


def test_least_rooms_of_drawn_tables() -> None:
    seen = compare_rooms(range(24), 600)
    assert seen["none"] > 3
    assert seen["cost 2"] > 2


@pytest.mark.campaign
def test_least_rooms_of_many_tables() -> None:
    seen = compare_rooms(range(1000, 1400), 6_000)
    assert sum(seen.values()) - seen["too large"] - seen["open"] >= 300


@pytest.mark.campaign
def test_five_hundred_tables() -> None:
    seen = compare(range(1000, 1500), 40_000, caches=3)
    assert seen["no True"] > 125
    assert seen["yes False"] + seen["yes None"] > 125
