"""What a run that is not stable says of itself: deadlock, livelock, starvation or saturation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.simulation.relations import clockwise
from unknot._base.switching import Switching
from unknot.network.families import line, mesh, ring, torus
from unknot.routing import EJECT, Relation, dimension_order
from unknot.routing.subnets import in_subnets
from unknot.simulation import Router, replay, simulate
from unknot.traffic import Message, TrafficClass


def round_and_round() -> Relation:
    """A ring of 4 on which packets go clockwise, and those for terminal 0 never leave it."""
    network = ring(4)
    source, target = np.array(network.source), np.array(network.target)
    clock = np.array([np.flatnonzero((source == r) & (target == (r + 1) % 4))[0] for r in range(4)])
    vcs = network.num_channels

    def rule(at: int, address: int, out: Any) -> int:
        here = target[at] if at < vcs else at - vcs
        out[0] = EJECT if here == address and address != 0 else clock[here]
        return 1

    return Relation(network, 1, rule, name="round and round")


def test_a_packet_that_goes_round_for_ever_is_livelock() -> None:
    """The same places fill up when there are many, and that is a deadlock."""
    relation = round_and_round()
    point: dict[str, Any] = {"switching": "vct", "traffic": [2, 0, 1, 1], "warmup": 0, "measure": 1000}
    run = simulate(relation, 0.0003, **point)
    assert not run.stable
    assert run.deadlock is None
    assert run.reason.startswith("livelock: a packet from t1 to t0 has made ")
    assert "where 1 would do, and goes on" in run.reason
    full = simulate(relation, 0.1, **point)
    assert full.deadlock is not None
    assert full.reason.startswith("deadlock of 4 messages")


def test_a_long_packet_that_short_ones_overtake_starves() -> None:
    """Under vct it needs all of a buffer, where flits of others come and go; older packets first, it gets it."""
    relation = dimension_order(line(3), 4)
    point: dict[str, Any] = {"switching": "vct", "traffic": [2, 2, -1]}
    run = simulate(relation, 0.9, packet_length={1: 0.9999, 8: 0.0001}, **point)
    assert run.reason.startswith("starvation: a packet from t0 to t2, created ")
    assert "has not moved on the injection port of t0 for 10000 cycles" in run.reason
    short = simulate(relation, 0.9, packet_length=1, **point)
    assert short.reason.startswith("saturated")


@pytest.mark.parametrize("traffic", ["uniform", "hotspot(5, share=0.5)", "transpose"])
def test_too_much_load_is_saturation(traffic: str) -> None:
    """Even where places stand still for long: everybody gets through in turn."""
    run = simulate(dimension_order(mesh(4, 4), 2), 1.0, traffic=traffic, switching="wormhole")
    assert run.reason.startswith("saturated")


def test_an_empty_way_is_not_starved() -> None:
    run = simulate(
        dimension_order(torus(4, 4), 2), 0.05, router=Router(priority="age", allocator="select"), switching="wormhole"
    )
    assert (run.stable, run.reason) == (True, "")


def test_knots_come_first() -> None:
    run = simulate(clockwise(8), 0.9, packet_length=4, switching="wormhole")
    assert run.deadlock is not None
    assert run.reason.startswith("deadlock of ")


@pytest.mark.parametrize("switching", ["wormhole-nonatomic", "wormhole", "vct"])
def test_a_deadlock_in_one_of_several_subnets_is_shown(switching: Switching) -> None:
    """Its messages come from ports of that subnet, so that they can be injected there, and stick there again."""
    relation = clockwise(5)
    classes = [TrafficClass(messages=(Message(8, subnet=0), Message(8, subnet=1)))]
    run = simulate(relation, 1.0, classes=classes, subnets=2, switching=switching)
    assert run.deadlock is not None
    both = in_subnets(relation, 2)
    subnets = {int(vc) // relation.num_vcs for m in run.deadlock.messages for vc in m.held}
    assert {m.source // 5 for m in run.deadlock.messages} == subnets
    assert replay(both, run.deadlock).stuck
    assert "of subnet" in run.reason


def test_packets_in_the_first_subnet_do_not_go_round() -> None:
    """The hops that a packet needs are counted in its own subnet."""
    classes = [TrafficClass(messages=(Message(1, subnet=0), Message(1, subnet=1)))]
    run = simulate(dimension_order(line(16), 1), 1.0, classes=classes, subnets=2)
    assert run.outcome == "saturated"
