"""Every network prints as a text that reads back identical."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot._base.errors import NetworkError
from unknot.network import Network, from_edges
from unknot.network.tod import network, write

FACTORS = [
    "torus(8, 8)",
    "torus(3, 4, 5, latency=2)",
    "mesh(3, 2)",
    "mesh(4, 3, latency=7)",
    "hypercube(6)",
    "hypercube(0)",
    "hypercube(2, latency=3)",
    "line(2)",
    "line(5)",
    "ring(7)",
    "ring(4, latency=3) * line(3)",
    "ring(4) * line(3, latency=2)",
    "ring(4, directed=true) ** 2",
    "line(1)",
    "ring(5) ** 2 * line(4)",
    "line(4) * line(1)",
    "complete(6)",
    "complete(3, latency=9)",
    "terminals(torus(4, 4), 2)",
    "terminals(mesh(4, 3), 0)",
]


@pytest.mark.parametrize("text", FACTORS)
def test_factors_are_recognised(text: str) -> None:
    comment, words = write(network(text)).splitlines()
    assert words == text
    assert comment == f"# {text}"


@pytest.mark.parametrize(
    "text",
    [
        "line(2)[ring(3)] * line(2) ** 2",
        "ring(8) | {0 -- 4 : 3}",
        "mesh(3, 3) - {(0, 0) -- (0, 1)}",
        "ring(2, double=true) ** 2",
        "{u -> 2*u % 8, u -> (2*u + 1) % 8 for u in 8}",
        'dimensions(torus(3, 3), ["in", "out"])',
        'labels(ring(3), ["a", "a", "for"])',
        'labels(complete(3), ["a", "a", "for"])',
        'terminal_labels(terminals(ring(3), inject=[2, 2], eject=[0, 1]), ["\\n", "\\"\\\\"])',
        "ports({a -> b, b -> a}, [[1, 2], [3, -4]])",
        "{a -- b} * ring(3)",
        "{0, 5 -- 7}",
        "{1 -> 0, 0 -> 0, 2}",
        'coordinates({b -> a, "a b" -> b}, [[5, 0], [0, 1], [2, 0]], radices=[9, 2])',
    ],
)
def test_read_back(text: str) -> None:
    found = network(text)
    again = network(write(found))
    assert again == found
    assert write(again).splitlines()[1:] == write(found).splitlines()[1:]


LABELS = st.text(st.characters(codec="utf-8"), max_size=4) | st.sampled_from(
    ["for", "a", "0", "1", "None", "x y", "é"]
)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Any network at all: loops, parallel channels, terminals anywhere, names of any kind."""
    n = draw(st.integers(1, 6))
    routers = st.integers(0, n - 1)
    ends = draw(st.lists(st.tuples(routers, routers), max_size=10))
    latency = draw(st.lists(st.integers(1, 2**31 - 1), min_size=len(ends), max_size=len(ends)))
    seats = draw(st.none() | st.lists(st.tuples(routers, routers), max_size=5))
    radices: tuple[int, ...] = ()
    coordinates = None
    if draw(st.booleans()):
        radices = tuple(draw(st.lists(st.integers(1, 7), min_size=1, max_size=3)))
        total = int(np.prod(radices))
        if total >= n:
            chosen = draw(st.permutations(range(total)))[:n]
            coordinates = np.stack(np.unravel_index(chosen, radices), axis=1)
    size = n if seats is None else len(seats)
    names = draw(st.none() | st.lists(LABELS, min_size=len(radices), max_size=len(radices))) or ()
    return Network(
        name=draw(LABELS),
        num_routers=n,
        source=[u for u, _ in ends],
        target=[v for _, v in ends],
        latency=latency,
        inject=None if seats is None else [u for u, _ in seats],
        eject=None if seats is None else [v for _, v in seats],
        coordinates=coordinates,
        radices=radices if coordinates is not None else (),
        dimensions=tuple(names) if coordinates is not None else (),
        router_labels=draw(st.none() | st.lists(LABELS, min_size=n, max_size=n)),
        terminal_labels=draw(st.none() | st.lists(LABELS, min_size=size, max_size=size)),
        ports=draw(st.none() | st.just([[i, -i] for i in range(len(ends))])) if ends else None,
    )


@given(networks())
def test_any_network_reads_back_identical(found: Network) -> None:
    assert network(write(found)) == found


def test_edge_lists_of_the_library_read_back() -> None:
    found = from_edges([("b", "a", 3), ("a", "c"), ("c", "b")])
    assert write(found) == "# edges\n{b -- a : 3, a -- c, c -- b}\n"
    assert network(write(found)) == found


def test_each_link_is_written_once_where_the_order_allows() -> None:
    assert (
        write(network("tree(2, 2)")).splitlines()[1] == "undirected({0 -> 1, 0 -> 2, 1 -> 3, 1 -> 4, 2 -> 5, 2 -> 6})"
    )
    assert write(network('labels(star(2), ["c", "b", "a"])')).splitlines()[1] == "undirected({c -> b, c -> a})"
    assert write(network("undirected({1 -> 2, 0 -> 2})")).splitlines()[1] == "{0 -> 2, 1 -- 2, 2 -> 0}"


def test_the_length_follows_the_regularity() -> None:
    assert len(write(network("torus(64, 64)"))) == len(write(network("torus(16, 16)")))


def test_too_irregular_to_be_written() -> None:
    draw = np.random.default_rng(1)
    found = Network("noise", 10**6, draw.integers(0, 10**6, 200_000), draw.integers(0, 10**6, 200_000))
    with pytest.raises(NetworkError, match="and 4000000 can be read back"):
        write(found)


def test_routers_at_one_place_are_refused() -> None:
    twins = Network("twins", 2, [0, 1], [1, 0], coordinates=[[1], [1]], radices=[3])
    with pytest.raises(NetworkError, match="two routers have the same coordinates"):
        write(twins)
