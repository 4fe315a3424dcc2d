"""Spanning triangular meshes against growth of all meshes inside a network."""

from __future__ import annotations

import random
from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import NetworkError
from unknot.network import families as topologies
from unknot.network import from_edges
from unknot_papers.itm import itm, recognise, spanning
from unknot_papers.itm.spanning import _triangles, decide
from unknot_papers.itm.topology import KINDS


def has_mesh(graph: nx.Graph, kind: str) -> bool:
    """Grow every mesh there is, from every link."""
    seen: set[frozenset[tuple[tuple[int, int], int]]] = set()

    def grows(uses: dict[tuple[int, int], int]) -> bool:
        state = frozenset(uses.items())
        if state in seen:
            return False
        seen.add(state)
        inside = {v for edge in uses for v in edge}
        if len(inside) == len(graph):
            return True
        for v in set(graph) - inside:
            for (x, y), used in uses.items():
                if graph.has_edge(v, x) and graph.has_edge(v, y) and not (kind == "exterior" and used == 2):
                    sides = {(min(v, u), max(v, u)): 1 for u in (x, y)}
                    if grows(uses | {(x, y): used + 1} | sides):
                        return True
        return False

    return any(grows({(min(e), max(e)): 0}) for e in graph.edges)


def holds(graph, mesh, kind):
    edges = sorted(map(tuple, mesh.edges.tolist()))
    found = recognise(from_edges(edges)).mesh
    return (
        len(set(edges)) == 2 * len(graph) - 3
        and all(graph.has_edge(*edge) for edge in edges)
        and found is not None
        and (kind == "general" or found.kind == "exterior")
    )


@st.composite
def graphs(draw):
    n = draw(st.integers(3, 7))
    seed = draw(st.integers(0, 100_000))
    graph = nx.gnp_random_graph(n, draw(st.sampled_from([0.5, 0.6, 0.7])), seed=seed)
    graph.add_edges_from((i, i + 1) for i in range(n - 1))
    return graph


@given(graphs(), st.sampled_from(KINDS))
def test_a_mesh_is_found_exactly_when_there_is_one(graph, kind):
    network = from_edges(sorted(graph.edges))
    found = spanning(network, kind)
    there_is = has_mesh(graph, kind)
    assert found.proved
    assert (found.mesh is not None) == there_is
    if found.mesh is not None:
        assert holds(graph, found.mesh, kind)
    else:
        assert found.reason
    triangles = _triangles(network)
    if {v for t in triangles for v in t} == set(graph):
        mesh = decide(len(graph), triangles, kind, 20.0)
        assert (mesh is not False) == there_is
        assert mesh is False or holds(graph, mesh, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "extra"), [(60, 60), (200, 100)])
def test_a_planted_mesh_is_found_whatever_the_numbering(kind, n, extra):
    network = itm(n, kind, degree=8, extra=extra, seed=5)
    number = list(range(n))
    random.Random(1).shuffle(number)
    pairs = {tuple(sorted((number[u], number[v]))) for u, v in zip(network.source, network.target, strict=True)}
    found = spanning(from_edges(sorted(pairs)), kind)
    assert found.mesh is not None
    assert holds(nx.Graph(sorted(pairs)), found.mesh, kind)


@pytest.mark.parametrize("n", [60, 150])
@pytest.mark.parametrize("seed", [1, 2])
def test_absence_in_a_network_of_the_other_kind_is_proved(n, seed):
    """With 2n − 3 links the network itself would have to be the mesh, and it is of the general kind."""
    network = itm(n, "general", degree=8, seed=seed)
    assert recognise(network).mesh.kind == "general"
    found = spanning(network, "exterior")
    assert (found.mesh, found.proved, found.method) == (None, True, "exact search (CP-SAT)")


@pytest.mark.long
def test_sixty_irregular_switches_are_decided_either_way():
    answers = [spanning(topologies.irregular(60, 10, seed=seed), "general") for seed in range(30)]
    assert all(answer.proved for answer in answers)
    assert {(answer.mesh is not None, answer.method) for answer in answers} == {
        (True, "greedy growth"),
        (True, "exact search (CP-SAT)"),
        (False, "triangles that share links"),
        (False, "exact search (CP-SAT)"),
    }


def test_whatever_is_found_is_found_again():
    network = itm(100, degree=8, extra=50, seed=5)
    first, again = spanning(network), spanning(network)
    assert first.method == "exact search (CP-SAT)"
    assert (first.mesh.order == again.mesh.order).all()
    assert (first.mesh.parents == again.mesh.parents).all()


def test_five_thousand_routers():
    network = itm(5000, degree=8, extra=1000, seed=5)
    found = spanning(network)
    assert holds(nx.Graph(zip(network.source.tolist(), network.target.tolist(), strict=True)), found.mesh, "exterior")


def test_parallel_links_count_once_and_terminals_do_not_matter():
    edges = [(0, 1), (0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 3)]
    network = replace(from_edges(edges), inject=[0, 0, 3], eject=[0, 0, 3])
    assert recognise(network).mesh.kind == "exterior"
    assert len(spanning(network).mesh.edges) == 5


@pytest.mark.parametrize(
    ("network", "reason"),
    [
        (topologies.torus(4, 4), "in no triangle"),
        (from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]), "reach 3 of 5 routers"),
        (topologies.line(2), "at least 3 routers"),
    ],
)
def test_absence_is_reported_with_its_reason(network, reason):
    found = spanning(network)
    assert found.mesh is None
    assert found.proved
    assert reason in found.reason


def test_a_book_has_a_general_mesh_and_no_exterior_one():
    book = from_edges([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (0, 4), (1, 4)])
    assert spanning(book, "general").mesh is not None
    found = spanning(book, "exterior")
    assert found.mesh is None
    assert found.proved
    assert found.method == "exact search (CP-SAT)"


def test_one_way_channels_do_not_count():
    network = from_edges([(0, 1), (1, 2), (2, 0)], directed=True)
    assert spanning(network).mesh is None


def test_arguments_are_checked():
    with pytest.raises(NetworkError, match="kind"):
        spanning(topologies.ring(3), "outer")
    with pytest.raises(NetworkError, match="time limit"):
        spanning(topologies.ring(3), time_limit=0)
