"""Control variates of the mean latency."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot.network.families import mesh
from unknot.routing import dimension_order, duato, ugal, valiant
from unknot.simulation import simulate
from unknot.simulation.run.controls import known_hops, slopes
from unknot.simulation.run.measurement import Measured
from unknot.simulation.run.scenario import Scenario

RELATION = dimension_order(mesh(4, 4), 2)


@given(st.integers(0, 10_000), st.integers(0, 2))
def test_slopes_are_those_of_least_squares(seed: int, many: int) -> None:
    random = np.random.default_rng(seed)
    controls = [random.normal(size=12) for _ in range(many)]
    values, counts = random.normal(size=12), random.integers(1, 9, 12).astype(float)
    root = np.sqrt(counts)
    table = np.stack([np.ones(12), *controls], axis=1) * root[:, None]
    expected = np.linalg.lstsq(table, values * root, rcond=None)[0][1:]
    assert slopes(values, controls, counts) == pytest.approx(expected.tolist())


def test_controls_that_are_alike_or_constant_do_no_harm() -> None:
    hops, flat = np.array([1.0, 2.0, 3.0, 5.0]), np.zeros(4)
    assert slopes(2 * hops, [hops, flat], np.ones(4)) == [2.0, 0.0]
    assert slopes(2 * hops, [hops, hops], np.ones(4)) == [2.0, 0.0]
    assert slopes(hops, [flat], np.ones(4)) == [0.0]


def test_hops_are_known_where_choices_do_not_change_them() -> None:
    """Without a choice once an address is drawn, or by shortest routes alone; not by queues, nor with faults."""
    assert known_hops(Scenario(RELATION, 0.1)) == 2.5
    assert known_hops(Scenario(duato(mesh(4, 4), 2), 0.1)) == 2.5
    assert known_hops(Scenario(valiant(mesh(4, 4)), 0.1)) == 5.0
    assert known_hops(Scenario(ugal(mesh(4, 4)), 0.1)) is None
    assert known_hops(Scenario(RELATION, 0.1, faults=["20: (1,1)->(1,2)"])) is None


def test_means_of_seeds_lie_closer_together_after_fewer_cycles() -> None:
    """A quarter of the packets, and yet less than half of the spread; the mean is the same."""
    with_them = [simulate(RELATION, 0.1, precision=0.02, seed=seed) for seed in range(12)]
    with patch.object(Measured, "known", lambda _: None):
        without = [simulate(RELATION, 0.1, precision=0.02, seed=seed) for seed in range(12)]
    narrow, wide = ([run.latency_mean for run in runs] for runs in (with_them, without))
    assert max(run.measured for run in with_them) < 0.3 * min(run.measured for run in without)
    assert np.std(narrow) < 0.5 * np.std(wide)  # type: ignore[arg-type]
    assert abs(np.mean(narrow) - np.mean(wide)) < 0.05  # type: ignore[arg-type]


def test_runs_end_where_their_mean_is_as_well_known_as_before() -> None:
    """Of short packets most of what varies is hops: fewer cycles are enough, and means agree."""
    runs = [simulate(RELATION, 0.1, seed=seed) for seed in range(12)]
    with patch.object(Measured, "known", lambda _: None):
        before = [simulate(RELATION, 0.1, seed=seed) for seed in range(12)]
    means, known = ([run.latency_mean for run in each] for each in (runs, before))
    assert sum(run.measured for run in runs) < sum(run.measured for run in before) / 4
    assert np.std(means) < np.std(known)  # type: ignore[arg-type]
    assert abs(np.mean(means) - np.mean(known)) < 0.05  # type: ignore[arg-type]
    for run in runs:
        assert run.hops_mean == 2.5
        assert run.accepted_half_width is not None
        assert abs(run.accepted_load - 0.1) < 3 * run.accepted_half_width < 0.01
        assert run.latency_mean is not None
        assert run.network_latency_mean is not None
        assert 0 <= run.latency_mean - run.network_latency_mean < 0.2


def test_windows_of_given_length_have_plain_means() -> None:
    with patch.object(Measured, "known", lambda _: None):
        plain = simulate(RELATION, 0.2, seed=3, measure=1000)
    run = simulate(RELATION, 0.2, seed=3, measure=1000)
    assert run == plain
    assert run.hops_mean != 2.5
