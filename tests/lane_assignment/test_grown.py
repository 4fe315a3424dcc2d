"""Lanes that are annealed together: what they serve, and that there are fewer each time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from unknot._base.deadline import clock
from unknot.lane_assignment import annealing, longer, longer_lanes
from unknot.lane_assignment.annealing import Aims
from unknot.lane_assignment.orders import grown
from unknot.lane_assignment.path_set import demand, path_set
from unknot.lane_assignment.rooted import orders_of
from unknot.network import tod
from unknot.search.effort import SearchEffort


@pytest.mark.parametrize(("text", "fewest"), [("torus(5, 5)", 2), ("ring(8)", 2), ("mesh(4, 4)", 1)])
def test_each_serves_all_pairs_in_fewer_lanes(text: str, fewest: int) -> None:
    paths = path_set(demand(tod.network(text)))
    every = list(grown(paths, SearchEffort(clock() + 20), fewest, 40))
    counts = [len(orders) for orders in every]
    assert counts == sorted({*counts}, reverse=True)
    assert counts[-1] == fewest
    assert all(orders_of(paths, orders.key).unserved == 0 for orders in every)


def test_lanes_around_roots_serve_what_is_left_when_time_ends() -> None:
    paths = path_set(demand(tod.network("torus(5, 5)")))
    for orders in grown(paths, SearchEffort(clock()), 1, 30):
        assert orders_of(paths, orders.key).unserved == 0


def test_halves_of_lanes_come_to_the_same_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = path_set(demand(tod.network("torus(6, 6)")))
    keys = []
    for workers in (2, 1):
        monkeypatch.setattr(annealing, "ThreadPoolExecutor", lambda _, workers=workers: ThreadPoolExecutor(workers))
        orders = orders_of(paths, np.random.default_rng(3).random((3, paths.source.size)))
        *_, (left, _) = annealing.annealed(
            paths, orders, 20_000, (4.0, 1.0), SearchEffort(seed=5), aims=Aims(spare=0.2), halved=True
        )
        again = orders_of(paths, orders.key.copy())
        assert left == again.unserved == orders.unserved
        assert np.array_equal(again.cover, orders.cover)
        assert np.array_equal(again.reach, orders.reach)
        keys.append(orders.key)
    assert np.array_equal(*keys)


@pytest.mark.long
@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize(("count", "lanes"), [(None, 1), (1, 1), (2, 2)])
def test_lanes_of_longer_paths_are_grown_too(monkeypatch: pytest.MonkeyPatch, count: int | None, lanes: int) -> None:
    monkeypatch.setattr(longer, "GROWN", 0)
    routes = longer_lanes("torus(5, 5)", count, stretch=1)
    assert routes.count == lanes
    assert (routes.hops <= routes.shortest + 1).all()
    assert (routes.hops[routes.wanted] > 0).all()
