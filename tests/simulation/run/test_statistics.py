from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from unknot.simulation.run.statistics import (
    correlation,
    correlation_time,
    half_width_of_batches,
    mean,
    percentiles,
    rises,
    student,
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


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize("n", [20, 40])
@pytest.mark.parametrize("r", [0.0, 0.3, 0.6])
def test_correlation_of_short_series_is_right_on_average(r: float, n: int) -> None:
    """Without its correction it would be (1 + 4 r) / n too small on average: 0.17 at 0.6 of 20 values."""
    found = [correlation(values) for values in autoregressive(3, n * 8000, r).reshape(8000, n)]
    assert np.mean(found) == pytest.approx(r, abs=0.01)


@given(st.lists(st.integers(-100, 100), min_size=5, max_size=40).filter(lambda values: len(set(values)) > 1))
def test_correlation_by_its_formula(values: list[int]) -> None:
    n, middle = len(values), sum(values) / len(values)
    away = [value - middle for value in values]
    plain = sum(a * b for a, b in itertools.pairwise(away)) / sum(a * a for a in away)
    assert correlation(np.array(values, dtype=float)) == pytest.approx(max(-1.0, min(1.0, (n * plain + 1) / (n - 4))))


@pytest.mark.parametrize(("r", "widest"), [(0.0, 1.3), (0.7, 1.4), (0.95, 1.6)])
def test_intervals_of_batches_cover_and_are_no_wider_than_needed(r: float, widest: float) -> None:
    """Series of 400 values; at 0.95 they are worth 10 independent ones, and some depend too much on one another."""
    means, widths = [], []
    for values in autoregressive(5, 400 * 800, r).reshape(800, 40, 10):
        width = half_width_of_batches(values.sum(axis=1), np.full(40, 10.0), 1)
        if width is not None:
            means.append(values.mean())
            widths.append(width)
    assert len(widths) >= (780 if r < 0.9 else 400)
    covered = float(np.mean(np.abs(means) <= np.array(widths)))
    assert 0.93 <= covered <= 0.98
    assert np.mean(widths) <= widest * 1.96 * np.std(means)


def test_series_that_go_on_until_their_interval_is_narrow_are_covered() -> None:
    """Independent values: the length doubles from 40 until half the interval is 0.2, which it may be too early."""
    inside = 0
    for series in np.random.default_rng(4).normal(size=(800, 40 * 32)):
        for size in (40 * 2**k for k in range(6)):
            batches = series[:size].reshape(40, -1)
            width = half_width_of_batches(
                batches.sum(axis=1), np.full(40, size / 40), 1, cautious=True
            )  # fmt: skip
            if width is not None and width <= 0.2:
                break
        assert width is not None
        inside += abs(batches.mean()) <= width
    assert 0.93 <= inside / 800 <= 0.98


def test_series_that_end_when_they_look_calm_are_covered() -> None:
    """Peaks make up much of the mean: a series without one goes on no longer, and its mean is too low."""
    random, inside = np.random.default_rng(1), np.zeros(2)
    decay = math.exp(-1 / 15)
    state = random.normal(size=500)
    peaks = np.empty((500, 40 * 32))
    for i, drawn in enumerate(random.normal(size=(40 * 32, 500)) * math.sqrt(1 - decay * decay)):
        peaks[:, i] = state = decay * state + drawn
    for series in np.exp(0.8 * peaks):
        times = []
        for size in (40 * 2**k for k in range(6)):
            totals, counts = series[:size].reshape(40, -1).sum(axis=1), np.full(40, size / 40)
            means = totals / counts
            times.append(correlation_time(means) * size / 40)
            if correlation(means) <= 0.4:
                break
        longest = max(times) * 40 / size if len(times) > 1 else None
        for k, known in enumerate((None, longest)):
            width = half_width_of_batches(totals, counts, 1, longest=known)
            inside[k] += width is not None and abs(means.mean() - math.exp(0.32)) <= width
    assert inside[0] + 5 <= inside[1]
    assert 0.94 <= inside[1] / 500 <= 0.98


def test_the_correlation_time_is_that_of_an_exponential() -> None:
    series = autoregressive(7, 100_000, math.exp(-1 / 50))
    for length in (10, 50, 100):
        assert length * correlation_time(series.reshape(-1, length).mean(axis=1)) == pytest.approx(50, rel=0.12)
    assert correlation_time(np.tile([1.0, 2.0], 20)) == correlation_time(np.ones(40)) == 0.0
    assert correlation_time(np.arange(40.0)) == pytest.approx(1000)


def test_students_quantiles() -> None:
    for freedom in (1, 4, 5, 5.5, 6, 6.5, 9, 12, 19, 39, 1000):
        assert student(freedom) == pytest.approx(float(stdtrit(freedom, 0.975)), rel=1e-4)


@given(
    st.lists(st.integers(0, 50), min_size=40, max_size=40),
    st.lists(st.integers(1, 9), min_size=40, max_size=40),
    st.floats(0, 5),
)
def test_intervals_by_their_formula(values: list[int], sizes: list[int], time: float) -> None:
    totals, counts = np.array(values, dtype=float), np.array(sizes, dtype=float)
    r = max(0.0, correlation(totals / counts))
    found = [half_width_of_batches(totals, counts, 1, cautious=cautious) for cautious in (False, True)]
    if r > 0.8:
        assert found == [None, None]
        return
    middle, usual = sum(values) / sum(sizes), sum(sizes) / 40
    away = [(value - middle * size) / usual for value, size in zip(values, sizes, strict=True)]
    fresh = [b - r * a for a, b in itertools.pairwise(away)]

    def expected(waves: int, quantile: float) -> float:
        heights = [
            sum(math.cos(math.pi * k * (i + 0.5) / 39) * fresh[i] for i in range(39)) for k in range(1, waves + 1)
        ]
        variance = sum(height * height for height in heights) * 2 / 39 / waves / (1 - r) ** 2
        return quantile * math.sqrt(variance / 40)

    few, many = expected(5, 2.570582), expected(12, 2.178813)
    assert found[1] == pytest.approx(max(few, many), rel=1e-6, abs=1e-9)
    assert found[0] == pytest.approx(max(few, many) if r > 40**-0.5 else many, rel=1e-6, abs=1e-9)
    known = min(time, 40 / 15)
    adds = 1 / (1 - known * (1 - math.exp(-1 / known))) if known > 0.01 else 1
    quantile = stdtrit(min(40, 20 / known if known else 40) - 1, 0.975)
    remembered = quantile * math.sqrt(adds * sum(a * a for a in away) / 39 / 40) if time else 0
    for cautious, expected_width in ((False, max(many, remembered)), (True, max(few, many, remembered))):
        width = half_width_of_batches(totals, counts, 1, cautious=cautious, longest=time)
        assert width == pytest.approx(expected_width, rel=1e-4, abs=1e-9)


def test_no_interval_from_too_few_or_hopeless_values() -> None:
    counts = np.full(40, 10.0)
    assert half_width_of_batches(np.arange(40.0), counts, 1) is None
    assert half_width_of_batches(np.ones(40), counts, 11) is not None  # up to 20 batches have enough
    assert half_width_of_batches(np.ones(40), counts, 81) is None
    assert half_width_of_batches(np.ones(40), counts, 40) == pytest.approx(0.0)


@pytest.mark.parametrize(("number", "widest"), [(20, 1.45), (10, 1.9)])
def test_few_values_are_merged_to_fewer_batches(number: int, widest: float) -> None:
    """Intervals are wider, since the variance is less well known, and cover as well."""
    count, means, widths = number / 4, [], []
    for values in np.random.default_rng(6).normal(size=(800, 40)):
        width = half_width_of_batches(count * values, np.full(40, count), 10)
        assert half_width_of_batches(count * values, np.full(40, count), 80 * count + 1) is None
        if width is not None:
            means.append(values.mean())
            widths.append(width)
    assert len(widths) > 700
    covered = float(np.mean(np.abs(means) <= np.array(widths)))
    assert 0.92 <= covered <= 0.98
    assert np.mean(widths) <= widest * 1.96 * np.std(means)


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
