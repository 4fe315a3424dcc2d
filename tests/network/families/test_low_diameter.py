"""Fat trees, dragonflies, HyperX, Slim Fly and graphs of permutations against their definitions and known figures."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from tests.conformance import check_network
from unknot._base.errors import NetworkError
from unknot.network import Network, measure, to_networkx, tod
from unknot.network.families import (
    bubble_sort,
    complete,
    dragonfly,
    dragonfly_plus,
    fat_tree,
    flattened_butterfly,
    hypercube,
    hyperx,
    pancake,
    polarfly,
    polarstar,
    slim_fly,
    star_graph,
    torus,
    twisted_torus,
    xgft,
)
from unknot.network.families.finite_geometry import field

EXAMPLES = Path(__file__).parents[3] / "examples" / "tod"


def graph(network: Network) -> nx.Graph:
    """As a simple undirected graph, which it must be."""
    found = nx.Graph(to_networkx(network))
    assert 2 * found.number_of_edges() == network.num_channels
    return found


def at(network: Network) -> list[tuple[int, ...]]:
    return [tuple(row) for row in network.coordinates.tolist()]  # type: ignore[union-attr]


def links(network: Network) -> set[frozenset[tuple[int, ...]]]:
    place = at(network)
    return {frozenset((place[u], place[v])) for u, v in zip(network.source, network.target, strict=True)}


def k_ary_n_tree(k: int, n: int) -> set[frozenset[tuple[int, ...]]]:
    """Petrini & Vanneschi: ⟨w, l⟩ and ⟨w′, l + 1⟩ are linked when w and w′ agree in all places but l."""
    return {
        frozenset(((level, *w), (level + 1, *w[:level], letter, *w[level + 1 :])))
        for level in range(n - 1)
        for w in itertools.product(range(k), repeat=n - 1)
        for letter in range(k)
    }


@pytest.mark.parametrize(("k", "n"), [(1, 3), (2, 1), (2, 2), (2, 4), (3, 3), (4, 2)])
def test_k_ary_n_tree(k: int, n: int) -> None:
    network = fat_tree(k, n)
    assert network.num_routers == n * k ** (n - 1)
    assert network.num_terminals == k**n
    assert links(network) == k_ary_n_tree(k, n)
    assert set(np.asarray(network.coordinates)[network.inject, 0].tolist()) == {0}
    assert measure(network).diameter == (2 * (n - 1) if k > 1 else n - 1)
    check_network(network)


@pytest.mark.parametrize(
    ("m", "w"), [([2, 3, 4], [1, 2, 3]), ([3, 2], [1, 5]), ([1, 2, 2], [1, 1, 2]), ([4, 3, 2, 2], [1, 2, 2, 1])]
)
def test_xgft(m: list[int], w: list[int]) -> None:
    """Öhring et al.: levels, their sizes, children and parents, and the recursion from the top."""
    network, h = xgft(m, w), len(m)
    level = np.asarray(network.coordinates)[:, 0]
    for i in range(h):
        assert np.count_nonzero(level == i) == np.prod(m[i + 1 :]) * np.prod(w[: i + 1])
    up = level[network.target] > level[network.source]
    parents = np.bincount(network.source[up], minlength=network.num_routers)
    children = np.bincount(network.source[~up], minlength=network.num_routers)
    for i in range(h):
        assert set(parents[level == i].tolist()) == {w[i + 1] if i + 1 < h else 0}
        assert set(children[level == i].tolist()) == {m[i] if i else 0}
    assert network.num_terminals == np.prod(m)
    below = network.without(routers=np.flatnonzero(level == h - 1).tolist())
    pieces = list(nx.connected_components(graph(below)))
    assert len(pieces) == m[-1]
    smaller = xgft(m[:-1], w[:-1])
    assert all(nx.is_isomorphic(graph(below).subgraph(piece), graph(smaller)) for piece in pieces)


def test_leaf_spine_and_latencies() -> None:
    network = xgft([16, 8], [1, 4], latency=3)
    assert nx.is_isomorphic(graph(network), nx.complete_bipartite_graph(8, 4))
    assert Counter(network.inject.tolist()) == dict.fromkeys(range(8), 16)
    tall = fat_tree(2, 3, latency=[2, 9])
    level = np.asarray(tall.coordinates)[:, 0]
    assert np.array_equal(tall.latency, np.where(np.minimum(level[tall.source], level[tall.target]) == 0, 2, 9))


@pytest.mark.parametrize("arrangement", ["absolute", "relative", "circulant", "random"])
@pytest.mark.parametrize(("a", "p", "h", "g"), [(2, 1, 1, 3), (4, 2, 2, 9), (4, 1, 2, 5), (4, 1, 3, 4), (3, 2, 2, 7)])
def test_dragonfly(a: int, p: int, h: int, g: int, arrangement: str) -> None:
    network = dragonfly(a, p, h, g, arrangement=arrangement, latency=2, global_latency=30)
    group = np.asarray(network.coordinates)[:, 0]
    across = group[network.source] != group[network.target]
    between = Counter(
        zip(group[network.source[across]].tolist(), group[network.target[across]].tolist(), strict=True)
    )
    assert set(between.values()) == {a * h // (g - 1)}
    assert len(between) == g * (g - 1)
    assert np.count_nonzero(~across) == g * a * (a - 1)
    assert np.bincount(network.source[across], minlength=g * a).max() <= h
    assert np.array_equal(network.latency, np.where(across, 30, 2))
    assert Counter(network.inject.tolist()) == dict.fromkeys(range(g * a), p)
    assert measure(network).diameter <= 3  # type: ignore[operator]
    check_network(network)


def test_arrangements_are_those_of_the_literature() -> None:
    """Hastings et al. 2015: global port k of group g in the absolute, relative and circulant arrangement."""
    a, h = 4, 2
    g = a * h + 1

    def led_to(arrangement: str) -> list[list[int]]:
        network = dragonfly(a, 1, h, arrangement=arrangement)
        group, router = np.asarray(network.coordinates).T
        found: list[list[int]] = []
        for here in range(g):
            peers = []
            for r in range(a):
                leaving = (group[network.source] == here) & (router[network.source] == r)
                peers.append(sorted(set(group[network.target[leaving]].tolist()) - {here}))
            found.append([peer for pair in peers for peer in pair])
        return found

    def rows(peer: object) -> list[list[int]]:
        ports = [[peer(i, k) for k in range(a * h)] for i in range(g)]  # type: ignore[operator]
        return [[p for r in range(a) for p in sorted(row[r * h : r * h + h])] for row in ports]

    assert led_to("absolute") == rows(lambda i, k: k if k < i else k + 1)
    assert led_to("relative") == rows(lambda i, k: (i + k + 1) % g)
    assert led_to("circulant") == rows(lambda i, k: (i + k // 2 + 1 if k % 2 == 0 else i - (k + 1) // 2) % g)


def test_balanced_dragonfly() -> None:
    """Kim et al. 2008: a = 2p = 2h, N = ap(ah + 1) terminals."""
    network = dragonfly(8)
    assert network.num_terminals == 8 * 4 * (8 * 4 + 1)
    assert measure(network).diameter == 3
    assert dragonfly(4) == dragonfly(4, 2, 2, 9)
    assert dragonfly(4, arrangement="random", seed=1) != dragonfly(4, arrangement="random", seed=2)
    assert dragonfly(3, 1, 5, 1).num_channels == 6


def test_hyperx_is_a_product_of_complete_graphs() -> None:
    for shape in ([4], [4, 3], [2, 3, 4], [1, 3]):
        network = hyperx(shape)
        product = nx.complete_graph(shape[0])
        for side in shape[1:]:
            product = nx.cartesian_product(product, nx.complete_graph(side))
        assert nx.is_isomorphic(graph(network), product)
        assert (np.diff(network.source) >= 0).all()
        assert measure(network).diameter == sum(side > 1 for side in shape)
        check_network(network)
    place = at(hyperx([3, 4]))
    assert all(sum(a != b for a, b in zip(*pair, strict=True)) == 1 for pair in links(hyperx([3, 4])))
    assert place[1] == (1, 0)
    assert graph(hyperx([2, 2, 2])).edges == graph(hypercube(3)).edges
    assert set(graph(hyperx([6])).edges) == set(graph(complete(6)).edges)


def test_flattened_butterfly() -> None:
    """Kim, Dally & Abts 2007: the k-ary n-flat has k^n terminals and routers of radix n(k − 1) + 1."""
    network = flattened_butterfly(4, 3)
    assert (network.num_terminals, network.num_routers) == (64, 16)
    assert set((np.bincount(network.source) + np.bincount(network.inject)).tolist()) == {3 * 3 + 1}
    assert flattened_butterfly(4, 3, concentration=1).num_terminals == 16
    latency = hyperx([3, 2], 2, latency=[1, 8])
    y = np.asarray(latency.coordinates)[:, 1]
    assert np.array_equal(latency.latency, np.where(y[latency.source] != y[latency.target], 8, 1))


@pytest.mark.parametrize("q", [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 25, 27])
def test_slim_fly(q: int) -> None:
    """McKay, Miller & Širáň 1998: 2q² routers of degree (3q − δ) / 2 and diameter 2."""
    delta = {1: 1, 3: -1, 0: 0}[q % 4]
    network = slim_fly(q)
    found = measure(network)
    degree = (3 * q - delta) // 2
    assert (found.routers, found.degree_min, found.degree_max, found.diameter) == (2 * q * q, degree, degree, 2)
    assert network.num_terminals == 2 * q * q * -(-degree // 2)
    assert found.routers <= 1 + degree**2, "the bound of Moore"
    pairs = set(zip(network.source.tolist(), network.target.tolist(), strict=True))
    assert len(pairs) == network.num_channels
    assert pairs == {(v, u) for u, v in pairs}


def test_slim_fly_of_5_is_the_graph_of_hoffman_and_singleton() -> None:
    assert nx.is_isomorphic(graph(slim_fly(5)), nx.hoffman_singleton_graph())
    assert nx.girth(graph(slim_fly(5))) == 5
    check_network(slim_fly(5, 1))


@pytest.mark.parametrize("q", [2, 3, 4, 8, 9, 25, 27])
def test_fields(q: int) -> None:
    """Sums and products make a field: every element has its opposite, products distribute over sums."""
    power, plus, log = field(q)
    assert sorted(power.tolist()) == list(range(1, q))
    product = np.zeros((q, q), dtype=int)
    product[1:, 1:] = power[(log[1:, None] + log[None, 1:]) % (q - 1)]
    x, y, z = np.meshgrid(range(q), range(q), range(q), indexing="ij")
    assert np.array_equal(plus[plus[x, y], z], plus[x, plus[y, z]])
    assert np.array_equal(plus, plus.T)
    assert (plus == 0).sum() == q
    assert np.array_equal(product[x, plus[y, z]], plus[product[x, y], product[x, z]])


@pytest.mark.parametrize(
    ("family", "name"), [(star_graph, "star_graph"), (pancake, "pancake"), (bubble_sort, "bubble_sort")]
)
def test_permutations_are_those_of_the_language(family: object, name: str) -> None:
    """The same network as the Cayley graph of the example, coordinates and numbers included."""
    described = tod.read(EXAMPLES / f"{name}.tod")
    network: Network = family(described.radices[0])  # type: ignore[operator]
    assert at(network) == at(described)
    assert links(network) == links(described)
    assert network.num_channels == described.num_channels
    check_network(network)


@pytest.mark.parametrize(("n", "diameter"), [(1, 0), (2, 1), (3, 3), (4, 4), (5, 6), (6, 7)])
def test_star_graph(n: int, diameter: int) -> None:
    assert measure(star_graph(n)).diameter == diameter == 3 * (n - 1) // 2


def test_pancakes_and_bubbles() -> None:
    assert [measure(pancake(n)).diameter for n in range(1, 7)] == [0, 1, 3, 4, 5, 7]
    assert [measure(bubble_sort(n)).diameter for n in range(1, 6)] == [0, 1, 3, 6, 10]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: fat_tree(0, 2), "fat_tree: the number of ports k must be a whole number of at least 1, got 0"),
        (lambda: fat_tree(2, 60), r"fat_tree\(2, 60\): \d+ channels; the limit is"),
        (lambda: fat_tree(2, 3, latency=[1]), "one latency, or 2 from the leaves upward, are needed; got 1"),
        (lambda: fat_tree(2, 3, latency=0), "a latency must be a whole number of at least 1, got 0"),
        (lambda: xgft([4, 4], [1]), "as many numbers of parents as of children"),
        (lambda: xgft([], []), "at least one; got 0"),
        (lambda: xgft([4, 4], [2, 4]), "a terminal has one switch, so the first number of parents is 1, got 2"),
        (lambda: xgft(4, [1]), "children is a list of numbers"),  # type: ignore[arg-type]
        (lambda: xgft([4, 0], [1, 2]), "each of the children must be a whole number of at least 1, got 0"),
        (lambda: dragonfly(3), r"dragonfly\(3\): with a odd, p and h must be given"),
        (lambda: dragonfly(4, 2, 2, 10), "8 global links of a group reach 9 groups at most, not 10"),
        (lambda: dragonfly(4, arrangement="palm"), "unknown arrangement 'palm'; known: absolute, circulant"),
        (lambda: dragonfly(4, arrangement="random", seed=-1), "the seed must be a whole number of at least 0"),
        (lambda: dragonfly(1000), "channels; the limit is"),
        (lambda: hyperx([]), "the shape is a list of the positions in each dimension"),
        (lambda: hyperx(4), "the shape is a list"),  # type: ignore[arg-type]
        (lambda: hyperx([4, 0]), "each number of the shape must be a whole number of at least 1, got 0"),
        (lambda: hyperx([4, 4], latency=[1]), "one latency, or 2 for the dimensions, are needed; got 1"),
        (lambda: hyperx([4, 4], -1), "the concentration must be a whole number of at least 0, got -1"),
        (lambda: hyperx([1000, 1000]), "channels; the limit is"),
        (lambda: flattened_butterfly(4, 1), "the number n of stages must be a whole number from 2 to 64"),
        (lambda: slim_fly(6), r"slim_fly\(6\): q must be a prime power of the form .* are 3, 4, 5, 7, 8, 9, 11, 13$"),
        (lambda: slim_fly(2), "q must be a whole number of at least 3"),
        (lambda: slim_fly(1009), "channels; the limit is"),
        (lambda: star_graph(11), "the number of letters must be a whole number from 1 to 10, got 11"),
    ],
)
def test_bad_sizes(build: object, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        build()  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    [
        "fat_tree(3, 2)",
        "xgft([2, 3, 2], [1, 2, 2], latency=[1, 4])",
        "dragonfly(4, groups=5)",
        'dragonfly(2, arrangement="circulant", global_latency=9)',
        "hyperx([3, 2], 2)",
        "flattened_butterfly(3, 3)",
        "slim_fly(3)",
        "star_graph(3)",
        "cube_connected_cycles(3)",
        "de_bruijn(2, 3)",
        "kautz(2, 2, directed=false)",
        "shuffle_exchange(3)",
        "random_regular(8, 3, 4)",
        "irregular(6, 3, 2, links=7)",
        "petersen()",
        "chordal_ring(14, [5, -5])",
    ],
)
def test_the_language_says_them(text: str) -> None:
    check_network(tod.network(text))


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9])
def test_polarfly(q: int) -> None:
    """Degree q + 1 but for q + 1 routers of degree q; any two routers have at most one neighbour in common."""
    network = polarfly(q)
    figures = measure(network)
    assert (figures.routers, figures.degree_min, figures.degree_max, figures.diameter) == (q * q + q + 1, q, q + 1, 2)
    neighbours = nx.to_numpy_array(graph(network), dtype=int)
    assert sorted(Counter(neighbours.sum(axis=0).tolist()).items()) == [(q, q + 1), (q + 1, q * q)]
    common = neighbours @ neighbours
    assert common[~np.eye(len(common), dtype=bool)].max() == 1
    check_network(network)


@pytest.mark.parametrize(("q", "inner"), [(2, 0), (2, 7), (3, 3), (4, 4), (5, 3), (3, 8)])
def test_polarstar(q: int, inner: int) -> None:
    network = polarstar(q, inner)
    figures = measure(network)
    routers, degree = (q * q + q + 1) * (2 * inner + 2), q + 1 + inner
    assert (figures.routers, figures.degree_min, figures.degree_max, figures.diameter) == (routers, degree, degree, 3)
    assert len(graph(network).edges) == figures.links == routers * degree // 2
    check_network(network)


@pytest.mark.parametrize(("call", "hint"), [(lambda: polarfly(6), "5, 7"), (lambda: polarstar(3, 5), "4 and 7")])
def test_what_cannot_be_is_refused_with_what_can(call: Callable[[], Network], hint: str) -> None:
    with pytest.raises(NetworkError, match=hint):
        call()


@pytest.mark.parametrize("network", [dragonfly_plus(2), dragonfly_plus(3, h=1), dragonfly_plus(4, groups=5)])
def test_dragonfly_plus(network: Network) -> None:
    """Leaves and spines of a group are linked completely, spines of groups with each other, groups equally often."""
    at = network.coordinates
    assert at is not None
    assert tod.network(network.name).num_channels == network.num_channels
    between: Counter[tuple[int, int]] = Counter()
    for u, v in graph(network).edges:
        if at[u, 0] == at[v, 0]:
            assert {int(at[u, 1]), int(at[v, 1])} == {0, 1}
        else:
            assert at[u, 1] == at[v, 1] == 1
            between[int(at[u, 0]), int(at[v, 0])] += 1
    groups, _, leaves = network.radices or (0, 0, 0)
    assert len(between) == groups * (groups - 1) // 2
    assert len(set(between.values())) == 1
    assert (at[network.inject, 1] == 0).all()
    assert dragonfly_plus(leaves, 1, groups=groups).num_terminals == leaves * groups
    inside = nx.subgraph(graph(network), range(2 * leaves))
    assert nx.is_isomorphic(inside, nx.complete_bipartite_graph(leaves, leaves))
    check_network(network)


@pytest.mark.parametrize(("sides", "twist"), [((8, 4), 4), ((6, 3), 3), ((8, 4, 4), 4), ((5, 3), 0), ((7, 4, 3), 2)])
def test_twisted_torus(sides: tuple[int, ...], twist: int) -> None:
    """A lattice: a step past the last position of a later dimension adds the twist to the first coordinate."""
    network = twisted_torus(*sides, twist=twist)
    expected = nx.Graph()
    for at in itertools.product(*map(range, sides)):
        for dimension in range(len(sides)):
            to = list(at)
            to[dimension] += 1
            if to[dimension] == sides[dimension] and dimension:
                to[0] += twist
            expected.add_edge(at, tuple(k % side for k, side in zip(to, sides, strict=True)))
    number = {at: sum(k * int(np.prod(sides[:i])) for i, k in enumerate(at)) for at in expected}
    assert {frozenset(number[end] for end in link) for link in expected.edges} == {
        frozenset(link) for link in graph(network).edges
    }
    check_network(network)
    if not twist:
        assert np.array_equal(network.target, torus(*sides).target)


def test_the_rectangular_twisted_torus_has_the_diameter_of_its_source() -> None:
    assert measure(twisted_torus(8, 4)).diameter == 4
    assert measure(twisted_torus(16, 8)).diameter == 8
