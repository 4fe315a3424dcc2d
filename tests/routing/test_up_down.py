"""Up*/Down*, as a relation and in tables: shortest on the graph of (router, has gone down), without cycles."""

from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.brute_force import deadlock
from tests.routing.paths import channel_paths
from unknot._base.errors import NetworkError, RelationError
from unknot._base.switching import SWITCHINGS
from unknot.fabrics.named import network as named
from unknot.network import Network, distances_from, from_edges
from unknot.network.families import mesh, random_regular, ring, torus
from unknot.routing import Relation, up_down
from unknot.routing.forwarding_table import DROP, EJECT_HERE, forwarding_table, route_lengths
from unknot.routing.tabulate import compile_relation
from unknot.routing.up_down import up_down_table
from unknot.verify import check, deliver
from unknot.verify.testing import check_relation

FAMILIES = ["mesh(3, 3)", "ring(5)", "irregular(6, 3, 2)", "tree(2, 2)", "complete(4)", "line(1)", "line(2)"]
CHOICES = ["first", "shortest", "any"]


@st.composite
def linked(draw: st.DrawFn, most: int = 6) -> Network:
    """Connected networks whose links go both ways, some of them doubled."""
    routers = draw(st.integers(2, most))
    links = [(draw(st.integers(0, i - 1)), i) for i in range(1, routers)]
    end = st.integers(0, routers - 1)
    links += draw(st.lists(st.tuples(end, end).filter(lambda pair: pair[0] != pair[1]), max_size=most))
    return from_edges(links)


def numbers(network: Network, root: int, levels: str) -> dict[int, tuple[int, int]]:
    """The order of the routers, by NetworkX."""
    graph = nx.Graph()
    graph.add_nodes_from(range(network.num_routers))
    graph.add_edges_from(zip(network.source.tolist(), network.target.tolist(), strict=True))
    if levels == "bfs":
        return {r: (d, r) for r, d in nx.single_source_shortest_path_length(graph, root).items()}
    return {r: (i, 0) for i, r in enumerate(nx.dfs_preorder_nodes(graph, root, sort_neighbors=sorted))}


def legal_graph(network: Network, order: dict[int, tuple[int, int]]) -> nx.DiGraph:
    """States (router, has gone down) and the legal steps between them."""
    graph = nx.DiGraph()
    graph.add_nodes_from((r, fell) for r in range(network.num_routers) for fell in (False, True))
    for u, v in zip(network.source.tolist(), network.target.tolist(), strict=True):
        if order[v] > order[u]:
            graph.add_edges_from([((u, False), (v, True)), ((u, True), (v, True))])
        elif order[v] < order[u]:
            graph.add_edge((u, False), (v, False))
    return graph


def ways(relation: Relation, source: int, address: int) -> set[tuple[int, ...]]:
    network = relation.network
    paths = channel_paths(relation, source, address)
    return {(int(network.inject[source]), *(int(network.target[c]) for c in path)) for path in paths}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("text", FAMILIES)
def test_claims_and_contract(text: str, choice: str) -> None:
    check_relation(up_down(named(text), choice=choice), compiled=False)


def test_compiled_and_on_two_vcs() -> None:
    relation = up_down(named("irregular(7, 3, 1)"), 2, levels="dfs", choice="any")
    check_relation(relation, compiled=False)
    assert not compile_relation(relation).tabulated


@pytest.mark.parametrize("levels", ["bfs", "dfs"])
@given(linked(), st.integers(0, 5))
def test_routes_are_the_legal_ones(levels: str, network: Network, number: int) -> None:
    root = number % network.num_routers
    graph = legal_graph(network, numbers(network, root, levels))
    one, shortest, every = (up_down(network, root=root, levels=levels, choice=choice) for choice in CHOICES)
    for start in range(network.num_routers):
        for end in range(network.num_routers):
            ends = [(end, fell) for fell in (False, True) if nx.has_path(graph, (start, False), (end, fell))]
            length = min(nx.shortest_path_length(graph, (start, False), state) for state in ends)
            best = {
                tuple(r for r, _ in path)
                for state in ends
                for path in nx.all_shortest_paths(graph, (start, False), state)
                if len(path) == length + 1
            }
            legal = {
                tuple(r for r, _ in path)
                for state in ends
                for path in (
                    nx.all_simple_paths(graph, (start, False), state) if start != end else [[(start, False)]]
                )
            }
            assert ways(shortest, start, end) == best
            assert ways(one, start, end) <= best
            assert len(channel_paths(one, start, end)) == 1
            assert ways(every, start, end) == {path for path in legal if end not in path[:-1]}


@pytest.mark.parametrize("choice", CHOICES)
@given(network=linked(4))
@settings(max_examples=6)
def test_never_deadlocks_by_brute_force(choice: str, network: Network) -> None:
    relation = up_down(network, choice=choice)
    for technique in SWITCHINGS:
        assert deadlock(relation, technique) is None
        assert check(relation, technique).deadlock_free is True


def test_depth_first_levels_on_a_ring_are_a_line() -> None:
    """The preorder goes once round, so only the last link is climbed backward; breadth-first levels are balanced."""
    assert deliver(up_down(ring(8), root=0, levels="bfs")).longest_route == 6
    assert deliver(up_down(ring(8), root=0, levels="dfs")).longest_route == 6
    assert deliver(up_down(ring(8), root=0, levels="dfs", choice="any")).longest_route == 13


def test_the_root_may_be_named_or_best() -> None:
    assert up_down(mesh(3, 3)).name == "up_down from (1,1), bfs levels, first"
    assert up_down(mesh(3, 3), root="(2,0)").name == "up_down from (2,0), bfs levels, first"


def test_what_it_cannot_do_is_refused() -> None:
    with pytest.raises(NetworkError, match="there is no channel back along r0→r1; for channels that go one way use"):
        up_down(from_edges([(0, 1), (1, 2), (2, 0)], directed=True))
    with pytest.raises(RelationError, match=r"unknown levels 'bsf'; did you mean"):
        up_down(mesh(2, 2), levels="bsf")
    with pytest.raises(RelationError, match="unknown choice 'all'"):
        up_down(mesh(2, 2), choice="all")
    two = Network("two", 4, [0, 1, 2, 3], [1, 0, 3, 2])
    with pytest.raises(NetworkError, match="there is no way from router"):
        up_down(two, root=0)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Connected networks of cables, some of them double."""
    routers = draw(st.integers(2, 9))
    edges = [(draw(st.integers(0, r - 1)), r) for r in range(1, routers)]
    more = st.tuples(st.integers(0, routers - 1), st.integers(0, routers - 1)).filter(lambda e: e[0] != e[1])
    return from_edges([*edges, *draw(st.lists(more, max_size=8))])


@given(network=networks(), data=st.data())
def test_routes_go_up_and_then_down(network: Network, data: st.DataObject) -> None:
    routers = network.num_routers
    homes = data.draw(st.lists(st.integers(-1, routers - 1), min_size=1, max_size=12))
    root = data.draw(st.none() | st.integers(0, routers - 1))
    table = up_down_table(network, homes, root)
    if root is None:
        hops = [distances_from(network, r) for r in range(routers)]
        middle = min(range(routers), key=lambda r: (hops[r].max(), hops[r].sum()))
        assert (table == up_down_table(network, homes, middle)).all()
    lengths = route_lengths(network, table)
    turns = nx.DiGraph()
    for address, home in enumerate(homes):
        if home < 0:
            assert (table[:, address] == DROP).all()
            continue
        assert table[home, address] == EJECT_HERE
        assert (lengths[:, address] >= distances_from(network, home, reverse=True)).all()
        for start in range(routers):
            here, channels = start, []
            while here != home:
                channels.append(int(table[here, address]))
                here = int(network.target[channels[-1]])
            nx.add_path(turns, channels)
    assert nx.is_directed_acyclic_graph(turns)


def test_the_search_of_the_prover_agrees() -> None:
    for network in (torus(4, 4), random_regular(20, 4, seed=3)):
        table = up_down_table(network, network.eject)
        relation = forwarding_table(network, table)
        assert check(relation, "vct").deadlock_free
        assert deliver(relation).delivered


def test_parallel_cables_share_the_destinations() -> None:
    network = from_edges([(0, 1), (0, 1)])
    table = up_down_table(network, [1, 1, 1, 1])
    assert sorted(np.bincount(table[0], minlength=4).tolist()) == [0, 0, 2, 2]


def test_a_network_in_two_parts_is_refused() -> None:
    with pytest.raises(RelationError, match="no way between"):
        up_down_table(from_edges([(0, 1), (2, 3)]), [0])


def test_each_order_of_levels_has_its_source() -> None:
    assert up_down(mesh(2, 3), levels="bfs").source == "Schroeder et al. 1991"
    assert up_down(mesh(2, 3), levels="dfs").source == "Sancho, Robles & Duato 2000"


def test_a_network_too_large_for_tables_is_refused_before_its_best_root_is_searched_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules["unknot.routing.up_down"], "root_named", lambda *_: pytest.fail("searched"))
    with pytest.raises(RelationError, match=r"needs a table of distances, and 16000 × 16000 are more"):
        up_down(mesh(2, 8000))
