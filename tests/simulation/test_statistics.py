from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot.simulation.statistics import (
    correlation,
    half_width_of_batches,
    mean,
    percentiles,
    rises,
    saturated,
    truncation,
)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=300))
def test_percentiles_are_those_of_the_sorted_list(values: list[int]) -> None:
    shares = (0.0, 0.5, 0.95, 0.99, 1.0)
    found = percentiles(np.array(values), shares)
    assert found == [np.quantile(values, share, method="inverted_cdf") for share in shares]


def test_nothing_has_no_percentiles_and_no_mean() -> None:
    assert percentiles(np.zeros(0, dtype=np.int64), (0.5, 1.0)) == [None, None]
    assert mean(0, 0) is None
    assert mean(3, 2) == 1.5


def autoregressive(seed: int, size: int, r: float) -> np.ndarray:
    """A series with mean 0 in which each value has correlation r with the one before."""
    random = np.random.default_rng(seed)
    values = np.empty(size)
    last = random.normal() / np.sqrt(1 - r * r)
    for i, drawn in enumerate(random.normal(size=size)):
        values[i] = last = r * last + drawn
    return values


def test_correlation_of_successive_values() -> None:
    assert abs(correlation(np.random.default_rng(1).normal(size=4000))) < 0.06
    assert correlation(autoregressive(1, 4000, 0.8)) == pytest.approx(0.8, abs=0.05)
    assert correlation(np.ones(40)) == 0.0
    assert correlation(np.tile([1.0, 2.0], 20)) < -0.9


@pytest.mark.parametrize(("r", "least"), [(0.0, 0.93), (0.7, 0.93), (0.95, 0.9)])
def test_batches_that_depend_on_one_another_have_wider_intervals(r: float, least: float) -> None:
    """Series of 400 values; at 0.95 they are worth 10 independent ones, and some are too short to tell."""
    inside = told = 0
    for seed in range(400):
        values = autoregressive(seed, 400, r).reshape(40, 10)
        width = half_width_of_batches(values.sum(axis=1), np.full(40, 10.0), 1)
        told += width is not None
        inside += width is not None and abs(values.mean()) <= width
    assert told >= 380 if r < 0.9 else told >= 200
    assert inside / told >= least


def test_no_interval_from_too_few_or_hopeless_values() -> None:
    counts = np.full(40, 10.0)
    assert half_width_of_batches(np.arange(40.0), counts, 1) is None
    assert half_width_of_batches(np.ones(40), counts, 11) is not None  # up to 20 batches have enough
    assert half_width_of_batches(np.ones(40), counts, 81) is None
    assert half_width_of_batches(np.ones(40), counts, 40) == 0.0


def test_intervals_by_their_formula() -> None:
    """Independent batches by chance: the widest of three intervals of Student."""
    values = np.tile([1.0, 2.0, 2.0, 1.0], 10)
    found = half_width_of_batches(values, np.ones(40), 1)
    assert found == pytest.approx(2.022691 * values.std(ddof=1) / np.sqrt(40), rel=0.2)


@given(st.lists(st.integers(0, 1000), min_size=5, max_size=60))
def test_truncation_is_where_the_error_is_least(values: list[int]) -> None:
    floats = [float(v) for v in values]
    errors = [float(np.var(floats[d:])) / (len(floats) - d) for d in range(max(1, len(floats) - 4))]
    assert errors[truncation(np.array(floats))] == pytest.approx(min(errors), abs=1e-6)


def test_truncation_leaves_out_the_transient() -> None:
    noise = np.random.default_rng(1).normal(size=60)
    rising = 100 * (1 - np.exp(-np.arange(60) / 5)) + noise
    assert 10 <= truncation(rising) <= 40
    assert truncation(50 + noise) <= 30
    assert truncation(np.arange(60.0)) > 30


def test_a_series_rises_or_does_not() -> None:
    def noise(seed: int) -> np.ndarray:
        found: np.ndarray = np.random.default_rng(seed).normal(size=40)
        return found

    rising, level, falling = (
        sum(rises(trend + noise(seed)) for seed in range(50))
        for trend in (np.linspace(0, 20, 40), np.zeros(40), np.linspace(20, 0, 40))
    )
    assert (rising > 40, level < 8, falling) == (True, True, 0)


def test_reasons_for_saturation() -> None:
    def judge(before: list[int], after: list[int], accepted: float = 0.5) -> str:
        return saturated(np.array(before), np.array(after), 1000, 1, accepted, 0.5, 10_000, lambda t: f"host {t}")

    assert judge([0, 5, 2], [3, 0, 9]) == ""
    assert "fall behind by 40.0% of the time" in judge([0, 0], [400, 400], 0.3)
    assert "host 70 falls behind by 50.0%" in judge([0] * 100, [500 * (t == 70) for t in range(100)])
    assert judge([0, 0], [1, 1], 0.4) == "saturated: accepted 0.4 of 0.5 flits per terminal and cycle"
    assert judge([0, 0], [1, 1], 0.46) == ""


def test_longer_windows_see_smaller_growth() -> None:
    """One source that falls back by 2 % of the time: in 5,000 cycles that may be chance, in 100,000 it is not."""

    def judge(cycles: int, *, surely: bool) -> str:
        after = np.zeros(64, dtype=np.int64)
        after[5] = cycles // 50
        return saturated(
            np.zeros(64, dtype=np.int64), after, cycles, 1, 0.5, 0.5, 10**6, lambda t: f"host {t}", surely=surely
        )

    assert (judge(5_000, surely=False), judge(100_000, surely=False)[:9]) == ("", "saturated")
    assert [judge(cycles, surely=True) == "" for cycles in (5_000, 20_000, 100_000)] == [True, True, False]
