"""What designed networks carry, beside a linear program of flows, and their routes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unknot import NetworkError
from unknot._base.deadline import Deadline
from unknot.network import Network
from unknot.network.families import hypercube, mesh, ring, torus
from unknot.synthesis.topology import beside, designed, requested, throughput_of
from unknot.verify import check
from unknot.verify.delivery import deliver


def most_carried(network: Network, demand: np.ndarray) -> float:
    """The most of a demand that flows carry on channels of 1, by a linear program with a flow for each source."""
    from scipy.optimize import linprog

    nodes, channels = network.num_routers, network.num_channels
    balance = np.zeros((nodes, nodes, nodes * channels + 1))
    for source, channel in product(range(nodes), range(channels)):
        balance[source, network.target[channel], source * channels + channel] += 1
        balance[source, network.source[channel], source * channels + channel] -= 1
    balance[..., -1] = -demand
    rows = balance[~np.eye(nodes, dtype=bool)]
    room = np.tile(np.eye(channels), nodes)
    answer = linprog(
        np.append(np.zeros(nodes * channels), -1.0),
        A_eq=rows, b_eq=np.zeros(len(rows)),
        A_ub=np.hstack([room, np.zeros((channels, 1))]), b_ub=np.ones(channels),
    )  # fmt: skip
    return float(-answer.fun)


@settings(deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6), st.booleans())
def test_bounds_enclose_the_truth(nodes: int, seed: int, even: bool) -> None:
    random = np.random.default_rng(seed)
    there = random.random((nodes, nodes)) < 0.4
    there[np.arange(nodes), (np.arange(nodes) + 1) % nodes] = True
    np.fill_diagonal(there, False)
    network = Network("drawn", nodes, *np.nonzero(there))
    flows = np.where(random.random((nodes, nodes)) < 0.5, random.random((nodes, nodes)), 0.0)
    np.fill_diagonal(flows, 0.0)
    flows[0, 1] += 0.5
    demand = (1 - np.eye(nodes)) / (nodes - 1) if even else flows
    truth = most_carried(network, demand)
    carried = throughput_of(network, None if even else flows)
    assert carried.least * (1 - 1e-9) <= truth <= carried.most * (1 + 1e-9)
    assert carried.evidence.evidence_holds(network)


@pytest.mark.parametrize(
    ("network", "image"),
    [
        (torus(4, 4), np.array([[(i // 4 + k) % 4 * 4 + i % 4 for i in range(16)] for k in range(4)])),
        (ring(8), np.array([[(i + k) % 8 for i in range(8)] for k in range(8)])),
        (hypercube(4), np.array([[i ^ k for i in range(16)] for k in range(16)])),
    ],
)
def test_a_symmetry_changes_no_bound(network: Network, image: np.ndarray) -> None:
    whole, part = throughput_of(network), throughput_of(network, image=image)
    assert part.most == pytest.approx(whole.most)
    assert part.least == pytest.approx(whole.least, rel=0.03)


@pytest.mark.long
def test_balanced_networks_carry_more_and_have_few_more_hops() -> None:
    wanted = requested(mesh(4, 4), ports=3, reach=2**0.5, both_ways=False)
    short = designed(wanted, "hops", moves=20_000)
    even = designed(wanted, "balanced", moves=20_000)
    assert even.total_hops <= 1.02 * short.total_hops  # and it may be less: neither is the least
    assert even.throughput > short.throughput
    assert even.throughput_bound <= even.most_throughput
    assert even.evidence_holds
    assert even.throughput_bound_holds


def test_small_networks_carry_the_most_of_all() -> None:
    """All networks of five nodes on a line with two ports one way, by the linear program."""
    wanted = requested(mesh(5, 1), ports=2, reach=2.0, both_ways=False)
    pairs = [(int(u), int(v)) for u, v in np.argwhere(wanted.allowed)]
    demand, truth = (1 - np.eye(5)) / 4, 0.0
    for chosen in range(1 << len(pairs)):
        links = [pair for i, pair in enumerate(pairs) if chosen >> i & 1]
        # More links carry no less, so those of full ports will do; the middle of five nodes can have two each way.
        if len(links) == 10:
            source, target = zip(*links, strict=True)
            if max(np.bincount(source).max(), np.bincount(target).max()) == 2:
                truth = max(truth, most_carried(Network("each", 5, source, target), demand))
    made = designed(wanted, "throughput", moves=50_000)
    assert made.throughput <= truth + 1e-9
    assert truth - 1e-9 <= min(made.throughput_bound, made.most_throughput)
    assert made.gap == pytest.approx(made.most_throughput / made.throughput - 1)


def test_routes_come_with_the_network_in_the_lanes_allowed() -> None:
    wanted = requested(mesh(3, 4), ports=3, reach=2.0)
    for most in (None, 1):
        made = designed(wanted, "hops", moves=100_000, most_lanes=most)
        assert made.lanes <= (most or 2)
        assert check(made.routes.relation).deadlock_free
        assert deliver(made.routes.relation).delivered
        assert made.routed <= made.throughput_bound
    first, *others = beside(made, "euclid", Deadline.after(60))
    assert first.mean_hops == made.mean_hops
    assert first.longest <= 2.0
    assert [one.name for one in others] == ["random_regular(12, 3, seed=1)"]
    assert all(one.ports <= 3 for one in others)


def test_flows_of_a_file_and_a_symmetry_exclude_each_other() -> None:
    wanted = requested(Network("nodes", 8, [], []), ports=3, symmetry=4)
    with pytest.raises(NetworkError, match="leave out one of the two"):
        designed(wanted, flows=np.ones((8, 8)))
