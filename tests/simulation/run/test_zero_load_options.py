"""Zero-load latency with options of the router: packets one at a time against the formula."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import mesh
from unknot.routing import dimension_order
from unknot.simulation import Router, simulate, zero_load_latency

ROUTERS = [
    Router(routing_delay=0),
    Router(routing_delay=0, speculative=True),
    Router(routing_delay=2, vc_allocation_delay=3, switch_allocation_delay=2, traversal_delay=2, credit_delay=3),
    Router(vc_allocation_delay=2, switch_allocation_delay=1, speculative=True),
    Router(vc_allocation_delay=1, switch_allocation_delay=2, speculative=True),
]


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize("router", ROUTERS, ids=str)
def test_one_packet_at_a_time(switching: Switching, router: Router) -> None:
    """One source sends to one destination, so seldom that packets never meet; buffers take whole packets."""
    relation = dimension_order(mesh(2, 3, latency=2), 2)
    for length, end in itertools.product((1, 2, 5), (1, 5)):
        traffic = [end, -1, -1, -1, -1, -1]
        run = simulate(
            relation, 0.0005 * length, packet_length=length, switching=switching, router=router, traffic=traffic,
            buffer_depth=64, warmup=0, measure=20_000,
        )  # fmt: skip
        assert run.packets > 0
        expected = zero_load_latency(
            relation, packet_length=length, switching=switching, router=router, traffic=traffic
        )
        assert run.latency_p50 == pytest.approx(expected)


def test_mixes_are_means() -> None:
    relation = dimension_order(mesh(3, 3), 2)
    each = [zero_load_latency(relation, packet_length=length, switching="saf") for length in (1, 2, 6)]
    mixed = zero_load_latency(relation, packet_length={1: 1, 2: 1, 6: 2}, switching="saf")
    assert mixed == pytest.approx(np.dot(each, (0.25, 0.25, 0.5)))
