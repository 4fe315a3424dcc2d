"""Lanes that packets change on the way: the search, its refutations, the relations, and the command."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lane_assignment.commands import run
from tests.lane_assignment.test_exact import effort, one_way_ring
from tests.lane_assignment.test_lanes import ATLAS, networks
from tests.reference import climbing, levels
from unknot._base.errors import RelationError
from unknot.certificates import Rejected, accept_verdict
from unknot.lane_assignment import ChangingLanes, Refutation, changing_lanes, changing_search, evidence, lanes
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.anneal_kernel import anneal
from unknot.lane_assignment.annealing import Aims
from unknot.lane_assignment.changing_search import in_levels
from unknot.lane_assignment.lane_search import Solution
from unknot.lane_assignment.load_kernel import served_column
from unknot.lane_assignment.orders_kernel import settle
from unknot.lane_assignment.path_set import demand, in_classes, path_set
from unknot.lane_assignment.rooted import orders_of
from unknot.lane_assignment.served_pairs import shortest_pairs
from unknot.lane_assignment.tables import free_table, paths_of, random_table, table_from
from unknot.network import Network, from_networkx
from unknot.network.families import torus
from unknot.routing import Relation, shortest_paths
from unknot.search.effort import AnnealingStep
from unknot.verify import check, deliver, loads


def climbs(network: Network, paths: list[tuple[int, ...]], key: np.ndarray, rising: bool) -> bool:
    """Whether a path climbs through virtual channels with keys (lanes, channels), tried one by one."""
    for path in paths:
        for taken in product(range(len(key)), repeat=len(path)):
            ordered = not rising or list(taken) == sorted(taken)
            values = [key[k, c] for k, c in zip(taken, path, strict=True)]
            if ordered and all(a < b for a, b in pairwise(values)):
                return True
    return False


@given(networks(), st.integers(1, 2), st.booleans(), st.integers(0, 1000))
def test_what_orders_of_virtual_channels_serve(network: Network, count: int, rising: bool, seed: int) -> None:
    paths = in_classes(network, path_set(demand(network)), count, rising=rising)
    start = paths.base + np.random.default_rng(seed).random((1, network.num_channels * count))
    orders = orders_of(paths, start)
    state = np.array([seed], dtype=np.uint64)
    anneal(paths, orders, state, AnnealingStep(200, 3.0, 0.5), Aims(0.5, 0.0, 0.2))
    key = orders.key.reshape(-1, count).T
    naive = sum(
        not climbs(network, climbing.shortest_paths(network, s, t), key, rising) for s, t in climbing.pairs(network)
    )
    left = orders.unserved
    settle(paths, orders)
    assert left == naive == orders.unserved


@given(networks(), st.integers(1, 2), st.booleans(), st.integers(0, 1000))
def test_tables_are_searched_with_virtual_channels(network: Network, count: int, rising: bool, seed: int) -> None:
    traffic = demand(network)
    plain = path_set(traffic)
    paths = in_classes(network, plain, count, rising=rising)
    start = paths.base + np.random.default_rng(seed).random((1, network.num_channels * count))
    orders = orders_of(paths, start, np.repeat(random_table(plain, [seed]), count, axis=0))
    anneal(paths, orders, np.array([seed], dtype=np.uint64), AnnealingStep(200, 3.0, 0.5), Aims(0.5, 0.5, 0.2))
    left = orders.unserved
    settle(paths, orders)
    assert orders.unserved == left
    step, key = table_from(paths, orders.taken), orders.key.reshape(-1, count).T
    homes, top = traffic.distances.homes, np.zeros((1, network.num_routers))
    order = np.argsort(traffic.distances.table, axis=1, kind="stable")
    naive = 0
    for h, home in enumerate(homes.tolist()):
        every = True
        for u in np.flatnonzero(traffic.wanted[:, h]).tolist():
            way, at = [], u
            while at != home:
                way.append(int(step[h, at]) // count)
                at = int(network.target[way[-1]])
            serves = climbs(network, [tuple(way)], key, rising)
            naive += not serves
            every &= serves
        assert served_column(paths, orders.key, step, traffic.wanted, order[h], h, top) == every
    assert left == naive


@settings(max_examples=5)
@given(networks(), st.integers(1, 2), st.sampled_from(["rising", "any"]))
def test_the_solver_agrees_with_brute_force(network: Network, count: int, changes: str) -> None:
    traffic = demand(network)
    answer = refute(shortest_pairs(network, None), count, effort(), conflicts=20_000, changes=changes)
    fewest = climbing.fewest_changing(network, count, changes)
    if isinstance(answer, Refutation):
        assert evidence.accept(network, answer) == count
        assert fewest == count + 1
    else:
        assert isinstance(answer, Solution)
        assert fewest <= count
        paths = in_classes(network, path_set(traffic), count, rising=changes == "rising")
        assert orders_of(paths, answer.keys).unserved == 0


def judged(laned: ChangingLanes) -> None:
    verdict, delivery = check(laned.relation, "wormhole"), deliver(laned.relation)
    assert verdict.deadlock_free
    assert verdict.certificate is not None
    assert verdict.certificate.kind == "order"
    accept_verdict(laned.relation, verdict)
    assert delivery.delivered
    assert laned.paths == "given" or delivery.minimal
    assert laned.evidence_holds is not False
    assert laned.relation.vcs.widest == laned.count


@settings(max_examples=4)
@given(networks(), st.sampled_from(["rising", "any"]), st.sampled_from(["free", "table"]), st.integers(0, 5))
def test_what_is_found_holds(network: Network, changes: str, paths: str, seed: int) -> None:
    laned = changing_lanes(network, paths, changes=changes, seed=seed)
    judged(laned)
    assert laned.lower_bound <= climbing.fewest_changing(network, laned.count, changes) <= laned.count
    terminals = network.num_terminals
    if terminals > 1 and np.unique(network.inject).size == terminals:
        assert np.allclose(loads(laned.relation).channel * terminals, laned.load)


@pytest.mark.parametrize("changes", ["rising", "any"])
@pytest.mark.parametrize("graph", ATLAS[::20], ids=lambda g: g.name)
def test_small_graphs(graph: nx.Graph, changes: str) -> None:
    network = from_networkx(graph, name=graph.name)
    assert changing_lanes(network, changes=changes).count == climbing.fewest_changing(network, 3, changes)


@pytest.mark.campaign
@pytest.mark.parametrize("changes", ["rising", "any"])
@pytest.mark.parametrize("graph", ATLAS, ids=lambda g: g.name)
def test_all_small_graphs(graph: nx.Graph, changes: str) -> None:
    network = from_networkx(graph, name=graph.name)
    assert changing_lanes(network, changes=changes).count == climbing.fewest_changing(network, 3, changes)


def given_paths(relation: Relation) -> dict[tuple[int, int], tuple[int, ...]]:
    was = paths_of(relation)
    assert was is not None
    return {pair: next(iter(paths)) for pair, paths in was.items()}


@settings(max_examples=4)
@given(networks(), st.sampled_from(["rising", "any", "ports"]), st.integers(1, 100))
def test_given_routes_are_kept(network: Network, changes: str, seed: int) -> None:
    relation = shortest_paths(network, choice="random", seed=seed)
    laned = changing_lanes(network, "given", changes=changes, routing=relation)
    judged(laned)
    assert paths_of(relation) == paths_of(laned.relation)
    if changes != "ports":
        fewest = climbing.fewest_changing(network, laned.count, changes, given=given_paths(relation))
        assert laned.lower_bound <= fewest <= laned.count


@pytest.mark.campaign
def test_brute_force_agrees_on_thousands_of_given_routes() -> None:
    seen: Counter[tuple[str, int]] = Counter()

    @settings(max_examples=2_000)
    @given(networks(), st.sampled_from(["none", "rising", "any"]), st.integers(1, 10**6))
    def compare(network: Network, changes: str, seed: int) -> None:
        relation = shortest_paths(network, choice="random", seed=seed)
        paths = given_paths(relation)
        if changes == "none":
            count = lanes(network, "given", routing=relation).count
            least = climbing.fewest_for(paths.values(), count)
        else:
            count = changing_lanes(network, "given", changes=changes, routing=relation).count
            least = climbing.fewest_changing(network, count, changes, given=paths)
        assert count == least
        seen[changes, count] += 1

    compare()
    print(dict(seen))


@pytest.mark.parametrize("changes", ["rising", "any"])
def test_changing_lanes_saves_lanes(changes: str) -> None:
    """Every packet of a one-way ring may go up once; without this, a ring of seven takes four lanes."""
    laned = changing_lanes(one_way_ring(7), changes=changes)
    assert (laned.count, laned.lower_bound) == (2, 2)
    assert laned.changing_pairs > 0
    judged(laned)


def lane_sequences(laned: ChangingLanes) -> list[list[int]]:
    """The lanes of each route, hop by hop."""
    relation, sequences = laned.relation, []
    for address in range(relation.num_addresses):
        for source in relation.sources(address).tolist():
            at, taken = relation.num_vcs + source, []
            while True:
                vcs = [c.vc for c in relation.candidates(at, address) if c.vc is not None]
                if not vcs:
                    break
                at = vcs[0]
                taken.append(int(relation.vcs.index[at]))
            sequences.append(taken)
    return sequences


@pytest.mark.parametrize("paths", ["free", "table"])
def test_classes_rise(paths: str) -> None:
    laned = changing_lanes(one_way_ring(6), paths, changes="rising")
    sequences = lane_sequences(laned)
    assert all(taken == sorted(taken) for taken in sequences)
    assert sum(len(set(taken)) > 1 for taken in sequences) == laned.changing_pairs > 0


def test_lanes_by_ports_depend_on_nothing_else() -> None:
    laned = changing_lanes(one_way_ring(7), "table", changes="ports")
    judged(laned)
    relation = laned.relation
    assert laned.count == 2
    assert laned.levels is not None
    assert 1 < laned.levels <= 16
    seen: dict[tuple[int, int, int], int] = {}
    for address in range(relation.num_addresses):
        for source in relation.sources(address).tolist():
            at, came = relation.num_vcs + source, -1 - source
            while True:
                vcs = [c.vc for c in relation.candidates(at, address) if c.vc is not None]
                if not vcs:
                    break
                at, channel = vcs[0], int(relation.vcs.channel[vcs[0]])
                level = address // relation.network.num_terminals
                assert seen.setdefault((level, came, channel), int(relation.vcs.index[at])) == relation.vcs.index[at]
                came = channel
    assert sum(len(set(taken)) > 1 for taken in lane_sequences(laned)) == laned.changing_pairs


@given(networks(), st.integers(1, 3), st.integers(0, 1000))
def test_levels_are_filled_as_by_the_naive_twin(network: Network, count: int, seed: int) -> None:
    paths = path_set(demand(network))
    key = np.random.default_rng(seed).random((count, network.num_channels))
    table = free_table(demand(network), paths, random_table(paths, [seed]))
    expected, packed = levels.filled(table, key, 16), in_levels(table, key)
    if expected is None:
        assert packed is None
        return
    assert packed is not None
    level, entries, changed = expected
    assert np.array_equal(packed.level, level)
    assert packed.changed == changed
    first, leaving = network.outgoing
    slot = {int(c): i - int(first[network.source[c]]) for i, c in enumerate(leaving)}
    filled = np.argwhere(packed.entries >= 0)
    assert len(filled) == len(entries)
    for (number, came, channel), lane in entries.items():
        assert packed.entries[number, came, slot[channel]] == lane


def test_routes_that_need_more_levels_than_there_are() -> None:
    """Of the routes around a one-way ring in two lanes, all that begin two apart differ in the lane of some turn."""
    for routers, fits in ((12, True), (60, False)):
        ring = one_way_ring(routers)
        paths = path_set(demand(ring))
        table = free_table(demand(ring), paths, paths.nearer)
        order = np.arange(routers) + np.array([[0.0], [routers]])
        assert (in_levels(table, order) is not None) == fits


def test_lanes_that_are_kept_fit_into_as_many_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no other levels are found, each of at most 16 lanes that are kept is a level."""
    monkeypatch.setattr(changing_search, "in_levels", lambda table, key: None)
    laned = changing_lanes(one_way_ring(9), "table", changes="ports", rounds=4, conflicts=100)
    assert laned.count == laned.levels == 5
    assert laned.changing_pairs == 0
    judged(laned)


def test_refutations_of_lanes_that_change() -> None:
    network = one_way_ring(5)
    for changes in ("rising", "any"):
        good = refute(shortest_pairs(network, None), 1, effort(), conflicts=10_000, changes=changes)
        assert isinstance(good, Refutation)
        assert evidence.accept(network, good) == 1
        for wrong in (
            replace(good, changes="falling"),
            replace(good, lanes=2),
            replace(good, steps=()),
            replace(good, pairs=((0, 0), *good.pairs)),
            replace(good, cycles=((0, 99), *good.cycles)),
        ):
            with pytest.raises(Rejected):
                evidence.accept(network, wrong)


def test_evidence_about_lanes_that_are_kept_says_nothing_about_those_that_change() -> None:
    network = one_way_ring(7)
    kept = lanes(network)
    laned = changing_lanes(network)
    assert kept.lower_bound == 4
    wrong = replace(laned, evidence=kept.evidence, lower_bound=4)
    assert wrong.evidence_holds is False
    assert replace(laned, lower_bound=3).evidence_holds is False


def test_relations_are_pickled() -> None:
    for relation in (
        changing_lanes(one_way_ring(5)).relation,
        changing_lanes(one_way_ring(5), "table", changes="ports").relation,
    ):
        copy = pickle.loads(pickle.dumps(relation))
        for address in range(relation.num_addresses):
            for at in range(relation.num_vcs + relation.network.num_terminals):
                assert copy.candidates(at, address) == relation.candidates(at, address)


def test_more_vcs_are_shared_out() -> None:
    for paths, changes in (("free", "any"), ("table", "ports")):
        laned = changing_lanes(one_way_ring(5), paths, changes=changes, vcs=5)
        assert check(laned.relation, "wormhole").deadlock_free
        assert deliver(laned.relation).delivered
        with pytest.raises(RelationError, match="need 2 lanes, and so as many VCs; got 1"):
            changing_lanes(one_way_ring(5), paths, changes=changes, vcs=1)


def test_only_listed_flows() -> None:
    flows = np.zeros((6, 6))
    flows[0, 3], flows[3, 0] = 2.0, 1.0
    laned = changing_lanes("ring(6)", flows=flows)
    assert (laned.count, laned.pairs, laned.highest_load) == (1, 2, 2.0)
    assert deliver(laned.relation).pairs == 2
    given_ = changing_lanes("ring(6)", "given", routing="shortest_paths", flows=flows)
    assert (given_.count, given_.pairs) == (1, 2)


def test_tables_of_a_torus_keep_their_load_low() -> None:
    laned = changing_lanes(torus(6, 6), "table", changes="any")
    judged(laned)
    assert (laned.count, laned.lower_bound) == (2, 2)
    assert laned.highest_load <= 1.3 * laned.mean_load


def test_bad_questions() -> None:
    with pytest.raises(RelationError, match="unknown changes 'rise'"):
        changing_lanes("ring(5)", changes="rise")
    with pytest.raises(RelationError, match="unknown paths 'fre'"):
        changing_lanes("ring(5)", "fre")
    with pytest.raises(RelationError, match="need paths by table, or given ones"):
        changing_lanes("ring(5)", changes="ports")
    with pytest.raises(RelationError, match="given paths are those of a routing"):
        changing_lanes("ring(5)", "given")
    with pytest.raises(RelationError, match="time limit must be a positive number"):
        changing_lanes("ring(5)", time_limit=-1)


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "routes.json"
    code, text = run("lanes", "ring(6)", "--paths", "table", "--changes", "ports", "--export", str(out))
    assert code == 0
    assert "2 lanes, changed by ports, are enough" in text
    assert "levels 2" in text
    assert json.loads(out.read_text())["vcs"] == [2] * 12
    code, text = run("lanes", "de_bruijn(2, 3)", "--changes", "rising", "--json")
    answer = json.loads(text)
    assert code == 0
    assert (answer["changes"], answer["deadlock_free"], answer["evidence_holds"]) == ("rising", True, True)
    assert answer["lanes"] == answer["lower_bound"] == 2
    code, text = run("lanes", "ring(6)", "--changes", "any", "--lanes", "2")
    assert code == 2
    assert "--changes" in text
    assert run("lanes", "ring(6)", "--changes", "any", "--most", "3")[0] == 2
