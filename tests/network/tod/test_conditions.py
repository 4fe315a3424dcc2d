"""Step, direction and replacement."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import graph_operations as brute
from unknot._base.errors import TextError
from unknot.network import Network
from unknot.network.tod import network


@given(kind=st.sampled_from(["line", "ring"]), k=st.integers(1, 9), i=st.integers(1, 12))
def test_step_by_brute_force(kind: str, k: int, i: int) -> None:
    found = network(f"step({kind}({k}, latency=3), {i})")
    assert brute.of(found) == brute.step(kind, k, i)
    assert set(found.latency.tolist()) <= {3}


@given(kind=st.sampled_from(["line", "ring"]), k=st.integers(1, 7), i=st.integers(1, 4), h=st.integers(1, 4))
def test_directions_by_brute_force(kind: str, k: int, i: int, h: int) -> None:
    """One way only during the product; the result goes both ways."""
    arcs = [(u, (u + i) % k) for u in range(k) if kind == "ring" or u + i < k]
    arcs = [(u, v) for u, v in arcs if u != v]
    other = brute.step("line", h, 1)
    for word, pairs in (("forward", arcs), ("backward", [(v, u) for u, v in arcs])):
        found = network(f"{word}(step({kind}({k}), {i})) (*) line({h})")
        expected = brute.undirected(brute.multiply("tensor", brute.digraph(range(k), pairs), other))
        assert brute.of(found) == expected


def test_the_directions_of_figure_3() -> None:
    """Of two links in a row there are three directions, and the absolute products with one link differ."""
    one = "forward(line(2))"
    same = network(f"{one} (*) forward(line(3))")
    split = network(f"{one} (*) oriented({{1 -> 0, 1 -> 2}})")
    meet = network(f"{one} (*) oriented({{0 -> 1, 2 -> 1}})")
    links = [brute.of(n).channels for n in (same, split, meet)]
    assert len({frozenset(link) for link in links}) == 3
    assert all(len(link) == 4 for link in links)
    assert set(links[0]) == {((0, 0), (1, 1)), ((1, 1), (0, 0)), ((0, 1), (1, 2)), ((1, 2), (0, 1))}
    both = network("line(2) (*) line(3)")
    assert both.num_channels == 8
    assert brute.of(network(f"{one} (*) line(3)")) == brute.of(both)


def test_a_direction_counts_in_products_only() -> None:
    for operation in ("forward(ring(5))", "backward(ring(5))", "oriented(ring(5, directed=true)) | ring(5)"):
        assert brute.of(network(operation)) == brute.of(network("ring(5)"))
    assert network("forward(ring(4)) | line(2)") == network("ring(4) | line(2)")
    assert network("forward(ring(4)) * line(3)").num_channels == network("ring(4) * line(3)").num_channels


def test_a_direction_breaks_the_symmetry_of_a_product() -> None:
    directed, plain = network("forward(ring(5)) (*) forward(ring(5))"), network("ring(5) (*) ring(5)")
    assert 2 * directed.num_channels == plain.num_channels


@given(st.sampled_from(["line(2) ** 3", "ring(4) ** 2", "complete(4)", "line(2) * ring(5)", "ring(6)"]), st.data())
def test_replacement_by_brute_force(text: str, data: st.DataObject) -> None:
    skeleton = network(text)
    degree = skeleton.num_channels // skeleton.num_routers
    points = list(range(degree))
    pairs = data.draw(st.sets(st.tuples(st.sampled_from(points), st.sampled_from(points)), max_size=8))
    part = brute.digraph(points, pairs)
    found = network(f"({text})[{brute.text(part)}]")
    names = sorted(brute.of(skeleton).nodes, key=lambda name: tuple(reversed(name)))
    first, channels = skeleton.outgoing
    ports = {
        names[r]: [names[v] for v in skeleton.target[channels[first[r] : first[r + 1]]].tolist()]
        for r in range(skeleton.num_routers)
    }
    assert brute.of(found) == brute.replace(brute.of(skeleton), ports, part)


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_cube_connected_cycles_as_the_paper_writes_them(k: int) -> None:
    """L(R) × L × … with k − 1 lines, against the definition of Preparata & Vuillemin."""
    textbook = nx.Graph()
    for cube in range(2**k):
        for i in range(k):
            textbook.add_edge((cube, i), (cube, (i + 1) % k))
            textbook.add_edge((cube, i), (cube ^ (1 << i), i))
    found = network(f"line(2)[ring({k})] * line(2) ** {k - 1}" if k > 1 else "line(2)")
    assert nx.is_isomorphic(simple(found), textbook)
    assert found == network(f"(line(2) ** {k})[ring({k})]")


def test_replacement_takes_part_in_every_product_as_one_node() -> None:
    assert network("line(2)[complete(3)] * line(2) * line(2)") == network("(line(2) ** 3)[complete(3)]")
    assert network("line(2) * line(2)[line(2)]") == network("(line(2) ** 2)[line(2)]")
    tensor = network("ring(3)[ring(4)] (*) ring(3)")
    assert (tensor.num_routers, simple(tensor).number_of_edges()) == (9 * 4, 9 * 4 + 9 * 4 // 2)


def test_parallel_links_are_different_connections() -> None:
    found = network("ring(2, double=true)[line(2)]")
    assert nx.is_isomorphic(simple(found), nx.cycle_graph(4))


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("step(mesh(2, 2), 1)", r"step is for a line or a ring, but mesh\(2, 2\) is neither", 6),
        ("step(ring(4), 0)", "step: distance must be a whole number of at least 1, got the number 0", 15),
        ("step(step(ring(8), 2), 2)", "has a step already", 6),
        ("step(3, 3)", "step: graph must be a network, got the number 3", 6),
        ("forward(complete(3))", r"forward is for a line or a ring, .* oriented", 9),
        ("backward(complete(3))", r"backward is for a line or a ring, .* oriented", 10),
        ("ring(3)[ring(3)]", r"router 0 .* has 2 connections, but the graph in brackets has 3 points", 1),
        ("{a -- b, b -- c}[line(1)]", "router b .* has 2 connections", 1),
        ("{0 -> 1, 1 -> 2, 2 -> 0}[point()]", "replacement is for links", 1),
        ("line(2)[ring(2)] * line(2)[ring(2)]", "both operands, .* have their routers replaced", 1),
        ("line(2)[ring(2)] ** 2", "replace the routers of the power instead", 1),
        ("forward(ring(3))[line(2)]", "is under a direction", 1),
        ("ring(3)[3]", "puts a network G in the place of routers, but 3 is a number", 9),
        ("3[ring(3)]", "replaces the routers of a network H, but 3 is a number", 1),
    ],
)
def test_conditions_on_what_they_cannot_be_put_on(text: str, message: str, column: int) -> None:
    with pytest.raises(TextError, match=message) as caught:
        network(text)
    assert (caught.value.line, caught.value.column) == (1, column)


def simple(found: Network) -> nx.Graph:
    return nx.Graph(zip(found.source.tolist(), found.target.tolist(), strict=True))
