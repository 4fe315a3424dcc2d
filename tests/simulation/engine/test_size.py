"""Estimated memory, refusals of what is too large, and runs that can be interrupted."""

from __future__ import annotations

import signal
import time
import tracemalloc
from typing import Any

import pytest

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from unknot import Relation, SizeError, memory_limit
from unknot._base.errors import SimulationError
from unknot._base.switching import Switching
from unknot.network.families import dragonfly, mesh, ring, torus
from unknot.routing import dimension_order, dragonfly_minimal, shortest_paths
from unknot.simulation import Router, simulate
from unknot.simulation.engine import tables
from unknot.simulation.engine.mix import Mix, sources_of
from unknot.simulation.engine.sources import Sources
from unknot.traffic import Traffic, TrafficClass


def check_estimate(
    relation: Relation, switching: Switching, sources: Sources | Mix | None = None, **options: Any
) -> None:
    """Compare the estimate of an engine with what it takes at its peak; answers of the rule come later."""
    sources = sources or Sources(0.1, uniform(relation), 2)
    estimates = [0]
    tracemalloc.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tables, "require", lambda what, estimate: estimates.append(estimate))
            engine_of(relation, switching, sources, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    answers = min(100_000_000, (relation.num_vcs + relation.network.num_terminals) * relation.num_addresses)
    assert peak <= estimates[-1] <= 2.5 * (peak + answers)


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("switching", ["wormhole", "wormhole-nonatomic", "vct"])
@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"router": Router(iterations=2)}])
def test_the_estimate_is_within_a_factor_of_two_and_a_half(switching: Switching, options: dict[str, Any]) -> None:
    for relation in (
        dimension_order(mesh(20, 20), 4),
        dimension_order(torus(6, 6, latency=200), 4),
        dimension_order(mesh(3, 3), 90),
    ):
        check_estimate(relation, switching, **options)


def test_the_estimate_counts_classes_and_matrix_arbiters() -> None:
    relation = dimension_order(mesh(8, 8), 4)
    mix = sources_of(relation, Traffic(classes=[TrafficClass(), TrafficClass()]), 0.1)
    check_estimate(relation, "wormhole", sources=mix)
    check_estimate(relation, "wormhole", router=Router(allocator="separable_input_first", arbiter="matrix"))


def test_what_is_too_large_is_refused_with_the_estimate() -> None:
    for relation in (shortest_paths(ring(4, latency=2_147_483_647), 1), shortest_paths(ring(4, latency=10**8), 1)):
        with pytest.raises(SizeError, match=r"ring.*memory"):
            simulate(relation, 0.1)
    with memory_limit("30M"), pytest.raises(SizeError, match="4000 virtual channels"):
        simulate(dimension_order(mesh(2, 2), 500), 0.1, router=Router(iterations=2))


def test_too_many_cycles_are_refused() -> None:
    relation = dimension_order(mesh(2, 2))
    for name in ("measure", "warmup", "interval"):
        with pytest.raises(SimulationError, match=f"{name} must be a whole number of cycles from"):
            simulate(relation, 0.1, **{name: 9223372036854775807})  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="signals by timer are POSIX")
def test_a_signal_ends_a_long_run_within_a_second() -> None:
    relation = dimension_order(mesh(32, 32), 4)
    engine = engine_of(relation, "wormhole", Sources(0.05, uniform(relation), 4), buffer_depth=8, seed=1)
    engine.advance(10)

    class Interrupted(Exception):  # noqa: N818 not an error
        pass

    def stop(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, stop)
    begin = time.thread_time()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Interrupted):
            engine.advance(10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.thread_time() - begin < 1.5


@pytest.mark.parametrize("packable", [True, False])
def test_packets_get_room_as_they_become_more(packable: bool) -> None:
    """A run that begins with room for few packets is the run with room for all there can be, and is no larger."""
    relation = dimension_order(mesh(4, 4), 2)
    router = Router() if packable else Router(vc_allocation_delay=2)
    sources = Sources(0.9, uniform(relation), 1)
    growing, whole = (
        engine_of(relation, "wormhole-nonatomic", sources, buffer_depth=8, router=router, general=general)
        for general in (False, True)
    )
    first, most = len(growing.state.packets), len(whole.state.packets)
    assert growing.parts[0].setup.packable == packable
    for engine in (growing, whole):
        engine.measure(0, 300)
        while engine.now < 400:
            engine.advance(400)
    assert first < len(growing.state.packets) == len(growing.state.free) < most
    for entry in ("created", "flits_in", "flits_out", "flit_hops", "latency", "network_latency", "hops"):
        assert growing.count(entry) == whole.count(entry) > 0
    assert sorted(growing.latencies()) == sorted(whole.latencies())
    inside = growing.count("flits_in") - growing.count("flits_out")
    assert inside <= growing.count("high") - growing.count("free") <= inside + relation.network.num_terminals


@pytest.mark.parametrize(
    ("relation", "most"),
    [(dimension_order(mesh(16, 16), 4), 6_000), (dragonfly_minimal(dragonfly(8), 2), 20_000)],
    ids=str,
)
def test_a_router_takes_few_bytes(relation: Relation, most: int) -> None:
    engine = engine_of(relation, "wormhole-nonatomic", Sources(0.1, uniform(relation), 1), buffer_depth=8)
    assert sum(table.nbytes for table in engine.parts[0].tables.values()) < most * relation.network.num_routers
