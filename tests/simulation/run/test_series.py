"""What happens over time."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulation.relations import clockwise
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation import simulate


@pytest.mark.parametrize("interval", [1, 7, 100])
def test_looking_changes_nothing_and_adds_up(interval: int) -> None:
    relation = dimension_order(mesh(4, 4), 2)
    plain = simulate(relation, 0.1, packet_length=3, warmup=500, measure=2100, switching="wormhole")
    run = simulate(relation, 0.1, packet_length=3, warmup=500, measure=2100, interval=interval, switching="wormhole")
    assert run == plain
    series = run.series
    assert plain.series is None
    assert series is not None
    assert series.offered.shape == series.behind.shape == (run.cycles // interval,)
    assert series.offered.mean() == pytest.approx(0.1, rel=0.1)
    window = slice(500 // interval + 1, 2600 // interval)
    assert series.accepted[window].mean() == pytest.approx(run.accepted_load, rel=0.03)
    latency = series.latency[window]
    assert np.nanmean(latency) == pytest.approx(run.latency_mean, rel=0.1)
    assert series.inside.min() >= 0
    assert series.accepted[0] < 0.1


def test_flits_balance() -> None:
    """Every flit that went in came out or is inside."""
    run = simulate(dimension_order(mesh(4, 4), 2), 0.1, warmup=0, measure=2000, interval=1, switching="wormhole")
    assert run.series is not None
    series, terminals = run.series, 16
    entered = np.diff(series.inside) + series.accepted[1:] * terminals
    assert entered.min() >= 0
    assert entered.max() <= terminals
    assert entered.sum() == pytest.approx(0.1 * terminals * series.offered.size, rel=0.1)


def test_saturation_and_deadlock_over_time() -> None:
    full = simulate(dimension_order(mesh(4, 4)), 0.9, interval=100, switching="wormhole").series
    assert full is not None
    assert full.offered.mean() == pytest.approx(0.9, rel=0.03)
    assert full.behind[-1] > full.behind[len(full.behind) // 2] > 100
    stuck = simulate(clockwise(8), 0.9, packet_length=4, warmup=0, measure=20_000, interval=64, switching="wormhole")
    assert stuck.deadlock is not None
    assert stuck.series is not None
    assert stuck.series.accepted[-1] == 0
    assert np.isnan(stuck.series.latency[-1])
    assert stuck.series.inside[-1] > 0
