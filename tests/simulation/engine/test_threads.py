"""Threads, rows fetched ahead and routers that run two cycles at a time change nothing."""

from __future__ import annotations

import pytest

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.relations import random_relation
from unknot._base.errors import RelationError, SimulationError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import mesh, torus
from unknot.routing import Relation, dimension_order, duato, fully_adaptive, o1turn, valiant
from unknot.simulation import simulate
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import Sources
from unknot.simulation.player import run
from unknot.traffic.workload import Bursts

OPTIONS = {
    "default": Router(),
    "slow": Router(
        routing_delay=2, vc_allocation_delay=2, switch_allocation_delay=3, traversal_delay=2, credit_delay=3
    ),
    "fast": Router(routing_delay=0, speculative=True),
    "others": Router(allocator="separable_input_first", priority="age", hold_switch=True, selection="random"),
}


def figures(
    relation: Relation, switching: Switching, router: Router, threads: int, *, large: bool = False, cycles: int = 900
) -> list[object]:
    engine = engine_of(
        relation,
        switching,
        Sources(0.1, uniform(relation), {1: 0.5, 4: 0.5}, Bursts(0.1, 0.2)),
        buffer_depth=5,
        seed=3,
        router=router,
        threads=threads,
    )
    for part in engine.parts:
        part.setup.large = large
    engine.measure(50, 10**6)
    run(engine, cycles)
    counted = [engine.count(k) for k in ("created", "flit_hops", "flits_in", "flits_out", "hops", "network_latency")]
    drawn = engine.state.terminals.drawn.tolist()
    latencies = sorted(engine.latencies().tolist())
    return [counted, drawn, latencies, engine.stored().tolist(), engine.carried().tolist(), engine.deadlock]


@pytest.mark.sampled(0.2)
@pytest.mark.parametrize("router", OPTIONS)
@pytest.mark.parametrize("switching", SWITCHINGS)
def test_the_same_bits_with_any_number_of_threads(switching: Switching, router: str) -> None:
    relation = duato(torus(4, 3))
    alone = figures(relation, switching, OPTIONS[router], 1)
    assert alone[0] != [0] * 6
    assert figures(relation, switching, OPTIONS[router], 3) == alone


def test_the_same_bits_where_routers_are_large_or_traffic_has_two_phases() -> None:
    for relation in (dimension_order(mesh(3, 3), 20), valiant(mesh(3, 3)), o1turn(mesh(4, 2))):
        assert figures(relation, "wormhole", Router(), 2) == figures(relation, "wormhole", Router(), 1)


@pytest.mark.parametrize("seed", range(4))
def test_random_relations_in_parts(seed: int) -> None:
    relation = random_relation(seed)
    assert figures(relation, "vct", Router(), 2, cycles=300) == figures(relation, "vct", Router(), 1, cycles=300)


def test_more_threads_than_routers_are_as_many_as_those() -> None:
    relation = dimension_order(mesh(2, 2), 2)
    assert figures(relation, "wormhole", Router(), 50) == figures(relation, "wormhole", Router(), 1)


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_rows_fetched_ahead_change_nothing(switching: Switching) -> None:
    for relation in (dimension_order(mesh(4, 4), 2), dimension_order(mesh(3, 3), 20)):
        ahead = figures(relation, switching, Router(), 1, large=True)
        assert ahead == figures(relation, switching, Router(), 1)


@pytest.mark.parametrize("load", [0.1, 1.0])
def test_cycles_at_a_time_change_nothing(load: float) -> None:
    relation, runs = fully_adaptive(torus(4, 4), 1), []
    for span in (1, 2):
        engine = engine_of(relation, "wormhole", Sources(load / 4, uniform(relation), 4), buffer_depth=5)
        assert engine.parts[0].setup.span == 2
        engine.parts[0].setup.span = span
        engine.measure(0, 10**6)
        quiet = [engine.advance(until) for until in (7, 12, 300, 3001)]
        runs.append([quiet, engine.now, engine.count("flit_hops"), sorted(engine.latencies().tolist())])
    assert runs[0] == runs[1]
    assert runs[0][0][-1] == (load == 1)


def test_a_run_is_the_same_to_the_last_figure() -> None:
    relation = dimension_order(mesh(4, 4), 4)
    runs = [
        simulate(relation, 0.2, packet_length=3, seed=4, threads=threads, switching="wormhole") for threads in (1, 2)
    ]
    for name in ("latency_mean", "latency_p99", "accepted_load", "latency_half_width", "cycles", "flit_hops"):
        assert getattr(runs[0], name) == getattr(runs[1], name)
    assert (runs[0].utilisation == runs[1].utilisation).all()
    assert (runs[0].occupancy == runs[1].occupancy).all()


def test_a_dead_end_stops_all_threads_and_is_named() -> None:
    base = dimension_order(mesh(4, 4), 1)

    def rule(at: int, address: int, out: list[int]) -> int:
        return 0 if address == 15 and at == 5 else base.rule(at, address, out)

    relation = Relation(base.network, base.vcs, rule)
    for threads in (1, 2):
        with pytest.raises(RelationError, match="has no candidate there"):
            simulate(relation, 0.3, threads=threads, switching="wormhole")


def test_a_deadlock_is_found_in_parts() -> None:
    relation = fully_adaptive(torus(4, 4), 1)
    found = [simulate(relation, 1.0, packet_length=4, threads=threads, switching="wormhole") for threads in (1, 2)]
    assert found[0].deadlock is not None
    assert found[0].deadlock == found[1].deadlock
    assert found[0].cycles == found[1].cycles


def test_bursts_that_cannot_carry_the_load_are_refused() -> None:
    with pytest.raises(SimulationError, match="a terminal that is on"):
        simulate(dimension_order(mesh(2, 2), 1), 0.9, bursts=Bursts(0.1, 0.9), switching="wormhole")
