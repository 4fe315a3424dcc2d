"""Zero-load latency against packets that run alone, saturation against what is known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulation.run.test_latency import alone
from unknot._base.errors import SimulationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import line, mesh, ring, torus
from unknot.routing import dimension_order, duato, o1turn, ugal
from unknot.simulation import saturation, simulate, zero_load_latency


@pytest.mark.sampled(0.5)
@pytest.mark.parametrize("switching", SWITCHINGS)
def test_mean_of_all_pairs_one_packet_at_a_time(switching: Switching) -> None:
    for relation in (dimension_order(torus(2, 3, latency=3), 2), duato(mesh(2, 3), 2)):
        n = relation.network.num_terminals
        for length in (1, 5):
            pairs = [alone(relation, s, d, length, switching) for s in range(n) for d in range(n)]
            found = zero_load_latency(relation, packet_length=length, switching=switching)
            assert found == pytest.approx(np.mean(pairs), abs=1e-9)


def test_known_figures_of_booksim() -> None:
    assert zero_load_latency(dimension_order(mesh(8, 8), 4)) == pytest.approx(33.25)
    assert zero_load_latency(dimension_order(torus(8, 8, latency=2), 4)) == pytest.approx(31.0)
    assert zero_load_latency(o1turn(mesh(8, 8))) == pytest.approx(33.25)


def test_of_patterns_and_of_ugal() -> None:
    relation = dimension_order(mesh(4, 4))
    assert zero_load_latency(relation, traffic="bit_complement") == pytest.approx(5 * 4 + 7)
    assert zero_load_latency(ugal(mesh(4, 4))) == pytest.approx(zero_load_latency(relation))
    with pytest.raises(SimulationError, match="no traffic"):
        zero_load_latency(relation, traffic=[-1] * 16)


@pytest.mark.long
def test_saturation_of_two_routers_is_that_of_their_channel() -> None:
    """Each of two terminals sends everything through one channel; one VC carries a packet every 9 cycles at most."""
    wide = saturation(dimension_order(line(2), 8), traffic=[1, 0], tolerance=0.05, switching="wormhole")
    assert wide.limit is None
    assert wide.load == 1.0
    narrow = saturation(dimension_order(line(2)), traffic=[1, 0], tolerance=0.02, switching="wormhole")
    assert narrow.limit is not None
    assert 0 < narrow.limit - narrow.load <= 0.02
    assert narrow.throughput == pytest.approx(narrow.load, abs=0.03)
    assert [run.stable for run in narrow.runs] == [run.offered_load <= narrow.load for run in narrow.runs]


@pytest.mark.long
@pytest.mark.parametrize("length", [1, 20])
def test_the_interval_is_as_narrow_as_asked_for_and_holds(length: int) -> None:
    """Its ends are carried and not carried by long runs with another seed."""
    point = {"packet_length": length, "switching": "wormhole-nonatomic", "buffer_depth": 4}
    relation = dimension_order(mesh(3, 3), 2)
    found = saturation(relation, tolerance=0.02, **point)
    assert found.limit is not None
    assert found.unsure or found.limit <= 1.041 * found.lower
    assert found.lower < found.load < found.limit
    for load, outcome in ((found.lower * 0.99, "stable"), (found.limit * 1.01, "saturated")):
        assert simulate(relation, load, seed=9, **point).outcome == outcome  # type: ignore[arg-type]


def test_a_design_that_deadlocks_saturates_below() -> None:
    found = saturation(
        dimension_order(ring(8), dateline="none"), packet_length=4, tolerance=0.1, switching="wormhole"
    )
    assert found.limit is not None
    assert any(run.deadlock is not None for run in found.runs)


def test_tolerance_is_a_number() -> None:
    for wrong in (0, -1, True, 1.5, "x"):
        with pytest.raises(SimulationError, match="tolerance must be"):
            saturation(dimension_order(line(2)), tolerance=wrong, switching="wormhole")  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.sampled(0.25)
@pytest.mark.parametrize(("load", "seed"), [(0.425, 4), (0.45, 2)])
def test_never_stable_above_saturation(load: float, seed: int) -> None:
    """BookSim accepts at most 0.418; runs of all lengths say so at loads from 0.425 on."""
    assert not simulate(dimension_order(mesh(8, 8), 4), load, switching="wormhole-nonatomic", seed=seed).stable
