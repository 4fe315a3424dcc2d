"""Edge lists as they stand, and by rule."""

from __future__ import annotations

import itertools

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import TextError
from unknot.network import from_edges, to_networkx
from unknot.network.tod import network


def test_links_channels_chains_and_lone_routers() -> None:
    found = network("{a -- b -- c : 2, c -> a -> c, d, b -> b}")
    assert found.router_labels == ("a", "b", "c", "d")
    rows = list(zip(found.source.tolist(), found.target.tolist(), found.latency.tolist(), strict=True))
    assert rows == [(0, 1, 2), (1, 0, 2), (1, 2, 2), (2, 1, 2), (2, 0, 1), (0, 2, 1), (1, 1, 1)]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1), st.booleans())
def test_same_as_lists_of_edges_in_python(edges: list[tuple[int, int]], directed: bool) -> None:
    used = sorted({end for edge in edges for end in edge})
    edges = [(used.index(u), used.index(v)) for u, v in edges]
    text = ", ".join(f"{u} {'->' if directed else '--'} {v}" for u, v in edges)
    assert network(f"{{{text}}}") == from_edges(edges, directed=directed)


def test_names_numbers_texts_and_positions() -> None:
    assert network('{"for" -- a, 7 -- "7"}').router_labels == ("for", "a", "7")
    assert network("{3 -- 5}").router_labels == ("3", "5")
    found = network("{(0, a) -- (1, a), (1, b)}")
    assert found.router_labels == ("(0,a)", "(1,a)", "(1,b)")
    assert found.radices == (2, 2)
    plain = network("{(1, 0) -- (0, 0), (0, 2)}")
    assert plain.router_labels is None
    assert plain.coordinates is not None
    assert plain.coordinates.tolist() == [[0, 0], [1, 0], [0, 2]]


def test_parallel_links_are_kept_in_lists_and_merged_in_rules() -> None:
    assert network("{0 -- 1, 0 -- 1}").num_channels == 4
    assert network("{u // 2 -- u // 2 + 1 for u in 4}").num_channels == 4
    assert network("{0 -> 0, 0 -> 0}").num_channels == 2
    assert network("{0 * u -> 0 for u in 5}").num_channels == 1
    assert network("{0 * u -- 0 for u in 5}").num_channels == 0


@given(n=st.integers(1, 6), m=st.integers(1, 5), a=st.integers(0, 7), b=st.integers(-3, 3), c=st.integers(0, 4))
def test_rules_by_trying_every_choice(n: int, m: int, a: int, b: int, c: int) -> None:
    edges = f"(u, v) -> ((u + {a}) % {n}, v) : 1 + u, (u, v) -- (u ^ 1, (v * {b}) % 7)"
    text = f"{{{edges} for u in {n}, v in 1..{m} if u + v != {c} or u == 0}}"
    expected: dict[tuple[tuple[int, int], tuple[int, int]], int] = {}
    nodes = set()
    choices = [(u, v) for u, v in itertools.product(range(n), range(1, m + 1)) if u + v != c or u == 0]
    for u, v in choices:
        nodes |= {(u, v), ((u + a) % n, v), (u ^ 1, v * b % 7)}
        expected.setdefault(((u, v), ((u + a) % n, v)), 1 + u)
    for u, v in choices:
        if (u, v) != (u ^ 1, v * b % 7):
            for pair in (((u, v), (u ^ 1, v * b % 7)), ((u ^ 1, v * b % 7), (u, v))):
                expected.setdefault(pair, 1)
    found = network(text)
    assert found.coordinates is not None
    names = [tuple(row) for row in found.coordinates.tolist()]
    assert set(names) == nodes
    pairs = [(names[u], names[v]) for u, v in zip(found.source.tolist(), found.target.tolist(), strict=True)]
    assert len(pairs) == len(set(pairs))
    assert dict(zip(pairs, found.latency.tolist(), strict=True)) == expected


def test_rules_with_definitions_and_conditions_that_vary() -> None:
    text = """
    n = 12
    far(u) = if u % 3 == 0 then 6 else 1
    {u -- (u + far(u)) % n : 1 + (if not u < 6 then 1 else 0) for u in n}
    """
    graph = nx.Graph(to_networkx(network(text)))
    expected = nx.Graph((u, (u + (6 if u % 3 == 0 else 1)) % 12) for u in range(12))
    assert nx.utils.graphs_equal(nx.Graph(graph.edges), nx.Graph(expected.edges)) or set(
        map(frozenset, graph.edges)
    ) == set(map(frozenset, expected.edges))


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("{a - b}", "a - b is no router", 2),
        ("{ring(3)}", r"ring\(3\) is no router", 2),
        ("{-1 -- 2}", "cannot be negative", 2),
        ("{99999999999 -- 2}", "at most 2147483647", 2),
        ("{a -- b : 0}", "the latency must be at least 1, but it is 0", 11),
        ("{a -- b : ring(3)}", "a latency is a number of cycles", 11),
        ("{a -- b : 2**40}", "at most 2147483647 cycles", 11),
        ("{(0, 1) -- 2}", "this router has 1 coordinates, but the first one of the list has 2", 12),
        ("{u -- (u, 1) for u in 3}", "this router has 2 coordinates, but the first one of the rule has 1", 7),
        ("{u -- u - 1 for u in 3}", "becomes -1", 7),
        ("{u -- u + 2**40 for u in 3}", "they go from 0 to 2147483647", 7),
        ('{u -- "a" for u in 3}', "a router is a number or a position", 7),
        ("{u -- ring(3) for u in 3}", "a router is a number or a position", 7),
        ("{u -- v for u in 3}", "v is not defined; did you mean u|v is not defined; known", 7),
        ("{u -- 0 for u in 0}", "a range of this rule is empty", 1),
        ("{u -- 0 for u in 3 if u > 5}", "no choice of the variables", 2),
        ("{u -- 0 for u in 3 if u}", "if takes a truth value, but u is a number that varies", 23),
        ("{u -- 0 : u for u in 3}", "the latency must be at least 1, but it is 0", 11),
        ("{u -- 0 : u == 1 for u in 3}", "a latency is a number of cycles", 11),
        ("{u -- v for u in 3, v in u}", "u is not defined", 26),
        ("{u -- (if u == 1 then ring(3) else 1) for u in 3}", "both values must be numbers", 7),
        ("{u -- u // (u - 1) for u in 3}", "// by zero", 7),
        ("{u -- u * 2**60 * u for u in 9}", "does not fit 63 bits", 7),
        ("{u -- u ** 40 for u in 9}", "does not fit 63 bits", 7),
        (
            "f(x) = ring(x); {u -- f(u) for u in 9}",
            "ring: k must be a whole number of at least 1, but x is a number that varies",
            13,
        ),
    ],
)
def test_edges_that_cannot_be(text: str, message: str, column: int) -> None:
    with pytest.raises(TextError, match=message) as caught:
        network(text)
    assert caught.value.column == column
