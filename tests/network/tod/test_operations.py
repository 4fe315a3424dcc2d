"""Every operation against a brute force over all pairs of nodes, and against NetworkX where it has the operation."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import graph_operations as brute
from unknot._base.errors import TextError
from unknot.network import Network
from unknot.network.tod import network

SYMBOLS = {
    "union": ("|", "∪"),
    "intersection": ("&", "∩"),
    "difference": ("-", "−"),
    "ring_sum": ("(+)", "⊕", "^"),
    "join": ("+",),
    "cartesian": ("*", "×", "□"),
    "tensor": ("(*)", "⊗", "·"),
    "strong": ("[*]", "⊠"),
    "lexicographic": ("/", "∘"),
    "left_equal": ("=.", "⇐"),
    "right_equal": (".=", "⇒"),
    "left_adjacent": ("~.", "←"),
    "right_adjacent": (".~", "→"),
}


@st.composite
def digraphs(draw: st.DrawFn, most: int = 5, times: int = 1, symmetric: bool = False) -> brute.Digraph:
    """Small digraphs whose nodes are numbers from 0 to 7, with loops, sparse or dense, sometimes without channels."""
    nodes = sorted(draw(st.sets(st.integers(0, 7), min_size=1, max_size=most)))
    ends = st.sampled_from(nodes)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=12))
    if symmetric:
        pairs = [(u, v) for u, v in pairs if u != v]
        pairs += [(v, u) for u, v in pairs]
    if times == 1:
        pairs = sorted(set(pairs))
    return brute.digraph(nodes, pairs)


def result(operation: str, g: brute.Digraph, h: brute.Digraph) -> Network:
    return network(f"{operation}({brute.text(g)}, {brute.text(h)})")


@pytest.mark.parametrize("name", sorted(brute.PRODUCTS))
@given(g=digraphs(), h=digraphs(4))
def test_products_by_brute_force(name: str, g: brute.Digraph, h: brute.Digraph) -> None:
    assert brute.of(result(name, g, h)) == brute.multiply(name, g, h)


@pytest.mark.parametrize("name", ["union", "intersection", "difference", "ring_sum"])
@given(g=digraphs(6, times=3), h=digraphs(6, times=3))
def test_set_operations_by_brute_force(name: str, g: brute.Digraph, h: brute.Digraph) -> None:
    expected = brute.combine(name, g, h)
    if not expected.nodes:
        with pytest.raises(TextError, match="the result is empty"):
            result(name, g, h)
    else:
        assert brute.of(result(name, g, h)) == expected


@given(g=digraphs(times=2), h=digraphs(times=2))
def test_join_by_brute_force(g: brute.Digraph, h: brute.Digraph) -> None:
    assert brute.of(result("join", g, h)) == brute.join(g, h)


@given(g=digraphs(), h=digraphs(3), f=digraphs(3))
def test_set_operations_on_products(g: brute.Digraph, h: brute.Digraph, f: brute.Digraph) -> None:
    """Nodes of products are the same when all their coordinates are."""
    found = network(f"{brute.text(g)} * {brute.text(h)} | {brute.text(h)} (*) {brute.text(f)}")
    expected = brute.combine("union", brute.multiply("cartesian", g, h), brute.multiply("tensor", h, f))
    assert brute.of(found) == expected


@given(g=digraphs(symmetric=True), h=digraphs(4, symmetric=True))
def test_products_as_networkx_makes_them(g: brute.Digraph, h: brute.Digraph) -> None:
    one, two = nx_graph(g), nx_graph(h)
    theirs = {
        "cartesian": nx.cartesian_product(one, two),
        "tensor": nx.tensor_product(one, two),
        "strong": nx.strong_product(one, two),
        "lexicographic": nx.lexicographic_product(one, two),
        "union": nx.compose(one, two),
        "join": nx.full_join(nx.convert_node_labels_to_integers(one), two, rename=("g", "h")),
    }
    for name, expected in theirs.items():
        found = brute.of(result(name, g, h))
        assert len(found.nodes) == expected.number_of_nodes()
        links = {frozenset(pair) for pair in found.channels}
        assert len(links) == expected.number_of_edges()
        if name not in ("union", "join"):
            assert links == {frozenset(((*u1, *u2), (*v1, *v2))) for (u1, u2), (v1, v2) in expected.edges}
        elif name == "union":
            assert links == {frozenset(pair) for pair in expected.edges}
        else:
            assert nx.is_isomorphic(nx.Graph([tuple(link) for link in links]), nx.Graph(expected.edges))


@given(g=digraphs(symmetric=True), h=digraphs(symmetric=True))
def test_intersection_and_symmetric_difference_as_networkx_makes_them(g: brute.Digraph, h: brute.Digraph) -> None:
    nodes = g.nodes | h.nodes
    one, two = nx_graph(brute.Digraph(nodes, g.channels)), nx_graph(brute.Digraph(nodes, h.channels))
    for name, function in (("difference", nx.difference), ("ring_sum", nx.symmetric_difference)):
        expected = {frozenset(pair) for pair in function(one, two).edges}
        if expected:
            assert {frozenset(pair) for pair in brute.of(result(name, g, h)).channels} == expected
    if g.nodes & h.nodes:
        expected = {frozenset(pair) for pair in nx.intersection(nx_graph(g), nx_graph(h)).edges}
        assert {frozenset(pair) for pair in brute.of(result("intersection", g, h)).channels} == expected


def nx_graph(g: brute.Digraph) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(g.nodes)
    graph.add_edges_from(g.channels)
    return graph


@pytest.mark.parametrize(("name", "symbols"), SYMBOLS.items())
def test_symbols_mean_the_named_functions(name: str, symbols: tuple[str, ...]) -> None:
    g, h = "{0 -- 1, 1 -> 2 : 3, 2 -- 4}", "{0 -- 1, 1 -- 2, 3}"
    expected = network(f"{name}({g}, {h})")
    for symbol in symbols:
        assert network(f"{g} {symbol} {h}") == expected


def test_operators_bind_as_documented() -> None:
    pairs = [
        ("ring(3) * line(2) + point()", "(ring(3) * line(2)) + point()"),
        ("line(4) - line(2) + point()", "(line(4) - line(2)) + point()"),
        ("ring(4) * line(2) ** 2", "ring(4) * (line(2) ** 2)"),
        ("ring(4) & line(3) | line(4)", "(ring(4) & line(3)) | line(4)"),
        ("ring(4) (+) line(4) | line(2)", "(ring(4) (+) line(4)) | line(2)"),
        ("ring(4) (+) line(4) & line(3)", "ring(4) (+) (line(4) & line(3))"),
        ("line(2)[ring(3)] * line(2) ** 2", "((line(2))[ring(3)]) * (line(2) ** 2)"),
        ("line(3) (*) line(3) / line(2)", "(line(3) (*) line(3)) / line(2)"),
    ]
    for written, meant in pairs:
        assert network(written) == network(meant)
    assert network("ring(2 ** 2 ** 1 + 7 // 2 * 3 - 8 % 5)").num_routers == 10


def test_many_operands_in_one_function() -> None:
    assert network("cartesian(ring(3), line(2), line(4))") == network("ring(3) * line(2) * line(4)")
    assert network("union(step(ring(9), i) for i in 1..3)") == network(
        "step(ring(9), 1) | step(ring(9), 2) | step(ring(9), 3)"
    )
    with pytest.raises(TextError, match="takes two networks or more, but it has 1"):
        network("union(ring(3))")


def test_channels_of_a_product_come_factor_by_factor() -> None:
    found = network("line(3, latency=2) * ring(4, latency=5)")
    assert found.source.tolist() == sorted(found.source.tolist())
    leaving = found.target[found.source == 4].tolist()
    assert leaving == [5, 3, 7, 1]
    assert found.latency[found.source == 4].tolist() == [2, 2, 5, 5]


def test_latency_of_each_operation() -> None:
    a, b = "line(2, latency=2)", "line(2, latency=5)"
    assert np.unique(network(f"{a} (*) {b}").latency).tolist() == [5]
    assert sorted(network(f"{a} [*] {b}").latency.tolist()) == [2] * 4 + [5] * 8
    assert np.unique(network(f"{a} ~. {b}").latency).tolist() == [2]
    assert np.unique(network(f"{a} .~ {b}").latency).tolist() == [5]
    assert np.unique(network(f"{a} =. {b}").latency).tolist() == [1]
    assert np.unique(network(f"{a} | {b}").latency).tolist() == [2]
    assert np.unique(network(f"{a} & {b}").latency).tolist() == [2]
    assert sorted(set(network(f"join({a}, {b}, latency=9)").latency.tolist())) == [2, 5, 9]


def test_terminals_of_products_multiply_and_of_unions_are_the_most() -> None:
    found = network("terminals(line(2), 2) * terminals(line(2), 3)")
    assert found.inject.tolist() == [r for r in range(4) for _ in range(6)]
    found = network("terminals(line(2), 2) | terminals(line(3), 0)")
    assert found.inject.tolist() == [0, 0, 1, 1]
    found = network("terminals(line(3), inject=[0, 2, 2]) - {1 -- 2}")
    assert (found.num_routers, found.inject.tolist()) == (2, [0])
    found = network("point() + terminals(point(), 2)")
    assert found.inject.tolist() == [0, 1, 1]


def test_names_survive() -> None:
    found = network("{a -- b, b -- c} * ring(3)")
    assert found.router_name(found.num_routers - 1) == "(c,2)"
    assert found.radices == (3, 3)
    merged = network("{a -- b} | {b -- c}")
    assert merged.router_labels == ("a", "b", "c")
    assert network("{0 -- a} | line(2)").router_labels == ("0", "a", "1")


def test_nodes_with_different_numbers_of_coordinates_are_no_operands() -> None:
    with pytest.raises(TextError, match=r"left operand have 2 coordinates, those of the right one 1 coordinate"):
        network("mesh(2, 2) | line(2)")


def test_terminals_that_eject_elsewhere_end_at_operations() -> None:
    with pytest.raises(TextError, match="inject and eject at different routers"):
        network("terminals(line(2), inject=[0], eject=[1]) * line(2)")
