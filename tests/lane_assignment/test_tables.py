"""Lanes for tables: free ones, and given routes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lane_assignment.test_lanes import networks
from unknot._base.errors import RelationError
from unknot.certificates import Rejected
from unknot.lane_assignment import RouteCycle, accept_routes, lanes
from unknot.lane_assignment.anneal_kernel import anneal
from unknot.lane_assignment.annealing import Aims
from unknot.lane_assignment.load_kernel import served_column
from unknot.lane_assignment.orders_kernel import settle
from unknot.lane_assignment.path_set import demand, path_set, unpacked
from unknot.lane_assignment.rooted import orders_of
from unknot.lane_assignment.tables import LaneTable, paths_of_table, random_table, table_from, table_of
from unknot.network import Network
from unknot.network.families import mesh, torus
from unknot.routing import duato, shortest_paths
from unknot.routing.named import routing
from unknot.search.effort import AnnealingStep
from unknot.verify import check, deliver, loads


def climbing(network: Network, step: np.ndarray, key: np.ndarray, source: int, row: int, home: int) -> list[int]:
    """Lanes in which the route climbs, by following it."""
    way, at = [], source
    while at != home:
        way.append(int(step[row, at]))
        at = int(network.target[way[-1]])
    return [k for k, lane in enumerate(key) if all(lane[a] < lane[b] for a, b in itertools.pairwise(way))]


@given(networks(), st.integers(1, 3), st.integers(0, 1000))
def test_tables_and_orders_are_searched_together(network: Network, count: int, seed: int) -> None:
    traffic = demand(network)
    paths = path_set(traffic)
    taken = random_table(paths, [seed])
    orders = orders_of(paths, np.random.default_rng(seed).random((count, network.num_channels)), taken)
    state = np.array([seed], dtype=np.uint64)
    anneal(paths, orders, state, AnnealingStep(300, 3.0, 0.5), Aims(0.8, 0.5, 0.2))
    homes = traffic.distances.homes
    step = table_from(paths, orders.taken)
    may = unpacked(paths.nearer, homes.size)
    naive = 0
    for u, h in np.argwhere(traffic.wanted).tolist():
        assert may[step[h, u], h]
        assert network.source[step[h, u]] == u
        naive += not climbing(network, step, orders.key, u, h, int(homes[h]))
    left = orders.unserved
    assert left == naive
    kept = [array.copy() for array in orders]
    settle(paths, orders)
    assert orders.unserved == left
    assert all(np.array_equal(a, b) for a, b in zip(kept, orders, strict=True))
    top = np.zeros((count, network.num_routers))
    order = np.argsort(traffic.distances.table, axis=1, kind="stable")
    for h in range(homes.size):
        every = all(
            climbing(network, step, orders.key, u, h, int(homes[h])) for u in np.flatnonzero(traffic.wanted[:, h])
        )
        assert served_column(paths, orders.key, step, traffic.wanted, order[h], h, top) == every


@settings(max_examples=4)
@given(networks(), st.integers(0, 5))
def test_tables_that_are_found_hold(network: Network, seed: int) -> None:
    laned = lanes(network, "table", seed=seed)
    verdict, delivery = check(laned.relation, "wormhole"), deliver(laned.relation)
    assert verdict.deadlock_free
    assert verdict.certificate is not None
    assert verdict.certificate.kind == "order"
    assert delivery.delivered
    assert delivery.minimal
    assert laned.count >= lanes(network, seed=seed).lower_bound
    assert isinstance(laned.routes, LaneTable)
    assert np.allclose(laned.routes.loads()[0], laned.load)


@pytest.mark.campaign
def test_the_torus_by_tables() -> None:
    """With less effort in every run: test_diagonals.py."""
    laned = lanes("torus(6, 6)", "table", effort=200)
    assert (laned.count, laned.lower_bound, laned.mean_load) == (2, 2, 27.0)
    assert laned.highest_load <= 33


def test_given_routes_of_a_torus() -> None:
    relation = routing(torus(6, 6), 'dimension_order(dateline="none")', 1)
    assert check(relation, "wormhole").deadlock_free is False
    laned = lanes(relation.network, "given", routing=relation)
    assert (laned.count, laned.lower_bound) == (2, 2)
    assert isinstance(laned.evidence, RouteCycle)
    assert laned.evidence_holds
    assert check(laned.relation, "wormhole").deadlock_free
    was, now = loads(relation), loads(laned.relation)
    assert np.allclose(was.channel, now.channel)
    for wrong in (
        laned.evidence.turns[1:],
        (),
        tuple(reversed(laned.evidence.turns)),
        (replace(laned.evidence.turns[0], source=9, destination=9), *laned.evidence.turns[1:]),
        (replace(laned.evidence.turns[0], destination=99), *laned.evidence.turns[1:]),
    ):
        with pytest.raises(Rejected):
            accept_routes(relation, RouteCycle(tuple(wrong)))


def test_given_routes_that_need_one_lane() -> None:
    laned = lanes("mesh(3, 3)", "given", routing="dimension_order")
    assert (laned.count, laned.lower_bound, laned.evidence) == (1, 1, None)


@given(st.integers(1, 100))
@settings(max_examples=4)
def test_given_routes_are_kept(seed: int) -> None:
    relation = shortest_paths(torus(4, 4), choice="random", seed=seed)
    table = table_of(relation)
    assert table.minimal
    paths = paths_of_table(table)
    laned = lanes(relation.network, "given", routing=relation)
    assert orders_of(paths, laned.key).unserved == 0
    assert check(laned.relation, "wormhole").deadlock_free
    assert deliver(laned.relation).delivered


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(RelationError, match=r"several ways to .*given paths are those of tables"):
        table_of(duato(mesh(3, 3)))
    with pytest.raises(RelationError, match="given paths are those of a routing"):
        lanes("mesh(3, 3)", "given")
    with pytest.raises(RelationError, match="given paths are those of a routing"):
        lanes("mesh(3, 3)", routing="dimension_order")
