"""Levels are found by coordinates or by the hops from the terminals, or are said to be none."""

from __future__ import annotations

import numpy as np

from unknot.network import Network, Places, tod
from unknot.network.families import complete, fat_tree, mesh, xgft
from unknot.network.stages import levels, seated


def bare(network: Network) -> Network:
    """Without coordinates."""
    return Network(
        "bare", network.num_routers, network.source, network.target, inject=network.inject, eject=network.eject
    )


def test_levels_of_fat_trees_by_coordinates_and_by_terminals() -> None:
    for network in (fat_tree(3, 3), xgft([2, 3, 4], [1, 2, 3]), fat_tree(4, 2)):
        expected = np.asarray(network.coordinates)[:, 0].tolist()
        assert levels(network).tolist() == expected  # type: ignore[union-attr]
        assert levels(bare(network)).tolist() == expected  # type: ignore[union-attr]


def test_faults_keep_levels() -> None:
    whole = fat_tree(2, 3)
    left = whole.without(routers=[0, 5, 11])
    kept = left.origin.routers  # type: ignore[union-attr]
    assert np.array_equal(levels(left), np.asarray(whole.coordinates)[kept, 0])


def test_management_terminals_everywhere_do_not_count() -> None:
    tree = fat_tree(2, 2)
    seats = [*tree.inject.tolist(), *range(tree.num_routers)]
    network = Network("managed", tree.num_routers, tree.source, tree.target, inject=seats)
    assert levels(network).tolist() == [0, 0, 1, 1]  # type: ignore[union-attr]
    assert seated(network).tolist() == [True, True, False, False]


def test_no_levels() -> None:
    assert levels(mesh(3, 3)) is None
    assert levels(complete(3)) is None
    assert levels(tod.network("terminals({a -- b -- c -- a}, inject=[0])")) is None
    assert levels(Network("far", 3, [0, 1], [1, 0], inject=[0])) is None


def test_a_level_coordinate_must_fit_the_channels() -> None:
    network = Network(
        "skips",
        3,
        [0, 1, 0],
        [1, 2, 2],
        places=Places(coordinates=[[0], [1], [2]], radices=(3,), dimensions=("level",)),
    )
    assert levels(network) is None
