"""Routers stand apart, near their neighbours, and always in the same places."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from unknot.network import Network, Places, from_edges
from unknot.network.families import (
    complete,
    cube_connected_cycles,
    dragonfly,
    fat_tree,
    hypercube,
    line,
    mesh,
    ring,
    slim_fly,
    star_graph,
    torus,
    xgft,
)
from unknot.report.placement import placement


def irregular() -> Network:
    graph = nx.random_regular_graph(4, 48, seed=3)
    return from_edges([(f"S{a}", f"S{b}") for a, b in graph.edges], name="irregular")


def leaf_spine(management: int = 0) -> Network:
    links = [(f"leaf{i}", f"spine{j}") for i in range(6) for j in range(3)]
    network = from_edges(links, name="leaf-spine")
    leaves = [r for r in range(network.num_routers) if network.router_name(r).startswith("leaf")]
    seats = leaves * 4 + list(range(network.num_routers)) * management
    return Network(
        "leaf-spine",
        network.num_routers,
        network.source,
        network.target,
        inject=seats,
        places=Places(router_labels=network.router_labels),
    )


NETWORKS = {
    "one": mesh(1),
    "two": mesh(2),
    "line": line(60),
    "ring": ring(24),
    "mesh": mesh(4, 7),
    "torus": torus(8, 8),
    "cube": torus(4, 4, 4),
    "four dimensions": torus(3, 3, 3, 3),
    "hypercube": hypercube(6),
    "complete": complete(12),
    "flat sides": mesh(1, 5, 1),
    "irregular": irregular(),
    "leaf-spine": leaf_spine(),
    "loops and twins": from_edges([(0, 1), (0, 1), (1, 2), (2, 2), (2, 3)]),
    "pieces": Network("pieces", 7, [0, 1, 3, 4], [1, 0, 4, 3]),
    "no channels": Network("no channels", 5, [], []),
    "faults": torus(6, 6).without(routers=[7, 8]),
    "fat tree": fat_tree(4, 3),
    "half a fat tree": fat_tree(3, 3).without(routers=[0, 1, 2, 9, 20]),
    "dragonfly": dragonfly(4),
    "a group of a dragonfly": dragonfly(4, 1, 1, 1),
    "half a dragonfly": dragonfly(4).without(routers=[0, 1, 2, 5, 20]),
    "cube-connected cycles": cube_connected_cycles(4),
    "Slim Fly": slim_fly(5),
    "permutations": star_graph(4),
}


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("name", NETWORKS)
def test_routers_stand_apart(name: str) -> None:
    z = placement(NETWORKS[name])
    apart = np.abs(z[:, None] - z[None, :])
    np.fill_diagonal(apart, np.inf)
    assert z.shape == (NETWORKS[name].num_routers,)
    assert np.isfinite(z).all()
    assert apart.min() > 0.12


@pytest.mark.sampled(0.05)
@pytest.mark.parametrize("name", NETWORKS)
def test_the_same_network_stands_the_same_way(name: str) -> None:
    assert np.array_equal(placement(NETWORKS[name]), placement(NETWORKS[name]))


def test_a_ring_is_a_circle_and_a_line_is_not() -> None:
    assert np.ptp(np.abs(placement(ring(24)))) < 1e-9
    assert np.ptp(np.abs(placement(line(24)))) > 1


def test_grid_neighbours_are_one_apart() -> None:
    network = mesh(5, 4)
    z = placement(network)
    assert np.allclose(np.abs(z[network.source] - z[network.target]), 1.0)


def test_dimension_0_runs_right_and_dimension_1_up() -> None:
    z = placement(mesh(5, 4))
    assert z[1] - z[0] == 1.0
    assert z[5] - z[0] == -1.0j


@pytest.mark.parametrize("management", [0, 1])
def test_leaves_and_spines_stand_in_two_rows(management: int) -> None:
    network = leaf_spine(management)
    z = placement(network)
    leaf = np.array([network.router_name(r).startswith("leaf") for r in range(network.num_routers)])
    assert len(set(z.imag[leaf])) == len(set(z.imag[~leaf])) == 1
    assert z.imag[leaf].min() > z.imag[~leaf].max()


def test_a_layout_by_distance_keeps_neighbours_nearer_than_strangers() -> None:
    network = irregular()
    z = placement(network)
    apart = np.abs(z[:, None] - z[None, :])
    linked = apart[network.source, network.target].mean()
    assert linked < 0.6 * apart[np.triu_indices(48, 1)].mean()


def test_a_fat_tree_stands_in_levels_with_its_terminals_at_the_bottom() -> None:
    network = xgft([2, 3, 2], [1, 2, 3])
    z, level = placement(network), np.asarray(network.coordinates)[:, 0]
    heights = [np.unique(z.imag[level == i]) for i in range(3)]
    assert [found.size for found in heights] == [1, 1, 1]
    assert heights[0] > heights[1] > heights[2]


@pytest.mark.parametrize(
    ("network", "leading"), [(dragonfly(4), 1), (cube_connected_cycles(3), 1), (slim_fly(5), 2)], ids=str
)
def test_a_cluster_stands_in_a_circle_apart_from_the_others(network: Network, leading: int) -> None:
    z, at = placement(network), np.asarray(network.coordinates)
    cluster = np.unique(at[:, :leading], axis=0, return_inverse=True)[1].reshape(-1)
    centre = np.array([z[cluster == i].mean() for i in range(cluster.max() + 1)])
    reach = np.abs(z - centre[cluster])
    assert np.ptp(reach) < 1e-9
    apart = np.abs(centre[:, None] - centre[None, :]) + np.diag(np.full(centre.size, np.inf))
    assert apart.min() > 2 * reach.max() + 1


def test_coordinates_that_are_letters_of_permutations_place_nothing() -> None:
    z = placement(star_graph(4))
    apart = np.abs(z[:, None] - z[None, :])
    linked = apart[star_graph(4).source, star_graph(4).target]
    assert linked.max() < 0.6 * apart.max()
