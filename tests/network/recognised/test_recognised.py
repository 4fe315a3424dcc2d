"""Recognition of structures: families without and with faults, whatever their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unknot.fabrics.named import network
from unknot.network import Network
from unknot.network.families import fat_tree, mesh, torus
from unknot.network.grid import grid
from unknot.network.recognised import recognised
from unknot.routing import dimension_order, nca
from unknot.verify import check

FAMILIES = {
    "fat_tree(4, 2)": ("fat tree", (4, 4)),
    "fat_tree(4, 3)": ("fat tree", (16, 16, 16)),
    "torus(5, 6)": ("torus", (5, 6)),
    "torus(4, 8)": ("torus", (4, 8)),
    "torus(3, 5, 6)": ("torus", (3, 5, 6)),
    "mesh(4, 5)": ("mesh", (4, 5)),
    "mesh(8, 8)": ("mesh", (8, 8)),
    "hypercube(5)": ("hypercube", (2,) * 5),
    "hyperx([4, 6])": ("HyperX", (4, 6)),
    "complete(7)": ("HyperX", (7,)),
    "dragonfly(4)": ("dragonfly", None),
    "ring(9)": ("torus", (9,)),
    "petersen()": ("none", None),
    "slim_fly(5)": ("none", None),
}


def renumbered(whole: Network, seed: int) -> Network:
    """The network without names and coordinates, its routers in another order."""
    order = np.random.default_rng(seed).permutation(whole.num_routers)
    return Network(
        "renumbered", whole.num_routers, order[whole.source], order[whole.target], inject=order[whole.inject]
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_families_are_recognised_by_their_cables_alone(name: str) -> None:
    kind, sizes = FAMILIES[name]
    found = recognised(renumbered(network(name), 1))
    assert (found.kind, found.differences) == (kind, ())
    if found.level is not None and sizes is not None:
        assert tuple(np.bincount(found.level)) == sizes
    elif sizes is not None:
        assert tuple(sorted(found.radices)) == sizes


@given(st.sampled_from(["torus(5, 6)", "mesh(5, 6)", "fat_tree(4, 3)", "hypercube(5)"]), st.integers(0, 10**6))
def test_a_missing_link_is_the_difference(name: str, seed: int) -> None:
    whole = renumbered(network(name), seed)
    channel = seed % whole.num_channels
    ends = {int(whole.source[channel]), int(whole.target[channel])}
    found = recognised(whole.without(links=[tuple(ends)]))
    assert found.kind == recognised(whole).kind
    assert [({*one.near, *one.far}, one.count) for one in found.differences] == [(ends, 1)]


@given(st.integers(0, 10**6))
def test_coordinates_are_those_of_neighbours(seed: int) -> None:
    whole = renumbered(torus(4, 5, 6), seed)
    found = recognised(whole)
    assert found.coordinates is not None
    apart = (found.coordinates[whole.source] - found.coordinates[whole.target]) % np.array(found.radices)
    assert ((apart != 0).sum(axis=1) == 1).all()
    assert len({tuple(row) for row in found.coordinates.tolist()}) == whole.num_routers


def test_planes_are_recognised_apart() -> None:
    tree = fat_tree(4, 2)
    both = Network(
        "two planes", 16, np.concatenate([tree.source, tree.source + 8]),
        np.concatenate([tree.target, tree.target + 8]), inject=np.concatenate([tree.inject, tree.inject + 8]),
    )  # fmt: skip
    found = recognised(both)
    assert found.kind == "fat tree"
    assert found.words.startswith("2 planes, each a fat tree of 2 levels")


def test_one_way_channels_have_no_structure() -> None:
    assert recognised(Network("one way", 3, [0, 1, 2], [1, 2, 0])).kind == "none"


def test_dimension_order_takes_a_torus_without_coordinates() -> None:
    assert check(dimension_order(renumbered(mesh(4, 5), 3))).deadlock_free
    assert grid(renumbered(torus(5, 6), 4)).wraps.all()


def test_nca_leaves_a_stray_cable_alone() -> None:
    tree = renumbered(fat_tree(4, 2), 5)
    leaves = np.unique(tree.inject)[:2]
    stray = Network("stray", 8, [*tree.source, *leaves], [*tree.target, *leaves[::-1]], inject=tree.inject)
    relation = nca(stray)
    assert check(relation).deadlock_free
