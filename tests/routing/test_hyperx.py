"""HyperX routings, and general ones on the Slim Fly: hops, VCs, deroutes, claims and verdicts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.routing.paths import channel_paths
from unknot import deliver
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network
from unknot.network.families import complete, flattened_butterfly, hypercube, hyperx, mesh, slim_fly
from unknot.routing import (
    Relation,
    hop_number,
    hyperx_dimension_order,
    hyperx_dimwar,
    hyperx_minimal,
    hyperx_omniwar,
    valiant,
)
from unknot.verify import check
from unknot.verify.adaptivity import adaptivity
from unknot.verify.testing import check_relation

ROUTINGS = [hyperx_dimension_order, hyperx_minimal, hyperx_dimwar, hyperx_omniwar]
SMALL = [
    hyperx([3, 2]),
    hyperx([4]),
    hyperx([3, 3]),
    hyperx([1, 4]),
    hyperx([2, 2, 2]),
    hypercube(3),
    hyperx([1]),
    flattened_butterfly(2, 3),
]


def differing(network: Network, a: int, b: int) -> int:
    at = np.asarray(network.coordinates)
    return int((at[network.inject[a]] != at[network.eject[b]]).sum())


@pytest.mark.parametrize("algorithm", ROUTINGS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("network", SMALL, ids=lambda n: n.name)
def test_claims_and_contract(algorithm: Callable[[Network], Relation], network: Network) -> None:
    relation = algorithm(network)
    assert relation.claims == dict.fromkeys(SWITCHINGS, True)
    check_relation(relation, compiled=False)


@pytest.mark.parametrize("algorithm", ROUTINGS, ids=lambda f: f.__name__)
def test_three_dimensions(algorithm: Callable[[Network], Relation]) -> None:
    relation = algorithm(hyperx([3, 3, 2]))
    found = deliver(relation)
    assert found.delivered
    assert found.minimal == relation.claims_minimal
    assert all(check(relation, switching).deadlock_free for switching in SWITCHINGS)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("vcs", [3, 5, 6])
@pytest.mark.parametrize("algorithm", ROUTINGS, ids=lambda f: f.__name__)
def test_more_vcs(algorithm: Callable[[Network, int], Relation], vcs: int) -> None:
    relation = algorithm(hyperx([3, 2, 2]), vcs)
    assert relation.vcs.counts.tolist() == [vcs] * relation.network.num_channels
    check_relation(relation, compiled=False)


def test_minimal_is_fully_adaptive_and_dimension_order_has_one_path() -> None:
    network = hyperx([3, 4, 2])
    assert adaptivity(hyperx_minimal(network)).fully_adaptive
    order = hyperx_dimension_order(network)
    at = np.asarray(network.coordinates)
    for source, to in np.ndindex(network.num_terminals, network.num_terminals):
        ((path, _),) = channel_paths(order, source, to).items()
        moved = [int((at[network.source[c]] != at[network.target[c]]).argmax()) for c in path]
        assert moved == sorted(set(moved))
        assert len(path) == differing(network, source, to)


def test_the_vc_of_minimal_routing_is_the_number_of_hops_that_remain() -> None:
    network = hyperx([3, 3, 2])
    relation = hyperx_minimal(network)
    for source, to in np.ndindex(network.num_terminals, network.num_terminals):
        remain = differing(network, source, to)
        for candidate in relation.candidates(relation.num_vcs + source, to):
            assert candidate.vc is None or relation.vcs.index[candidate.vc] == remain - 1


def test_dimwar_derouts_at_most_once_in_a_dimension_and_prefers_not_to() -> None:
    network = hyperx([4, 3])
    relation = hyperx_dimwar(network)
    at = np.asarray(network.coordinates)
    longest = 0
    for source, to in np.ndindex(network.num_terminals, network.num_terminals):
        for path in channel_paths(relation, source, to):
            moved = [int((at[network.source[c]] != at[network.target[c]]).argmax()) for c in path]
            assert moved == sorted(moved)
            assert all(moved.count(i) <= 2 for i in moved)
            longest = max(longest, len(path))
        first = relation.candidates(relation.num_vcs + source, to)
        assert [c.tier for c in first] == [0] + [1] * (len(first) - 1)
    assert longest == 4


@pytest.mark.parametrize(
    ("vcs", "deroutes", "longest"), [(2, None, 2), (3, None, 3), (9, None, 4), (9, 0, 2), (7, 4, 6)]
)
def test_omniwar_derouts_as_long_as_classes_last(vcs: int, deroutes: int | None, longest: int) -> None:
    """Routes have a hop for each dimension and each deroute at most; shortest paths are all permitted."""
    relation = hyperx_omniwar(hyperx([3, 3]), vcs, deroutes=deroutes)
    found = deliver(relation)
    assert found.longest_route == longest
    assert found.minimal is False
    assert found.livelock_free
    assert adaptivity(relation).fully_adaptive
    far = [0, 4]
    if longest == 2:
        assert {len(path) for path in channel_paths(relation, *far)} == {2}
    first = -(-vcs // longest)
    for source, to in np.ndindex(9, 9):
        offered = relation.candidates(relation.num_vcs + source, to)
        indices = {int(relation.vcs.index[c.vc]) for c in offered if c.vc is not None}
        assert indices == (set(range(first)) if source != to else set())


@pytest.mark.parametrize("algorithm", [hyperx_dimwar, hyperx_omniwar])
def test_weighted_adaptive_routing_decides_once_by_weight(algorithm: Callable[[Network], Relation]) -> None:
    relation = algorithm(hyperx([3, 3]))
    assert (relation.commits, relation.selection) == (True, "least_weight")


@pytest.mark.parametrize("algorithm", ROUTINGS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("network", "message"),
    [
        (mesh(3, 3), "do not make the whole product of 3 × 3 positions"),
        (complete(4), "such as hyperx(.*); this network has no coordinates"),
        (hyperx([3, 3]).without(links=[(0, 1)]), "9 routers and 34 channels do not make the whole product"),
        (hyperx([3, 3]).without(routers=[4]), "8 routers"),
        (slim_fly(3, 1), "does not change one coordinate"),
    ],
    ids=["mesh", "complete", "link", "router", "slim_fly"],
)
def test_other_networks_are_refused(algorithm: Callable[[Network], Relation], network: Network, message: str) -> None:
    with pytest.raises(NetworkError, match=f"{algorithm.__name__} on .*: it needs a HyperX, .*{message}"):
        algorithm(network)


def test_too_few_vcs() -> None:
    with pytest.raises(RelationError, match="routes of 2 hops need as many VCs; got 1"):
        hyperx_minimal(hyperx([3, 3]), 1)
    with pytest.raises(RelationError, match="routes of 2 hops need as many VCs; got 1"):
        hyperx_omniwar(hyperx([3, 3]), 1)
    with pytest.raises(RelationError, match="routes of 5 hops need as many VCs; got 4"):
        hyperx_omniwar(hyperx([3, 3]), 4, deroutes=3)
    with pytest.raises(RelationError, match="deroutes is a number from 0, got -1"):
        hyperx_omniwar(hyperx([3, 3]), deroutes=-1)
    with pytest.raises(RelationError, match="two classes of VCs need 2 VCs; got 1"):
        hyperx_dimwar(hyperx([3, 3]), 1)


@pytest.mark.parametrize("q", [3, 4, 5])
def test_the_slim_fly_is_routed_by_hop_numbers(q: int) -> None:
    """Besta & Hoefler 2014: minimal routing takes 2 hops and 2 VCs, Valiant's 4 hops and 4 VCs."""
    network = slim_fly(q, 1)
    relation = hop_number(network, choice="all")
    assert relation.vcs.counts.tolist() == [2] * network.num_channels
    found = deliver(relation)
    assert (found.delivered, found.minimal, found.longest_route) == (True, True, 2)
    assert all(check(relation, switching).deadlock_free for switching in SWITCHINGS)
    if q == 3:
        twice = valiant(network, base="hop_number")
        assert twice.vcs.counts.tolist() == [4] * network.num_channels
        assert deliver(twice).longest_route == 4
        assert all(check(twice, switching).deadlock_free for switching in SWITCHINGS)
