"""Two trees of one root (Bermond & Syska, proposition 5.2), checked against trees and distances of NetworkX."""

from __future__ import annotations

import networkx as nx
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
from unknot.network.families import from_edges, line, mesh, petersen, random_regular
from unknot.routing import Relation, two_trees
from unknot.routing.paths import best_root
from unknot.routing.tabulate import compile_relation
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation
from unknot_papers.wormhole.two_trees import spanning_tree

FAMILIES = ["mesh(3, 3)", "ring(5, directed=true)", "de_bruijn(2, 3)", "irregular(6, 3, 2)", "tree(2, 2)", "line(1)"]


def route(relation: Relation, source: int, address: int) -> tuple[int, ...]:
    (path,) = channel_paths(relation, source, address)
    return path


@pytest.mark.parametrize("bypass", [False, True])
@pytest.mark.parametrize("text", FAMILIES)
def test_claims_and_contract(text: str, bypass: bool) -> None:
    check_relation(two_trees(named(text), bypass=bypass), compiled=False)


def test_compiled() -> None:
    relation = two_trees(named("irregular(6, 3, 2)"), bypass=True)
    check_relation(relation, compiled=False)
    assert not compile_relation(relation).tabulated


@given(networks(strongly_connected=True, max_routers=6, max_channels=12), st.integers(0, 5))
def test_routes_go_by_shortest_paths_to_the_root_and_on(network: Network, number: int) -> None:
    root = number % network.num_routers
    whole, short = (two_trees(network, root=root, bypass=bypass) for bypass in (False, True))
    far = dict(nx.all_pairs_shortest_path_length(to_networkx(network)))
    diameter = max(max(row.values()) for row in far.values())
    for source in range(network.num_terminals):
        for address in range(network.num_terminals):
            start, end = int(network.inject[source]), int(network.eject[address])
            path, cut = route(whole, source, address), route(short, source, address)
            assert start == end or len(path) == far[start][root] + far[root][end] <= 2 * diameter
            if start == end:
                assert path == cut == ()
                continue
            met = [start, *(int(network.target[c]) for c in path)]
            up, branch = met[: far[start][root] + 1], met[far[start][root] :]
            assert branch[0] == root
            turn = next(i for i, router in enumerate(up) if router in branch)
            assert [start, *(int(network.target[c]) for c in cut)] == up[:turn] + branch[branch.index(up[turn]) :]
    assert_channels_of_both_trees_have_two_vcs(whole)


def assert_channels_of_both_trees_have_two_vcs(relation: Relation) -> None:
    network = relation.network
    used: dict[int, set[int]] = {}
    for address in range(relation.num_addresses):
        todo = [relation.num_vcs + int(t) for t in relation.sources(address)]
        while todo:
            for candidate in relation.candidates(todo.pop(), address):
                if candidate.vc is not None:
                    used.setdefault(int(relation.vcs.channel[candidate.vc]), set()).add(candidate.vc)
                    todo.append(candidate.vc)
    assert set(relation.vcs.counts.tolist()) <= {1, 2}
    if set(network.inject.tolist()) == set(network.eject.tolist()) == set(range(network.num_routers)):
        assert all(len(used.get(c, ())) == 2 for c, n in enumerate(relation.vcs.counts.tolist()) if n == 2)


@given(networks(strongly_connected=True, max_routers=4, max_channels=6), st.booleans())
def test_never_deadlocks_by_brute_force(network: Network, bypass: bool) -> None:
    relation = two_trees(network, bypass=bypass)
    for technique in SWITCHINGS:
        assert deadlock(relation, technique) is None
        assert check(relation, technique).deadlock_free is True


def test_one_vc_is_enough_where_links_go_both_ways_and_two_are_needed_on_a_directed_ring() -> None:
    for text in ("torus(4, 4)", "irregular(20, 4, 1)", "de_bruijn(2, 4, directed=false)"):
        assert set(two_trees(named(text)).vcs.counts.tolist()) == {1}
    ring = two_trees(named("ring(5, directed=true)"), root=0)
    assert ring.vcs.counts.tolist() == [1, 2, 2, 2, 1]


def test_the_best_root_is_a_centre() -> None:
    for seed in range(5):
        network = random_regular(14, 3, seed=seed)
        root = int(two_trees(network).name.removeprefix("two_trees from r"))
        assert root in nx.center(nx.Graph(to_networkx(network)))
    assert two_trees(mesh(5, 5)).name == "two_trees from (2,2)"
    assert best_root(line(101)) == 50


def test_bypass_makes_routes_shorter() -> None:
    network = named("hypercube(4)")
    hops = [
        sum(len(route(two_trees(network, bypass=bypass), s, d)) for s in range(16) for d in range(16))
        for bypass in (False, True)
    ]
    assert hops[1] < hops[0]
    assert deliver(two_trees(named("ring(5, directed=true)"), root=0)).longest_route == 8


def test_roots_that_cannot_be_are_refused() -> None:
    with pytest.raises(NetworkError, match="has no router"):
        two_trees(mesh(2, 2), root=9)
    way = from_edges([(0, 1), (1, 2)], directed=True)
    with pytest.raises(NetworkError, match="no router reaches every terminal and is reached by it"):
        two_trees(way)
    with pytest.raises(NetworkError, match="two_trees on edges: no way from router r1 to the root r0"):
        two_trees(way, root=0)
    one_way = Network("one way", 3, [0, 1], [1, 2], inject=[0], eject=[2])
    assert [spanning_tree(one_way, 1, "bfs", inward=up, needed_by="").tolist() for up in (True, False)] == [[0], [1]]


SHAPES = ["bfs", "dfs"]


@given(
    networks(strongly_connected=True, max_routers=6, max_channels=12),
    st.integers(0, 5),
    st.sampled_from(SHAPES),
    st.sampled_from(SHAPES),
    st.booleans(),
)
def test_any_two_trees_are_safe(network: Network, number: int, up: str, down: str, bypass: bool) -> None:
    root = number % network.num_routers
    relation = two_trees(network, root=root, up=up, down=down, bypass=bypass)
    check_relation(relation, compiled=False)
    assert all(check(relation, switching).deadlock_free for switching in SWITCHINGS)
    if not bypass:
        assert_channels_of_both_trees_have_two_vcs(relation)
    one = spanning_tree(network, root, up, inward=True, needed_by="x")
    two = spanning_tree(network, root, down, inward=False, needed_by="x")
    graph = nx.DiGraph(zip(network.target[one].tolist(), network.source[one].tolist(), strict=True))
    if network.num_routers > 1:
        assert nx.is_arborescence(graph)
        assert next(nx.topological_sort(graph)) == root
        out = nx.DiGraph(zip(network.source[two].tolist(), network.target[two].tolist(), strict=True))
        assert nx.is_arborescence(out)
        assert next(nx.topological_sort(out)) == root


@given(networks(strongly_connected=True, max_routers=7, max_channels=16))
def test_the_depth_first_tree_is_that_of_networkx(network: Network) -> None:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(sorted(zip(network.source.tolist(), network.target.tolist(), strict=True)))
    tree = spanning_tree(network, 0, "dfs", inward=False, needed_by="x")
    expected = set(nx.dfs_edges(graph, 0))
    assert set(zip(network.source[tree].tolist(), network.target[tree].tolist(), strict=True)) == expected


def test_trees_that_share_channels_need_two_vcs() -> None:
    """On the Petersen graph two breadth-first trees need one VC, depth-first up and breadth-first down two."""
    both = two_trees(petersen(), root=0)
    mixed = two_trees(petersen(), root=0, up="dfs")
    assert both.vcs.counts.max() == 1
    assert mixed.vcs.counts.max() == 2
    assert mixed.name == "two_trees from r0, dfs up, bfs down"
    assert check(mixed, "wormhole").deadlock_free
    assert deliver(mixed).longest_route > deliver(both).longest_route  # type: ignore[operator]


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(RelationError, match="unknown tree 'dsf'; did you mean dfs"):
        two_trees(mesh(2, 2), root=0, up="dsf")
