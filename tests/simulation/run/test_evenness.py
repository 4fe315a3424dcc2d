"""How evenly terminals accept: the least, the greatest, and Jain's index."""

from __future__ import annotations

import numpy as np
import pytest

from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation import Router, replicate, simulate
from unknot.traffic import TrafficClass


def test_figures_are_those_of_what_each_terminal_was_sent() -> None:
    """In a run whose packets have all arrived, so that pairs tell the same."""
    traffic = np.full((9, 9), 1.0)
    traffic[:, 4] = 4
    point = {"traffic": traffic, "measure": 20_000, "by_pair": True}
    run = simulate(dimension_order(mesh(3, 3), 2), 0.1, **point)  # type: ignore[arg-type]
    assert run.pairs is not None
    taken = run.pairs.packets.sum(axis=0) / run.measured
    assert run.accepted_min == pytest.approx(taken.min(), rel=0.01)
    assert run.accepted_max == pytest.approx(taken[4], rel=0.01)
    assert run.jain_index == pytest.approx(taken.sum() ** 2 / (9 * (taken**2).sum()), rel=0.01)


@pytest.mark.parametrize("fields", [{"router": Router(terminal_width=2)}, {"threads": 2}, {"packet_length": 5}])
def test_they_lie_around_the_mean(fields: dict[str, object]) -> None:
    run = simulate(dimension_order(mesh(3, 3), 2), 0.3, traffic=[8, 8, 8, 8, 8, 8, 8, 8, 0], measure=500, **fields)  # type: ignore[arg-type]
    assert run.accepted_min == 0
    assert run.accepted_max == pytest.approx(run.accepted_load * 9, rel=0.3)
    assert run.accepted_max > run.accepted_load
    assert 1 / 9 <= (run.jain_index or 0) < 0.3


def test_subnets_count_together() -> None:
    run = simulate(dimension_order(mesh(3, 3), 2), 0.3, classes=[TrafficClass()], subnets=2, measure=2000)
    assert 0.2 < run.accepted_min < run.accepted_load < run.accepted_max < 0.4
    assert (run.jain_index or 0) > 0.95


def test_nothing_accepted_is_neither_even_nor_uneven() -> None:
    run = simulate(dimension_order(mesh(2, 2)), 0.0, measure=10)
    assert (run.accepted_min, run.accepted_max, run.jain_index) == (0.0, 0.0, None)


def test_several_seeds_have_their_means() -> None:
    runs = replicate("mesh(3, 3)", 0.2, routing="dimension_order", seeds=3, measure=300)
    assert runs.accepted_min == pytest.approx(np.mean([run.accepted_min for run in runs.runs]))
    assert runs.jain_index == pytest.approx(np.mean([run.jain_index for run in runs.runs]))
    assert {"accepted_min", "accepted_max", "jain_index"} <= set(runs.runs[0].rows[0])
