"""Runs with traffic classes agree with the plain simulator to the last bit, and classes with what they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.sim_classes import ClassSimulator
from tests.simulation.engine.test_flit_kernel import side_by_side
from tests.simulation.engines import engine_of
from tests.simulation.options import BURSTS, routers
from tests.simulation.relations import random_relation
from unknot._base.errors import SimulationError, UnknotError
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import mesh, torus
from unknot.routing import Relation, dimension_order, in_classes, message_classes, o1turn, ugal, valiant
from unknot.routing.contract import Detour
from unknot.routing.parts import Preference
from unknot.routing.subnets import in_subnets
from unknot.simulation import ClassRun, Router, simulate
from unknot.simulation.engine.codes import PRIORITIES
from unknot.simulation.engine.mix import Mix, sources_of
from unknot.traffic import Message, Traffic, TrafficClass
from unknot.traffic.workload import Bursts

COLUMNS = ("arrived", "latency", "network_latency", "hops", "flits_out")


def agree(
    relation: Relation,
    switching: Switching,
    classes: list[TrafficClass],
    depth: int,
    load: float,
    seed: int,
    router: Router,
    subnets: int = 1,
) -> ClassSimulator:
    mix = sources_of(relation, Traffic(classes=classes, subnets=subnets), load)
    assert isinstance(mix, Mix)
    relation = relation if subnets == 1 else in_subnets(relation, subnets)
    twin = ClassSimulator(relation, switching, mix, depth=depth, seed=seed, router=router)
    engine = engine_of(relation, switching, mix, buffer_depth=depth, seed=seed, router=router)
    for _ in side_by_side(twin, engine):
        assert engine.count("created") == twin.created + twin.promised()
        drawn = [source.drawn for k in range(len(classes)) for source in (row[k] for row in twin.sources)]
        assert engine.state.terminals.drawn.tolist() == drawn
        rows = engine.state.classes
        assert [[int(row[column]) for column in COLUMNS] for row in rows] == twin.summary()
    return twin


def classes_of(data: st.DataObject, relation: Relation, longest: int) -> list[TrafficClass]:
    kinds = st.sampled_from(["", *relation.classes])
    last = relation.vcs.widest - 1
    ranges = st.none() | st.integers(0, last).flatmap(lambda low: st.tuples(st.just(low), st.integers(low, last)))
    forms = st.builds(
        Message, st.integers(1, longest), st.floats(0.1, 5), kinds, st.integers(0, longest), kinds, ranges, ranges
    )
    drawn = st.builds(
        TrafficClass,
        share=st.floats(0.1, 3),
        traffic=st.sampled_from(["uniform", "uniform_others", "hotspot(1, share=0.5)"]),
        messages=st.lists(forms, min_size=1, max_size=3).map(tuple),
        priority=st.integers(0, 2),
        bursts=BURSTS,
    )
    return data.draw(st.lists(drawn, min_size=1, max_size=3), label="classes")


def random_runs(data: st.DataObject) -> None:
    base = random_relation(data.draw(st.integers(0, 10**6), label="relation"))
    many = data.draw(st.integers(0, 3), label="message classes")
    relation = in_classes(base, [f"kind {k}" for k in range(many)]) if many else base
    for switching in SWITCHINGS:
        depth = data.draw(st.integers(2, 8), label="depth")
        longest = depth if switching in ("saf", "vct") else 6
        router = data.draw(routers(PRIORITIES), label="router")
        classes = classes_of(data, relation, longest)
        load = data.draw(st.sampled_from([0.02, 0.1, 0.3]), label="load")
        try:
            sources = sources_of(relation, Traffic(classes=classes), load)
            engine_of(relation, switching, sources, buffer_depth=depth, router=router)
        except SimulationError:
            continue
        agree(relation, switching, classes, depth, load, data.draw(st.integers(0, 99), label="seed"), router)


@pytest.mark.parametrize("seed", range(3))
def test_replies_queue_in_the_order_in_which_requests_arrive(seed: int) -> None:
    """A request whose header speculated wins the switch before another, and arrives after it."""
    router = Router(vc_allocation_delay=3, speculative=True)
    agree(
        dimension_order(mesh(3, 3), 2), "saf", [TrafficClass(messages=(Message(1, reply=1),))], 2, 0.3, seed, router
    )


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_classes(data: st.DataObject) -> None:
    random_runs(data)


@pytest.mark.campaign
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_many_random_classes(data: st.DataObject) -> None:
    random_runs(data)


@pytest.mark.parametrize("priority", PRIORITIES)
def test_requests_and_replies_on_known_networks(priority: str) -> None:
    both = (
        Message(1, 0.6, "request", 4, "reply", (0, 1), (2, 3)),
        Message(4, 0.4, "request", 1, "reply", (0, 2), (1, 3)),
    )
    classes = [TrafficClass(messages=both, priority=1), TrafficClass(0.3, "transpose", {1: 1, 3: 1})]
    router = Router(priority=priority, hold_switch=True)  # type: ignore[arg-type]
    twin = agree(message_classes(mesh(4, 4), 4), "wormhole-nonatomic", classes, 4, 0.3, 7, router)
    assert twin.promised() > 10
    several = in_classes(valiant(mesh(3, 2)))
    twin = agree(several, "vct", [TrafficClass(messages=both)], 4, 0.2, 7, Router(priority=priority))  # type: ignore[arg-type]
    assert twin.promised() > 10
    two = [TrafficClass(), TrafficClass(2, messages=3)]
    agree(dimension_order(torus(4, 3, latency=2), 4), "wormhole", two, 4, 0.2, 7, Router())


def test_one_class_is_the_same_traffic_as_without() -> None:
    relation = dimension_order(mesh(4, 4), 2)
    alone = simulate(relation, 0.3, packet_length={1: 1, 4: 1}, seed=3)
    found = simulate(relation, 0.3, classes=[TrafficClass(messages={1: 1, 4: 1}, name="all")], seed=3)
    assert found.latency_mean == pytest.approx(alone.latency_mean, rel=0.03)
    assert found.accepted_load == pytest.approx(alone.accepted_load, rel=0.02)
    one = found.classes[0]
    assert isinstance(one, ClassRun)
    assert (one.name, one.offered_load, one.packets) == ("all", 0.3, found.packets)
    assert (one.latency_mean, one.hops_mean) == (found.latency_mean, found.hops_mean)
    assert one.accepted_load == pytest.approx(found.accepted_load, rel=0.02)


def test_classes_share_the_load_and_higher_ones_are_sooner_through() -> None:
    classes = [
        TrafficClass(1, priority=0, name="low"),
        TrafficClass(1, priority=5, name="high", messages=(Message(1, reply=2),)),
    ]
    router = Router(allocator="separable_input_first", priority="class")
    found = simulate(message_classes(mesh(4, 4), 4), 0.5, classes=classes, router=router, measure=20_000)
    low, high = found.classes
    assert found.stable
    assert [one.offered_load for one in found.classes] == pytest.approx([0.25, 0.25])
    assert [one.accepted_load for one in found.classes] == pytest.approx([0.25, 0.25], rel=0.06)
    assert sum(one.packets for one in found.classes) == found.packets
    assert low.latency_mean is not None
    assert high.latency_mean is not None
    assert low.latency_mean > high.latency_mean


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ([TrafficClass(messages=(Message(1, kind="reply"),))], "no message classes"),
        ([TrafficClass(messages=(Message(1, vcs=(1, 4)),))], "VCs 1 to 4 of an injection port, which has 2"),
        ([TrafficClass(bursts=Bursts(0.01, 1.0))], "a terminal that is on would have to create 50.5 packets"),
        (["uniform"], "at least one TrafficClass"),
    ],
)
def test_classes_that_cannot_be_had(classes: list[TrafficClass], words: str) -> None:
    with pytest.raises(SimulationError, match=words):
        simulate(dimension_order(mesh(3, 3), 2), 0.5, classes=classes)


def test_what_does_not_go_with_classes() -> None:
    relation = dimension_order(mesh(3, 3), 2)
    for options, words in (
        ({"threads": 2}, "have one thread"),
        ({"packet_length": 2}, "its own packet_length"),
        ({"traffic": "transpose"}, "its own traffic"),
    ):
        with pytest.raises(SimulationError, match=words):
            simulate(relation, 0.1, classes=[TrafficClass()], **options)
    with pytest.raises(SimulationError, match="load must be a number"):
        simulate(relation, None, classes=[TrafficClass()])  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="there are none"):
        simulate(relation, 0.1, router=Router(priority="class"))
    for wrong in ({"share": 0}, {"priority": -1}, {"messages": ()}):
        with pytest.raises(SimulationError, match="traffic class"):
            TrafficClass(**wrong)


@pytest.mark.parametrize("relation", [dimension_order(mesh(3, 2), 2), valiant(mesh(2, 2), 2)])
def test_twin_of_subnets(relation: Relation) -> None:
    classes = [
        TrafficClass(
            2.0, "uniform_others", (Message(1, reply=3, reply_subnet=1), Message(2, 2.0, subnet=2, reply=1))
        ),
        TrafficClass(1.0, "uniform", (Message(3, subnet=1),), bursts=Bursts(0.2, 0.2)),
        TrafficClass(1.0, "hotspot(1, share=0.5)", (Message(1, subnet=2, vcs=(1, 1)),)),
    ]
    twin = agree(relation, "wormhole-nonatomic", classes, 4, 0.7, 3, Router(), subnets=3)
    assert len(twin.done) > 100
    agree(relation, "wormhole", classes[:1], 3, 0.5, 4, Router(routing_delay=0), subnets=3)


def test_subnets_are_networks_of_their_own() -> None:
    """Both subnets take what one does, and a class injects one flit in a cycle in all."""
    relation = dimension_order(mesh(4, 4), 4)
    both = TrafficClass(messages=(Message(1), Message(1, subnet=1)))
    one = simulate(relation, 0.3, warmup=500, measure=3000)
    two = simulate(relation, 0.6, classes=[both], subnets=2, warmup=500, measure=3000)
    assert two.stable
    assert (two.accepted_load, two.classes[0].accepted_load) == pytest.approx((0.6, 0.6), rel=0.02)
    assert two.latency_mean == pytest.approx(one.latency_mean, rel=0.03)
    assert two.hops_mean == pytest.approx(one.hops_mean, rel=0.02)
    idle = simulate(relation, 0.3, classes=[TrafficClass()], subnets=2, warmup=500, measure=3000)
    assert np.count_nonzero(idle.utilisation) == relation.network.num_channels
    for wrong, words in (
        (lambda: simulate(relation, 0.1, subnets=2), "traffic classes"),
        (lambda: simulate(relation, 0.1, classes=[both], subnets=1), "subnet 1 of 1"),
        (lambda: simulate(relation, 0.1, classes=[both], subnets=0), "from 1 to 64"),
        (lambda: in_subnets(ugal(mesh(2, 2)), 2), "without direct ones"),
    ):
        with pytest.raises(UnknotError, match=words):
            wrong()


def test_classes_decide_on_their_way_where_they_are_injected_with_lookahead() -> None:
    """As packets without classes do; else in the router, a cycle after."""
    orders = replace(o1turn(mesh(3, 3)), preference=Preference(decides=Detour(weight=1, margin=-1)))
    two = [TrafficClass(), TrafficClass(2, messages=3, priority=1)]
    for delay in (0, 1):
        agree(orders, "wormhole-nonatomic", two, 4, 0.4, 3, Router(routing_delay=delay, priority="class"))
