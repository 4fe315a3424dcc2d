"""Theorem 5: messages in disjoint arcs of the circular order never share a channel on shortest paths."""

from __future__ import annotations

from itertools import pairwise, permutations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from unknot._base.errors import NetworkError
from unknot.network import from_edges
from unknot_papers.itm import grow, network_of

METHODS = script("methods.independence")
contention, independent = METHODS.contention, METHODS.independent
on_shortest_paths, positions = METHODS.on_shortest_paths, METHODS.positions


@given(st.integers(4, 9), st.integers(0, 1000))
def test_independent_messages_never_meet(n, seed):
    mesh = grow(n, seed=seed)
    network, place = network_of(mesh, "mesh"), positions(mesh)
    used = {(u, v): on_shortest_paths(network, u, v) for u in range(n) for v in range(n) if u != v}
    for w, x, y, z in permutations(range(n), 4):
        if independent(place, (w, x), (y, z)):
            assert not (used[w, x] & used[y, z]).any()


@given(st.integers(4, 30), st.integers(0, 1000), st.data())
def test_independence_is_the_order_on_the_circle(n, seed, data):
    mesh = grow(n, seed=seed)
    place, circle = positions(mesh), mesh.circle.tolist()
    a, b, c, d = sorted(data.draw(st.lists(st.integers(0, n - 1), min_size=4, max_size=4, unique=True)))
    for shift in (0, 1, n - 1):
        w, x, y, z = (circle[(i + shift) % n] for i in (a, b, c, d))
        assert independent(place, (w, x), (y, z))
        assert independent(place, (x, w), (z, y))
        assert not independent(place, (w, x), (z, y))
        assert not independent(place, (w, y), (x, z))


def test_messages_in_opposite_senses_may_meet():
    edges = [[0, 1], [0, 2], [1, 3], [1, 4], [3, 5], [1, 2], [2, 3], [3, 4], [4, 5]]
    network = from_edges([tuple(edge) for edge in edges])
    met = contention(network, [(0, 5), (2, 3)])
    assert [(i, j) for i, j, _ in met] == [(0, 1)]
    channel = met[0][2]
    assert (int(network.source[channel]), int(network.target[channel])) in {(2, 3), (1, 3), (2, 1)}


@given(st.integers(0, 300))
def test_channels_on_shortest_paths_are_those_of_networkx(seed):
    graph = nx.gnp_random_graph(7, 0.4, seed=seed)
    graph.add_edges_from((i, i + 1) for i in range(6))
    network = from_edges(sorted(graph.edges))
    found = on_shortest_paths(network, 0, 5)
    want = {pair for path in nx.all_shortest_paths(graph, 0, 5) for pair in pairwise(path)}
    assert {(int(network.source[c]), int(network.target[c])) for c in found.nonzero()[0]} == want


def test_a_general_mesh_has_no_circular_order():
    mesh = next(m for m in (grow(12, "general", seed=s) for s in range(20)) if m.kind == "general")
    with pytest.raises(NetworkError, match="no circular order"):
        positions(mesh)
