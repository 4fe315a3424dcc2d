"""Few changed routes and entries, longer routes, escapes: against brute force, and judged again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.lane_assignment.test_lanes import networks
from tests.reference import remedies
from unknot._base.deadline import clock
from unknot._base.errors import RelationError
from unknot.certificates import accept_verdict, plain
from unknot.certificates.documents import network_of
from unknot.certificates.documents import table_of as plain_table
from unknot.lane_assignment import longer_lanes
from unknot.lane_assignment.anneal_kernel import anneal
from unknot.lane_assignment.annealing import Aims
from unknot.lane_assignment.detours import detour_paths, unit_of
from unknot.lane_assignment.orders_kernel import settle
from unknot.lane_assignment.path_set import Demand, demand, path_set
from unknot.lane_assignment.rooted import one_by_one, orders_of
from unknot.lane_assignment.tables import free_table, random_table, table_of
from unknot.network import Network
from unknot.network.families import ring, torus
from unknot.remedies import escaped
from unknot.remedies.rerouted import rerouted
from unknot.routing import Relation, fully_adaptive, shortest_paths
from unknot.routing.lane_tables import tabled
from unknot.routing.named import routing
from unknot.search.bound import Bound
from unknot.search.effort import AnnealingStep, SearchEffort
from unknot.search.programs import SCALE
from unknot.verify import check, deliver


def effort(seconds: float = 30.0) -> SearchEffort:
    return SearchEffort(clock() + seconds)


def random_routing(network: Network, seed: int) -> Relation:
    """Shortest paths by a random table, in one lane."""
    traffic = demand(network)
    table = free_table(traffic, path_set(traffic), random_table(path_set(traffic), [seed]))
    return tabled(table.addresses, table.next_channel, np.zeros(table.wanted.shape, dtype=np.int64), 1)


def compare(network: Network, seed: int, seen: Counter[str]) -> None:
    assume(network.num_channels <= 7)
    relation = random_routing(network, seed)
    table = table_of(relation)
    plainly = plain.Table(plain.Network(network_of(network)), plain_table(relation))
    routes = {
        (plainly.network.inject[source], address): tuple(plain.route(plainly, source, address))
        for address, sources in enumerate(plainly.sources)
        for source in sources
        if source != plainly.destination[address]
    }
    routes = {ends: way for ends, way in routes.items() if way}
    ends = {(s, int(network.eject[a])): way for (s, a), way in routes.items()}
    least = remedies.fewest_changed(network, ends)
    remedy = rerouted(relation, table, 1, effort())
    if least is None:
        assert remedy is None
        seen["impossible"] += 1
        return
    assert remedy is not None
    seen["fewest"] += remedy.changed == least
    assert remedy.changed >= least >= remedy.lower_bound
    assert remedy.evidence_holds in (True, None)
    judged(remedy.relation)
    entries = rerouted(relation, table, 1, effort(), kind="entries")
    assert entries is not None
    assert entries.changed >= entries.lower_bound
    judged(entries.relation)
    table_of(entries.relation)
    seen["some" if least else "none"] += 1


def judged(relation: Relation) -> None:
    verdict, delivery = check(relation, "wormhole"), deliver(relation)
    assert verdict.deadlock_free
    assert delivery.delivered
    accept_verdict(relation, verdict)


def test_brute_force_agrees() -> None:
    """On a few drawn networks; how often the fewest changes are found is for the campaign to say."""
    cases = given(networks(), st.integers(0, 9))(lambda n, seed: compare(n, seed, Counter()))
    settings(max_examples=15)(cases)()


@pytest.mark.campaign
def test_brute_force_agrees_on_thousands() -> None:
    seen: Counter[str] = Counter()
    cases = given(networks(), st.integers(0, 9))(lambda n, seed: compare(n, seed, seen))
    settings(max_examples=2_000)(cases)()
    print(dict(seen))


def test_a_ring_changes_two_routes() -> None:
    relation = shortest_paths(ring(5))
    remedy = rerouted(relation, table_of(relation), 1, effort())
    assert remedy is not None
    assert (remedy.changed, remedy.lower_bound, remedy.fewest, remedy.evidence_holds) == (2, 2, True, True)
    judged(remedy.relation)


@pytest.mark.campaign
def test_a_torus_keeps_most_routes() -> None:
    """A smaller one: test_repair.py."""
    relation = routing(torus(5, 5), "shortest_paths", 1)
    table = table_of(relation)
    for kind, most in (("pairs", 110), ("entries", 130)):
        remedy = rerouted(relation, table, 1, effort(), kind=kind)
        assert remedy is not None
        assert 0 < remedy.lower_bound <= remedy.changed <= most
        assert remedy.evidence_holds
        judged(remedy.relation)


def test_corrupted_bounds_are_refused() -> None:
    relation = shortest_paths(ring(5))
    remedy = rerouted(relation, table_of(relation), 1, effort())
    assert remedy is not None
    good = remedy.evidence
    assert good is not None
    cycles, paid = good.claim["proof"]["cycles"], good.claim["proof"]["paid"]
    *cycle, weight = cycles[0]
    c, e, source, address, amount = paid[0]
    for wrong in (
        {"kind": "both"},
        {"least": 3},
        {"cycles": [[*cycle[1:], weight], *cycles[1:]]},
        {"cycles": [[*cycle, 3 * SCALE], *cycles[1:]]},
        {"cycles": [[*cycle, -weight], *cycles[1:]]},
        {"paid": paid[1:]},
        {"paid": [[c, e, source, address, 2 * SCALE], *paid[1:]]},
        {"paid": [[c, e, source, (address + 1) % 5, amount], *paid[1:]]},
        {"paid": [*paid, paid[0]]},
        {"paid": [[c, e, 0, 99, amount], *paid[1:]]},
    ):
        proof = {key: wrong.get(key, content) for key, content in good.claim["proof"].items()}
        assert Bound({**good.claim, **wrong, "proof": proof}).evidence_holds(relation) is False, wrong


def naive_cost(traffic: Demand, key: np.ndarray, weights: np.ndarray) -> int:
    """Detours of the shortest climbing paths, by dynamic programming over lanes."""
    network, unit, cost = traffic.network, unit_of(traffic), 0
    for u in range(network.num_routers):
        for h, home in enumerate(traffic.distances.homes.tolist()):
            if not traffic.wanted[u, h]:
                continue
            best = None
            for lane in key:
                todo = [(c, 1) for c in np.flatnonzero(network.source == u)]
                while todo:
                    c, length = todo.pop()
                    if network.target[c] == home:
                        best = length if best is None else min(best, length)
                        continue
                    todo += [
                        (e, length + 1)
                        for e in np.flatnonzero(network.source == network.target[c])
                        if lane[e] > lane[c] and network.target[e] != network.source[c]
                    ]
            more = 10**6 if best is None else (best - int(traffic.distances.table[h, u])) // unit
            cost += int(sum(w for i, w in enumerate(weights[:-1]) if more > i)) + (weights[-1] if best is None else 0)
    return cost


@given(networks(), st.integers(1, 2), st.integers(0, 1000))
def test_detours_are_counted(network: Network, count: int, seed: int) -> None:
    traffic = demand(network)
    weights = np.array([1, 2, 3, 10])
    form, taken = detour_paths(traffic, weights)
    random = np.random.default_rng(seed)
    orders = orders_of(form, random.random((count, network.num_channels)), taken)
    assert orders.unserved == naive_cost(traffic, orders.key, weights)
    anneal(form, orders, np.array([seed], dtype=np.uint64), AnnealingStep(200, 3.0, 0.5), Aims(aimed=0.5, spare=0.2))
    assert orders.unserved == naive_cost(traffic, orders.key, weights)
    kept = [np.array(array) for array in orders]
    cost = orders.unserved
    settle(form, orders)
    assert orders.unserved == cost
    assert all(np.array_equal(a, b) for a, b in zip(kept, orders, strict=True))


@pytest.mark.parametrize(
    ("text", "count", "goal", "hops", "detour"),
    [
        ("ring(6)", 1, "mean", (54 + 4) / 30, 2),
        ("ring(5)", 1, "longest", (30 + 2) / 20, 1),
        ("torus(4, 4)", 1, "mean", 512 / 240, 0),
        ("ring(5)", 2, "mean", 1.5, 0),
    ],
)
def test_longer_lanes(text: str, count: int, goal: str, hops: float, detour: int) -> None:
    laned = longer_lanes(text, count, goal=goal, time_limit=600)
    assert laned.relation.vcs.widest == count
    assert laned.mean_hops == pytest.approx(hops)
    assert laned.longest_detour == detour
    judged(laned.relation)
    assert deliver(laned.relation).minimal is (detour == 0)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize(
    ("text", "stretch", "count"),
    [
        ("ring(6)", 0, 2),
        ("ring(6)", 1, 2),
        ("ring(6)", 2, 1),
        pytest.param("torus(5, 5)", 1, 1, marks=pytest.mark.campaign),
        ("kautz(2, 3)", 3, 1),
    ],
)
def test_a_stretch_saves_lanes(text: str, stretch: int, count: int) -> None:
    """Of ring(6) all detours are even, so that a stretch of 1 allows no more than one of 0."""
    laned = longer_lanes(text, stretch=stretch, time_limit=600)
    assert laned.count == count
    assert laned.longest_detour <= stretch
    assert check(laned.relation).deadlock_free
    assert deliver(laned.relation).delivered


@settings(max_examples=6)
@given(networks(), st.integers(0, 3))
def test_no_route_is_longer_than_the_stretch(network: Network, stretch: int) -> None:
    laned = longer_lanes(network, stretch=stretch, time_limit=2, rounds=1)
    assert laned.longest_detour <= stretch
    assert laned.count <= len(one_by_one(path_set(demand(network)), [1, 0]))
    assert check(laned.relation).deadlock_free
    assert deliver(laned.relation).delivered


@pytest.mark.parametrize("text", ["ring(7)", "torus(5, 5)"])
def test_no_route_is_longer_than_the_stretch_when_time_runs_out(text: str) -> None:
    laned = longer_lanes(text, stretch=0, time_limit=0.0001)
    assert (laned.complete, laned.longest_detour) == (False, 0)
    assert deliver(laned.relation).minimal


def test_bad_longer_lanes() -> None:
    with pytest.raises(RelationError, match="a number of lanes or a stretch"):
        longer_lanes("ring(5)")
    with pytest.raises(RelationError, match="from 0 to 16"):
        longer_lanes("ring(5)", stretch=17)
    with pytest.raises(RelationError, match="in 1 lane with a stretch of 0"):
        longer_lanes("ring(5)", 1, stretch=0, time_limit=600, rounds=1)
    with pytest.raises(RelationError, match="of at least 1, got 0"):
        longer_lanes("ring(5)", 0)
    with pytest.raises(RelationError, match="unknown goal 'mena'"):
        longer_lanes("ring(5)", 1, goal="mena")
    one_way = Network("one way", 4, range(4), [1, 2, 3, 0])
    with pytest.raises(RelationError, match="no way was found to connect all pairs in 1 lane"):
        longer_lanes(one_way, 1, time_limit=1)


@pytest.mark.parametrize(("minimal", "added"), [(False, 8), (True, 20)])
def test_escapes(minimal: bool, added: int) -> None:
    relation = fully_adaptive(ring(5), vcs=1)
    escape = escaped(relation, minimal=minimal)
    assert escape.added == added
    assert deliver(escape.relation).minimal is minimal
    for switching in ("wormhole", "vct", "saf"):
        verdict = check(escape.relation, switching)
        assert verdict.deadlock_free
        accept_verdict(escape.relation, verdict)
    with pytest.raises(RelationError, match="commit"):
        escaped(replace(relation, commits=True))
