"""When a backlog grows for sure, does not, or leaves it open."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from unknot.simulation.run.backlog import Backlog, OfferedTraffic, _student
from unknot.simulation.run.statistics import BATCHES

LENGTH = 250
"""Cycles of a batch."""
DEMAND = OfferedTraffic(10, 0.5, is_known=False)


def backlog(steps: object, sources: int = 4, demand: OfferedTraffic = DEMAND, created: object = 0.0) -> Backlog:
    """Sources that fall back by so many cycles in each batch, all alike or each by its own column."""
    each = np.asarray(steps, dtype=np.int64)
    each = np.tile(each[:, None], sources) if each.ndim == 1 else each
    lags = np.concatenate([np.zeros((1, each.shape[1]), dtype=np.int64), each.cumsum(axis=0)])
    return Backlog(lags, np.full(BATCHES, float(LENGTH)), np.full(BATCHES, 0.0) + created, demand)


def reason(one: Backlog, accepted: float = 0.4, *, early: bool = False, again: bool = True) -> str:
    return one.failure(accepted, lambda source: f"host {source}", early=early, again=again)


def noise(seed: int, drift: float, spread: float) -> np.ndarray:
    return np.random.default_rng(seed).normal(drift, spread, BATCHES).round()


def queues(seed: int, idle: float, sources: int) -> np.ndarray:
    """Steps of queues that were empty at first and are fed at a part `idle` less than they serve."""
    random, levels, steps = np.random.default_rng(seed), np.zeros(sources), []
    for _ in range(BATCHES):
        before = levels
        for _ in range(5):
            levels = np.maximum(0, levels + random.normal(-idle * LENGTH / 5, 50, sources))
        steps.append(np.round(levels) - np.round(before))
    return np.array(steps)


def test_reasons() -> None:
    assert reason(backlog(np.zeros(BATCHES)), 0.49) == ""
    filling = "accepted 0.4 of 0.5 flits per terminal and cycle, while sources keep up: the network was still filling"
    assert reason(backlog(np.zeros(BATCHES))) == f"too short: {filling}"
    assert "fall behind by 40.0% of the time" in reason(backlog(noise(1, 100, 5)))
    one = np.zeros((BATCHES, 100))
    one[:, 70] = noise(2, 125, 5)
    assert "host 70 falls behind by 50.0% of the time" in reason(backlog(one), 0.49)


def test_nothing_is_saturated_that_accepts_what_is_offered() -> None:
    """Chance created more packets than on average: that sources fall back then tells nothing of the load."""
    assert reason(backlog(noise(1, 100, 5)), 0.5).startswith("too short: accepted 0.5 of 0.5")
    assert reason(backlog(noise(1, 100, 5)), 0.499).startswith("saturated")


def test_growth_counts_beside_the_run_s_own_fluctuations() -> None:
    """The same growth of 2 % is beyond doubt where batches are alike, and says nothing where they differ."""
    alike, wild = backlog(noise(3, 5, 1)), backlog(noise(5, 5, 60))
    assert abs(alike.slopes.growth[0] - 0.02) < 0.002
    assert reason(alike, 0.49).startswith("saturated")
    assert not reason(wild, 0.49).startswith("saturated")


def test_small_growth_has_to_be_seen_again_and_large_growth_once() -> None:
    small, large = backlog(noise(3, 5, 1)), backlog(noise(3, 40, 1))
    assert reason(small, 0.49, early=True, again=False).startswith("too short"), "so the run goes on"
    assert reason(small, 0.49, early=True, again=True).startswith("saturated")
    assert reason(large, 0.49, early=True, again=False).startswith("saturated")


@pytest.mark.parametrize("sources", [1, 8, 64])
def test_queues_below_their_capacity_are_hardly_ever_saturated(sources: int) -> None:
    """Also where many that do not depend on one another fill at the same time."""
    called = sum(any(backlog(queues(seed, 0.03, sources)).grows()) for seed in range(400))
    assert called <= 4


@pytest.mark.parametrize(("sources", "over"), [(1, 0.6), (8, 0.3), (64, 0.3)])
def test_queues_beyond_their_capacity_are_seen(sources: int, over: float) -> None:
    assert sum(any(backlog(queues(seed, -over, sources)).grows()) for seed in range(100)) > 90


def test_a_source_among_many_has_to_stand_out() -> None:
    """The worst of 1,000 that fluctuate by chance is far beyond what would be growth of one alone."""
    called = sum(
        backlog(np.random.default_rng(seed).normal(0, 20, (BATCHES, 1000))).grows()[1] for seed in range(200)
    )
    assert called <= 2


def test_what_sources_created_by_chance_is_taken_off() -> None:
    """A source that sends as fast as it can falls back by what it created beyond the mean, too."""
    random, demand = np.random.default_rng(4), OfferedTraffic(0.2, 0.8)
    served = 0.18 * LENGTH + random.normal(0, 0.2, BATCHES)
    # With `served` packets it has drawn the cycles in which so many were created.
    steps = LENGTH - served / 0.2 + random.normal(0, 30, BATCHES)
    rough, fine = (backlog(steps, 1, demand._replace(is_known=known), served).slopes for known in (False, True))
    assert fine.error[0] < rough.error[0] / 5
    assert abs(fine.growth[0] - 0.1) < 0.005


def test_few_batches_tell_nothing() -> None:
    short = Backlog(np.array([[0], [50], [100]]), np.array([5.0, 5.0]), np.zeros(2), DEMAND)
    assert short.slopes.growth.tolist() == [10.0, 10.0]
    assert short.slopes.error[0] == math.inf
    assert short.grows() == (False, False)
    assert short.doubtful()


def test_doubt_is_where_growth_is_not_excluded() -> None:
    steps = np.zeros(BATCHES)
    steps[[5, 20, 35]] = 200, -180, 190
    assert backlog(steps).doubtful(), "210 ± 320 cycles of 10,000"
    steady = Backlog(backlog(steps).lags, np.full(BATCHES, 30_000.0), np.zeros(BATCHES), DEMAND)
    assert not steady.doubtful()
    assert reason(steady, 0.499) == ""
    assert "which may be chance" in reason(backlog(steps), 0.499)


def test_sources_that_send_nothing_do_not_count() -> None:
    shares = np.array([0.5, 0.5, 0.0, 0.0])
    steps = np.zeros((BATCHES, 4))
    steps[:, :2] = 50
    assert backlog(steps, demand=DEMAND._replace(shares=shares)).slopes.growth[0] == pytest.approx(0.2)


@pytest.mark.parametrize("freedom", [5.0, 9.0, 19.0])
@pytest.mark.parametrize("chance", [0.01, 1e-4, 1e-5])
def test_quantiles_of_student(freedom: float, chance: float) -> None:
    series = _student(np.array([-ndtri(chance)]), np.array([freedom]))[0]
    assert series == pytest.approx(-stdtrit(freedom, chance), rel=0.02 if freedom >= 9 else 0.2)
