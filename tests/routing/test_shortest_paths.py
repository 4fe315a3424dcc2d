"""One shortest path for each pair, or all; hop-number VCs on top of either (Bermond & Syska, proposition 5.1)."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.brute_force import deadlock
from tests.routing.paths import channel_paths
from tests.strategies import networks
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.fabrics.named import network as named
from unknot.network import Network, to_networkx
from unknot.network.families import from_edges, irregular, mesh, random_regular, torus
from unknot.routing import Relation, fully_adaptive, hop_number, shortest_paths
from unknot.routing.tabulate import tabulate
from unknot.verify import check
from unknot.verify.testing import check_relation

CHOICES = ["first", "random", "all"]
FAMILIES = ["mesh(3, 3)", "torus(4, 3)", "ring(5, directed=true)", "de_bruijn(2, 3)", "irregular(6, 3, 1)", "line(1)"]


def routers(network: Network, path: tuple[int, ...], start: int) -> list[int]:
    return [start, *(int(network.target[c]) for c in path)]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("text", FAMILIES)
def test_claims_and_contract(text: str, choice: str) -> None:
    for make in (shortest_paths, hop_number):
        check_relation(make(named(text), choice=choice), compiled=False)


@pytest.mark.parametrize("choice", CHOICES)
@given(network=networks(strongly_connected=True, max_routers=5), seed=st.integers(1, 5))
def test_routes_are_shortest_and_coherent_and_climb(network: Network, seed: int, choice: str) -> None:
    """NetworkX knows all shortest paths; a chosen one is one of them, and its suffixes are chosen too."""
    graph = to_networkx(network)
    one = shortest_paths(network, choice=choice, seed=seed)
    climbing = hop_number(network, choice=choice, seed=seed)
    for source in range(network.num_terminals):
        for address in range(network.num_terminals):
            start, end = int(network.inject[source]), int(network.eject[address])
            found = channel_paths(one, source, address)
            known = {tuple(path) for path in nx.all_shortest_paths(graph, start, end)}
            ways = {tuple(routers(network, path, start)) for path in found}
            assert ways == known if choice == "all" else len(found) == 1 and ways < known | {()}
            assert set(found) == set(channel_paths(climbing, source, address))
    assert climbs(climbing)


def climbs(relation: Relation) -> bool:
    """Whether every hop takes the VC after the last one's, and the first hop VC 0."""
    index = relation.vcs.index
    for address in range(relation.num_addresses):
        todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
        while todo:
            at = todo.pop()
            taken = [c.vc for c in relation.candidates(at, address) if c.vc is not None]
            due = 0 if at >= relation.num_vcs else int(index[at]) + 1
            if any(index[vc] != due for vc in taken):
                return False
            todo += taken
    return True


def test_coherence_of_the_random_choice() -> None:
    network = random_regular(12, 3, seed=4)
    relation = shortest_paths(network, choice="random", seed=7)
    route = {(s, d): next(iter(channel_paths(relation, s, d))) for s in range(12) for d in range(12)}
    for (_, d), path in route.items():
        for k in range(1, len(path)):
            assert route[int(network.source[path[k]]), d] == path[k:]


def test_seeds_differ_and_all_is_fully_adaptive() -> None:
    network = torus(4, 4)
    ways = [
        [next(iter(channel_paths(shortest_paths(network, choice="random", seed=seed), 0, d))) for d in range(16)]
        for seed in (1, 2)
    ]
    assert ways[0] != ways[1]
    every, known = shortest_paths(network, choice="all"), fully_adaptive(network)
    assert all(channel_paths(every, 0, d) == channel_paths(known, 0, d) for d in range(16))


@given(networks(strongly_connected=True, max_routers=3, max_channels=4), st.sampled_from(CHOICES))
def test_hop_numbers_never_deadlock_by_brute_force(network: Network, choice: str) -> None:
    relation = hop_number(network, choice=choice)
    for technique in SWITCHINGS:
        assert deadlock(relation, technique) is None
        assert check(relation, technique).deadlock_free is True


def test_without_hop_numbers_a_ring_of_five_deadlocks() -> None:
    assert check(shortest_paths(named("ring(5)"))).deadlock_free is False


def test_as_many_vcs_as_the_diameter_has_hops() -> None:
    for text, diameter in [
        ("torus(4, 3)", 3),
        ("hypercube(4)", 4),
        ("de_bruijn(2, 4)", 4),
        ("ring(6, directed=true)", 5),
    ]:
        assert set(hop_number(named(text)).vcs.counts.tolist()) == {diameter}
    assert hop_number(mesh(3, 3), 8).candidates(8 * 24, 8)[1].vc == 1
    with pytest.raises(
        RelationError, match="the longest shortest path has 4 hops, so 4 VCs per channel or a multiple"
    ):
        hop_number(mesh(3, 3), 6)


def test_a_mesh_with_a_fault_is_routed_by_distances() -> None:
    broken = mesh(3, 3).without(links=[(0, 1)])
    check_relation(hop_number(broken), compiled=False)
    check_relation(fully_adaptive(broken), compiled=False)


def test_wrong_options_and_networks_are_refused() -> None:
    with pytest.raises(RelationError, match=r"unknown choice 'al'; did you mean all\?"):
        shortest_paths(mesh(2, 2), choice="al")
    with pytest.raises(RelationError, match="a seed is a number from 1 to 1000000, got 0"):
        hop_number(mesh(2, 2), choice="random", seed=0)
    with pytest.raises(NetworkError, match="hop_number on edges: there is no way from router r1 to router r0"):
        hop_number(from_edges([(0, 1)], directed=True))


def test_any_seed_draws_the_same_in_plain_python_as_compiled() -> None:
    network = irregular(8, 3, 1)
    for seed in (1, 138, 139, 1_000_000):
        relation = shortest_paths(network, choice="random", seed=seed)
        table = tabulate(relation)
        for at, address in [(relation.num_vcs + s, a) for s in range(8) for a in range(8) if s != a]:
            (candidate,) = relation.candidates(at, address)
            low, high = table.first[address : address + 2].tolist()
            row = low + int(np.searchsorted(table.input_vc[low:high], at))
            assert int(table.value[table.start[row]]) == candidate.vc
