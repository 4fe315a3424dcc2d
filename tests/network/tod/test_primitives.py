"""The graphs that the language begins with."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import TextError
from unknot.network import Network, to_networkx
from unknot.network import families as topologies
from unknot.network.tod import network

SAME = [
    ("torus(8, 8)", topologies.torus(8, 8)),
    ("mesh(4, 4, latency=2)", topologies.mesh(4, 4, latency=2)),
    ("hypercube(4)", topologies.hypercube(4)),
    ("hypercube(0)", topologies.hypercube(0)),
    ("ring(8)", topologies.ring(8)),
    ("ring(2)", topologies.ring(2)),
    ("ring(1)", topologies.ring(1)),
    ("line(5)", topologies.line(5)),
    ("point()", topologies.line(1)),
    ("complete(5)", topologies.complete(5)),
    ("complete(1)", topologies.complete(1)),
]
PRODUCTS = [
    ("ring(8) ** 2", topologies.torus(8, 8)),
    ("ring(3) * ring(4) * ring(5)", topologies.torus(3, 4, 5)),
    ("line(4) * line(3)", topologies.mesh(4, 3)),
    ("line(1) * line(3) * line(2)", topologies.mesh(1, 3, 2)),
    ("line(2) ** 5", topologies.hypercube(5)),
    ("ring(2) ** 3", topologies.torus(2, 2, 2)),
    ("ring(3, latency=4) ** 2", topologies.torus(3, 3, latency=4)),
    ("ring(5) ** 1", topologies.ring(5)),
    ("ring(5) ** 0", topologies.hypercube(0)),
]


@pytest.mark.parametrize(("text", "expected"), SAME + PRODUCTS)
def test_same_arrays_as_the_named_families(text: str, expected: Network) -> None:
    assert network(text) == expected


@given(st.lists(st.tuples(st.sampled_from(["line", "ring"]), st.integers(1, 5)), min_size=1, max_size=4))
def test_products_of_lines_and_rings_in_any_order_of_evaluation(factors: list[tuple[str, int]]) -> None:
    words = [f"{kind}({k})" for kind, k in factors]
    left = network(" * ".join(words))
    right = words[-1]
    for word in reversed(words[:-1]):
        right = f"{word} * ({right})"
    assert left == network(right)
    assert left.radices == tuple(k for _, k in factors)


def test_rings_of_all_kinds() -> None:
    one_way = network("ring(4, directed=true)")
    assert (one_way.source.tolist(), one_way.target.tolist()) == ([0, 1, 2, 3], [1, 2, 3, 0])
    assert network("ring(1, directed=true)").num_channels == 0
    assert network("ring(2, directed=True)") == network("ring(2)")
    double = network("ring(2, double=true, latency=7)")
    assert (double.source.tolist(), double.target.tolist()) == ([0, 0, 1, 1], [1, 1, 0, 0])
    assert set(double.latency.tolist()) == {7}
    assert network("ring(5, double=true)") == network("ring(5)")
    with pytest.raises(TextError, match="directed or double, not both"):
        network("ring(2, double=true, directed=true)")


def test_stars_and_trees() -> None:
    assert nx.is_isomorphic(undirected(network("star(6)")), nx.star_graph(6))
    assert network("star(0)").num_routers == 1
    for arity, depth in itertools.product((1, 2, 3), (0, 1, 3)):
        found = network(f"tree({arity}, {depth})")
        assert nx.is_isomorphic(undirected(found), nx.balanced_tree(arity, depth))
        assert found.source.tolist() == sorted(found.source.tolist())


def test_cayley_graphs() -> None:
    star = network("cayley(swap(4, 0, i) for i in 1..3)")
    swaps = set()
    for letters in itertools.permutations(range(4)):
        for i in (1, 2, 3):
            other = list(letters)
            other[0], other[i] = other[i], other[0]
            swaps.add((letters, tuple(other)))
    names = [tuple(row) for row in star.coordinates.tolist()]  # type: ignore[union-attr]
    assert {(names[u], names[v]) for u, v in zip(star.source, star.target, strict=True)} == swaps
    assert star.num_channels == len(swaps) == 72
    assert network("cayley(flip(4, i) for i in 2..4)").num_channels == 72
    turning = network("cayley(shift(5), latency=3)")
    assert nx.is_isomorphic(to_networkx(turning), nx.cycle_graph(5, create_using=nx.DiGraph))
    assert set(turning.latency.tolist()) == {3}
    assert network("cayley([0])").num_channels == 1
    assert network("cayley(shift(3, 1), shift(3, 2))").num_channels == 6


def test_permutations_of_names_and_numbers() -> None:
    assert network("c(n) = cayley([n, 0, 2], [0, n + 1, n])\nc(1)") == network("cayley([1, 0, 2], [0, 2, 1])")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cayley()", "needs at least one permutation"),
        ("cayley([0, 2])", "is no permutation"),
        ("cayley([0, 1], [0])", "has 1 letters, but the first one has 2"),
        ("cayley(shift(16))", "the limit is 15"),
        ("cayley(swap(4, 0, 4))", "has no letter 4"),
        ("cayley(flip(4, 5))", "has no letter 4"),
        ("cayley(swap(12, 0, i) for i in 1..11)", "the limit is 33554432"),
    ],
)
def test_cayley_graphs_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        network(text)


def test_families_of_the_library_that_the_language_has_no_word_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from unknot.network.tod import functions

    def twin(n: int, *, apart: bool = False) -> Network:
        return Network("twin", 2, [0] * n, [1] * n)

    monkeypatch.setattr(functions, "foreign", lambda: {"twin": twin})
    functions.signature.cache_clear()
    assert network("twin(3, apart=true)").num_channels == 3
    with pytest.raises(TextError, match="twin takes plain values, but this is a network"):
        network("twin(ring(3))")
    with pytest.raises(TextError, match="twin has no option aprt; did you mean apart"):
        network("twin(3, aprt=true)")
    with pytest.raises(TextError, match="no such network can be made"):
        network('twin("a")')
    functions.signature.cache_clear()


def undirected(found: Network) -> nx.Graph:
    assert np.array_equal(
        np.sort(found.source * found.num_routers + found.target),
        np.sort(found.target * found.num_routers + found.source),
    )
    graph = nx.Graph()
    graph.add_nodes_from(range(found.num_routers))
    graph.add_edges_from(zip(found.source.tolist(), found.target.tolist(), strict=True))
    return graph
