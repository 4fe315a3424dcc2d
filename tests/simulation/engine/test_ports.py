"""Terminals several flits wide: the kernel against its naive twin, throughput, schedules, refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.simulator import Simulator
from tests.simulation.engine.test_bandwidth import RATES, slowed
from tests.simulation.engine.test_flit_kernel import PATTERNS, side_by_side
from tests.simulation.engines import engine_of
from tests.simulation.options import routers
from tests.simulation.relations import random_relation
from unknot._base.errors import RelationError, SimulationError
from unknot._base.switching import SWITCHINGS
from unknot.network.families import mesh, ring
from unknot.routing import dimension_order, duato, ugal
from unknot.routing.relation import Relation
from unknot.routing.subnets import with_ports
from unknot.simulation import Router, closed_loop, saturation, simulate, zero_load_latency
from unknot.simulation.engine.mix import sources_of
from unknot.simulation.engine.pairs import by_ports, pairs_of
from unknot.simulation.traces.trace_run import played
from unknot.traffic import PatternLike, Traffic, TrafficClass, pattern
from unknot.traffic.trace import Trace, TracedMessage


def agree(
    relation: Relation,
    switching: Any,
    length: int,
    depth: int,
    load: float,
    seed: int,
    traffic: PatternLike,
    router: Router,
) -> None:
    width = router.terminal_width
    wide, pairs = with_ports(relation, width), by_ports(pairs_of(relation, pattern(relation.network, traffic)), width)
    twin = Simulator(
        wide, switching, length=length, depth=depth, chance=load / length, seed=seed, pairs=pairs, router=router
    )
    sources = sources_of(relation, Traffic(traffic, length), load * width, width)
    engine = engine_of(relation, switching, sources, buffer_depth=depth, seed=seed, router=router)
    for packets in side_by_side(twin, engine):
        assert engine.count("network_latency") == sum(p[1] for p in packets)


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_twin_on_random_relations(data: st.DataObject) -> None:
    relation = random_relation(data.draw(st.integers(0, 10**6), label="relation"))
    width, options = data.draw(st.integers(2, 4)), {}
    if data.draw(st.booleans()):
        chosen = data.draw(routers())
        options = {
            name: getattr(chosen, name)
            for name in ("allocator", "credit_delay", "speculative", "terminals_first", "selection", "claim_credit")
        }
        options["ejection_credits"] = chosen.ejection_credits and chosen.selection != "most_credits"
    if data.draw(st.booleans()):
        relation = slowed(relation, [data.draw(RATES) for _ in range(relation.network.num_channels)])
    switching, length = data.draw(st.sampled_from(SWITCHINGS)), data.draw(st.integers(1, 4))
    load, traffic = (
        data.draw(st.sampled_from([0.05, 0.4, 1.0])),
        data.draw(st.sampled_from(["uniform", "uniform_others"])),
    )
    agree(
        relation,
        switching,
        length,
        4,
        load,
        data.draw(st.integers(0, 99)),
        traffic,
        Router(terminal_width=width, **options),
    )


@pytest.mark.parametrize(
    "options", [{}, {"speculative": True}, {"allocator": "loa", "speculative": True}, {"own_slots": 1}]
)
def test_better_of_two_ports_takes_all_exits_for_one_candidate(options: dict[str, Any]) -> None:
    router = Router(terminal_width=2, selection="better_of_two", **options)
    for seed, relation in enumerate((random_relation(0), random_relation(1022), duato(mesh(3, 3), 3))):
        for switching in ("wormhole", "wormhole-nonatomic"):
            agree(relation, switching, 3, 4, 0.4, seed, "uniform", router)


@pytest.mark.parametrize("name", PATTERNS)
def test_twin_under_patterns(name: str) -> None:
    agree(dimension_order(mesh(4, 4), 2), "wormhole", 3, 4, 0.1, 7, PATTERNS[name], Router(terminal_width=2))


def test_what_a_wide_terminal_sends_and_takes() -> None:
    """A terminal in the middle takes from four channels what its ports take, less where packets meet at a port."""
    star = dimension_order(mesh(3, 3), 4)
    to_hub = [4, 4, 4, 4, -1, 4, 4, 4, 4]
    for width in (1, 2, 4):
        router = Router(terminal_width=width)
        run = simulate(star, width, traffic=to_hub, router=router, warmup=500, measure=1000)
        assert 0.75 * width < run.accepted_load * 9 <= width
    alone = [simulate(star, 0.01, router=Router(terminal_width=w), warmup=0, measure=3000) for w in (1, 4)]
    assert alone[0].latency_mean == pytest.approx(alone[1].latency_mean, rel=0.05)


def test_saturation_and_closed_loops() -> None:
    relation, wide = dimension_order(ring(4), 2), Router(terminal_width=2)
    neighbours = [1, 2, 3, 0]
    assert saturation(relation, traffic=neighbours, router=wide, measure=1000, tolerance=0.5).load <= 1
    to_hub = [4, 4, 4, 4, -1, 4, 4, 4, 4]
    one, two = (
        closed_loop(dimension_order(mesh(3, 3), 4), requests=20, window=8, traffic=to_hub, router=router).makespan
        for router in (Router(), wide)
    )
    assert one is not None
    assert two is not None
    assert one >= 8 * 20 * 4 > 1.5 * two


def test_schedules_run_on_wide_terminals() -> None:
    """From the middle to the four neighbours, and from all of these back, whose headers then take turns."""
    network = mesh(3, 3)
    around = (1, 3, 5, 7)
    there = [TracedMessage(0, 4, t, 64) for t in around]
    trace = Trace.of([*there, *(TracedMessage(0, t, 4, 64, (i,)) for i, t in enumerate(around))])
    relation = dimension_order(network, 4)
    runs = [
        played(relation, trace, switching="vct", buffer_depth=None, router=Router(terminal_width=width))
        for width in (1, 4)
    ]
    assert all((run.arrived >= 0).all() for run in runs)
    one, four = (int(run.arrived.max()) for run in runs)
    alone = zero_load_latency(relation, packet_length=64, traffic=[-1, 4, *[-1] * 7])
    assert one >= 5 * 64
    assert 2 * alone <= four <= 2 * alone + 3


def test_what_is_refused() -> None:
    wide, relation = Router(terminal_width=2), dimension_order(ring(4), 2)
    for options, words in (
        ({"classes": [TrafficClass()]}, "goes with no traffic classes"),
        ({"by_pair": True}, "does not go with by_pair"),
    ):
        with pytest.raises(SimulationError, match=words):
            simulate(relation, 0.1, router=wide, **options)  # type: ignore[arg-type]
    with pytest.raises(
        SimulationError, match="load must be a number from 0 to 2 flits, a packet in each cycle, per terminal"
    ):
        simulate(relation, 2.5, router=wide)
    for entries in (
        {"ejection": "same"},
        {"output_speedup": 2},
        {"selection": "most_credits", "ejection_credits": True},
    ):
        with pytest.raises(SimulationError, match="terminal_width of 2 takes ejection any"):
            Router(terminal_width=2, **entries)  # type: ignore[arg-type]
    with pytest.raises(RelationError, match="compare two addresses at their source"):
        simulate(ugal(mesh(3, 3)), 0.1, router=wide)
