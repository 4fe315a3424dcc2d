"""All small graphs and all triangulated polygons: recognition, theorem 2, theorem 5 and lemma 4, none left out.

The campaign takes all connected graphs of up to 7 routers and all polygons of up to 12 corners; `make test` a part.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from tests.papers import script
from tests.papers.itm.test_mesh import taken_apart
from tests.papers.itm.test_spanning import has_mesh
from unknot.network import from_edges
from unknot.routing import shortest_paths
from unknot.verify.states import dependencies
from unknot_papers.itm import chordal, recognise, spanning
from unknot_papers.itm.topology import KINDS

METHODS = script("methods.independence")
independent, on_shortest_paths, positions = METHODS.independent, METHODS.on_shortest_paths, METHODS.positions

CLASSES = {3: 1, 4: 1, 5: 1, 6: 3, 7: 4, 8: 12, 9: 27, 10: 82, 11: 228, 12: 733}
"""Triangulations of a polygon that differ by more than turning and mirroring (Harary, Palmer & Read 1975)."""


def polygons(n: int) -> list[frozenset[tuple[int, int]]]:
    """One triangulation of the n-gon of each class, as a set of diagonals."""

    def triangulations(low: int, high: int) -> Iterator[frozenset[tuple[int, int]]]:
        if high - low < 2:
            yield frozenset()
            return
        for apex in range(low + 1, high):
            own = {(a, b) for a, b in ((low, apex), (apex, high)) if b - a > 1}
            for left in triangulations(low, apex):
                for right in triangulations(apex, high):
                    yield left | right | own

    found: dict[tuple[tuple[int, int], ...], frozenset[tuple[int, int]]] = {}
    for diagonals in triangulations(0, n - 1):
        images = [
            tuple(sorted(tuple(sorted(((s * a + t) % n, (s * b + t) % n))) for a, b in diagonals))
            for s in (1, -1)
            for t in range(n)
        ]
        found.setdefault(min(images), diagonals)
    return list(found.values())


def judge_polygon(n: int, diagonals: frozenset[tuple[int, int]]) -> None:
    network = from_edges([*((i, (i + 1) % n) for i in range(n)), *sorted(diagonals)])
    mesh = recognise(network).mesh
    assert mesh is not None
    assert mesh.kind == "exterior"
    assert (int(mesh.exterior.sum()), len(mesh.facets)) == (n, n - 2)
    circle = mesh.circle.tolist()
    assert circle in ([*range(n)], [0, *range(n - 1, 0, -1)])
    place = positions(mesh)
    used = np.array([[on_shortest_paths(network, u, v) for v in range(n)] for u in range(n)])
    for a, b, c, d in combinations(range(n), 4):
        corners = [circle[i] for i in (a, b, c, d)]
        for turn in range(4):
            w, x, y, z = corners[turn:] + corners[:turn]
            for one, other in (((w, x), (y, z)), ((x, w), (z, y))):
                assert independent(place, one, other)
                assert not (used[one] & used[other]).any()
    assert acyclic(nx.Graph(zip(network.source.tolist(), network.target.tolist(), strict=True)))


def acyclic(graph: nx.Graph) -> bool:
    """Whether two links in a row on shortest paths never close to a cycle; straight from the definition."""
    way = dict(nx.all_pairs_shortest_path_length(graph))
    after = nx.DiGraph()
    for u, v in [*graph.edges, *((v, u) for u, v in graph.edges)]:
        after.add_edges_from(((u, v), (v, w)) for w in graph[v] if way[u][w] == 2)
    return bool(nx.is_directed_acyclic_graph(after))


def judge_graph(graph: nx.Graph) -> None:
    network = from_edges(sorted(graph.edges))
    found = chordal(network)
    assert found == nx.is_chordal(graph) == acyclic(graph)
    assert (recognise(network).mesh is not None) == taken_apart(graph)
    for kind in KINDS:
        answer = spanning(network, kind)
        assert answer.proved
        assert (answer.mesh is not None) == has_mesh(graph, kind)


def graphs(most: int) -> list[nx.Graph]:
    return [g for g in nx.graph_atlas_g() if 3 <= len(g) <= most and nx.is_connected(g)]


@pytest.mark.parametrize("n", range(3, 10))
def test_triangulated_polygons(n):
    classes = polygons(n)
    assert len(classes) == CLASSES[n]
    for diagonals in classes[::3]:
        judge_polygon(n, diagonals)


def test_connected_graphs():
    for graph in [*graphs(5), *graphs(7)[::25]]:
        judge_graph(graph)


def test_the_prover_finds_the_same_cycles():
    for graph in [g for g in graphs(6) if len(g) > 3][::9]:
        relation = shortest_paths(from_edges(sorted(graph.edges)), choice="all")
        assert dependencies(relation).acyclic == acyclic(graph)


@pytest.mark.campaign
@pytest.mark.parametrize("n", range(3, 13))
def test_all_triangulated_polygons(n):
    classes = polygons(n)
    assert len(classes) == CLASSES[n]
    for diagonals in classes:
        judge_polygon(n, diagonals)


@pytest.mark.campaign
def test_all_connected_graphs_of_up_to_seven_routers():
    assert len(graphs(7)) == 2 + 6 + 21 + 112 + 853
    for graph in graphs(7):
        judge_graph(graph)
