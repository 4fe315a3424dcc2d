"""Figures of networks against NetworkX and against counting."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import networks
from unknot._base.errors import NetworkError
from unknot.network import Network, Wires, components, distances_from, from_edges, measure, metrics, to_networkx
from unknot.network.families import complete, hypercube, line, mesh, omega, ring, torus
from unknot.network.halves import bisection
from unknot.network.metrics import hops_from_any

FAMILIES = [
    line(1),
    line(2),
    line(7),
    ring(1),
    ring(2),
    ring(3),
    ring(8),
    mesh(4, 3),
    mesh(2, 3, 4),
    mesh(5, 1),
    torus(4, 4),
    torus(5, 3),
    torus(2, 4),
    torus(1, 5),
    torus(3, 3, 3),
    hypercube(0),
    hypercube(4),
    complete(1),
    complete(2),
    complete(6),
]


def compare(network: Network) -> None:
    found = measure(network)
    graph = to_networkx(network)
    assert (found.routers, found.channels, found.terminals) == (
        graph.number_of_nodes(),
        graph.number_of_edges(),
        network.num_terminals,
    )
    assert found.connected == nx.is_strongly_connected(graph)
    degrees = [degree for _, degree in graph.out_degree()]
    assert (found.degree_min, found.degree_max) == (min(degrees), max(degrees))
    assert found.sampled is None
    if found.connected:
        assert found.diameter == nx.diameter(graph)
        assert found.mean_distance == pytest.approx(nx.average_shortest_path_length(graph))
    else:
        assert found.diameter is None
        assert found.mean_distance is None


def test_a_loopback_cable_is_one_link() -> None:
    """A cable between two switches, one from a port of the first to another port of it, and a plug in one port."""
    ports = [[1, 1], [1, 1], [2, 3], [3, 2], [4, 4]]
    network = Network("looped", 2, [0, 1, 0, 0, 0], [1, 0, 0, 0, 0], wires=Wires(ports=ports))
    assert measure(network).links == 3


@given(networks(max_routers=7, max_channels=16, loops=True, strongly_connected=None))
def test_random_networks(network: Network) -> None:
    compare(network)
    label, count = components(network)
    strong = list(nx.strongly_connected_components(to_networkx(network)))
    assert count == len(strong)
    assert {frozenset(np.flatnonzero(label == c).tolist()) for c in range(count)} == {frozenset(s) for s in strong}
    pairs = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    links = 0
    while pairs:
        u, v = pairs.pop()
        if u == v:
            links += 1
        elif (v, u) in pairs:
            pairs.remove((v, u))
            links += 1
    assert measure(network).links == links
    for router in range(network.num_routers):
        for reverse in (False, True):
            graph = nx.DiGraph(to_networkx(network))
            lengths = nx.single_source_shortest_path_length(graph.reverse() if reverse else graph, router)
            expected = [lengths.get(r, -1) for r in range(network.num_routers)]
            assert distances_from(network, router, reverse=reverse).tolist() == expected


@pytest.mark.parametrize("network", FAMILIES, ids=lambda network: network.name)
def test_families(network: Network) -> None:
    compare(network)


@pytest.mark.parametrize("network", FAMILIES, ids=lambda network: network.name)
def test_bisection_is_the_minimum(network: Network) -> None:
    """On all splits into halves, where few enough; what is claimed is the least, or nothing is claimed."""
    claimed = bisection(network)
    if network.num_routers > 16 or network.num_routers < 2:
        return
    halves = combinations(range(network.num_routers), network.num_routers // 2)
    least = min(cut(network, set(half)) for half in halves)
    assert claimed in (least, None)
    longest = max(network.radices, default=1)
    if longest % 2 == 0 or "complete" in network.name:
        assert claimed == least


def cut(network: Network, half: set[int]) -> int:
    ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
    return sum((u in half) != (v in half) for u, v in ends)


def test_bisection_is_only_claimed_for_whole_families() -> None:
    assert bisection(torus(8, 8)) == 32
    assert bisection(mesh(8, 8)) == 16
    assert bisection(hypercube(10)) == 1024
    assert bisection(mesh(5, 5)) is None
    assert bisection(torus(4, 4).without(links=[(0, 1)])) is None
    assert bisection(torus(4, 4).without(routers=[3])) is None
    assert bisection(from_edges([(0, 1), (1, 2), (2, 3)])) is None


@pytest.mark.long
def test_big_grids_are_exact_by_formula() -> None:
    found = measure(torus(512, 512))
    assert (found.diameter, found.sampled) == (512, None)
    assert found.mean_distance == pytest.approx(256 * 2**18 / (2**18 - 1))
    assert measure(mesh(100, 100)).diameter == 198


def test_sampling_is_asked_for_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "EXACT_STEPS", 10)
    network = from_edges([(i, (i + 1) % 12) for i in range(12)], directed=True)
    unknown = measure(network)
    assert (unknown.diameter, unknown.mean_distance, unknown.sampled) == (None, None, None)
    sampled = measure(network, sample=5)
    assert (sampled.diameter, sampled.mean_distance, sampled.sampled) == (11, 6.0, 5)
    assert measure(network, sample=50).sampled == 12
    assert measure(network, sample=5) == measure(network, sample=5)
    assert measure(torus(4, 4), sample=2).sampled is None
    with pytest.raises(NetworkError, match="sample"):
        measure(network, sample=0)
    with pytest.raises(NetworkError, match="sample"):
        measure(network, sample=-3)


@given(networks(), st.data())
def test_hops_from_any_router_are_the_least_distances(network: Network, data: st.DataObject) -> None:
    starts = data.draw(st.lists(st.integers(0, network.num_routers - 1), min_size=1, max_size=3))
    distances = np.array([distances_from(network, start) for start in starts])
    least = np.where(distances < 0, network.num_routers, distances).min(axis=0)
    assert hops_from_any(network, starts).tolist() == np.where(least == network.num_routers, -1, least).tolist()


def test_distances_want_a_router() -> None:
    with pytest.raises(NetworkError, match="no router 9"):
        distances_from(ring(4), 9)


def test_a_feed_forward_network_joins_its_terminals_though_not_its_routers() -> None:
    found = measure(omega(8))
    assert (found.connected, found.terminals_connected, found.diameter) == (False, True, None)
    assert measure(ring(4)).terminals_connected
    assert measure(from_edges([(0, 1), (2, 3)])).terminals_connected is False
