from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unknot.simulation.statistics import mean, percentiles, saturated, steady


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300))
def test_percentiles_are_those_of_the_sorted_list(values: list[int]) -> None:
    shares = (0.0, 0.5, 0.95, 0.99, 1.0)
    found = percentiles(np.array(values), shares)
    assert found == [np.quantile(values, share, method="inverted_cdf") for share in shares]


def test_nothing_has_no_percentiles_and_no_mean() -> None:
    assert percentiles(np.zeros(0, dtype=np.int64), (0.5, 1.0)) == [None, None]
    assert mean(0, 0) is None
    assert mean(3, 2) == 1.5


def test_steady_wants_two_small_changes_in_a_row() -> None:
    assert not steady([100.0, 101.0])
    assert steady([50.0, 100.0, 101.0, 104.0])
    assert not steady([100.0, 101.0, 110.0])
    assert not steady([100.0, 110.0, 111.0])
    assert not steady([None, 100.0, 100.0])


def test_reasons_for_saturation() -> None:
    def judge(before: list[int], after: list[int], accepted: float = 0.5) -> str:
        return saturated(np.array(before), np.array(after), 1000, 1, accepted, 0.5, 10_000, lambda t: f"host {t}")

    assert judge([0, 5, 2], [3, 0, 9]) == ""
    assert "fall behind by 40.0% of the time" in judge([0, 0], [400, 400], 0.3)
    assert "host 70 falls behind by 50.0%" in judge([0] * 100, [500 * (t == 70) for t in range(100)])
    assert judge([0, 0], [1, 1], 0.4) == "saturated: accepted 0.4 of 0.5 flits per terminal and cycle"
    assert judge([0, 0], [1, 1], 0.46) == ""
