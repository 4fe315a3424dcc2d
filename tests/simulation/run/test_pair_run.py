"""Figures of each pair of terminals: they add up to those of the run."""

from __future__ import annotations

import numpy as np
import pytest

from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation import simulate
from unknot.traffic import Message, TrafficClass


@pytest.mark.parametrize("threads", [1, 2])
def test_pairs_add_up_to_the_run(threads: int) -> None:
    relation = dimension_order(mesh(3, 3), 2)
    run = simulate(relation, 0.2, traffic="transpose", by_pair=True, threads=threads, warmup=100, measure=2000)
    assert run.pairs is not None
    assert run.pairs.packets.sum() == run.packets
    assert np.nansum(run.pairs.packets * run.pairs.latency_mean) / run.packets == pytest.approx(run.latency_mean)
    assert np.nansum(run.pairs.packets * run.pairs.hops_mean) / run.packets == pytest.approx(run.hops_mean)
    assert [(s, d) for s, d in np.argwhere(run.pairs.packets).tolist() if s % 3 != d // 3 or s // 3 != d % 3] == []
    assert (run.pairs.latency_mean[1, 3], run.pairs.hops_mean[1, 3]) == pytest.approx((18, 2), abs=1)
    plain = simulate(relation, 0.2, traffic="transpose", threads=threads, warmup=100, measure=2000)
    assert plain.pairs is None
    assert plain == run


def test_replies_go_back() -> None:
    reads = TrafficClass(traffic=[1, 1, 1, 1], messages=(Message(1, reply=2),))
    run = simulate(dimension_order(mesh(2, 2), 2), 0.1, classes=[reads], by_pair=True, warmup=0, measure=2000)
    assert run.pairs is not None
    asked, answered = run.pairs.packets[:, 1], run.pairs.packets[1]
    assert (asked[[0, 2, 3]] > 50).all()
    assert abs(asked - answered).max() <= 3
