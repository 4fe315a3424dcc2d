"""Channels that pass less than a flit in a cycle: the kernel against its naive twin, rates, refusals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.simulation.engine.test_flit_kernel import agree
from tests.simulation.options import LENGTHS, routers
from tests.simulation.relations import random_relation
from unknot._base.errors import SimulationError
from unknot._base.switching import SWITCHINGS
from unknot.network.families import mesh, ring, torus
from unknot.routing import Relation, VirtualChannels, dimension_order
from unknot.simulation import Router, simulate
from unknot.traffic.workload import length_shares, mean_length

RATES = st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(1, 5), Fraction(5, 7)])


def slowed(relation: Relation, rates: list[Fraction]) -> Relation:
    network = relation.network.with_bandwidth(rates)
    return replace(relation, network=network, vcs=VirtualChannels(network, relation.vcs.counts))


def random_runs(data: st.DataObject) -> None:
    relation = random_relation(data.draw(st.integers(0, 10**6), label="relation"))
    relation = slowed(relation, [data.draw(RATES) for _ in range(relation.network.num_channels)])
    switching = data.draw(st.sampled_from(SWITCHINGS))
    lengths = data.draw(LENGTHS, label="lengths")
    shares = length_shares(lengths)
    short = shares[-1][0] if switching in ("saf", "vct") else 1
    depth = data.draw(st.integers(short, 8), label="depth")
    router = Router()
    if data.draw(st.booleans()):
        own = depth if switching.startswith("wormhole") else 0
        router = data.draw(routers(own=own), label="router")
        one = {"vc_allocation_delay": 1, "switch_allocation_delay": 1, "output_buffer": 0}
        router = replace(router, routing_delay=min(1, router.routing_delay), **one)
    load = data.draw(st.sampled_from([0.02, 0.2, 0.5, 1.0]), label="load") / mean_length(shares)
    agree(relation, switching, lengths, depth, load, data.draw(st.integers(0, 99), label="seed"), router=router)


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_twin_on_random_relations(data: st.DataObject) -> None:
    random_runs(data)


@pytest.mark.campaign
@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_twin_on_many_random_relations(data: st.DataObject) -> None:
    random_runs(data)


@pytest.mark.parametrize("name", ["saf", "vct", "wormhole", "wormhole-nonatomic"])
def test_twin_on_a_torus(name: str) -> None:
    network = torus(4, 3, latency=2)
    rates = np.where(network.latency[0] == np.arange(network.num_channels) % 3, 1, 0.25)
    agree(dimension_order(network.with_bandwidth(rates), 2), name, 3, 4, 0.1, 5)


@pytest.mark.parametrize("rate", ["1/2", "2/3", "1/7"])
def test_a_channel_passes_its_bandwidth(rate: str) -> None:
    relation = dimension_order(mesh(2).with_bandwidth(rate), 2)
    run = simulate(relation, 1.0, traffic=[1, -1], packet_length=4, warmup=1000, measure=1000)
    assert run.utilisation[0] == pytest.approx(float(Fraction(rate)), abs=2e-3)


def test_fast_channels_do_not_notice_slow_ones() -> None:
    """Where no packet crosses the slow channels, all is to the last bit as without them."""
    network = ring(6)
    slow = [Fraction(1, 3) if (b - a) % 6 == 5 else 1 for a, b in zip(network.source, network.target, strict=True)]
    onward = [(t + 2) % 6 for t in range(6)]
    plain, other = (
        simulate(dimension_order(n, 2), 0.4, traffic=onward, buffer_depth=1, warmup=100, measure=500)
        for n in (network, network.with_bandwidth(slow))
    )
    assert (plain.latency_mean, plain.flit_hops) == (other.latency_mean, other.flit_hops)
    assert plain.latency_mean is not None


def test_what_the_simulator_refuses() -> None:
    wide = dimension_order(ring(4).with_bandwidth([2] * 7 + ["3/2"]), 2)
    with pytest.raises(
        SimulationError, match=r"passes 2 flits per cycle; .* by with_bandwidth\(network.bandwidth / 2\)"
    ):
        simulate(wide, 0.1)
    slow = dimension_order(ring(4).with_bandwidth("1/2"), 2)
    for router in (Router(routing_delay=2), Router(vc_allocation_delay=2), Router(output_speedup=2, output_buffer=1)):
        with pytest.raises(SimulationError, match="passes 1/2 flits per cycle: a router with such channels takes"):
            simulate(slow, 0.1, router=router)
