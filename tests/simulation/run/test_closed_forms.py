"""What queueing theory knows exactly, against runs: waiting times, spacings, throughputs.

Time is discrete. A terminal creates a packet in each cycle with probability p, and the packet may start in that very
cycle. Let V be the cycles of work that a server still has when a cycle begins, A the packets created in it, D the
cycles each takes. Then V' = max(V + D A − 1, 0), where V does not depend on A. With r = D E[A] < 1, the means of both
sides give P(V + D A = 0) = 1 − r, and the means of their squares

    E[V] = (D² E[A²] − r) / (2 (1 − r)).

A packet waits for V and for those of the same cycle that go before it: D E[A (A − 1)] / (2 E[A]) on average.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.queues import (
    alone,
    along,
    arrivals,
    mean_and_half_width,
    one_router,
    one_server,
    room,
    row,
    service,
    two_routers,
)
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import mesh
from unknot.routing import Relation, dimension_order
from unknot.simulation import simulate
from unknot.traffic import PatternLike
from unknot.verify.loads import loads

REPLICATIONS = 20


def mean_wait(p: float, sources: int, cycles: int) -> float:
    """Of a packet before it is served: A is binomial, so E[A (A − 1)] = n (n − 1) p² and E[A²] is n p more."""
    a = sources * p
    pairs = sources * (sources - 1) * p * p
    r = cycles * a
    return (cycles**2 * (pairs + a) - r) / (2 * (1 - r)) + cycles * pairs / (2 * a)


def agree(
    relation: Relation, p: float, flits: int, switching: Switching, depth: int, empty: int, expected: float,
    traffic: PatternLike = "uniform",
) -> None:  # fmt: skip
    """The mean latency of independent runs is that of the empty network and the expected wait."""
    means = []
    for seed in range(REPLICATIONS):
        run = simulate(
            relation, p * flits, packet_length=flits, switching=switching, buffer_depth=depth, seed=seed,
            traffic=traffic, warmup=2_000, measure=25_000,
        )  # fmt: skip
        assert run.stable, run.reason
        assert run.latency_mean is not None
        means.append(run.latency_mean - empty)
    found, half_width = mean_and_half_width(means)
    assert abs(found - expected) <= half_width
    assert half_width < 0.15 * expected, "too little was measured to tell"


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("share", [0.3, 0.7])
@pytest.mark.parametrize("flits", [2, 6])
def test_a_source_queue_is_geo_d_1(flits: int, share: float) -> None:
    """Its server is the injection channel, a flit a cycle: r (L − 1) / (2 (1 − r)). Nothing waits further on."""
    p = share / flits
    assert mean_wait(p, 1, flits) == pytest.approx(share * (flits - 1) / (2 * (1 - share)))
    empty = alone("wormhole-nonatomic", flits, 2, 1)
    agree(two_routers(8), p, flits, "wormhole-nonatomic", 16, empty, mean_wait(p, 1, flits))


def test_a_source_queue_with_packets_of_two_lengths_is_geo_g_1() -> None:
    """The same reckoning with lengths drawn at random: p E[L (L − 1)] / (2 (1 − p E[L])) (Pollaczek & Khinchine)."""
    lengths, share = {1: 0.75, 9: 0.25}, 0.6
    mean = sum(part * flits for flits, part in lengths.items())
    p = share / mean
    expected = p * sum(part * flits * (flits - 1) for flits, part in lengths.items()) / (2 * (1 - share))
    means = []
    for seed in range(REPLICATIONS):
        run = simulate(
            two_routers(8), share, packet_length=lengths, switching="wormhole-nonatomic", buffer_depth=16, seed=seed,
            warmup=2_000, measure=25_000,
        )  # fmt: skip
        assert run.latency_mean is not None
        means.append(run.latency_mean - run.network_latency_mean)  # type: ignore[operator]
    found, half_width = mean_and_half_width(means)
    assert abs(found - expected) <= half_width < 0.1 * expected


def test_single_flits_of_one_source_never_wait() -> None:
    for load in (0.3, 0.9):
        run = simulate(
            one_router(1, 4), load, switching="wormhole-nonatomic", traffic=[1, -1], warmup=0, measure=20_000
        )
        assert run.latency_mean == run.latency_max == alone("wormhole-nonatomic", 1, 1, 1)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("flits", "share", "switching"), [(1, 0.7, "wormhole-nonatomic"), *((4, 0.3, s) for s in SWITCHINGS)]
)
def test_a_channel_of_one_vc_is_geo_d_1(flits: int, share: float, switching: Switching) -> None:
    """Packets queue at the source, but what they wait for is the channel.

    Of servers in a row that each take a constant time, only the slowest keeps customers waiting, as if it came first
    (Friedman 1965).
    """
    cycles, empty = service(switching, flits, 1), alone(switching, flits, 2, 1)
    p = share / cycles
    agree(two_routers(1), p, flits, switching, room(switching, flits, 1), empty, mean_wait(p, 1, cycles))


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(("sources", "load"), [(2, 0.8), (3, 0.4), (8, 0.8)])
def test_single_flits_that_merge_are_a_binomial_queue(sources: int, load: float) -> None:
    """(n − 1) / n · λ / (2 (1 − λ)): with many sources the wait of M/D/1."""
    expected = mean_wait(load / sources, sources, 1)
    assert expected == pytest.approx((1 - 1 / sources) * load / (2 * (1 - load)))
    where = [sources] * sources + [-1]
    empty = alone("wormhole-nonatomic", 1, 1, 1)
    agree(one_router(sources, 4), load / sources, 1, "wormhole-nonatomic", 8, empty, expected, where)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("switching", SWITCHINGS)
def test_packets_that_merge_into_a_channel_of_one_vc(switching: Switching) -> None:
    flits, sources, share = 3, 4, 0.6
    cycles, empty = service(switching, flits, 1), alone(switching, flits, 2, 1)
    p = share / cycles / sources
    relation = two_routers(1, sources=sources)
    expected = mean_wait(p, sources, cycles)
    agree(relation, p, flits, switching, room(switching, flits, 1), empty, expected, [0] * sources)


def test_more_vcs_than_flits_on_the_way_still_add_waits() -> None:
    """Behind a channel with many VCs a VC takes a flit every third cycle: the queue is a lower bound."""
    relation, sources, load = two_routers(8, sources=4), 4, 0.7
    run = simulate(
        relation, load / sources, switching="wormhole-nonatomic", traffic=[0] * sources, warmup=2_000, measure=100_000
    )
    assert run.latency_mean is not None
    assert run.latency_half_width is not None
    bound = alone("wormhole-nonatomic", 1, 2, 1) + mean_wait(load / sources, sources, 1)
    assert bound + run.latency_half_width < run.latency_mean < bound + 2


def test_channels_carry_what_the_routes_say() -> None:
    """Flow balance: in a stable run every channel carries the load of its routes, whatever waits."""
    relation = dimension_order(mesh(3, 3), 2)
    runs = [
        simulate(relation, 0.3, packet_length=2, seed=s, warmup=500, measure=10_000, switching="wormhole")
        for s in range(REPLICATIONS)
    ]
    for found, expected in zip(np.array([run.utilisation for run in runs]).T, loads(relation).channel, strict=True):
        mean, half_width = mean_and_half_width(found)
        assert abs(mean - 0.3 * expected) <= half_width < 0.1 * expected


CYCLES = st.lists(st.integers(0, 12), min_size=1, max_size=40).map(lambda gaps: np.cumsum(gaps).tolist())


@given(CYCLES, st.sampled_from(SWITCHINGS), st.integers(1, 6), st.integers(1, 4))
def test_every_packet_of_a_source_waits_as_at_one_server(
    ready: list[int], switching: Switching, flits: int, latency: int
) -> None:
    relation, depth = two_routers(1, latency=latency), room(switching, flits, latency)
    found = arrivals(relation, [(cycle, 0, 0) for cycle in ready], switching, flits, depth)
    starts = one_server(ready, service(switching, flits, latency))
    assert (found == np.array(starts) + alone(switching, flits, 2, latency)).all()


@given(st.lists(CYCLES, min_size=1, max_size=5))
def test_flits_that_merge_leave_as_from_one_server(ready: list[list[int]]) -> None:
    """In some order: what is served when does not depend on whose it is."""
    sinks = len(ready)
    sent = [(cycle, source, sinks) for source, cycles in enumerate(ready) for cycle in sorted(set(cycles))]
    found = arrivals(one_router(sinks, 4), sent, "wormhole-nonatomic", 1, 8)
    starts = one_server(sorted(cycle for cycle, _, _ in sent), 1)
    assert (np.sort(found) == np.array(starts) + alone("wormhole-nonatomic", 1, 1, 1)).all()


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("latency", [1, 3, 10])
def test_single_flits_through_one_vc_are_bound_by_credits(latency: int) -> None:
    """A slot is filled again 2 latency + 5 cycles later, 7 with latency 1; and a packet passes every third cycle."""
    relation = two_routers(1, latency=latency)
    for depth in (1, 2, 3, 4, 7, 8, 16):
        found = arrivals(relation, [(0, 0, 0)] * 200, "wormhole-nonatomic", 1, depth)
        assert found[100 + depth] - found[100] == max(3 * depth, 2 * latency + 5)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("switching", ["wormhole", "vct", "saf"])
@pytest.mark.parametrize("flits", [1, 2, 5])
def test_spacing_of_packets_that_queue_for_one_vc(switching: Switching, flits: int) -> None:
    """One packet per round trip if the buffer must be empty; with room for m, m of them, at least L + 2 apart."""
    for latency in (1, 4):
        for m in (1, 2, 3):
            found = arrivals(two_routers(1, latency=latency), [(0, 0, 0)] * 60, switching, flits, m * flits)
            round_trip = service(switching, flits, latency)
            many = 1 if switching == "wormhole" else m
            assert found[30 + many] - found[30] == max(many * (flits + 2), round_trip)


@pytest.mark.parametrize("switching", ["wormhole", "wormhole-nonatomic"])
def test_a_packet_longer_than_its_buffers(switching: Switching) -> None:
    """B flits in 2 latency + 3 cycles, if that is more than B: the slot of a flit that need not wait for a route.

    The header holds its slot for two cycles more; so much does a flit behind a gap catch up at the next router.
    """
    for latency, depth, flits, routers in (
        (1, 1, 4, 2), (1, 3, 20, 4), (1, 4, 9, 3), (1, 5, 20, 3), (1, 6, 9, 3), (1, 7, 30, 3), (4, 8, 40, 3),
        (4, 11, 40, 2), (10, 8, 64, 5),
    ):  # fmt: skip
        turns, rest = divmod(flits - 1, depth)
        tail = turns * max(depth, 2 * latency + 3) + rest
        (found,) = arrivals(along(routers, latency), [(0, 0, routers - 1)], switching, flits, depth)
        assert found == alone(switching, 1, routers, latency) + tail


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("switching", SWITCHINGS)
@pytest.mark.parametrize(("latency", "flits"), [(1, 2), (1, 4), (6, 5)])
def test_a_link_with_vcs_enough_carries_a_flit_a_cycle(switching: Switching, latency: int, flits: int) -> None:
    """With deep buffers three VCs do; when they must be empty, as many as packets go into the round trip of one."""
    vcs = -(-service(switching, flits, latency) // flits) if switching == "wormhole" else 3
    for count in (1, 30, 150):
        found = arrivals(two_routers(vcs, latency=latency), [(0, 0, 0)] * count, switching, flits, 32)
        assert found.max() == alone(switching, flits, 2, latency) + (count - 1) * flits


@pytest.mark.parametrize(("vcs", "switching"), [(1, "wormhole"), (1, "vct"), (1, "saf"), (4, "wormhole-nonatomic")])
def test_round_robin_at_every_router_halves_the_share_of_who_is_further_away(vcs: int, switching: Switching) -> None:
    """The parking lot: fair to the inputs of each router, so sources have 1/2, 1/4, 1/8, … of the last channel."""
    run = simulate(
        row(5, vcs), 1.0, packet_length=4, switching=switching, traffic=[0] * 5, warmup=5_000, measure=25_000
    )
    shares = np.diff(run.utilisation, prepend=0) / run.utilisation[-1]
    assert shares == pytest.approx([1 / 16, 1 / 16, 1 / 8, 1 / 4, 1 / 2], abs=0.003)
    assert all(a <= b + 0.003 for a, b in pairwise(shares))
