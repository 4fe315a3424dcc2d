"""Orbits of sets of links and nodes, beside all automorphisms by brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unknot.network.automorphisms import ColouredGraph, Orbits


def coloured(edges: list[tuple[int, int]], colours: list[int], nodes: bool) -> ColouredGraph:
    """A graph of links whose links, and nodes too, are parts."""
    parts = sorted({(min(edge), max(edge)) for edge in edges}) + [(n, n) for n in range(len(colours)) if nodes]
    tail, head = np.array([*edges, *((b, a) for a, b in edges)], dtype=np.int64).reshape(-1, 2).T
    zeros = np.zeros(tail.size, dtype=np.int64)
    return ColouredGraph(tail, head, zeros, np.array(colours, dtype=np.int64), np.array(parts, dtype=np.int64))


def brute(graph: ColouredGraph, size: int) -> list[int]:
    """Sizes of the orbits, by every permutation of the nodes."""
    nodes, edges = graph.node_colour.size, Counter(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    parts, union = graph.parts.tolist(), dict[frozenset[int], frozenset[int]]()

    def root(one: frozenset[int]) -> frozenset[int]:
        while union[one] != one:
            one = union[one]
        return one

    union = {frozenset(some): frozenset(some) for some in combinations(range(len(parts)), size)}
    for image in permutations(range(nodes)):
        keeps = all(graph.node_colour[a] == graph.node_colour[b] for a, b in enumerate(image))
        if keeps and Counter({(image[a], image[b]): n for (a, b), n in edges.items()}) == edges:
            becomes = [parts.index(sorted((image[a], image[b]))) for a, b in parts]
            for some in union:
                union[root(some)] = root(frozenset(becomes[part] for part in some))
    return sorted(Counter(map(root, union)).values())


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda e: e[0] != e[1]), min_size=1, max_size=8),
    st.lists(st.integers(0, 1), min_size=5, max_size=5),
    st.booleans(),
)
@example([(0, 2), (3, 4)], [0, 1, 0, 0, 0], True)  # the mark of a link and that of a node once cancelled out
def test_orbits_of_any_small_graph(edges: list[tuple[int, int]], colours: list[int], nodes: bool) -> None:
    graph = coloured(edges, colours, nodes)
    for size in (1, 2):
        if len(graph.parts) >= size:
            orbits = Orbits(graph).of_size(size, 1000)
            assert orbits is not None
            assert sorted(orbit.sets for orbit in orbits) == brute(graph, size)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_orbits_of_a_cube_and_of_leaves_and_spines(size: int) -> None:
    cube = [(a, a ^ 1 << bit) for a in range(8) for bit in range(3) if not a >> bit & 1]
    clos = [(leaf, spine) for leaf in range(4) for spine in (4, 5)]
    for edges, nodes, expected in ((cube, 8, [1, 4, 9]), (clos, 6, [1, 3, 3])):
        orbits = Orbits(coloured(edges, [0] * nodes, False)).of_size(size, 1000)
        assert orbits is not None
        assert len(orbits) == expected[size - 1]
        assert sum(orbit.sets for orbit in orbits) == comb(len(edges), size)


def test_too_many_orbits_are_given_up() -> None:
    path = coloured([(0, 1), (1, 2), (2, 3), (3, 4)], [0] * 5, False)
    assert Orbits(path).of_size(1, 1) is None
    assert len(Orbits(path).of_size(1, 2) or []) == 2
