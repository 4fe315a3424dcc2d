"""Permitted shortest paths against enumeration, on random relations and on the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial, fsum

import numpy as np
import pytest
from hypothesis import given

from tests.reference.shortest_paths import shortest_paths as listed
from tests.reference.shortest_paths import starts, taken
from tests.strategies import networks, relations, table_relation
from unknot.network import Network, from_edges
from unknot.network.families import mesh, torus
from unknot.routing import (
    EJECT,
    Relation,
    dimension_order,
    duato,
    fully_adaptive,
    o1turn,
    odd_even,
    planar_adaptive,
    shortest_paths,
    vba,
    west_first,
)
from unknot.verify.adaptivity import adaptivity
from unknot.verify.minimal_paths import forbidden_path, path_counts


def by_enumeration(relation: Relation) -> dict[tuple[int, int], tuple[int, int]]:
    """Permitted and all shortest paths of every pair."""
    network, found = relation.network, {}
    for source in range(network.num_terminals):
        for home in range(network.num_terminals):
            a, b = int(network.inject[source]), int(network.eject[home])
            paths = list(listed(network, a, b))
            if a != b and source != home and paths and starts(relation, source, home):
                full = sum(taken(relation, source, home, path) > len(path) for path in paths)
                found[source, home] = full, len(paths)
    return found


def compare(relation: Relation) -> int:
    expected = by_enumeration(relation)
    counted = {
        (int(source), counts.home): counts.exact(i)
        for counts in path_counts(relation)
        for i, source in enumerate(counts.sources)
    }
    assert counted == expected
    found = adaptivity(relation)
    shares = [a / b for a, b in expected.values()]
    assert found.pairs == len(expected)
    assert found.mean == pytest.approx(fsum(shares) / len(shares) if shares else 1.0)
    assert found.worst == pytest.approx(min(shares, default=1.0))
    assert (found.permitted, found.paths) == tuple(np.sum([*expected.values()], axis=0) if expected else (0, 0))
    assert found.fully_adaptive == all(a == b for a, b in expected.values())
    assert found.adaptive_pairs == sum(a == b for a, b in expected.values())
    if found.worst_pair is not None:
        assert expected[found.worst_pair] == (found.worst_permitted, found.worst_paths)
    assert (found.forbidden is None) == found.fully_adaptive
    if found.forbidden is not None:
        path = found.forbidden
        network = relation.network
        all_paths = list(listed(network, int(network.inject[path.source]), int(network.eject[path.destination])))
        assert path.channels in all_paths
        assert taken(relation, path.source, path.destination, path.channels) == path.refused
        assert path.refused == min(taken(relation, path.source, path.destination, p) for p in all_paths)
        lacking = [
            len(next(listed(network, int(network.inject[s]), int(network.eject[d]))))
            for (s, d), (a, b) in expected.items()
            if a < b
        ]
        assert len(path.channels) == min(lacking)
    for (source, home), (a, b) in expected.items():
        assert (forbidden_path(relation, source, home) is None) == (a == b)
    return 0 if found.fully_adaptive else 1


@given(relations(networks(max_routers=5, max_channels=10)))
def test_counts_are_those_of_enumeration_on_random_relations(relation: Relation) -> None:
    compare(relation)


@given(
    relations(networks(max_routers=6, max_channels=14, free_terminals=False), kinds=["minimal", "escape"], max_vcs=3)
)
def test_counts_where_paths_are_many(relation: Relation) -> None:
    compare(relation)


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize(
    "algorithm", [dimension_order, duato, fully_adaptive, o1turn, odd_even, planar_adaptive, vba, west_first]
)
def test_counts_are_those_of_enumeration_on_algorithms(algorithm: Callable[..., Relation]) -> None:
    compare(algorithm(mesh(4, 3)))
    if algorithm in (planar_adaptive, west_first, vba):
        compare(algorithm(mesh(3, 2, 2)))


def test_closed_forms() -> None:
    """Numbers of paths between opposite corners; west-first as Glass & Ni count it."""
    everything = adaptivity(fully_adaptive(mesh(5, 4)))
    assert everything.fully_adaptive
    assert everything.mean == everything.worst == 1.0
    ordered = adaptivity(dimension_order(mesh(5, 4)))
    assert (ordered.worst_permitted, ordered.worst_paths) == (1, comb(7, 3))
    assert ordered.permitted == ordered.pairs == 20 * 19
    cube = adaptivity(dimension_order(mesh(3, 3, 3)))
    assert (cube.worst_permitted, cube.worst_paths) == (1, factorial(6) // 8)
    west = adaptivity(west_first(mesh(4, 4)))
    assert west.adaptive_pairs == sum(
        dx >= 0 or dy == 0 or dx == 0
        for x in range(4) for y in range(4) for u in range(4) for v in range(4)
        for dx, dy in [(u - x, v - y)] if (dx, dy) != (0, 0)
    )  # fmt: skip


def test_numbers_beyond_64_bits_are_exact() -> None:
    """Only the corners send, over up to 78 hops."""
    found = adaptivity(fully_adaptive(_corners(40)))
    assert found.permitted == found.paths == 4 * comb(78, 39) + 8 > 2**64
    assert found.fully_adaptive
    ordered = adaptivity(dimension_order(_corners(40)))
    assert (ordered.worst_permitted, ordered.worst_paths) == (1, comb(78, 39))
    assert ordered.worst == 1 / comb(78, 39)
    assert ordered.paths == 4 * comb(78, 39) + 8


def test_as_many_paths_as_there_can_be() -> None:
    """64 hops with two channels each: 2^64 paths, the least that a word cannot hold."""
    step = np.repeat(np.arange(64), 2)
    back = np.arange(64)
    line = Network(
        name="doubled",
        num_routers=65,
        source=np.concatenate([step, back + 1]),
        target=np.concatenate([step + 1, back]),
        inject=np.array([0, 64]),
        eject=np.array([0, 64]),
    )
    found = adaptivity(shortest_paths(line))
    assert (found.permitted, found.paths, found.worst_paths) == (2, 2**64 + 1, 2**64)


def _corners(k: int):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    network = mesh(k, k)
    corners = np.array([0, k - 1, k * (k - 1), k * k - 1])
    return replace(network, inject=corners, eject=corners)


def test_several_addresses_are_choices_of_the_source() -> None:
    """O1TURN: a route of each dimension order, so two paths wherever both dimensions differ."""
    found = adaptivity(o1turn(mesh(4, 4)))
    assert found.permitted == 240 + 144
    assert found.worst_permitted == 2


def test_progress_and_many_vcs() -> None:
    """More than 64 VCs per channel."""
    seen: list[tuple[int, int]] = []
    found = adaptivity(
        fully_adaptive(torus(3, 3), 70), progress=lambda stage, done, total: seen.append((done, total))
    )
    assert found.fully_adaptive
    assert seen == [(i, 9) for i in range(1, 10)]


@pytest.mark.parametrize(("vcs", "ends", "ejects"), [(2, 3, 2), (70, 3, 71), (70, 71, 3), (70, 70, 71)])
def test_sets_of_vcs_are_those_of_one_way_alone(vcs: int, ends: int, ejects: int) -> None:
    """Three ways over the last channel: to a VC from which packets eject, or to one where they end."""
    network = from_edges([(0, 2), (1, 2), (2, 3)], directed=True)
    terminal = 2 + vcs
    table = {(terminal, 3): [0], (terminal + 1, 3): [1], (terminal + 2, 3): [ejects], (0, 3): [ends], (1, 3): [ends]}
    relation = table_relation(network, [1, 1, vcs], {**table, (ejects, 3): [EJECT], (ends, 3): []})
    *_, counts = path_counts(relation)
    assert [counts.exact(i) for i in range(3)] == [(0, 1), (0, 1), (1, 1)]
