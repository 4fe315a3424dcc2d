"""The lexicographic rule on rings and products (Dally & Seitz; Bermond & Syska, sections 4.2, 5.2, 5.3)."""

from __future__ import annotations

import pytest

from tests.reference.brute_force import deadlock
from tests.routing.paths import channel_paths
from unknot._base.errors import NetworkError
from unknot._base.switching import SWITCHINGS
from unknot.fabrics.named import network as named
from unknot.network.families import complete, mesh
from unknot.routing import Relation, dimension_order, ring_lexicographic
from unknot.verify.testing import check_relation

PRODUCTS = [
    "ring(4, directed=true)", "ring(5)", "ring(6)", "torus(4, 3)", "torus(3, 2, 2)", "ring(5) * line(3)",
    "line(2) * ring(4)", "ring(4, directed=true) * line(2)", "ring(3, directed=true) ** 2", "mesh(3, 3)",
    "hypercube(3)", "line(1)",
]  # fmt: skip


def vcs_of(relation: Relation, source: int, address: int) -> list[int]:
    """The VCs of a deterministic route."""
    at, found = relation.num_vcs + source, []
    while True:
        (candidate,) = relation.candidates(at, address)
        if candidate.vc is None:
            return found
        at = candidate.vc
        found.append(at)


@pytest.mark.parametrize("text", PRODUCTS)
def test_claims_and_contract(text: str) -> None:
    check_relation(ring_lexicographic(named(text)), compiled=False)


def test_the_routes_of_the_papers_example() -> None:
    """From 0 to 3: (0,a), (0,b), (0,c). From 3 to 2: (0,d), (1,a), (1,b)."""
    relation = ring_lexicographic(named("ring(4, directed=true)"))

    def names(source: int, end: int) -> list[tuple[int, str]]:
        vcs = vcs_of(relation, source, end)
        channel = relation.vcs.channel[vcs]
        return [
            (int(i), "abcd"[relation.network.source[c]])
            for i, c in zip(relation.vcs.index[vcs], channel, strict=True)
        ]

    assert names(0, 3) == [(0, "a"), (0, "b"), (0, "c")]
    assert names(3, 2) == [(0, "d"), (1, "a"), (1, "b")]
    used = {name for source in range(4) for end in range(4) for name in names(source, end)}
    assert used == {(0, c) for c in "abcd"} | {(1, "a"), (1, "b")}


@pytest.mark.parametrize("text", ["ring(7)", "ring(6, directed=true)"])
def test_every_hop_takes_the_least_vc_above_the_last(text: str) -> None:
    """The rule in its own words: of the channel that is needed, the VC next in lexicographic order."""
    network = named(text)
    relation = ring_lexicographic(network)
    k = network.num_routers
    for source in range(k):
        for end in range(k):
            last = (-1, -1)
            for vc in vcs_of(relation, source, end):
                c = relation.vcs.channel[vc]
                u, v = int(network.source[c]), int(network.target[c])
                place = u if (v - u) % k == 1 else -u % k
                assert (int(relation.vcs.index[vc]), place) == min((i, place) for i in (0, 1) if (i, place) > last)
                last = (int(relation.vcs.index[vc]), place)


@pytest.mark.parametrize("text", PRODUCTS)
def test_the_routes_are_those_of_dimension_order(text: str) -> None:
    network = named(text)
    ours, known = ring_lexicographic(network), dimension_order(network, 2)
    for source in range(network.num_terminals):
        for end in range(network.num_terminals):
            assert set(channel_paths(ours, source, end)) == set(channel_paths(known, source, end))


def test_vcs_of_a_product_are_the_maximum_over_its_factors() -> None:
    for text, most in [
        ("mesh(3, 3)", 1),
        ("hypercube(4)", 1),
        ("ring(5)", 2),
        ("ring(5) * line(3)", 2),
        ("torus(4, 4, 4)", 2),
    ]:
        assert ring_lexicographic(named(text)).vcs.counts.max() == most
    mixed = ring_lexicographic(named("ring(5) * line(3)"))
    moves = mixed.network.coordinates[mixed.network.source] != mixed.network.coordinates[mixed.network.target]  # type: ignore[index]
    assert (mixed.vcs.counts == 1 + moves[:, 0]).all()


def test_on_lines_it_is_dimension_order_state_by_state() -> None:
    network = mesh(3, 4)
    ours, known = ring_lexicographic(network), dimension_order(network)
    places = range(ours.num_vcs + network.num_terminals)
    assert all(ours.candidates(at, d) == known.candidates(at, d) for at in places for d in range(12))


@pytest.mark.parametrize("text", ["ring(4, directed=true)", "ring(5)", "ring(4) * line(2)"])
def test_never_deadlocks_by_brute_force(text: str) -> None:
    assert [deadlock(ring_lexicographic(named(text)), technique) for technique in SWITCHINGS] == [None] * 4


def test_other_networks_are_refused() -> None:
    with pytest.raises(NetworkError, match="has no coordinates"):
        ring_lexicographic(complete(4))
    with pytest.raises(NetworkError, match="routers or channels of the product of rings and lines miss"):
        ring_lexicographic(mesh(3, 3).without(links=[(0, 1)]))
