"""Orders along diagonals against plain search for climbing paths, and where there are none."""

from __future__ import annotations

import pytest

from tests.reference import climbing
from unknot.lane_assignment import lanes
from unknot.lane_assignment.path_set import demand, path_set
from unknot.lane_assignment.rooted import diagonal_orders
from unknot.network import tod
from unknot.verify import check, deliver

LARGER = ["torus(8, 8)", "torus(6, 9)", "torus(8, 6)", "torus(12, 4)"]


@pytest.mark.parametrize(
    "text",
    ["torus(5, 5)", "torus(6, 4)", "torus(4, 6)", *(pytest.param(t, marks=pytest.mark.campaign) for t in LARGER)],
)
def test_two_lanes_along_diagonals_serve_all_pairs(text: str) -> None:
    network = tod.network(text)
    pairs = demand(network)
    orders = diagonal_orders(network, path_set(pairs), None)
    assert orders is not None
    assert len(orders) == 2
    assert climbing.unserved(network, orders.key) == 0
    assert diagonal_orders(network, path_set(pairs), pairs.distances.table) is not None


@pytest.mark.parametrize("text", ["mesh(5, 5)", "ring(9)", "torus(4, 4, 4)", "torus(5, 7)", "fat_tree(2, 2)"])
def test_there_are_none_for_other_networks(text: str) -> None:
    network = tod.network(text)
    assert diagonal_orders(network, path_set(demand(network)), None) is None


@pytest.mark.sampled(1 / 2)
@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("torus(6, 6)", "free"), ("torus(6, 6)", "table"),
        *(pytest.param("torus(10, 10)", paths, marks=pytest.mark.campaign) for paths in ("free", "table")),
    ],
)  # fmt: skip
def test_tori_have_two_even_lanes_at_once(text: str, paths: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot.lane_assignment.rerouted.ROUND", 20)
    routes = lanes(text, paths, effort=50, tries=1, time_limit=600)
    assert (routes.count, routes.lower_bound) == (2, 2)
    assert routes.highest_load <= 1.25 * routes.mean_load
    assert check(routes.relation).deadlock_free
    assert deliver(routes.relation).delivered
