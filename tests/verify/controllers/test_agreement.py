"""Answers on drawn tables against the naive twin."""

from __future__ import annotations

import pytest

from tests.verify.controllers.agreement import compare


def test_forty_tables() -> None:
    seen = compare(range(40), 6_000, caches=2)
    assert seen["no True"] > 5
    assert seen["yes False"] > 2


@pytest.mark.campaign
def test_five_hundred_tables() -> None:
    seen = compare(range(1000, 1500), 40_000, caches=3)
    assert seen["no True"] > 125
    assert seen["yes False"] + seen["yes None"] > 125
