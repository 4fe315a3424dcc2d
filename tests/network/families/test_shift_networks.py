"""De Bruijn, Kautz and shuffle-exchange networks, word by word, and cube-connected cycles."""

from __future__ import annotations

import itertools
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from tests.conformance import check_network
from unknot._base.errors import NetworkError
from unknot.network import Network, distances_from, measure, to_networkx, tod
from unknot.network.families import cube_connected_cycles, de_bruijn, kautz, shuffle_exchange

EXAMPLES = Path(__file__).parents[3] / "examples" / "tod"
Arcs = set[tuple[str, str]]


def words(letters: int, length: int) -> list[str]:
    return ["".join(word) for word in itertools.product(map(str, range(letters)), repeat=length)]


def arcs(network: Network) -> Arcs:
    names = [network.router_name(r) for r in range(network.num_routers)]
    found = {(names[u], names[v]) for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True)}
    assert len(found) == network.num_channels
    return found


def undirected(given: Arcs) -> Arcs:
    return {pair for u, v in given for pair in ((u, v), (v, u)) if u != v}


def kautz_arcs(d: int, length: int) -> Arcs:
    names = [w for w in words(d + 1, length) if all(a != b for a, b in itertools.pairwise(w))]
    return {(w, (w + a)[1:]) for w in names for a in map(str, range(d + 1)) if a != w[-1]}


@pytest.mark.parametrize(("d", "length"), [(1, 1), (1, 3), (2, 1), (2, 4), (3, 3), (5, 2)])
def test_de_bruijn(d: int, length: int) -> None:
    network = de_bruijn(d, length)
    expected = {(w, (w + a)[1:]) for w in words(d, length) for a in map(str, range(d))}
    assert arcs(network) == expected
    assert arcs(de_bruijn(d, length, directed=False)) == undirected(expected)
    assert list(network.router_labels or ()) == words(d, length)
    assert max(distances_from(network, r).max() for r in range(d**length)) == (0 if d == 1 else length)
    check_network(network)


@pytest.mark.parametrize(("d", "length"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 4), (3, 3), (4, 2)])
def test_kautz(d: int, length: int) -> None:
    network = kautz(d, length)
    assert arcs(network) == kautz_arcs(d, length)
    assert arcs(kautz(d, length, directed=False)) == undirected(kautz_arcs(d, length))
    assert network.num_routers == d**length + d ** (length - 1)
    assert list(network.router_labels or ()) == sorted(network.router_labels or ())
    if d > 1:
        assert max(distances_from(network, r).max() for r in range(network.num_routers)) == length
    check_network(network)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_shuffle_exchange(n: int) -> None:
    exchange = {(w, w[:-1] + str(1 - int(w[-1]))) for w in words(2, n)}
    assert arcs(shuffle_exchange(n)) == undirected(exchange | {(w, w[1:] + w[0]) for w in words(2, n)})
    if n > 1:
        assert measure(shuffle_exchange(n)).diameter == 2 * n - 1


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_cube_connected_cycles(n: int) -> None:
    network = cube_connected_cycles(n, latency=2, cube_latency=7)
    graph = nx.Graph()
    for corner, i in itertools.product(range(2**n), range(n)):
        graph.add_edge((corner, i), (corner, (i + 1) % n))
        graph.add_edge((corner, i), (corner ^ 1 << i, i))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    at = [tuple(row) for row in network.coordinates.tolist()]  # type: ignore[union-attr]
    links = {frozenset((at[u], at[v])) for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True)}
    assert links == {frozenset(edge) for edge in graph.edges}
    assert network.num_channels == 2 * len(links)
    across = network.coordinates[network.source, 0] != network.coordinates[network.target, 0]  # type: ignore[index]
    assert np.array_equal(network.latency, np.where(across, 7, 2))
    assert network.dimensions == ("corner", "position")
    check_network(network)


@pytest.mark.parametrize("n", [4, 5, 6])
def test_diameter_of_cube_connected_cycles(n: int) -> None:
    """Preparata & Vuillemin: 2n + ⌊n / 2⌋ − 2 from n = 4 on."""
    assert measure(cube_connected_cycles(n)).diameter == 2 * n + n // 2 - 2


@pytest.mark.parametrize(
    ("file", "network"),
    [
        ("de_bruijn", de_bruijn(2, 6)),
        ("de_bruijn_undirected", de_bruijn(2, 6, directed=False)),
        ("kautz", kautz(2, 4)),
        ("shuffle_exchange", shuffle_exchange(5)),
        ("cube_connected_cycles", cube_connected_cycles(4)),
    ],
)
def test_the_same_as_the_description_in_the_language(file: str, network: Network) -> None:
    described = tod.read(EXAMPLES / f"{file}.tod")
    assert described.num_channels == network.num_channels
    assert nx.is_isomorphic(nx.DiGraph(to_networkx(described)), nx.DiGraph(to_networkx(network)))


def test_numbers_of_large_networks_are_those_of_small_ones() -> None:
    """Without labels, words are known by their numbers."""
    large = kautz(2, 16)
    assert large.router_labels is None
    assert large.num_routers == 2**16 + 2**15
    assert sorted(np.unique(np.bincount(large.target)).tolist()) == [2]
    assert int(distances_from(large, 12345).max()) == 16
    assert de_bruijn(4, 9).target[: 4 * 4].tolist() == list(range(16))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: de_bruijn(0, 3), "de_bruijn: the degree must be a whole number of at least 1, got 0"),
        (lambda: de_bruijn(2, 0), "de_bruijn: the diameter must be a whole number from 1 to 64, got 0"),
        (lambda: de_bruijn(2, 40), r"de_bruijn\(2, 40\): 2199023255552 channels; the limit is"),
        (lambda: de_bruijn(2, 3, directed=1), "directed must be True or False, got 1"),  # type: ignore[arg-type]
        (lambda: kautz(2.5, 3), "kautz: the degree must be a whole number"),  # type: ignore[arg-type]
        (lambda: shuffle_exchange(0), "the number of bits must be a whole number from 1 to 26"),
        (lambda: cube_connected_cycles(True), "the number of dimensions must be a whole number from 1 to 22"),
        (lambda: cube_connected_cycles(3, latency=0), "at least 1 cycle"),
    ],
)
def test_bad_sizes(build: object, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        build()  # type: ignore[operator]
