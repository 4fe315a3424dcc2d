"""Fewest lanes: orders, their kernel, the relation they make, and the cycle of forced turns."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import climbing
from unknot._base.errors import NetworkError, RelationError, TextError
from unknot.certificates import Rejected, accept_verdict
from unknot.lane_assignment import ForcedCycle, evidence, lanes, orders, read_flows
from unknot.lane_assignment.anneal_kernel import anneal
from unknot.lane_assignment.annealing import Aims
from unknot.lane_assignment.flows import only
from unknot.lane_assignment.orders_kernel import settle
from unknot.lane_assignment.path_set import demand, packed, path_set, unpacked
from unknot.lane_assignment.paths_kernel import fill
from unknot.lane_assignment.rooted import around, filled, one_by_one, orders_of
from unknot.lane_assignment.tables import paths_of_table, table_of
from unknot.network import Network, from_networkx
from unknot.network.families import mesh
from unknot.routing import up_down
from unknot.search.effort import AnnealingStep
from unknot.verify import check, deliver, loads

ATLAS = [g for g in nx.graph_atlas_g()[1:209] if nx.is_connected(g) and len(g) > 1]


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Small networks with a way from every router to every other, some with parallel channels and idle routers."""
    routers = draw(st.integers(2, 6))
    ring = [(i, (i + 1) % routers) for i in range(routers)]
    more = draw(st.lists(st.tuples(st.integers(0, routers - 1), st.integers(0, routers - 1)), max_size=10))
    channels = ring + [(u, v) for u, v in more if u != v]
    ends = draw(st.lists(st.integers(0, routers - 1), min_size=2, max_size=routers, unique=True))
    source, target = zip(*channels, strict=True)
    return Network("small", routers, source, target, inject=ends)


@given(networks(), st.integers(1, 3), st.integers(0, 1000))
def test_what_orders_serve(network: Network, count: int, seed: int) -> None:
    key = np.random.default_rng(seed).integers(0, network.num_channels, (count, network.num_channels)).astype(float)
    paths = path_set(demand(network))
    orders = orders_of(paths, key)
    assert orders.unserved == climbing.unserved(network, key)
    state = np.array([seed], dtype=np.uint64)
    for _ in range(20):
        before = orders.unserved
        least, _ = anneal(paths, orders, state, AnnealingStep(1, 3.0, 0.5), Aims(0.5, 0.0, 0.2))
        assert least == min(before, orders.unserved)
    least, _ = anneal(paths, orders, state, AnnealingStep(300, 3.0, 0.5), Aims(0.5, 0.0, 0.2))
    left = orders.unserved
    assert least <= left == climbing.unserved(network, orders.key)
    kept = [array.copy() for array in orders]
    for derived in (orders.reach, orders.cover, orders.missed, orders.lack, orders.agree):
        derived[...] = 77
    settle(paths, orders)
    assert orders.unserved == left
    assert all(np.array_equal(a, b) for a, b in zip(kept, orders, strict=True))


@given(st.integers(1, 130), st.integers(0, 5), st.integers(0, 100))
def test_flags_are_packed(count: int, rows: int, seed: int) -> None:
    flags = np.random.default_rng(seed).random((rows, count)) < 0.5
    assert np.array_equal(unpacked(packed(flags), count), flags)


@given(networks(), st.integers(0, 5))
def test_one_lane_after_the_other_is_always_enough(network: Network, seed: int) -> None:
    paths = path_set(demand(network))
    serving = one_by_one(paths, [seed])
    assert climbing.unserved(network, serving.key) == 0
    for root in range(network.num_routers):
        orders = orders_of(paths, around(paths, [root])[None])
        assert not (paths.wanted[root] & ~orders.cover[0, root]).any()


@given(networks(), st.integers(0, 5))
def test_a_lane_is_filled_until_no_path_is_free(network: Network, seed: int) -> None:
    """Turns in use climb, so close no cycle; those of a single shortest path are among them, or would close one."""
    paths = path_set(demand(network))
    rank = np.random.default_rng(seed).permutation(network.num_channels)
    at, uses = np.argsort(rank), np.zeros(paths.after.size, dtype=np.int32)
    fill(paths, uses, rank, at, np.array([seed], dtype=np.uint64), np.arange(paths.home.size), 1 << 20)
    assert np.array_equal(rank[at], np.arange(network.num_channels))
    before = np.repeat(np.arange(network.num_channels), np.diff(paths.after_first))
    turns = set(zip(before[uses > 0].tolist(), paths.after[uses > 0].tolist(), strict=True))
    assert all(rank[c] < rank[e] for c, e in turns)
    for s, t in climbing.pairs(network):
        routes = [{*pairwise(path)} for path in climbing.shortest_paths(network, s, t)]
        free = [way <= turns or not nx.is_directed_acyclic_graph(nx.DiGraph([*way | turns])) for way in routes]
        assert len(routes) > 1 or all(free)


def test_filled_lanes_serve_random_networks_in_fewer_than_those_around_roots() -> None:
    paths = path_set(demand(from_networkx(nx.random_regular_graph(4, 100, seed=1))))
    random = np.random.default_rng(1)
    rooted = min(orders_of(paths, around(paths, [root])[None]).unserved for root in range(100))
    assert orders_of(paths, filled(paths, random)[None]).unserved < rooted
    assert len(one_by_one(paths, [1])) <= 6


def test_one_lane_after_the_other_is_enough_for_routes_that_are_longer() -> None:
    """Around a root, routes from it climb if they are shortest; these go around half of a grid."""
    paths = paths_of_table(table_of(up_down(mesh(4, 5), root=0)))
    left = orders_of(paths, one_by_one(paths, [1]).key).unserved
    assert left == 0


@settings(max_examples=5)
@given(networks(), st.integers(0, 5))
def test_what_is_found_holds(network: Network, seed: int) -> None:
    laned = lanes(network, seed=seed)
    assert climbing.unserved(network, laned.key) == 0
    verdict, delivery = check(laned.relation, "wormhole"), deliver(laned.relation)
    assert verdict.deadlock_free
    assert verdict.certificate is not None
    assert verdict.certificate.kind == "order"
    accept_verdict(laned.relation, verdict)
    assert delivery.delivered
    assert delivery.minimal
    assert laned.evidence_holds is not False
    assert laned.lower_bound <= climbing.fewest_lanes(network, laned.count) <= laned.count
    load = loads(laned.relation)
    assert load.forced
    terminals = network.num_terminals
    if terminals > 1 and np.unique(network.inject).size == terminals:
        assert np.allclose(load.channel * terminals, laned.routes.load)


@pytest.mark.long
def test_large_networks_begin_with_lanes_that_are_annealed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "LARGE", 0)
    network = from_networkx(nx.random_regular_graph(4, 32, seed=3))
    laned = lanes(network, tries=1, time_limit=600, conflicts=100)
    first, annealed, *_ = (count for _, count in laned.history)
    assert first > annealed >= laned.count
    assert climbing.unserved(network, laned.key) == 0


@pytest.mark.parametrize("graph", ATLAS[::9], ids=lambda g: g.name)
def test_small_graphs(graph: nx.Graph) -> None:
    network = from_networkx(graph, name=graph.name)
    assert lanes(network).count == climbing.fewest_lanes(network, 4)


@pytest.mark.campaign
@pytest.mark.parametrize("graph", ATLAS, ids=lambda g: g.name)
def test_all_small_graphs(graph: nx.Graph) -> None:
    network = from_networkx(graph, name=graph.name)
    assert lanes(network).count == climbing.fewest_lanes(network, 4)


@pytest.mark.parametrize(
    ("text", "count", "cycle"),
    [
        pytest.param("torus(8, 8)", 2, 8, marks=pytest.mark.campaign),
        pytest.param("torus(6, 6)", 2, 6, marks=pytest.mark.campaign),
        ("torus(5, 5)", 2, 5),
        ("torus(4, 4)", 1, None),
        ("hypercube(4)", 1, None),
        ("ring(5)", 2, 5),
        ("mesh(4)", 1, None),
    ],
)
def test_known_networks(text: str, count: int, cycle: int | None) -> None:
    laned = lanes(text, effort=200, time_limit=600)
    assert (laned.count, laned.lower_bound, laned.complete) == (count, count, True)
    assert laned.fewest
    if "torus" in text:
        assert laned.highest_load <= 1.125 * laned.mean_load
    if cycle is None:
        assert laned.evidence is None
    else:
        assert isinstance(laned.evidence, ForcedCycle)
        assert len(laned.evidence.turns) == cycle
        assert laned.evidence_holds


def test_a_hub_of_many_channels() -> None:
    """A star, whose hub has 130 channels each way."""
    laned = lanes(from_networkx(nx.star_graph(130)), tries=1, flows=np.eye(131, k=1) + np.eye(131, k=64))
    assert laned.count == 1
    assert check(laned.relation).deadlock_free
    assert deliver(laned.relation).delivered


@pytest.mark.long
def test_uneven_tables_are_searched_longer() -> None:
    """An order around a root, which is found first, loads one channel with 44."""
    laned = lanes("torus(4, 4, 2)", "table")
    assert (laned.count, laned.mean_load) == (1, 16.0)
    assert laned.highest_load <= 24


def test_same_seed_same_routes() -> None:
    first, again, other = (lanes("torus(5, 5)", seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.key, again.key)
    assert np.array_equal(first.routes.follow, again.routes.follow)
    assert not np.array_equal(first.key, other.key)


def test_relations_are_pickled() -> None:
    relation = lanes("ring(5)").relation
    copy = pickle.loads(pickle.dumps(relation))
    for address in range(relation.num_addresses):
        for at in range(relation.num_vcs + relation.network.num_terminals):
            assert copy.candidates(at, address) == relation.candidates(at, address)


def test_more_vcs_are_shared_out() -> None:
    laned = lanes("ring(5)", vcs=5)
    assert check(laned.relation, "wormhole").deadlock_free
    most = max(
        len(laned.relation.candidates(at, address)) for at in range(laned.relation.num_vcs) for address in range(10)
    )
    assert most == 3
    with pytest.raises(RelationError, match="need 2 lanes, and so as many VCs; got 1"):
        lanes("ring(5)", vcs=1)


def test_corrupted_cycles_are_refused() -> None:
    laned = lanes("torus(5, 5)")
    assert isinstance(laned.evidence, ForcedCycle)
    turns, network = laned.evidence.turns, laned.relation.network
    evidence.accept(network, laned.evidence)
    for wrong in (
        turns[:-1],
        (),
        (*turns[:2], *turns[3:]),
        (replace(turns[0], source=turns[0].destination), *turns[1:]),
        (replace(turns[0], destination=(turns[0].destination + 7) % 25), *turns[1:]),
        (replace(turns[0], following=turns[0].channel), *turns[1:]),
        tuple(reversed(turns)),
    ):
        with pytest.raises(Rejected):
            evidence.accept(network, ForcedCycle(tuple(wrong)))


def test_only_listed_flows(tmp_path: object) -> None:
    flows = np.zeros((6, 6))
    flows[0, 3], flows[3, 0] = 2.0, 1.0
    laned = lanes("ring(6)", flows=flows)
    assert (laned.count, laned.pairs, laned.highest_load) == (1, 2, 2.0)
    delivery = deliver(laned.relation)
    assert delivery.delivered
    assert delivery.pairs == 2
    with pytest.raises(NetworkError, match="numbers from 0 on"):
        lanes("ring(6)", flows=-flows)
    with pytest.raises(NetworkError, match=r"shape \(6, 6\)"):
        lanes("ring(6)", flows=np.ones((5, 5)))


def test_relations_for_flows_only() -> None:
    from unknot.network.families import torus
    from unknot.routing import dimension_order

    relation = dimension_order(torus(5), vcs=1)
    assert check(relation, "wormhole").deadlock_free is False
    flows = np.zeros((5, 5))
    flows[0, 2] = 1
    few = only(relation, flows)
    assert check(few, "wormhole").deadlock_free
    assert deliver(few).pairs == 1


def test_flow_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    network = lanes("ring(5)").relation.network
    file = tmp_path / "flows.csv"
    file.write_text("source,target,bandwidth\nt0,t1,100\nt0, t1,2 GB/s\n\nt2,t3,8Gb/s\n")
    matrix = read_flows(file, network)
    assert matrix[0, 1] == 2100
    assert matrix[2, 3] == 1000
    assert np.count_nonzero(matrix) == 2
    for text, message in (
        ("", "no 'source'"),
        ("source,bandwidth\n", "no 'target'"),
        ("source,target\n", "no flow"),
        ("source,target\nt0,t9\n", "no terminal called"),
        ("source,target,bandwidth\n0 1,2\n", "no terminal called '0 1'"),
        ("source,target\nt0,t0\n", "to another terminal"),
        ("source,target,bandwidth\nt0,t1,-3\n", "is no bandwidth"),
        ("source,target,load\nt0,t1,3\n", "'load' is none of source, target, bandwidth"),
        ("source,target,bandwidth\nt0,t1,3 km/h\n", "is no bandwidth"),
    ):
        file.write_text(text)
        with pytest.raises(TextError, match=message):
            read_flows(file, network)


def test_bad_questions() -> None:
    with pytest.raises(RelationError, match="unknown paths 'fre'"):
        lanes("ring(5)", "fre")
    with pytest.raises(RelationError, match="time limit must be a positive number"):
        lanes("ring(5)", time_limit=0)
    with pytest.raises(NetworkError, match="no way from router"):
        lanes(Network("two", 2, [0], [1]))
