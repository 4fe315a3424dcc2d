"""Cartesian products routed factor by factor (Bermond & Syska, sections 5.3 and 5.5)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given

from tests.papers import script
from tests.reference.brute_force import deadlock
from tests.routing.paths import channel_paths
from tests.strategies import networks
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.fabrics.named import network as named
from unknot.network import Network, Places
from unknot.network.families import torus
from unknot.routing import Relation, duato, hop_number, ring_lexicographic, shortest_paths, up_down
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation

product_order = script("methods.product_order").product_order
CASES = [
    ("complete(4) * ring(5)", [("complete(4)", shortest_paths), ("ring(5)", ring_lexicographic)]),
    (
        "ring(4, directed=true) * petersen()",
        [("ring(4, directed=true)", ring_lexicographic), ("petersen()", up_down)],
    ),
    ("star(3) * star(2) * ring(3)", [("star(3)", up_down), ("star(2)", hop_number), ("ring(3)", hop_number)]),
    ("hypercube(2)", [("line(2)", shortest_paths), ("line(2)", hop_number)]),
]


def product(text: str, factors: list[tuple[str, object]]) -> Relation:
    return product_order(named(text), [make(named(factor)) for factor, make in factors])  # type: ignore[operator]


@pytest.mark.parametrize(("text", "factors"), CASES, ids=[text for text, _ in CASES])
def test_claims_and_contract_and_vcs(text: str, factors: list[tuple[str, object]]) -> None:
    relation = product(text, factors)
    check_relation(relation, compiled=False)
    most = [int(make(named(factor)).vcs.counts.max()) for factor, make in factors]  # type: ignore[operator]
    assert int(relation.vcs.counts.max()) == max(most)


def test_a_torus_is_the_product_of_its_rings_state_by_state() -> None:
    network = torus(4, 5)
    ours = product_order(network, [ring_lexicographic(named(f"ring({k})")) for k in (4, 5)])
    known = ring_lexicographic(network)
    assert (ours.vcs.counts == known.vcs.counts).all()
    for source, end in itertools.product(range(20), range(20)):
        assert channel_paths(ours, source, end) == channel_paths(known, source, end)


@pytest.mark.parametrize("technique", SWITCHINGS)
def test_the_product_deadlocks_if_and_only_if_a_factor_does(technique: str) -> None:
    bad, good = shortest_paths(named("ring(4, directed=true)")), hop_number(named("line(2)"))
    network = named("ring(4, directed=true) * line(2)")
    relation = product_order(network, [bad, good])
    assert relation.claims == {}
    assert check(relation, technique).deadlock_free is False
    escape = product_order(
        named("complete(3) * line(3)"), [hop_number(named("complete(3)")), duato(named("line(3)"))]
    )
    assert check(escape, technique).deadlock_free is check(duato(named("line(3)")), technique).deadlock_free


def test_brute_force_agrees_on_a_small_product() -> None:
    relation = product_order(
        named("ring(3, directed=true) * line(2)"),
        [ring_lexicographic(named("ring(3, directed=true)")), hop_number(named("line(2)"))],
    )
    assert [deadlock(relation, technique) for technique in SWITCHINGS] == [None] * 4


@given(
    networks(max_routers=3, max_channels=5, free_terminals=False, latencies=False),
    networks(max_routers=3, max_channels=5, free_terminals=False, latencies=False),
)
def test_products_of_random_networks(a: Network, b: Network) -> None:
    """Parallel channels keep apart; the routes have the lengths of both factors together."""
    n = b.num_routers
    ends = [
        *(
            (x * n + y, z * n + y)
            for x, z in zip(a.source.tolist(), a.target.tolist(), strict=True)
            for y in range(n)
        ),
        *(
            (x * n + y, x * n + z)
            for y, z in zip(b.source.tolist(), b.target.tolist(), strict=True)
            for x in range(a.num_routers)
        ),
    ]
    coordinates = [(x, y) for x in range(a.num_routers) for y in range(n)]
    network = Network(
        "product",
        len(coordinates),
        [u for u, _ in ends],
        [v for _, v in ends],
        places=Places(coordinates=coordinates, radices=(a.num_routers, n)),
    )
    factors = [hop_number(a, choice="all"), hop_number(b, choice="all")]
    relation = product_order(network, factors)
    assert all(check(relation, technique).deadlock_free for technique in SWITCHINGS)
    delivery = deliver(relation)
    assert delivery.delivered
    assert delivery.minimal
    assert relation.claims_minimal
    used = {
        c
        for s in range(len(coordinates))
        for d in range(len(coordinates))
        for path in channel_paths(relation, s, d)
        for c in path
    }
    assert len(used) == sum(len(used_by(f)) * m for f, m in ((factors[0], n), (factors[1], a.num_routers)))


def used_by(relation: Relation) -> set[int]:
    terminals = range(relation.network.num_terminals)
    return {c for s in terminals for d in terminals for path in channel_paths(relation, s, d) for c in path}


def test_what_is_no_product_is_refused() -> None:
    ring = ring_lexicographic(named("ring(4)"))
    with pytest.raises(NetworkError, match="one dimension for each of the 1 factors, but this one has 2"):
        product_order(torus(4, 4), [ring])
    with pytest.raises(RelationError, match="factor 1 must route a network of 5 routers"):
        product_order(torus(4, 5), [ring, ring])
    with pytest.raises(NetworkError, match=r"dimension 0 of mesh.* is not made of copies of ring"):
        product_order(named("mesh(4, 4)"), [ring, ring])
    with pytest.raises(NetworkError, match=r"dimension 1 of .* is not made of copies of ring"):
        product_order(torus(4, 4).without(links=[(0, 4)]), [ring, ring])
