"""Chains, trees, multistage and complete bipartite networks are found and show what they are."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot.network import Network, from_edges, from_networkx
from unknot.network.families import ring
from unknot.report.placement import placement
from unknot.report.structure import by_structure
from unknot.verify.testing import networks


def bare(graph: nx.Graph) -> Network:
    """Routers and channels of a graph, numbered as it lists its nodes."""
    return from_networkx(nx.convert_node_labels_to_integers(graph))


def butterfly(n: int) -> Network:
    """Stages of 2^n routers, joined as the butterfly of n dimensions, in one direction."""
    size = 2**n
    edges = [(s * size + r, (s + 1) * size + (r ^ bit)) for s in range(n) for r in range(size) for bit in (0, 1 << s)]
    return from_edges(edges, directed=True)


def shuffled(network: Network, seed: int) -> Network:
    """The same network with its routers numbered otherwise."""
    number = np.random.default_rng(seed).permutation(network.num_routers)
    return Network("shuffled", network.num_routers, number[network.source], number[network.target])


def gaps(network: Network) -> np.ndarray:
    z = placement(network)
    apart = np.abs(z[:, None] - z[None, :])
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1))


@pytest.mark.parametrize("seed", range(4))
def test_a_ring_without_coordinates_is_a_circle(seed: int) -> None:
    network = shuffled(ring(24), seed)
    z = placement(network)
    assert np.ptp(np.abs(z)) < 1e-9
    lengths = np.abs(z[network.source] - z[network.target])
    assert np.allclose(lengths, 1.0, atol=0.01)


def test_a_ring_one_way_and_of_three() -> None:
    for edges in ([(0, 1), (1, 2), (2, 0)], [(0, 2), (2, 4), (4, 1), (1, 3), (3, 0)]):
        assert np.ptp(np.abs(placement(from_edges(edges, directed=True)))) < 1e-9


@pytest.mark.parametrize("k", [161, 200, 1000, 1999])
def test_a_long_ring_has_room(k: int) -> None:
    network = ring(k)
    z = placement(network)
    length = np.abs(z[network.source] - z[network.target])
    assert gaps(network).min() > 0.6
    assert length.max() < 2.8 * np.median(length)
    assert np.ptp(z.real) * np.ptp(z.imag) < 6 * k


def test_a_line_without_coordinates_is_a_line() -> None:
    z = placement(from_edges([(3, 1), (1, 4), (4, 0), (0, 2)]))
    assert z[[2, 0, 4, 1, 3]].tolist() == [0, 1, 2, 3, 4]


@given(st.integers(2, 40), st.randoms(use_true_random=False))
def test_trees_stand_in_layers_without_crossings(n: int, random: object) -> None:
    parents = [random.randrange(i) for i in range(1, n)]  # type: ignore[attr-defined]
    network = from_edges([(parent, i) for i, parent in enumerate(parents, start=1)])
    z = placement(network)
    degree = np.bincount(network.source, minlength=n)
    if degree.max() <= 2 or degree.max() == n - 1:
        return
    centre = nx.center(nx.Graph([(p, i) for i, p in enumerate(parents, start=1)]))
    depth = nx.single_source_shortest_path_length(
        nx.Graph(list(zip(network.source, network.target, strict=True))), min(centre)
    )
    step = np.unique(np.round(z.imag, 9))
    assert [round(float(z[r].imag), 9) for r in range(n)] == [step[depth[r]] for r in range(n)]
    for level in range(len(step)):
        rows = [r for r in range(n) if depth[r] == level]
        order = sorted(rows, key=lambda r: z[r].real)
        assert all(z[b].real - z[a].real > 0.4 for a, b in pairwise(order))
        above = [
            next(v for v in network.target[network.source == r] if depth[int(v)] < level) for r in order if level
        ]
        assert all(z[a].real <= z[b].real for a, b in pairwise(above))


@pytest.mark.parametrize("leaves", [3, 30, 999])
def test_a_star_stands_round_its_hub(leaves: int) -> None:
    network = from_edges([(leaves, i) for i in range(leaves)])
    z = placement(network)
    assert abs(z[leaves]) < 1e-9
    turn = np.sort(np.angle(z[:leaves]))
    assert np.allclose(np.diff(turn), 2 * np.pi / leaves)
    assert gaps(network).min() > 0.5


@pytest.mark.parametrize(("branches", "depth"), [(2, 9), (3, 6), (10, 3)])
def test_large_trees_stand_in_circles(branches: int, depth: int) -> None:
    network = bare(nx.balanced_tree(branches, depth))
    z = placement(network)
    level = nx.single_source_shortest_path_length(nx.balanced_tree(branches, depth), 0)
    reach = np.array([abs(z[r]) for r in range(network.num_routers)])
    assert np.allclose(reach, reach.max() * np.array([level[r] for r in range(network.num_routers)]) / depth)
    assert gaps(network).min() > 0.5


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_stages_stand_in_columns_in_their_order(n: int) -> None:
    network = butterfly(n)
    z = placement(network)
    stage = np.arange(network.num_routers) // 2**n
    if n == 1:
        assert by_structure(network) is not None
        return
    columns = np.unique(np.round(z.real, 9))
    assert len(columns) == n + 1
    assert np.allclose(z.real, columns[stage])
    assert np.allclose(z.imag.reshape(n + 1, -1), z.imag[: 2**n])


def test_two_sides() -> None:
    z = placement(bare(nx.complete_bipartite_graph(4, 6)))
    assert len(set(z.imag[:4])) == len(set(z.imag[4:])) == 1
    assert z.imag[0] < z.imag[4]


@pytest.mark.parametrize(
    "graph",
    [
        nx.petersen_graph(),
        nx.cycle_graph(5).to_directed(),
        nx.hypercube_graph(3),
        nx.complete_graph(5),
        nx.wheel_graph(7),
    ],
)
def test_only_what_it_is(graph: nx.Graph) -> None:
    known = nx.is_isomorphic(graph.to_undirected(), nx.cycle_graph(5))
    assert (by_structure(bare(graph)) is not None) == known


@given(networks(max_routers=7, max_channels=14, loops=True, strongly_connected=None))
def test_everybody_has_a_place_of_his_own(network: Network) -> None:
    if network.num_routers > 1:
        assert np.isfinite(placement(network)).all()
        assert gaps(network).min() > 0.1
