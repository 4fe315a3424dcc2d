"""The kernel and its naive twin agree to the last bit, on random networks, relations and points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.simulator import Simulator
from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.relations import random_relation
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network import Network
from unknot.network.families import complete, dragonfly, mesh, torus
from unknot.routing import Relation, dimension_order, dragonfly_ugal, duato, o1turn, romm, ugal, valiant
from unknot.routing.contract import Detour
from unknot.routing.parts import Preference
from unknot.routing.relation import COMPARISONS
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.entries import is_packable
from unknot.simulation.engine.pairs import pairs_of
from unknot.simulation.engine.router import Router
from unknot.simulation.engine.sources import Sources
from unknot.traffic import PatternLike, pattern
from unknot.traffic.workload import Bursts, Lengths


def side_by_side(twin: Simulator, engine: Engine) -> Iterator[list[tuple[int, int, int]]]:
    """Advance both to some cycles and compare latencies, flits and buffers; yield the packets that arrived."""
    engine.state.setup.measure_from = 0
    for until in (7, 50, 51, 100):
        twin.run(until - twin.now)
        while engine.now < until:
            engine.advance(until)
        packets = twin.finish()
        arrived = engine.count("measured_arrived")
        assert sorted(engine.state.latencies[:arrived].tolist()) == [p[0] for p in packets]
        assert engine.count("flit_hops") == twin.flit_hops
        assert engine.count("flits_in") == twin.flits_in
        assert engine.count("flits_out") == twin.flits_out
        assert engine.stored().tolist() == [len(vc.queue) for vc in twin.input]
        yield packets


def deciding(relation: Relation, detour: Detour) -> Relation:
    """The relation whose headers choose in their first router."""
    return replace(relation, preference=replace(relation.preference, decides=detour))


def agree(
    relation: Relation,
    switching: Switching,
    length: Lengths,
    depth: int,
    chance: float,
    seed: int,
    others: bool = False,
    traffic: PatternLike | None = None,
    bursts: Bursts | None = None,
    **options: Router,
) -> Engine:
    pairs = uniform(relation, self_traffic=not others)
    if traffic is not None:
        pairs = pairs_of(relation, pattern(relation.network, traffic))
    twin = Simulator(
        relation,
        switching,
        length=length,
        depth=depth,
        chance=chance,
        seed=seed,
        pairs=pairs,
        bursts=bursts,
        **options,
    )
    sources = Sources(chance, pairs, length, bursts)
    engine = engine_of(relation, switching, sources, buffer_depth=depth, seed=seed, **options)
    if seed % 2:
        engine.calls_from = -(10**12)  # the routing cache is made at once
    for packets in side_by_side(twin, engine):
        assert engine.count("network_latency") == sum(p[1] for p in packets)
        assert engine.count("hops") == sum(p[2] for p in packets)
        assert engine.count("created") == twin.created
        assert engine.state.terminals.drawn.tolist() == [t.drawn for t in twin.terminals]
    return engine


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_twin_on_random_relations(data: st.DataObject) -> None:
    relation = random_relation(data.draw(st.integers(0, 10**6), label="relation"))
    for switching in SWITCHINGS:
        length = data.draw(st.integers(1, 6), label="length")
        short = length if switching in ("saf", "vct") else 1
        depth = data.draw(st.integers(short, 8), label="depth")
        load = data.draw(st.sampled_from([0.02, 0.2, 0.5, 1.0]), label="load")
        agree(
            relation, switching, length, depth, load / length, data.draw(st.integers(0, 99)), data.draw(st.booleans())
        )


def test_twin_where_headers_that_commit_request_all_tiers() -> None:
    """What a header chose counts as of the first tier, in the cycle in which it chooses and while it waits."""
    relation = random_relation(131072)
    assert relation.commits
    agree(relation, "vct", 1, 1, 0.2, 0, router=Router(allocator="wavefront", all_tiers=True))


def test_twin_where_headers_commit_on_the_fast_path() -> None:
    for router in (Router(), Router(claim_credit=True), Router(selection="least_weight")):
        for switching in SWITCHINGS:
            engine = agree(replace(duato(mesh(3, 3), 3), commits=True), switching, 3, 5, 0.2, 3, router=router)
            assert engine.parts[0].setup.packable == 1


PATTERNS: dict[str, PatternLike] = {
    "transpose": "transpose",
    "hotspot": "hotspot(3, share=0.5)",
    "half of them": [1, -1] * 8,
    "matrix": np.triu(np.ones((16, 16))),
}


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("name", PATTERNS)
def test_twin_under_patterns(name: str) -> None:
    for relation in (dimension_order(mesh(4, 4), 2), valiant(mesh(4, 4))):
        agree(relation, "wormhole", 3, 4, 0.1, 7, traffic=PATTERNS[name])


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_twin_on_known_networks(switching: Switching) -> None:
    for relation in (dimension_order(mesh(4, 4), 2), dimension_order(torus(4, 3, latency=2), 2)):
        agree(relation, switching, 3, 4, 0.15, 5)


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_twin_where_terminals_have_several_addresses(switching: Switching) -> None:
    for relation in (o1turn(mesh(3, 3)), romm(mesh(3, 3)), valiant(mesh(3, 2))):
        agree(relation, switching, 3, 4, 0.15, 5, others=switching == "vct")


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("switching", SWITCHINGS)
def test_twin_where_packets_compare_two_ways(switching: Switching) -> None:
    for relation in (ugal(mesh(3, 3)), ugal(torus(4, 3)), ugal(mesh(3, 3), base="duato")):
        engine = agree(relation, switching, 3, 3, 0.25, 5)
        assert engine.state.setup.compares == 3


@pytest.mark.sampled(0.25)
@pytest.mark.parametrize("variant", COMPARISONS)
def test_twin_of_the_variants_of_ugal(variant: str) -> None:
    for relation in (
        dragonfly_ugal(dragonfly(2), variant=variant),
        dragonfly_ugal(dragonfly(2, 2, 2), 6, variant=variant),
        ugal(mesh(3, 3), 4, variant=variant),
    ):
        agree(relation, "vct", 3, 4, 0.3, 5)


def test_twin_with_long_latencies_and_vcs_that_differ() -> None:
    base = complete(4)
    network = Network("far", 4, base.source, base.target, np.arange(12) * 9 + 1)
    target, first = network.target, np.concatenate([[0], np.cumsum(np.arange(12) % 3 + 1)])
    source = network.source

    def rule(at: int, address: int, out: np.ndarray) -> int:
        here = at - first[12] if at >= first[12] else address
        if here == address:
            out[0] = (1 << 40) - 1
            return 1
        count = 0
        for c in range(12):
            if source[c] == here and target[c] == address:
                for v in range(first[c], first[c + 1]):
                    out[count] = v
                    count += 1
        return count

    relation = Relation(network, np.arange(12) % 3 + 1, rule)
    for switching in SWITCHINGS:
        agree(relation, switching, 2, 5, 0.2, 9)


def test_same_seed_same_run_other_seed_other_run() -> None:
    relation = dimension_order(mesh(4, 4), 2)
    runs = [agree(relation, "wormhole", 2, 4, 0.2, seed).state.latencies[:50].tolist() for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.sampled(1 / 3)
@pytest.mark.parametrize("routing_delay", [0, 1, 3])
def test_twin_of_decisions_in_the_source_router(routing_delay: int) -> None:
    router = Router(routing_delay=routing_delay)
    orders = replace(o1turn(mesh(3, 3)), preference=Preference(decides=Detour(weight=1, margin=-1)))
    engine = agree(orders, "wormhole-nonatomic", {1: 1, 4: 1}, 4, 0.12, 3, router=router)
    assert is_packable(orders, router) == (routing_delay < 2)
    assert engine.count("arrived") > 60
    by_hops = deciding(ugal(mesh(3, 3)), Detour(weight=0, margin=2))
    agree(by_hops, "wormhole-nonatomic", 3, 4, 0.12, 2, router=router)
    agree(by_hops, "saf", 3, 4, 0.12, 2, router=router)
    twice = deciding(ugal(torus(4, 3)), Detour(weight=2, margin=-4))
    agree(twice, "wormhole", 5, 4, 0.1, 5, router=router)
    quick = Router(routing_delay=1, internal_speedup=1.5, ejection_credits=True)
    assert is_packable(twice, quick)
    agree(twice, "wormhole-nonatomic", 5, 4, 0.1, 5, router=quick)
