"""Flits and headers of each link: those that were sent, whatever router, traffic or fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.uniform_pairs import uniform
from tests.simulation.engines import engine_of
from tests.simulation.relations import random_relation
from unknot._base.switching import SWITCHINGS
from unknot.network.families import mesh, torus
from unknot.routing import dimension_order, fully_adaptive, up_down
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import sources_of
from unknot.simulation.engine.sources import Sources
from unknot.simulation.engine.state_arrays import State
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import Traffic, TrafficClass


def agrees(engine: Engine) -> None:
    """Compare with what routers count by themselves: flits of channels, in the network and out."""
    flits, headers = engine.events()
    channels, terminals = engine.relation.network.num_channels, engine.relation.network.num_terminals
    assert flits[:, :channels].sum(axis=0).tolist() == engine.carried().tolist()
    assert flits[:, channels : channels + terminals].sum() == engine.count("flits_in") + lost(engine)
    assert flits[:, channels + terminals :].sum() == engine.count("flits_out")
    assert ((headers > 0) | (flits == 0)).all()


def lost(engine: Engine) -> int:
    return 0 if engine.faults is None else sum(each[1] for each in engine.faults.lost)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10**6),
    general=st.booleans(),
    switching=st.sampled_from(SWITCHINGS),
    length=st.sampled_from([1, 3]),
)
def test_flits_are_those_that_were_sent(seed: int, general: bool, switching: Any, length: int) -> None:
    relation = random_relation(seed)
    sources = Sources(0.7, uniform(relation), length)
    engine = engine_of(relation, switching, sources, general=general)
    engine.keep_events()
    for until in (1, 7, 50, 51, 120):
        engine.advance(until)
        agrees(engine)
        if length == 1:
            flits, headers = engine.events()
            granted = (engine.state.outputs.owner >= 0).sum()  # VCs that no flit was sent into yet
            assert 0 <= (headers - flits).sum() <= granted + relation.network.num_terminals


def test_flits_of_classes_add_up() -> None:
    relation = dimension_order(mesh(3, 3), vcs=2)
    classes = (TrafficClass(name="short"), TrafficClass(messages=4, name="long", share=3))
    scenario = Scenario(relation, 0.4, Traffic(classes=classes))
    engine = Engine(scenario, sources_of(relation, scenario.traffic, 0.4))
    engine.keep_events()
    engine.measure(0, 3000)
    engine.advance_to(3000)
    agrees(engine)
    flits, headers = engine.events()
    assert flits.shape == (2, relation.network.num_channels + 18)
    out = [int(row.flits_out) for row in engine.parts[0].classes]
    # A packet counts as arrived with its tail, its flits one by one.
    assert np.abs(flits[:, -9:].sum(axis=1) - out).max() <= 4 * 9
    assert flits[1].sum() / headers[1].sum() == pytest.approx(4, rel=0.01)


def test_flits_that_vanish_are_not_sent() -> None:
    relation = up_down(mesh(4, 4), vcs=2)
    faults = ["200: (1,1)<->(1,2)", "400: router (2,2)"]
    scenario = Scenario(relation, 0.3, Traffic(packet_length=4), faults=faults)
    engine = Engine(scenario, sources_of(relation, scenario.traffic, 0.3))
    engine.keep_events()
    for until in (199, 201, 300, 401, 600):
        engine.advance_to(until)
        agrees(engine)
    assert lost(engine) > 0


def test_packets_that_a_watchdog_drops_are_not_sent() -> None:
    relation = fully_adaptive(torus(3, 3), vcs=1)
    engine = engine_of(relation, "vct", Sources(1.0, uniform(relation), 4), watchdog=20)
    engine.keep_events()
    engine.advance_to(2000)
    assert engine.count("dropped") > 0
    flits, _ = engine.events()
    channels = relation.network.num_channels
    assert flits[0, :channels].tolist() == engine.carried().tolist()
    assert flits[0, channels + 9 :].sum() == engine.count("flits_out")


@pytest.mark.parametrize("how", ["plain", "faults", "watchdog"])
def test_flits_say_how_many_headers_there_were(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all packets are alike routers count no headers: with those that they count all figures are the same."""
    events = []
    for differ in (False, True):
        monkeypatch.setattr(State, "differ", differ)
        if how == "watchdog":
            relation = fully_adaptive(torus(3, 3), vcs=1)
            engine = engine_of(relation, "vct", Sources(1.0, uniform(relation), 4), watchdog=20)
        else:
            relation = up_down(mesh(4, 4), vcs=2)
            faults = ["200: (1,1)<->(1,2)", "400: router (2,2)"] if how == "faults" else []
            scenario = Scenario(relation, 0.3, Traffic(packet_length=4), faults=faults)
            engine = Engine(scenario, sources_of(relation, scenario.traffic, 0.3))
        engine.keep_events()
        events.append([])
        for until in (1, 30, 199, 201, 300, 401, 700):
            engine.advance_to(until)
            events[-1].append(np.array(engine.events()))
    derived, counted = np.array(events)
    assert derived[-1].min() >= 0 < derived[-1].max()
    assert (derived == counted).all()


def test_threads_count_alike() -> None:
    relation = dimension_order(mesh(6, 6), vcs=2)
    counted = []
    for threads in (1, 2):
        engine = engine_of(relation, "vct", Sources(0.3, uniform(relation), 2), threads=threads)
        engine.keep_events()
        engine.advance_to(500)
        counted.append(engine.events())
    assert all(np.array_equal(one, two) for one, two in zip(*counted, strict=True))
