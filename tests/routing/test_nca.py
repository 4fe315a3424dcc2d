"""Nearest common ancestor: up, then down, minimal on fat trees, all ways or one by the destination's number."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.routing.paths import channel_paths
from unknot import deliver
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.network import Network, Places, from_edges, tod
from unknot.network.families import complete, fat_tree, mesh, ring, xgft
from unknot.network.stages import levels
from unknot.routing import nca
from unknot.routing.tabulate import compile_relation
from unknot.verify import check
from unknot.verify.adaptivity import adaptivity
from unknot.verify.loads import loads
from unknot.verify.testing import check_relation

TREES = [
    fat_tree(2, 2),
    fat_tree(2, 3),
    fat_tree(3, 2),
    fat_tree(2, 4),
    xgft([1, 3, 2], [1, 2, 2]),
    xgft([2, 3, 2], [1, 1, 3]),
    xgft([1, 6], [1, 2]),
]


@pytest.mark.parametrize("up", ["adaptive", "modulo"])
@pytest.mark.parametrize("network", TREES, ids=lambda n: n.name)
def test_claims_and_contract(network: Network, up: str) -> None:
    relation = nca(network, up=up)
    assert set(relation.claims.items()) == {(switching, True) for switching in SWITCHINGS}
    assert relation.claims_minimal
    check_relation(relation, compiled=False)


def test_compiled_with_several_vcs() -> None:
    relation = nca(fat_tree(2, 2), 3, up="modulo")
    check_relation(relation, compiled=False)
    assert not compile_relation(relation).tabulated


@pytest.mark.parametrize("network", TREES, ids=lambda n: n.name)
def test_all_shortest_paths_are_permitted(network: Network) -> None:
    found = adaptivity(nca(network))
    assert found.fully_adaptive
    assert found.worst == 1.0


@pytest.mark.parametrize("network", TREES, ids=lambda n: n.name)
def test_up_to_the_nearest_ancestor_and_down(network: Network) -> None:
    level = levels(network)
    assert level is not None
    relation = nca(network)
    digits = np.asarray(network.coordinates)[:, 1:]
    for source in range(network.num_terminals):
        for to in range(network.num_terminals):
            a, b = network.inject[source], network.eject[to]
            height = max([i + 1 for i in range(digits.shape[1]) if digits[a, i] != digits[b, i]], default=0)
            for path in channel_paths(relation, source, to):
                heights = [0, *level[network.target[list(path)]].tolist()]
                assert heights == [*range(height + 1), *range(height - 1, -1, -1)]


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("n", [2, 3])
def test_modulo_routes_shifts_without_contention(k: int, n: int) -> None:
    """Zahavi et al. 2010: with d-mod-k on a k-ary n-tree no shift of all terminals puts two flows on a channel."""
    network = fat_tree(k, n)
    relation = nca(network, up="modulo")
    assert all(len(relation.candidates(relation.num_vcs, to)) == 1 for to in range(network.num_terminals))
    terminals = np.arange(network.num_terminals)
    for shift in range(1, network.num_terminals, max(1, network.num_terminals // 9)):
        found = loads(relation, (terminals + shift) % network.num_terminals)
        assert found.forced
        assert found.highest == 1.0
        assert found.throughput == 1.0


def test_modulo_is_the_published_formula() -> None:
    """Port ⌊d / (w_1 ⋯ w_l)⌋ mod w_(l+1) of a switch of level l, whose parents are in the order of their digit."""
    m, w = [2, 3, 2, 2], [1, 2, 3, 2]
    network = xgft(m, w)
    relation = nca(network, up="modulo")
    at = np.asarray(network.coordinates)
    for source in range(0, network.num_terminals, 3):
        for to in range(network.num_terminals):
            ((path, _),) = channel_paths(relation, source, to).items()
            for channel in path[: len(path) // 2]:
                low, high = at[network.source[channel]], at[network.target[channel]]
                level = int(low[0]) + 1
                assert high[level] == to // int(np.prod(w[:level])) % w[level]


@given(st.sampled_from([fat_tree(2, 3), fat_tree(3, 2), xgft([1, 2, 2], [1, 3, 2])]), st.data())
def test_faults_are_routed_round_or_refused(network: Network, data: st.DataObject) -> None:
    level = levels(network)
    assert level is not None
    upper = np.flatnonzero(level[network.source] < level[network.target]).tolist()
    dead = data.draw(st.lists(st.sampled_from(upper), max_size=8, unique=True))
    pairs = {(int(network.source[c]), int(network.target[c])) for c in dead}
    left = network.without(links=sorted(pairs))
    reach = _climbs_and_falls(left)
    routable = all(reach[a, b] for a in left.inject for b in left.eject)
    up = data.draw(st.sampled_from(["adaptive", "modulo"]))
    if not routable:
        with pytest.raises(NetworkError, match=r"no way up and then down|no such levels"):
            nca(left, up=up)
        return
    relation = nca(left, up=up)
    assert deliver(relation).delivered
    assert check(relation, "wormhole-nonatomic").deadlock_free


def _climbs_and_falls(network: Network) -> np.ndarray:
    """Whether there is a way up and then down between two routers: products of reachabilities."""
    level = np.asarray(network.coordinates)[:, 0]
    rising = np.eye(network.num_routers, dtype=int)
    for c in np.argsort(level[network.source]):
        u, v = network.source[c], network.target[c]
        if level[v] > level[u]:
            rising[:, v] |= rising[:, u]
    return rising @ rising.T > 0


def test_a_fabric_of_leaves_and_spines_without_coordinates() -> None:
    wires = [(f"leaf{i}", f"spine{j}") for i in range(4) for j in range(2)]
    plain = from_edges([*wires, ("leaf0", "spine0")], name="fabric")
    leaves = [plain.router(f"leaf{i}") for i in range(4)]
    network = Network(
        "fabric",
        plain.num_routers,
        plain.source,
        plain.target,
        inject=leaves * 3,
        places=Places(router_labels=plain.router_labels),
    )
    relation = nca(network)
    check_relation(relation, compiled=False)
    found = deliver(relation)
    assert (found.longest_route, found.minimal) == (2, True)
    first = relation.candidates(relation.num_vcs + 0, 1)
    assert len(first) == 3, "both cables to the first spine and the one to the second"


@pytest.mark.parametrize("network", [mesh(3, 3), complete(4), ring(6), mesh(1)], ids=lambda n: n.name)
def test_networks_without_levels_are_refused(network: Network) -> None:
    with pytest.raises(NetworkError, match="it needs a fat tree, with terminals at the bottom"):
        nca(network)


def test_no_way_up_and_down_is_reported_with_names() -> None:
    network = tod.network("terminals({a -- x -- b -- y -- c}, inject=[0, 2, 4])")
    with pytest.raises(NetworkError, match="no way up and then down from router a to router c"):
        nca(network)


def test_heights_that_would_be_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = fat_tree(2, 2)
    size = network.num_routers * np.unique(network.eject).size
    module = sys.modules["unknot.routing.by_stages"]
    monkeypatch.setattr(module, "MAX_DISTANCES", size / 2)
    assert nca(network).selection == "random"
    monkeypatch.setattr(module, "MAX_DISTANCES", size / 2 - 1)
    with pytest.raises(RelationError, match="it needs a table of 4 × 2 heights"):
        nca(network)


def test_bad_options() -> None:
    with pytest.raises(RelationError, match="nca: unknown way up 'modul'; did you mean modulo"):
        nca(fat_tree(2, 2), up="modul")
