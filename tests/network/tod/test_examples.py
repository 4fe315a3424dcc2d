"""Every file in examples/tod against a construction from the textbook or the paper that introduced the network."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from tests.conformance import check_network
from unknot._base.errors import TextError
from unknot.network import Network, distances_from, measure
from unknot.network import families as topologies
from unknot.network.tod import network, read

FOLDER = Path(__file__).parents[3] / "examples" / "tod"


def cube_connected_cycles(k: int) -> nx.Graph:
    graph = nx.Graph()
    for cube, i in itertools.product(range(2**k), range(k)):
        graph.add_edge((cube, i), (cube, (i + 1) % k))
        graph.add_edge((cube, i), (cube ^ (1 << i), i))
    return graph


def words(d: int, length: int) -> list[tuple[int, ...]]:
    return list(itertools.product(range(d), repeat=length))


def de_bruijn(d: int, length: int) -> nx.DiGraph:
    return nx.DiGraph((w, (*w[1:], a)) for w in words(d, length) for a in range(d))


def undirected_de_bruijn(d: int, length: int) -> nx.Graph:
    graph = nx.Graph(de_bruijn(d, length))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def kautz(d: int, length: int) -> nx.DiGraph:
    names = [w for w in words(d + 1, length) if all(a != b for a, b in itertools.pairwise(w))]
    return nx.DiGraph((w, (*w[1:], a)) for w in names for a in range(d + 1) if a != w[-1])


def shuffle_exchange(length: int) -> nx.Graph:
    graph = nx.Graph()
    for w in words(2, length):
        graph.add_edge(w, (*w[:-1], 1 - w[-1]))
        graph.add_edge(w, (*w[1:], w[0]))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def permutations(n: int, moves: list[Callable[[list[int]], list[int]]]) -> nx.Graph:
    return nx.Graph((p, tuple(move(list(p)))) for p in itertools.permutations(range(n)) for move in moves)


def swapped(letters: list[int], i: int, j: int) -> list[int]:
    letters[i], letters[j] = letters[j], letters[i]
    return letters


def recursive_diagonal_tori(n: int, ranks: Callable[[int, int], tuple[int, ...]]) -> nx.Graph:
    """Each rank from the one below: its two vectors are the sum and the difference of the ones below, times two."""
    vectors = [((1, 0), (0, 1))]
    for _ in range(4):
        (a, b), (c, d) = vectors[-1]
        vectors.append(((2 * (a + c), 2 * (b + d)), (2 * (a - c), 2 * (b - d))))
    graph = nx.Graph()
    for x, y in itertools.product(range(n), repeat=2):
        for rank in (0, *ranks(x, y)):
            for a, b in vectors[rank]:
                graph.add_edge((x, y), ((x + a) % n, (y + b) % n))
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


TEXTBOOK: dict[str, Callable[[], nx.Graph]] = {
    "mesh": lambda: nx.grid_2d_graph(16, 8),
    "torus": lambda: nx.grid_2d_graph(8, 6, periodic=True),
    "k_ary_n_cube": lambda: nx.grid_graph([5, 5, 5], periodic=True),
    "hypercube": lambda: nx.hypercube_graph(6),
    "cube_connected_cycles": lambda: cube_connected_cycles(4),
    "de_bruijn": lambda: de_bruijn(2, 6),
    "de_bruijn_undirected": lambda: undirected_de_bruijn(2, 6),
    "kautz": lambda: kautz(2, 4),
    "shuffle_exchange": lambda: shuffle_exchange(5),
    "star_graph": lambda: permutations(5, [lambda p, i=i: swapped(p, 0, i) for i in range(1, 5)]),  # type: ignore[misc]
    "pancake": lambda: permutations(4, [lambda p, i=i: p[:i][::-1] + p[i:] for i in range(2, 5)]),  # type: ignore[misc]
    "bubble_sort": lambda: permutations(4, [lambda p, i=i: swapped(p, i, i + 1) for i in range(3)]),  # type: ignore[misc]
    "chordal_ring": lambda: nx.circulant_graph(32, [1, 3, 9]),
    "tree": lambda: nx.balanced_tree(2, 5),
    "concentrated_mesh": lambda: nx.grid_2d_graph(4, 4),
    "flattened_butterfly": lambda: nx.cartesian_product(nx.complete_graph(4), nx.complete_graph(4)),
    "petersen": nx.petersen_graph,
}
LABELLED: dict[str, Callable[[], nx.Graph]] = {
    "rdt": lambda: recursive_diagonal_tori(64, lambda x, y: (1, 2, 3, 4)),
    "rdt_one_upper": lambda: recursive_diagonal_tori(128, lambda x, y: (1 + x % 2 + 2 * (y % 2),)),
}
OTHERS = {"irregular", "families", "two_tori"}


def graph_of(found: Network, directed: bool) -> nx.Graph:
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(found.num_routers))
    graph.add_edges_from(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert graph.number_of_edges() * (1 if directed else 2) == found.num_channels
    return graph


@pytest.mark.parametrize("name", sorted(TEXTBOOK))
def test_isomorphic_to_the_textbook(name: str) -> None:
    expected = TEXTBOOK[name]()
    found = graph_of(read(FOLDER / f"{name}.tod"), expected.is_directed())
    assert (nx.is_isomorphic if expected.is_directed() else nx.vf2pp_is_isomorphic)(found, expected)


@pytest.mark.parametrize("name", sorted(LABELLED))
def test_same_links_between_the_same_coordinates(name: str) -> None:
    found, expected = read(FOLDER / f"{name}.tod"), LABELLED[name]()
    at = [tuple(row) for row in found.coordinates.tolist()]  # type: ignore[union-attr]
    links = {frozenset((at[u], at[v])) for u, v in zip(found.source.tolist(), found.target.tolist(), strict=True)}
    assert links == {frozenset(edge) for edge in expected.edges}
    assert found.num_channels == 2 * len(links)


def test_no_example_goes_unchecked() -> None:
    assert {path.stem for path in FOLDER.glob("*.tod")} == set(TEXTBOOK) | set(LABELLED) | OTHERS


@pytest.mark.parametrize(
    "name", sorted((set(TEXTBOOK) | set(LABELLED) | OTHERS) - {"families", "rdt", "rdt_one_upper"})
)
def test_the_others_are_read(name: str) -> None:
    check_network(read(FOLDER / f"{name}.tod"))


def test_the_irregular_network() -> None:
    found = read(FOLDER / "irregular.tod")
    assert found.router_labels == ("lake", "hill", "wood", "rock", "moor", "gateway")
    assert found.num_channels == 14
    assert sorted(found.latency.tolist())[-3:] == [1, 12, 12]


def test_files_that_use_other_files() -> None:
    found = read(FOLDER / "two_tori.tod")
    assert found.num_routers == 96
    assert sorted(set(found.latency.tolist())) == [1, 3, 8]
    with pytest.raises(TextError, match="no network here"):
        read(FOLDER / "families.tod")


def test_attributes_of_the_examples() -> None:
    torus = read(FOLDER / "torus.tod")
    across = torus.coordinates[torus.source, 1] != torus.coordinates[torus.target, 1]  # type: ignore[index]
    assert np.array_equal(torus.latency, np.where(across, 3, 1))
    assert read(FOLDER / "concentrated_mesh.tod").num_terminals == 64
    assert read(FOLDER / "tree.tod").num_terminals == 32
    assert read(FOLDER / "mesh.tod") == topologies.mesh(16, 8)


@pytest.mark.parametrize(
    ("name", "routers", "links", "degree", "diameter"),
    [
        ("cube_connected_cycles", 64, 96, (3, 3), 8),
        ("star_graph", 120, 240, (4, 4), 6),
        ("pancake", 24, 36, (3, 3), 4),
        ("bubble_sort", 24, 36, (3, 3), 6),
        ("hypercube", 64, 192, (6, 6), 6),
        ("k_ary_n_cube", 125, 375, (6, 6), 6),
        ("shuffle_exchange", 32, 46, (1, 3), 9),
        ("de_bruijn_undirected", 64, 125, (2, 4), 6),
        ("petersen", 10, 15, (3, 3), 2),
        ("flattened_butterfly", 16, 48, (6, 6), 2),
    ],
)
def test_published_figures(name: str, routers: int, links: int, degree: tuple[int, int], diameter: int) -> None:
    found = measure(read(FOLDER / f"{name}.tod"))
    assert (found.routers, found.links, (found.degree_min, found.degree_max)) == (routers, links, degree)
    assert found.diameter == diameter


def test_digraphs_reach_as_far_as_published() -> None:
    for name, size, diameter in (("de_bruijn", 64, 6), ("kautz", 24, 4)):
        found = read(FOLDER / f"{name}.tod")
        assert found.num_routers == size
        assert found.num_channels == 2 * size
        assert max(int(distances_from(found, r).max()) for r in range(size)) == diameter


@pytest.mark.long
def test_the_recursive_diagonal_torus_of_the_literature() -> None:
    """Yang, Funahashi, Jouraku, Nishi, Amano & Sueyoshi 2001: 2^16 routers, 8 links each, diameter 11."""
    text = (FOLDER / "rdt_one_upper.tod").read_text(encoding="utf-8").replace("n = 128", "n = 256")
    found = network(text)
    assert set(np.bincount(found.source).tolist()) == {8}
    starts = [x + 256 * y for x in range(2) for y in range(2)]
    assert max(int(distances_from(found, start).max()) for start in starts) == 11
