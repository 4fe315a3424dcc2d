"""Lanes that the two directions of a pair share."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.test_cli import refused, unknot_says
from tests.fabrics.folders import EXAMPLES
from tests.lane_assignment.test_lanes import networks
from tests.reference import climbing
from unknot._base.deadline import clock
from unknot._base.errors import RelationError
from unknot.fabrics import read_fabric
from unknot.lane_assignment import Lanes, Refutation, lanes
from unknot.lane_assignment.agreed import refute
from unknot.lane_assignment.anneal_kernel import anneal
from unknot.lane_assignment.annealing import Aims
from unknot.lane_assignment.evidence import accept, shows
from unknot.lane_assignment.lane_search import Solution
from unknot.lane_assignment.orders_kernel import settle
from unknot.lane_assignment.path_set import demand, of_pairs, packed, path_set, served, unpacked
from unknot.lane_assignment.rooted import orders_of
from unknot.lane_assignment.served_pairs import shortest_pairs
from unknot.lane_assignment.tables import LaneTable
from unknot.network import Network, from_edges
from unknot.network.families import torus
from unknot.remedies import repair
from unknot.routing import dimension_order
from unknot.routing.fabric_relation import fabric_relation
from unknot.routing.forwarding_table import DROP, EJECT_HERE, forwarding_table
from unknot.search.effort import AnnealingStep, SearchEffort
from unknot.verify import check, deliver

LASH = EXAMPLES / "opensm-ring12-lash"


def shared(laned: Lanes) -> bool:
    """Whether every two routers send to each other, to whatever address, in one lane."""
    assert isinstance(laned.routes, LaneTable)
    of_pair: dict[frozenset[int], set[int]] = {}
    for u, row in np.argwhere(laned.routes.wanted).tolist():
        of_pair.setdefault(frozenset((u, int(laned.routes.home[row]))), set()).add(int(laned.lane[u, row]))
    return all(len(used) == 1 and min(used) >= 0 for used in of_pair.values())


@given(networks(), st.integers(1, 3), st.integers(0, 1000))
def test_what_orders_serve_both_ways(network: Network, count: int, seed: int) -> None:
    key = np.random.default_rng(seed).integers(0, network.num_channels, (count, network.num_channels)).astype(float)
    traffic = demand(network)
    paths = of_pairs(path_set(traffic), packed(traffic.wanted), both_ways=True)
    orders = orders_of(paths, key)
    assert orders.unserved == climbing.unserved(network, key, both_ways=True)
    state = np.array([seed], dtype=np.uint64)
    for _ in range(20):
        before = orders.unserved
        least, _ = anneal(paths, orders, state, AnnealingStep(1, 3.0, 0.5), Aims(0.5, 0.0, 0.2))
        assert least == min(before, orders.unserved)
    least, _ = anneal(paths, orders, state, AnnealingStep(300, 3.0, 0.5), Aims(0.5, 0.0, 0.2))
    left = orders.unserved
    assert least <= left == climbing.unserved(network, orders.key, both_ways=True)
    some = np.bitwise_or.reduce(served(orders, paths.home), axis=0)
    assert np.count_nonzero(traffic.wanted & ~unpacked(some, traffic.distances.homes.size)) == left
    kept = [array.copy() for array in orders]
    for derived in (orders.reach, orders.cover, orders.missed, orders.lack, orders.agree):
        derived[...] = 77
    settle(paths, orders)
    assert orders.unserved == left
    assert all(np.array_equal(a, b) for a, b in zip(kept, orders, strict=True))


@given(networks(), st.integers(1, 3))
def test_the_solver_agrees_with_brute_force(network: Network, count: int) -> None:
    effort = SearchEffort(clock() + 60)
    answer = refute(shortest_pairs(network, None), count, effort, conflicts=10_000, changes="shared")
    if isinstance(answer, Refutation):
        assert accept(network, answer) == count
        assert climbing.fewest_lanes(network, count, both_ways=True) == count + 1
        assert shows(network, answer, count + 1, changes="shared") is True
        assert shows(network, answer, count + 1) is (count == 1)
    else:
        assert isinstance(answer, Solution)
        assert climbing.unserved(network, answer.keys, both_ways=True) == 0


@settings(max_examples=5)
@given(networks(), st.integers(0, 100))
def test_tables_share_lanes(network: Network, seed: int) -> None:
    if climbing.fewest_lanes(network, 2, both_ways=True) > 2:
        return
    laned = lanes(network, "table", both_ways=True, time_limit=2, seed=seed)
    assert shared(laned)
    assert check(laned.relation).deadlock_free
    assert deliver(laned.relation).delivered
    assert laned.evidence_holds is not False


@pytest.mark.long
@pytest.mark.parametrize("source", ["torus", pytest.param("fabric", marks=pytest.mark.campaign)])
def test_given_routes_share_lanes(source: str) -> None:
    """By dimension order on 6×6, and as OpenSM routed 8×8."""
    if source == "torus":
        relation = dimension_order(torus(6, 6))
    else:
        relation = fabric_relation(read_fabric(EXAMPLES / "opensm-torus8x8-dor"))
    network = relation.network
    apart = lanes(network, "given", routing=relation, rounds=2)
    together = lanes(network, "given", routing=relation, both_ways=True, rounds=1, conflicts=100)
    assert (shared(apart), shared(together)) == (False, True)
    assert together.count > apart.count == 2
    assert check(together.relation).deadlock_free
    assert together.evidence_holds


def test_routes_that_no_lane_can_serve_both_ways_are_named() -> None:
    """From s two addresses at t by a, b, c and by b, c, a; from t to s by c, a, b: together they go round."""
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 1), (3, 4), (1, 4)]
    net = dataclasses.replace(from_edges(edges), inject=[0, 4, 4], eject=[0, 4, 4])
    channel = {(int(u), int(v)): c for c, (u, v) in enumerate(zip(net.source, net.target, strict=True))}
    table = np.full((5, 3), DROP)
    for address, way in enumerate(([4, 3, 1, 2, 0], [0, 1, 2, 3, 4], [0, 2, 3, 1, 4])):
        for u, v in pairwise(way):
            table[u, address] = channel[u, v]
        table[way[-1], address] = EJECT_HERE
    may_use = np.array([[False, True, True], [True, False, False], [True, False, False]])
    relation = forwarding_table(net, table, may_use=may_use)
    assert lanes(net, "given", routing=relation, time_limit=600).count == 2
    with pytest.raises(RelationError, match="routes between router 0 and router 4 close a cycle of dependencies"):
        lanes(net, "given", routing=relation, both_ways=True, time_limit=600)


@pytest.mark.long
def test_a_limit_of_lanes() -> None:
    """Six pairs of opposite routers of a ring of 12, whose routes go once round: any two pairs close a cycle."""
    fabric = read_fabric(LASH / "fabric.ibnetdiscover", LASH / "opensm-lfts.dump")
    relation = fabric_relation(fabric)
    assert lanes(fabric.network, "given", routing=relation, both_ways=True, limit=6, time_limit=600).count == 6
    with pytest.raises(RelationError, match=r"no routes in 5 lanes were found; \d+ pairs of routers were left over"):
        lanes(fabric.network, "given", routing=relation, both_ways=True, limit=5, time_limit=1)


def test_free_paths_cannot_share_lanes() -> None:
    with pytest.raises(RelationError, match="both directions of a pair share a lane for tables and given paths"):
        lanes("ring(4)", both_ways=True)


@pytest.mark.long
def test_remedies_share_lanes() -> None:
    fabric = read_fabric(LASH / "fabric.ibnetdiscover", LASH / "opensm-lfts.dump")
    remedies = repair(fabric_relation(fabric), both_ways=True, time_limit=60)
    kinds = {remedy.kind: remedy.change for remedy in remedies}
    for kind in ("same routes", "new tables"):
        made = kinds[kind]
        assert isinstance(made, Lanes)
        assert made.both_ways
        assert shared(made)


@pytest.mark.long
def test_lanes_on_a_fabric_are_shared_unless_said_otherwise(tmp_path: Path) -> None:
    folder = str(EXAMPLES / "opensm-ring12-lash")
    words = ("lanes", folder, "--paths", "table", "--time-limit", "1")
    assert "whose two directions share a lane" in " ".join(unknot_says(*words).stdout.split())
    assert json.loads(unknot_says(*words, "--json").stdout)["both_ways"] is True
    assert json.loads(unknot_says(*words, "--one-way", "--json").stdout)["both_ways"] is False
    assert "not free ones" in refused("lanes", "ring(5)", "--both-ways")
