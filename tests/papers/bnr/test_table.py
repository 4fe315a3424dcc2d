"""The BNR table against enumeration, and what is concluded from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.shortest_paths import lacking, shortest_paths, starts, taken
from tests.strategies import relations
from unknot.network import Network, Places, from_edges, grid
from unknot.network.families import hypercube, mesh, petersen, torus
from unknot.network.grid import whole_grid
from unknot.network.tod import network
from unknot.routing import (
    Relation,
    dimension_order,
    duato,
    fully_adaptive,
    lcfaa,
    o1turn,
    pbfaa,
    planar_adaptive,
    up_down,
    vba,
)
from unknot.verify import adaptivity, check, deliver
from unknot_papers.bnr.table import bnr, conclude, directions

MESHES = [mesh(3), mesh(3, 3), mesh(2, 2, 2), mesh(3, 1, 2)]
OTHERS = [
    torus(4),
    torus(3, 3),
    torus(4, 3),
    network("ring(2, double=true) * line(2)"),
    network("ring(4, directed=true) * line(2)"),
    petersen(),
    mesh(3, 3).without(routers=[4]),
]


def compare(relation: Relation) -> None:
    """Every class by its definition: all messages, all their shortest paths, written out."""
    network = relation.network
    messages: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for source in range(network.num_terminals):
        for home in range(network.num_terminals):
            ends = int(network.inject[source]), int(network.eject[home])
            if ends[0] != ends[1] and source != home and starts(relation, source, home):
                messages.setdefault(signs_of(network, *ends), []).append((source, home))
    table = bnr(relation)
    assert len({row.signs for row in table}) == len(table)
    assert messages.keys() <= {row.signs for row in table}
    for row in table:
        mine = messages.get(row.signs, [])
        refused = {}
        for source, home in mine:
            paths = list(shortest_paths(network, int(network.inject[source]), int(network.eject[home])))
            if any(taken(relation, source, home, path) <= len(path) for path in paths):
                refused[source, home] = len(paths[0])
        assert row.pairs == len(mine)
        assert row.full_pairs == len(mine) - len(refused)
        assert row.provided == (not refused)
        if row.forbidden is None:
            assert row.provided
        else:
            path = row.forbidden
            assert (path.source, path.destination) in refused
            assert len(path.channels) == min(refused.values())
            assert taken(relation, path.source, path.destination, path.channels) == path.refused
            assert row.forbidden.describe(relation).count("→") == len(path.channels) + (
                path.refused < len(path.channels)
            )
        steps = [found for s, d in mine if (found := lacking(relation, s, d)) is not None]
        assert row.kept == (not steps)
        if row.refusal is not None:
            assert len(row.refusal.walk) == min(steps)
            place = row.refusal.walk[-1] if row.refusal.walk else relation.num_vcs + row.refusal.source
            offered = {c.vc for c in relation.candidates(place, row.refusal.address)}
            assert row.refusal.channel not in {relation.vcs.channel[vc] for vc in offered if vc is not None}
            assert network.source[row.refusal.channel] == relation.vcs.router[place]
            way = ", ".join(relation.vcs.name(vc) for vc in row.refusal.walk)
            where = f"after {way}" if way else f"at {relation.vcs.name(place)}"
            refused_channel = f"{where}: {network.channel_name(row.refusal.channel)} is not offered"
            assert row.refusal.describe(relation).endswith(refused_channel)


def signs_of(network: Network, source: int, target: int) -> tuple[int, ...]:
    """In each dimension the directions that the shortest paths take, seen by writing them out."""
    if whole_grid(network) is None:
        return ()
    product = grid(network)
    taken_up = [set[int]() for _ in product.radices]
    for path in shortest_paths(network, source, target):
        for c in path:
            taken_up[product.dimension[c]].add(-1 if product.down[c] else 1)
    only = [-1 if wraps and ways == 2 else 1 for ways, wraps in zip(product.directions, product.wraps, strict=True)]
    return tuple(0 if len(up) == 2 else up.pop() if up else own for up, own in zip(taken_up, only, strict=True))


@pytest.mark.parametrize("network", [*MESHES, *OTHERS], ids=lambda n: n.name)
def test_classes_of_messages_are_those_of_their_shortest_paths(network: Network) -> None:
    kinds = directions(network)
    for home in range(network.num_terminals):
        expected = [signs_of(network, int(r), int(network.eject[home])) for r in network.inject]
        assert [kinds.signs[i] for i in kinds.of_sources(home)] == expected


@given(st.sampled_from(MESHES).flatmap(lambda n: relations(n, kinds=["minimal", "escape", "ranked"])))
def test_tables_of_random_relations_are_those_of_enumeration(relation: Relation) -> None:
    compare(relation)


@pytest.mark.sampled(1 / 6)
@pytest.mark.parametrize("network", [mesh(4, 3), mesh(3, 2, 2), hypercube(4)], ids=lambda n: n.name)
@pytest.mark.parametrize("algorithm", [dimension_order, lcfaa, vba, planar_adaptive, pbfaa])
def test_tables_of_algorithms_are_those_of_enumeration(network: Network, algorithm: Callable[..., Relation]) -> None:
    compare(algorithm(network))


def test_progress_is_that_of_destinations() -> None:
    heard: list[tuple[str, int, int]] = []
    bnr(fully_adaptive(mesh(3)), progress=lambda *news: heard.append(news))
    assert heard == [("destinations", done, 3) for done in (1, 2, 3)]


def test_a_choice_of_address_counts_as_a_choice() -> None:
    relation = o1turn(mesh(3, 3))
    compare(relation)
    small = o1turn(mesh(2, 2))
    compare(small)
    assert all(row.provided and (not row.pairs or not row.kept) for row in bnr(small)[:1])


def test_the_base_may_take_paths_away() -> None:
    """Every path is permitted, but a message that has entered the base and may not return has lost some."""
    table = bnr(pbfaa(mesh(4, 4), returns=False))
    assert all(row.provided for row in table)
    assert [row.name for row in table if not row.kept] == ["−+", "+−"]
    assert all(row.kept for row in bnr(pbfaa(mesh(4, 4))))


@pytest.mark.parametrize(
    ("relation", "switching", "reasons"),
    [
        (vba(mesh(3, 3, 3)), "wormhole", ()),
        (lcfaa(mesh(3, 3)), "vct", ()),
        (lcfaa(mesh(3, 3)), "wormhole", ("it can deadlock under wormhole",)),
        (fully_adaptive(mesh(3, 3)), "saf", ("it can deadlock under saf",)),
        (
            planar_adaptive(mesh(2, 2, 3)),
            "saf",
            ("6 of 8 BNRs are not provided: +++, −++, +−+, −−+, ++−, −+−",),
        ),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_conclusions(relation: Relation, switching: str, reasons: tuple[str, ...]) -> None:
    verdict = check(relation, switching)
    found = conclude(verdict, deliver(relation), bnr(relation))
    if relation.name == "planar_adaptive":
        assert found.reasons[0].split(":")[0].endswith("BNRs are not provided")
    else:
        assert found.reasons == reasons
    assert found.holds == (not reasons)


def test_an_open_verdict_leaves_the_conclusion_open() -> None:
    from dataclasses import replace

    relation = duato(mesh(3, 3))
    table, delivery = bnr(relation), deliver(relation)
    verdict = replace(check(relation, "wormhole"), deadlock_free=None)
    assert conclude(verdict, delivery, table).holds is None
    missing = conclude(verdict, delivery, bnr(dimension_order(mesh(3, 3))))
    assert missing.holds is False
    assert len(missing.reasons) == 2


@given(st.sampled_from(OTHERS).flatmap(lambda n: relations(n, kinds=["minimal", "escape", "ranked"])))
def test_tables_of_other_networks_are_those_of_enumeration(relation: Relation) -> None:
    compare(relation)


def test_classes_on_rings() -> None:
    """Both ways round are equally short where the side is even, and only then."""
    assert [row.name for row in bnr(fully_adaptive(torus(3, 3)))] == ["++", "−+", "+−", "−−"]
    table = bnr(duato(torus(4, 4)))
    assert [row.name for row in table] == ["++", "−+", "±+", "+−", "−−", "±−", "+±", "−±", "±±"]
    assert all(row.provided and row.pairs for row in table)
    assert not any(row.provided for row in bnr(dimension_order(torus(4, 4))) if "±" in row.name)


def test_networks_without_dimensions_have_one_class() -> None:
    for found in (petersen(), from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]), mesh(3, 3).without(routers=[4])):
        for relation in (fully_adaptive(found), up_down(found)):
            (row,) = bnr(relation)
            assert row.name == "all"
            assert row.provided == adaptivity(relation).fully_adaptive
            assert row.pairs == adaptivity(relation).pairs


def test_terminals_that_are_few_or_many() -> None:
    network = Network(
        "few",
        4,
        *np.array([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)]).T,
        inject=np.array([0, 0, 2]),
        eject=np.array([2, 0, 2]),
        places=Places(coordinates=np.array([(0, 0), (1, 0), (1, 1), (0, 1)]), radices=(2, 2)),
    )
    compare(fully_adaptive(network))
    compare(dimension_order(network))
