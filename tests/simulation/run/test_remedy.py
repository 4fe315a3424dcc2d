"""What runs that are not stable lack: the bounds of the model beside simulations that come up to them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unknot
from unknot.network import Network
from unknot.routing import shortest_paths
from unknot.simulation import Router, simulate
from unknot.simulation.run.remedy import vc_period
from unknot.switching import SWITCHINGS, Switching

SENDERS = 6
"""Enough terminals that what they inject is never what limits the channel."""


def carried(switching: Switching, flits: int, latency: int, depth: int, router: Router, vcs: int = 1) -> float:
    """Flits per cycle of the channel between two routers when all terminals of the one send to those of the other."""
    homes = [0] * SENDERS + [1] * SENDERS
    network = Network("two", 2, [0, 1], [1, 0], latency=latency, inject=homes, eject=homes)
    to = [SENDERS + i for i in range(SENDERS)] + [-1] * SENDERS
    run = simulate(
        shortest_paths(network, vcs), 1.0, switching=switching, packet_length=flits, buffer_depth=depth,
        router=router, traffic=to, warmup=600, measure=3000,
    )  # fmt: skip
    return float(run.utilisation[0])


@settings(max_examples=12)
@given(
    st.sampled_from(SWITCHINGS), st.integers(1, 5), st.integers(1, 4), st.integers(5, 12), st.integers(0, 3),
    st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.integers(0, 2), st.booleans(),
)  # fmt: skip
def test_no_virtual_channel_carries_more_than_the_model_says(
    switching: Switching, flits: int, latency: int, depth: int, routing: int, va: int, sa: int, traversal: int,
    credit: int, speculative: bool,
) -> None:  # fmt: skip
    router = Router(
        routing_delay=routing, vc_allocation_delay=va, switch_allocation_delay=sa, traversal_delay=traversal,
        credit_delay=credit, speculative=speculative,
    )  # fmt: skip
    bound = flits / vc_period(switching, flits, latency, router)
    # what is in the buffer at the end was carried as well
    assert carried(switching, flits, latency, depth, router) <= bound + depth / 3000 + 0.01


@pytest.mark.parametrize("switching", ["wormhole", "vct"])
@pytest.mark.parametrize(("flits", "latency"), [(1, 1), (1, 4), (3, 1), (5, 3)])
def test_a_virtual_channel_carries_what_the_model_says(switching: Switching, flits: int, latency: int) -> None:
    period = vc_period(switching, flits, latency, Router())
    assert period == (flits + 2 if switching == "vct" else flits + 2 * latency + 5)
    assert carried(switching, flits, latency, 16, Router()) == pytest.approx(flits / period, abs=0.01)


@pytest.mark.parametrize("switching", ["wormhole", "vct"])
def test_as_many_as_the_remedy_says_fill_the_channel(switching: Switching) -> None:
    homes = [0] * SENDERS + [1] * SENDERS
    network = Network("two", 2, [0, 1], [1, 0], inject=homes, eject=homes)
    run = simulate(shortest_paths(network), 1.0, switching=switching, warmup=500, measure=1000)
    assert not run.stable
    found = re.search(r"carries at most (\S+) flit per cycle here; .* try --vcs (\d+)", run.reason)
    assert found is not None, run.reason
    assert (found[1], found[2]) == (("1/8", "8") if switching == "wormhole" else ("1/3", "3"))
    assert ("--switching vct" in run.reason) == (switching == "wormhole")
    assert carried(switching, 1, 1, 8, Router(), vcs=int(found[2])) > 0.98


def test_only_virtual_channels_that_packets_use_count() -> None:
    """O1TURN sends the packets of a corner by one of its two orders, so half of the VCs there."""
    run = unknot.simulate("mesh(4, 4)", 0.9, routing="o1turn", traffic="transpose", warmup=1000, measure=2000)
    assert "packets use 2 of its 4: try --vcs 6" in run.reason


def test_full_channels_and_terminals_are_named() -> None:
    full = unknot.simulate("line(2)", 1.0, routing="dimension_order", vcs=8, traffic=[1, -1], warmup=500, measure=500)
    assert full.stable
    bent = unknot.simulate("line(3)", 0.9, routing="dimension_order", vcs=8, traffic=[2, 2, -1], warmup=500)
    assert "t2 is sent 1.8 flits per cycle and takes 1: only a load below 0.5" in bent.reason
    weight = np.zeros((4, 4))
    weight[0, 2] = weight[1, 3] = 1.0
    shared = unknot.simulate("line(4)", 0.8, routing="dimension_order", vcs=8, traffic=weight, warmup=500)
    assert re.search(r"(1)\S*(2)\S* is full \((0\.9|1\.0)\d of 1 flit per cycle\)", shared.reason), shared.reason
