"""LASH and DFSSSP: shortest routes, layers without cycles, as few as first fit or cycle breaking finds."""

from __future__ import annotations

import itertools
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.brute_force import deadlock
from tests.routing.paths import channel_paths
from tests.routing.test_up_down import linked
from tests.strategies import networks
from unknot._base.errors import RelationError
from unknot._base.switching import SWITCHINGS
from unknot.fabrics import read_fabric
from unknot.fabrics.named import network as named
from unknot.network import Network, to_networkx
from unknot.network.families import random_regular, ring, torus
from unknot.routing import Relation, dfsssp, lash
from unknot.routing.forwarding_table import route_lengths
from unknot.routing.layers import Layers, Routes, balanced_routes, cycle_breaking, first_fit, shortest_routes
from unknot.routing.switchboard import switchboard
from unknot.routing.tabulate import compile_relation
from unknot.verify import check
from unknot.verify.testing import check_relation

FABRICS = Path(__file__).parents[2] / "examples/fabrics"
FAMILIES = ["ring(5)", "torus(4, 3)", "de_bruijn(2, 3)", "irregular(6, 3, 2)", "ring(5, directed=true)", "line(1)"]


def hops(routes: Routes, source: int, row: int) -> list[int]:
    """Channels of a route."""
    found, router = [], source
    while router != routes.home[row]:
        found.append(int(routes.next_channel[row, router]))
        router = int(routes.network.target[found[-1]])
    return found


def pairs(routes: Routes) -> list[tuple[int, int]]:
    """Source and row of every route of at least one hop, in the order in which they are placed."""
    every = itertools.product(routes.sources.tolist(), range(routes.home.size))
    return [(s, i) for s, i in every if s != routes.home[i]]


def naive_first_fit(routes: Routes) -> dict[tuple[int, int], int]:
    graphs: list[nx.DiGraph] = []
    found = {}
    for s, i in pairs(routes):
        lines = list(itertools.pairwise(hops(routes, s, i)))
        for layer in itertools.count():
            if layer == len(graphs):
                graphs.append(nx.DiGraph())
            trial = graphs[layer].copy()
            trial.add_edges_from(lines)
            if nx.is_directed_acyclic_graph(trial):
                graphs[layer] = trial
                found[s, i] = layer
                break
    return found


def acyclic(routes: Routes, layer: Layers, layers: int) -> bool:
    graphs = [nx.DiGraph() for _ in range(layers)]
    for s, i in pairs(routes):
        graphs[layer[i, s]].add_edges_from(itertools.pairwise(hops(routes, s, i)))
    return all(nx.is_directed_acyclic_graph(graph) for graph in graphs)


@pytest.mark.parametrize("make", [lash, dfsssp], ids=lambda f: f.__name__)
@pytest.mark.parametrize("text", FAMILIES)
def test_claims_and_contract(text: str, make: object) -> None:
    check_relation(make(named(text)), compiled=False)  # type: ignore[operator]


@pytest.mark.parametrize("make", [lash, dfsssp], ids=lambda f: f.__name__)
def test_compiled_and_with_more_vcs_than_layers(make: object) -> None:
    relation = make(ring(5), 5)  # type: ignore[operator]
    check_relation(relation, compiled=False)
    assert not compile_relation(relation).tabulated
    assert [c.vc for c in relation.candidates(relation.num_vcs, 1)] == [0, 2, 4]


@given(networks(strongly_connected=True, max_routers=5, max_channels=10))
def test_first_fit_is_the_naive_one(network: Network) -> None:
    routes = shortest_routes(network)
    layer, layers = first_fit(routes)
    naive = naive_first_fit(routes)
    assert {(s, i): int(layer[i, s]) for s, i in pairs(routes)} == naive
    assert layers == max(naive.values(), default=0) + 1


@pytest.mark.parametrize("network", [torus(5, 5), random_regular(20, 3, seed=1), random_regular(16, 5, seed=2)])
def test_first_fit_is_the_naive_one_on_larger_networks(network: Network) -> None:
    routes = shortest_routes(network)
    layer, _ = first_fit(routes)
    assert {(s, i): int(layer[i, s]) for s, i in pairs(routes)} == naive_first_fit(routes)


@given(network=networks(strongly_connected=True, max_routers=6, max_channels=12))
def test_breaking_cycles_leaves_none(network: Network) -> None:
    for routes in (shortest_routes(network), balanced_routes(network)):
        layer, layers = cycle_breaking(routes)
        assert acyclic(routes, layer, layers)
        used = {int(layer[i, s]) for s, i in pairs(routes)} or {0}
        assert max(used) == layers - 1


def test_breaking_cycles_on_larger_networks() -> None:
    for network in (torus(6, 6), named("de_bruijn(2, 5)"), random_regular(30, 4, seed=3)):
        routes = balanced_routes(network)
        assert acyclic(routes, *cycle_breaking(routes))


@given(networks(strongly_connected=True, max_routers=5))
def test_routes_are_shortest(network: Network) -> None:
    far = dict(nx.all_pairs_shortest_path_length(to_networkx(network)))
    for routes in (shortest_routes(network), balanced_routes(network)):
        for s, i in pairs(routes):
            assert len(hops(routes, s, i)) == far[s][int(routes.home[i])]


def naive_balanced(network: Network) -> np.ndarray:  # type: ignore[type-arg]
    """SSSP with Dijkstra's algorithm: hops first, then the routes so far; the first channel among equals."""
    weight = [0] * network.num_channels
    table = np.full((network.num_terminals, network.num_routers), -1)
    for terminal in range(network.num_terminals):
        cost = {int(network.eject[terminal]): (0, 0)}
        for _ in range(network.num_routers):
            for c in range(network.num_channels):
                u, v = int(network.source[c]), int(network.target[c])
                if v in cost and (cost[v][0] + 1, cost[v][1] + weight[c]) < cost.get(u, (10**9, 0)):
                    cost[u] = (cost[v][0] + 1, cost[v][1] + weight[c])
        for u in cost:
            for c in network.outgoing[1][network.outgoing[0][u] : network.outgoing[0][u + 1]].tolist():
                v = int(network.target[c])
                if u != network.eject[terminal] and (cost[v][0] + 1, cost[v][1] + weight[c]) == cost[u]:
                    table[terminal, u] = c
                    break
        for source in network.inject.tolist():
            while source != network.eject[terminal]:
                weight[table[terminal, source]] += 1
                source = int(network.target[table[terminal, source]])
    return table


@given(networks(strongly_connected=True, max_routers=6, max_channels=14))
def test_balanced_routes_are_those_of_dijkstra(network: Network) -> None:
    assert np.array_equal(balanced_routes(network).next_channel, naive_balanced(network))


def test_balancing_lowers_the_greatest_load() -> None:
    def greatest(routes: Routes) -> int:
        used = [c for s, i in pairs(routes) for c in hops(routes, s, i)]
        return int(np.bincount(used).max())

    for network in (random_regular(24, 3, seed=6), random_regular(40, 4, seed=5)):
        assert greatest(balanced_routes(network)) < greatest(shortest_routes(network))


@pytest.mark.parametrize("make", [lash, dfsssp], ids=lambda f: f.__name__)
@given(network=linked(4))
@settings(max_examples=6)
def test_never_deadlocks_by_brute_force(make: object, network: Network) -> None:
    relation: Relation = make(network)  # type: ignore[operator]
    for technique in SWITCHINGS:
        assert deadlock(relation, technique) is None
        assert check(relation, technique).deadlock_free is True


def test_a_message_keeps_its_layer_and_its_address_names_it() -> None:
    relation = lash(ring(5))
    assert relation.name == "lash (2 layers)"
    assert relation.address_name(7) == "t2 in layer 1"
    assert relation.may_use is not None
    assert (relation.may_use[:, :5].astype(int) + relation.may_use[:, 5:] == 1).all()
    for address in range(10):
        for source in relation.sources(address).tolist():
            at = relation.num_vcs + source
            while (vc := relation.candidates(at, address)[0].vc) is not None:
                assert relation.vcs.index[vc] == address // 5
                at = vc


def test_too_few_vcs_are_refused_with_the_number_that_is_needed() -> None:
    with pytest.raises(
        RelationError, match=r"lash on torus\(5, 5\): its routes need 3 layers, and so as many VCs; got 2"
    ):
        lash(torus(5, 5), 2)
    with pytest.raises(RelationError, match="its routes need 2 layers"):
        dfsssp(torus(5, 5), 1)


def tables_of(folder: str) -> Routes:
    """The routes between hosts that a fabric's own tables make."""
    fabric = read_fabric(FABRICS / folder)
    lids = np.flatnonzero((fabric.owner >= 0) & (fabric.owner < fabric.network.num_terminals))
    table = np.maximum(switchboard(fabric).next_channel[:, lids].T, -1).astype(np.int32)
    rows = np.arange(lids.size)
    return Routes(
        fabric.network, np.ascontiguousarray(table), fabric.network.eject[fabric.owner[lids]].astype(np.int64), rows
    )


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("folder", "of_tables", "of_lash", "of_dfsssp"),
    [
        ("opensm-torus8x8-dor", 4, 4, 6),
        ("opensm-random48-lash", 3, 3, 4),
        ("opensm-random48-updn-rooted", 1, 3, 4),
        ("opensm-torus8x8-updn-rooted", 1, 4, 6),
        ("opensm-leafspine-degraded-ftree", 1, 1, 1),
        ("ibutils-65sw", 1, 1, 1),
    ],
)
def test_layers_on_fabrics(folder: str, of_tables: int, of_lash: int, of_dfsssp: int) -> None:
    """OpenSM's tables by first fit, beside our own routes. The dumps do not hold the lanes OpenSM used."""
    routes = tables_of(folder)
    assert first_fit(routes)[1] == of_tables
    ours, balanced = lash(routes.network), dfsssp(routes.network)
    assert int(ours.vcs.counts[0]) == of_lash
    assert int(balanced.vcs.counts[0]) == of_dfsssp
    assert check(ours, "vct").deadlock_free is check(balanced, "vct").deadlock_free is True


def test_our_lash_routes_are_as_long_as_those_of_opensm() -> None:
    fabric = read_fabric(FABRICS / "opensm-random48-lash")
    network = fabric.network
    lids = np.flatnonzero((fabric.owner >= 0) & (fabric.owner < network.num_terminals))
    theirs = route_lengths(switchboard(fabric).network, switchboard(fabric).next_channel[:, lids])
    relation = lash(network)
    for column, terminal in enumerate(fabric.owner[lids].tolist()):
        for source in range(network.num_terminals):
            assert relation.may_use is not None
            (address,) = np.flatnonzero(relation.may_use[source] & (relation.destination == terminal))
            (path,) = channel_paths(relation, source, int(address))
            assert len(path) == theirs[network.inject[source], column]


@given(st.integers(0, 3))
@settings(max_examples=4)
def test_deep_orders_of_a_long_ring(shift: int) -> None:
    """Dependencies that reverse the order again and again keep it topological."""
    network = ring(40 + shift)
    routes = shortest_routes(network)
    layer, layers = first_fit(routes)
    assert layers == 2
    assert acyclic(routes, layer, layers)
