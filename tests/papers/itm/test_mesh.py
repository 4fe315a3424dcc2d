"""Growing, recognising and ordering incremental triangular meshes, against networkx and the definitions."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from unknot._base.errors import NetworkError
from unknot.network import Network, from_edges
from unknot.network import families as topologies
from unknot_papers.itm import chordal, grow, itm, network_of, recognise
from unknot_papers.itm.topology import KINDS

added = script("methods.independence").added

MESHES = st.builds(
    grow,
    st.integers(3, 40),
    st.sampled_from(KINDS),
    degree=st.none() | st.integers(4, 7),
    seed=st.integers(0, 10_000),
)


def graph_of(network: Network) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(zip(network.source.tolist(), network.target.tolist(), strict=True))
    return graph


@given(MESHES)
def test_a_grown_mesh_is_recognised_with_the_same_edges(mesh):
    found = recognise(network_of(mesh, "mesh")).mesh
    assert found is not None
    assert found.kind == mesh.kind
    assert set(map(tuple, found.edges.tolist())) == set(map(tuple, mesh.edges.tolist()))
    seen: set[int] = set(found.order[:2].tolist())
    for router in found.order[2:].tolist():
        assert set(found.parents[router].tolist()) <= seen
        seen.add(router)


@given(MESHES)
def test_a_grown_mesh_has_the_counts_of_lemmas_1_and_4(mesh):
    n = mesh.num_routers
    graph = graph_of(network_of(mesh, "mesh"))
    assert graph.number_of_edges() == 2 * n - 3
    assert nx.check_planarity(graph)[0]
    assert nx.is_chordal(graph)
    assert mesh.facets.shape == (n - 2, 3)
    for corners in mesh.facets.tolist():
        assert all(graph.has_edge(u, v) for u, v in combinations(corners, 2))
    if mesh.kind == "exterior":
        assert int(mesh.exterior.sum()) == n


@given(MESHES)
def test_the_circular_order_goes_along_the_exterior_edges(mesh):
    if mesh.kind == "general":
        assert mesh.circle is None
        return
    circle = mesh.circle.tolist()
    assert circle[0] == 0
    assert sorted(circle) == list(range(mesh.num_routers))
    round_it = {tuple(sorted((u, v))) for u, v in zip(circle, circle[1:] + circle[:1], strict=True)}
    assert round_it == set(map(tuple, mesh.edges[mesh.exterior].tolist()))


@given(st.integers(3, 60), st.integers(4, 8), st.sampled_from(KINDS), st.integers(0, 1000))
def test_growth_keeps_to_the_cap_and_begins_with_the_smaller_mesh(n, degree, kind, seed):
    mesh, smaller = grow(n + 5, kind, degree=degree, seed=seed), grow(n, kind, degree=degree, seed=seed)
    assert int(np.bincount(mesh.edges.ravel()).max()) <= degree
    assert (mesh.parents[:n] == smaller.parents).all()


@given(st.integers(3, 30), st.integers(0, 1000))
def test_exterior_growth_gives_the_exterior_kind(n, seed):
    assert grow(n, "exterior", seed=seed).kind == "exterior"


def test_a_book_of_triangles_is_of_the_general_kind():
    assert recognise(from_edges([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (1, 4)])).mesh.kind == "general"


@st.composite
def small_networks(draw):
    n = draw(st.integers(2, 8))
    pairs = list(combinations(range(n), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    return from_edges([(u, v) for u, v in [*chosen, (n - 1, 0)] if u != v])


@given(small_networks())
def test_chordality_is_what_networkx_says(network):
    assert chordal(network) == nx.is_chordal(graph_of(network))


@given(small_networks())
def test_recognition_agrees_with_the_definition(network):
    graph = graph_of(network)
    assert (recognise(network).mesh is not None) == taken_apart(graph)


def taken_apart(graph: nx.Graph) -> bool:
    """Whether some router with two joined neighbours can be taken off until a triangle is left; plain recursion."""
    if len(graph) == 3:
        return graph.number_of_edges() == 3
    for router in graph:
        near = list(graph[router])
        if len(near) == 2 and graph.has_edge(*near):
            rest = graph.copy()
            rest.remove_node(router)
            return taken_apart(rest)
    return False


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (topologies.ring(5), "7 links, the network has 5"),
        (topologies.line(2), "at least 3 routers"),
        (from_edges([(0, 1), (1, 2), (2, 0)], directed=True), "has none back"),
        (from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4)]), "router r4 has no two"),
        (topologies.complete(4).without(routers=[]), "5 links, the network has 6"),
    ],
)
def test_a_network_that_is_no_mesh_is_refused_with_the_reason(network, reason):
    found = recognise(network)
    assert found.mesh is None
    assert reason in found.reason


def test_three_joined_neighbours_everywhere_is_said():
    prism = [(i, (i + 1) % 3) for i in range(3)] + [(3 + i, 3 + (i + 1) % 3) for i in range(3)]
    prism += [(i, 3 + i) for i in range(3)]
    found = recognise(from_edges(prism))
    assert "every router left has three or more" in found.reason


def test_routers_are_added_at_edges_only():
    mesh = added(grow(3), (1, 2))
    assert mesh.edges.tolist()[-2:] == [[1, 3], [2, 3]] or [1, 3] in mesh.edges.tolist()
    with pytest.raises(NetworkError, match="0–3 is none"):
        added(mesh, (0, 3))


@given(MESHES, st.data())
def test_expansion_keeps_the_tables_of_the_old_part_valid(mesh, data):
    """The shortest paths between old routers stay just the same, in both kinds."""
    edge = data.draw(st.sampled_from(mesh.edges.tolist()))
    n, larger = mesh.num_routers, added(mesh, tuple(edge))
    before, after = graph_of(network_of(mesh, "old")), graph_of(network_of(larger, "new"))
    old, new = (dict(nx.all_pairs_shortest_path_length(graph)) for graph in (before, after))
    for u in range(n):
        assert all(old[u][v] == new[u][v] for v in range(n))
        assert all(new[u][n] + new[n][v] > new[u][v] for v in range(n))


@given(st.integers(3, 12), st.integers(0, 500), st.data())
def test_switches_may_arrive_one_by_one(n, seed, data):
    mesh = grow(n, seed=seed)
    for _ in range(4):
        k = data.draw(st.integers(0, len(mesh.edges) - 1))
        outer, edge = bool(mesh.exterior[k]) or mesh.num_routers == 3, tuple(mesh.edges[k].tolist())
        larger = added(mesh, edge)
        assert larger.num_routers == mesh.num_routers + 1
        assert set(map(tuple, mesh.edges.tolist())) < set(map(tuple, larger.edges.tolist()))
        assert larger.kind == ("exterior" if outer else "general")
        if larger.kind == "exterior":
            whole, rest = larger.circle.tolist(), mesh.circle.tolist()
            whole.remove(mesh.num_routers)
            assert whole in (rest, [rest[0], *rest[:0:-1]])
            mesh = larger


def test_what_recognition_returns():
    found = recognise(from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (1, 3), (3, 4), (1, 4)])).mesh
    inner = {tuple(edge) for edge in found.edges[~found.exterior].tolist()}
    assert inner == {(1, 2), (1, 3)}
    assert {frozenset(facet) for facet in found.facets.tolist()} == {
        frozenset(corners) for corners in ((0, 1, 2), (1, 2, 3), (1, 3, 4))
    }
    assert found.circle.tolist() in ([0, 1, 4, 3, 2], [0, 2, 3, 4, 1])


@pytest.mark.parametrize(
    "arguments",
    [{"n": 2}, {"n": 5, "kind": "inner"}, {"n": 5, "degree": 3}, {"n": 5, "seed": -1}, {"n": True}],
)
def test_growth_refuses_what_makes_no_sense(arguments):
    with pytest.raises(NetworkError, match="itm:"):
        grow(**arguments)


def test_extra_links_join_routers_that_are_not_joined():
    network = itm(12, extra=20, seed=4)
    assert network.num_channels == 2 * (2 * 12 - 3 + 20)
    assert graph_of(network).number_of_edges() == 2 * 12 - 3 + 20
    assert network == itm(12, extra=20, seed=4)
    full = itm(6, extra=6)
    assert full.num_channels == 30
    with pytest.raises(NetworkError, match="room for 0 to 6 links"):
        itm(6, extra=7)
