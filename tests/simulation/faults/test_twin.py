"""Faults in the kernel and in its naive twin: the same flits in every cycle, whatever dies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.reference.sim_faults import Death, FaultySimulator
from tests.reference.uniform_pairs import uniform
from tests.simulation.options import routers
from tests.simulation.relations import random_relation
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import mesh
from unknot.routing import Relation, dimension_order, fully_adaptive
from unknot.simulation import Fault, Router
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.sources import Sources
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import Traffic


def agree(
    relation: Relation,
    switching: Switching,
    faults: list[Fault],
    flits: int,
    seed: int,
    router: Router,
    load: float = 0.6,
) -> int:
    """Run both, looking every few cycles; return how many packets were lost."""
    depth, pairs = flits + 1, uniform(relation)
    scenario = Scenario(relation, 0.0, Traffic(), switching, depth, router, seed, faults=faults)
    engine = Engine(scenario, Sources(load / flits, pairs, flits))
    assert engine.faults is not None
    engine.measure(0, 10**9)
    deaths = [
        Death(f.cycle, [*f.channels], [*f.routers], f.relation, step.pairs)  # type: ignore[arg-type,list-item]
        for f, step in zip(scenario.failing, engine.faults.coming, strict=True)
    ]
    twin = FaultySimulator(
        relation, switching, deaths=deaths, length=flits, depth=depth, chance=load / flits, seed=seed, pairs=pairs,
        router=router,
    )  # fmt: skip
    for until in (*range(1, 60), 75, 100, 140):
        twin.run(until - twin.now)
        engine.advance_to(until)
        arrived = engine.count("measured_arrived")
        assert engine.stored().tolist() == [len(vc.queue) for vc in twin.input], until
        assert sum(each[0] for each in engine.faults.lost) == twin.lost, until
        assert sum(each[1] for each in engine.faults.lost) == twin.lost_flits
        assert (engine.count("flits_in"), engine.count("flits_out")) == (twin.flits_in, twin.flits_out)
        assert sorted(engine.state.latencies[:arrived].tolist()) == [p[0] for p in twin.finish()]
        assert engine.count("flit_hops") == twin.flit_hops
    return twin.lost


@settings(deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.data())
def test_twin_on_random_relations(data: st.DataObject) -> None:
    relation = random_relation(data.draw(st.integers(0, 10**6), label="relation"))
    network, faults = relation.network, []
    for cycle in data.draw(st.lists(st.integers(0, 100), min_size=1, max_size=3), label="cycles"):
        channels = data.draw(
            st.lists(st.integers(0, network.num_channels - 1), min_size=1, max_size=2), label="channels"
        )
        dead = data.draw(st.lists(st.integers(0, network.num_routers - 1), max_size=1), label="routers")
        faults.append(Fault(cycle, channels, dead, data.draw(st.sampled_from([None, relation]), label="again")))
    flits = data.draw(st.integers(1, 5), label="flits")
    switching = data.draw(st.sampled_from(SWITCHINGS), label="switching")
    own = flits + 1 if switching.startswith("wormhole") else 0
    router = data.draw(st.just(Router()) | routers(own=own), label="router")
    load = data.draw(st.sampled_from([0.05, 0.3, 0.6, 1.0]), label="load")
    agree(relation, switching, faults, flits, data.draw(st.integers(0, 99), label="seed"), router, load)


@pytest.mark.parametrize("switching", SWITCHINGS)
def test_twin_on_a_mesh(switching: Switching) -> None:
    network = mesh(3, 3)
    first, second = fully_adaptive(network, 2), dimension_order(network, 2)
    between = network.channels_named("(1,1)<->(1,2)")
    faults = [Fault(20, between), Fault(45, routers=[0], relation=second), Fault(70, relation=first)]
    assert agree(first, switching, faults, 3, 5, Router()) > 5
    assert np.array_equal(first.vcs.counts, second.vcs.counts)
