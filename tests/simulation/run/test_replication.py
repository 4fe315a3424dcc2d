"""One point with several seeds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from unknot._base.errors import SimulationError
from unknot.network.families import mesh, ring
from unknot.report.curve_points import points
from unknot.report.study_report import within
from unknot.routing import dimension_order
from unknot.simulation import Runs, replicate, simulate

POINT: dict[str, Any] = {"warmup": 200, "measure": 1000}


def test_means_of_means_with_students_half_widths() -> None:
    relation = dimension_order(mesh(3, 3), 2)
    found = replicate(relation, 0.2, seeds=[3, 1, 4], **POINT)
    runs = [simulate(relation, 0.2, seed=seed, **POINT) for seed in (1, 3, 4)]
    assert found.runs == tuple(runs)
    means = np.array([run.latency_mean for run in runs])
    assert found.latency_mean == pytest.approx(means.mean())
    assert found.latency_half_width == pytest.approx(4.302653 * means.std(ddof=1) / np.sqrt(3))
    assert found.accepted_half_width is not None
    assert (found.stable_runs, found.stable, found.reason) == (3, True, "")
    assert found.latency_max == max(run.latency_max or 0 for run in runs)


def test_an_executor_changes_nothing() -> None:
    relation = dimension_order(mesh(3, 3), 2)
    alone: Runs = replicate(relation, 0.2, seeds=3, **POINT)
    with ThreadPoolExecutor(2) as executor:
        assert replicate(relation, 0.2, seeds=3, executor=executor, **POINT) == alone
    assert [run.seed for run in alone.runs] == [1, 2, 3]


def test_one_seed_has_no_interval_over_seeds() -> None:
    found = replicate(dimension_order(mesh(2, 2)), 0.1, seeds=1, **POINT)
    assert found.latency_mean == found.runs[0].latency_mean
    assert found.latency_half_width is found.accepted_half_width is None


def test_runs_that_are_not_stable_are_counted_and_named() -> None:
    found = replicate(dimension_order(mesh(4, 4)), 0.9, seeds=3, **POINT)
    assert (found.stable_runs, found.stable, found.latency_mean) == (0, False, None)
    assert found.reason.startswith("seed 1: saturated")
    assert found.accepted_half_width is not None
    stuck = replicate(dimension_order(ring(8), dateline="none"), 0.9, seeds=2, packet_length=4, switching="wormhole")
    assert stuck.accepted_load == 0.0
    assert "deadlock" in stuck.reason


def test_bad_seeds_are_refused() -> None:
    relation = dimension_order(mesh(2, 2))
    for wrong in (0, [], [1, 1], True, "12"):
        with pytest.raises(SimulationError, match="seed"):
            replicate(relation, 0.1, seeds=wrong, switching="wormhole")  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="seeds, not seed"):
        replicate(relation, 0.1, seed=3, switching="wormhole")


def test_two_seeds_are_too_few_for_an_interval() -> None:
    relation = dimension_order(mesh(3, 3))
    two, three = (replicate(relation, 0.1, seeds=seeds, **POINT) for seeds in (2, 3))
    assert (two.accepted_half_width, two.latency_half_width) == (None, None)
    assert three.accepted_half_width is not None
    assert three.accepted_half_width < 0.5 * three.accepted_load
    (point,) = points(two.runs)
    assert (point.accepted_half_width, point.latency_half_width) == (None, None)
    assert within(0.3719, None, 4, 2) == "0.3719 (too few seeds)"
