"""A watchdog that drops packets which stand still: the naive twin, and deadlocks that it unties."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.reference.sim_watchdog import WatchdogSimulator
from tests.reference.uniform_pairs import uniform
from tests.simulation.engine.test_flit_kernel import side_by_side
from tests.simulation.engines import engine_of
from tests.simulation.options import BURSTS, LENGTHS, routers
from tests.simulation.relations import random_relation
from unknot._base.errors import SimulationError
from unknot.cli.program import app
from unknot.network.families import torus
from unknot.routing import Relation, dimension_order
from unknot.simulation import simulate
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.sources import Sources
from unknot.traffic.workload import Bursts, Lengths, length_shares


def agree(
    relation: Relation, switching: str, length: Lengths, interval: int, bursts: Bursts | None = None, seed: int = 1,
    router: Router = DEFAULT,
) -> int:  # fmt: skip
    """Run both at full load; return how many packets were dropped."""
    depth = length_shares(length)[-1][0] + 1
    options = {"length": length, "depth": depth, "chance": 0.6, "seed": seed, "bursts": bursts, "router": router}
    pairs = uniform(relation)
    twin = WatchdogSimulator(relation, switching, watchdog=interval, pairs=pairs, **options)
    engine = engine_of(
        relation, switching, Sources(0.6, pairs, length, bursts), buffer_depth=depth, seed=seed, router=router,
        watchdog=interval,
    )  # fmt: skip
    for _ in side_by_side(twin, engine):
        assert engine.count("dropped") == twin.dropped
    return twin.dropped


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 10**6), st.sampled_from(["saf", "vct"]), LENGTHS, st.integers(2, 30), BURSTS, st.integers(0, 99)
)
def test_twin_on_random_relations(
    which: int, switching: str, length: Lengths, interval: int, bursts: Bursts | None, seed: int
) -> None:
    agree(random_relation(which), switching, length, interval, bursts, seed)


def test_twin_on_a_torus_that_deadlocks() -> None:
    assert agree(dimension_order(torus(4, 3)), "vct", 4, 4) > 5


@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(routers(), st.sampled_from(["saf", "vct"]), LENGTHS, st.integers(2, 9), st.integers(0, 99))
def test_twin_with_router_options(router: Router, switching: str, length: Lengths, interval: int, seed: int) -> None:
    agree(dimension_order(torus(4, 3)), switching, length, interval, seed=seed, router=router)


def test_runs_go_on_through_deadlocks() -> None:
    relation = dimension_order(torus(4, 4))
    point = {"packet_length": 4, "buffer_depth": 4, "warmup": 1000, "measure": 4000}
    assert simulate(relation, 0.4, **point).outcome == "deadlock"
    watched = simulate(relation, 0.4, watchdog=64, **point)
    assert watched.deadlock is None
    assert watched.dropped > 300
    assert watched.accepted_load > 0.1
    assert 0 < simulate(relation, 0.4, watchdog=1000, **point).dropped < watched.dropped
    calm = simulate(relation, 0.02, watchdog=1000, **point)
    assert calm.stable
    assert calm.dropped == 0
    assert calm.latency_mean == simulate(relation, 0.02, **point).latency_mean


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(SimulationError, match="goes with saf and vct"):
        simulate("torus(4, 4)", 0.1, routing="dimension_order", switching="wormhole", watchdog=10)
    with pytest.raises(SimulationError, match="watchdog"):
        simulate("torus(4, 4)", 0.1, routing="dimension_order", watchdog=-1)


def test_the_command() -> None:
    words = [
        "simulate",
        "torus(4, 4)",
        "--routing",
        "dimension_order(dateline='none')",
        "--vcs",
        "1",
        "--load",
        "0.4",
    ]
    words += ["--packet-length", "4", "--warmup", "500", "--measure", "1000", "--watchdog", "64"]
    shown = " ".join(CliRunner().invoke(app, words).stdout.split())
    assert "watchdog 64" in shown
    assert "dropped" in shown
