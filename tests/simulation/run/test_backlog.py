"""When a backlog grows for sure, does not, or leaves it open."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unknot.simulation.run.backlog import Backlog, OfferedTraffic
from unknot.simulation.run.statistics import BATCHES

LENGTH = 250
"""Cycles of a batch."""


def backlog(steps: object, sources: int = 4) -> Backlog:
    """Sources that fall back by so many cycles in each batch, all alike or each by its own column."""
    each = np.asarray(steps, dtype=np.int64)
    each = np.tile(each[:, None], sources) if each.ndim == 1 else each
    lags = np.concatenate([np.zeros((1, each.shape[1]), dtype=np.int64), each.cumsum(axis=0)])
    return Backlog(lags, np.full(BATCHES, float(LENGTH)))


def reason(one: Backlog, accepted: float = 0.4, *, early: bool = False) -> str:
    return one.failure(accepted, OfferedTraffic(10, 0.5, 1), lambda t: f"host {t}", early=early)


def noise(seed: int, drift: float, spread: float) -> np.ndarray:
    return np.random.default_rng(seed).normal(drift, spread, BATCHES).round()


def test_reasons() -> None:
    calm = backlog(np.zeros(BATCHES))
    assert reason(calm, 0.49) == ""
    filling = "accepted 0.4 of 0.5 flits per terminal and cycle, while sources keep up: the network was still filling"
    assert reason(calm) == f"too short: {filling}"
    assert "fall behind by 40.0% of the time" in reason(backlog(noise(1, 100, 5)))
    one = np.zeros((BATCHES, 100))
    one[:, 70] = noise(2, 125, 5)
    assert "host 70 falls behind by 50.0% of the time" in reason(backlog(one), 0.49)


def test_nothing_is_saturated_that_accepts_what_is_offered() -> None:
    """Chance created more packets than on average: that sources fall back then tells nothing of the load."""
    assert reason(backlog(noise(1, 100, 5)), 0.5).startswith("too short: accepted 0.5 of 0.5")
    assert reason(backlog(noise(1, 100, 5)), 0.499).startswith("saturated")


@pytest.mark.parametrize("early", [False, True])
def test_growth_counts_beside_the_run_s_own_fluctuations(early: bool) -> None:
    """The same growth of 2 % is beyond doubt where batches are alike, and says nothing where they differ."""
    alike, wild = backlog(noise(3, 5, 1)), backlog(noise(5, 5, 60))
    assert abs(alike.interval()[0] - 0.02) < 0.002
    assert reason(alike, 0.49, early=early).startswith("saturated")
    assert not reason(wild, 0.49, early=early).startswith("saturated")


def test_walks_without_drift_are_hardly_ever_growth() -> None:
    """Also where they are kept above zero, as queues are, and steps depend on the one before."""
    random, called = np.random.default_rng(7), 0
    for _ in range(1000):
        steps, level, before = [], 0.0, 0.0
        for fresh in random.normal(-2, 40, BATCHES):
            before = 0.5 * before + fresh
            moved = max(0.0, level + before)
            steps.append(moved - level)
            level = moved
        called += backlog(np.array(steps), 1).grows()
    assert called <= 10


def test_growth_is_seen_where_it_is_large_beside_its_fluctuations() -> None:
    assert sum(backlog(noise(seed, 60, 40), 1).grows() for seed in range(200)) > 180


def test_an_interval_near_zero_is_no_doubt_and_a_wide_one_is() -> None:
    """Both backlogs are long and grew, as at the end of a run that has gone on as long as it may."""
    steps = np.zeros(BATCHES)
    steps[[5, 20, 35]] = 200, -180, 190
    steady = Backlog(backlog(steps).lags, np.full(BATCHES, 30_000.0))
    assert reason(steady, 0.499) == ""
    assert reason(steady, 0.499, early=True).startswith("too short"), "as long as the run may go on, it does"
    assert "which may be chance" in reason(backlog(steps), 0.499)


def test_few_or_dependent_batches_tell_nothing() -> None:
    short = Backlog(np.array([[0], [50], [100]]), np.array([5.0, 5.0]))
    assert short.interval() == (10.0, math.inf)
    assert not short.grows()


@pytest.mark.parametrize(("behind", "doubt"), [(0, False), (29, False), (50, True), (99, True), (200, True)])
def test_doubt_is_where_sources_fall_back(behind: int, doubt: bool) -> None:
    lags = np.stack([np.zeros(4, dtype=np.int64), np.full(4, behind)])
    assert Backlog(lags, np.array([10_000.0])).doubtful(OfferedTraffic(10, 0.5, 1)) is doubt


def test_doubt_is_also_where_one_source_falls_back() -> None:
    lags = np.zeros((2, 8), dtype=np.int64)
    lags[1, 7] = 160
    assert Backlog(lags, np.array([100_000.0])).doubtful(OfferedTraffic(10, 0.5, 1))
    assert not Backlog(lags, np.array([100_000.0])).doubtful(OfferedTraffic(10, 0.5, 10))
