"""Zero-load latency to the cycle, and the latency curve of BookSim 2 at a few points."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from unknot._base.errors import SimulationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network import Network
from unknot.network.families import line, mesh, torus
from unknot.routing import Relation, dimension_order
from unknot.simulation import simulate, zero_load_latency
from unknot.simulation.engine.sources import Sources

BOOKSIM = {
    0.05: (33.468,),
    0.1: (33.8113, 33.878, 33.7082),
    0.3: (38.039, 38.013, 38.0014),
    0.4: (55.3676, 54.6654, 53.9381),
}
"""Mean packet latency BookSim 2 (commit 28f43299) gives for the 8×8 mesh, dor, 4 VCs of 8 flits, uniform traffic of
1-flit packets, at each load; where there are several, with different seeds."""


def alone(relation: Relation, source: int, address: int, length: int, switching: Switching) -> int:
    """Latency of one packet in an empty network."""
    engine = engine_of(relation, switching, Sources(0, uniform(relation), length), buffer_depth=8, seed=1)
    state = engine.state
    packet = state.packets[0]
    packet.address, packet.length, packet.source = address, length, source
    state.terminals.packet[source], state.terminals.left[source] = 0, length
    state.count.high, state.setup.measure_from = 1, 0
    engine.advance(2000)
    assert engine.count("measured_arrived") == 1
    return int(state.latencies[0])


@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_zero_load_by_distance_on_the_mesh(switching: Switching, length: int) -> None:
    relation = dimension_order(mesh(8, 8), 4)
    for target, hops in ((0, 1), (1, 2), (9, 3), (7, 8), (63, 15)):
        expected = 5 * (hops - 1) + 7 + (length - 1)
        if switching == "saf" and length > 1:
            expected += hops * (length - 2)
        assert alone(relation, 0, target, length, switching) == expected


def test_zero_load_with_slow_links() -> None:
    relation = dimension_order(torus(8, 8, latency=2), 4)
    for target, hops in ((0, 1), (7, 2), (3, 4), (36, 9)):
        assert alone(relation, 0, target, 5, "wormhole") == 6 * (hops - 1) + 7 + 4
    for latency in (3, 6, 14, 100):
        assert alone(dimension_order(line(3, latency=latency), 1), 0, 2, 1, "vct") == 3 * 4 + 2 * latency + 3


def test_latencies_of_channels_add_up() -> None:
    network = Network("path", 4, [0, 1, 2], [1, 2, 3], [100, 1, 17])

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = at - 3 if at >= 3 else at + 1
        out[0] = (1 << 40) - 1 if here == address else here
        return 1 if here <= address else 0

    assert alone(Relation(network, 1, rule), 0, 3, 4, "wormhole") == 4 * 4 + 118 + 3 + 3


@pytest.mark.sampled(1 / 4)
@pytest.mark.parametrize("load", list(BOOKSIM))
def test_latency_curve_of_booksim(load: float) -> None:
    found = simulate(dimension_order(mesh(8, 8), 4), load, switching="wormhole-nonatomic")
    expected = BOOKSIM[load]
    assert found.stable
    assert found.latency_mean == pytest.approx(np.mean(expected), rel=0.05 if load == 0.4 else 0.01)
    assert found.accepted_load == pytest.approx(load, rel=0.02)
    assert found.hops_mean == pytest.approx(5.25, rel=0.01)
    assert found.flit_hops > found.packets * 6


def test_low_load_mean_is_the_formula() -> None:
    found = simulate(dimension_order(mesh(8, 8), 4), 0.002, switching="wormhole-nonatomic")
    assert found.latency_mean is not None
    assert found.hops_mean is not None
    assert found.latency_mean == pytest.approx(5 * found.hops_mean + 7, abs=0.05)
    assert found.latency_mean == pytest.approx(33.25, abs=0.25)
    assert found.latency_mean - 0.02 < found.network_latency_mean <= found.latency_mean  # type: ignore[operator]


@pytest.mark.long
def test_saturation_lies_where_booksim_has_it() -> None:
    """BookSim accepts at most 0.418 flits per terminal and cycle there."""
    relation = dimension_order(mesh(8, 8), 4)
    found = simulate(relation, 0.45, switching="wormhole-nonatomic")
    assert not found.stable
    assert found.reason.startswith("saturated")
    assert found.accepted_load == pytest.approx(0.418, abs=0.006)
    assert simulate(relation, 0.41, switching="wormhole-nonatomic").stable


@pytest.mark.parametrize("switching", ["vct", "saf"])
@pytest.mark.parametrize("flits", [1, 2, 5])
def test_a_packet_that_fits_its_buffer_exactly(switching: Switching, flits: int) -> None:
    """It flows as through deep buffers, again and again; one flit more is refused."""
    relation = dimension_order(mesh(4, 1), 1)
    exact, deep = (
        simulate(relation, 0.02, packet_length=flits, buffer_depth=depth, switching=switching, measure=3000)
        for depth in (flits, 4 * flits + 20)
    )
    expected = zero_load_latency(relation, packet_length=flits, switching=switching)
    assert exact.stable
    assert exact.latency_mean == pytest.approx(expected, rel=0.1)
    assert exact.latency_mean == pytest.approx(deep.latency_mean, rel=0.1)
    with pytest.raises(SimulationError, match="does not fit a buffer"):
        simulate(relation, 0.02, packet_length=flits + 1, buffer_depth=flits, switching=switching)
