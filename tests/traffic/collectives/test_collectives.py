"""Schedules do what their operation says, in as few steps as halving allows."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from tests.reference.collectives import holdings
from unknot._base.errors import NetworkError
from unknot.network import families as topologies
from unknot.traffic.collectives import (
    all_gather,
    all_reduce,
    broadcast,
    collective,
    gather,
    multicast,
    order_of,
    reduce,
    scatter,
)
from unknot_papers.itm import itm, recognise

independent = script("methods.independence").independent
positions = script("methods.independence").positions

NETWORKS = st.one_of(
    st.builds(topologies.mesh, st.integers(2, 5), st.integers(2, 4)),
    st.builds(topologies.hypercube, st.integers(1, 5)),
    st.builds(itm, st.integers(3, 24), seed=st.integers(0, 100)),
    st.builds(topologies.complete, st.integers(2, 12)),
)


@st.composite
def cases(draw):
    network = draw(NETWORKS)
    root = draw(st.integers(0, network.num_terminals - 1))
    others = draw(st.lists(st.integers(0, network.num_terminals - 1), unique=True))
    return network, root, others


@given(cases())
def test_everyone_has_the_data_at_the_end(case):
    network, root, others = case
    members = {root, *others}
    everyone = frozenset(range(network.num_terminals))
    assert set(holdings(broadcast(network, root)).values()) == {frozenset({root})}
    assert holdings(multicast(network, root, others)) == dict.fromkeys(members, frozenset({root}))
    assert all(m in has for m, has in holdings(scatter(network, root, others)).items())
    assert holdings(gather(network, root))[root] == everyone
    assert holdings(reduce(network, root, others))[root] == members
    assert holdings(all_gather(network, root, others)) == dict.fromkeys(members, frozenset(members))
    assert holdings(all_reduce(network, root)) == dict.fromkeys(everyone, everyone)


@given(cases())
def test_steps_are_logarithmic_and_each_member_gets_one_message(case):
    network, root, others = case
    schedule = multicast(network, root, others)
    members = len({root, *others})
    assert schedule.steps == math.ceil(math.log2(members))
    assert sorted(send.destination for send in schedule.sends) == sorted({root, *others} - {root})
    for number in range(schedule.steps):
        ends = [e for i in schedule.step(number) for e in (schedule.sends[i].source, schedule.sends[i].destination)]
        assert len(set(ends)) == len(ends)


@given(cases())
def test_there_and_back_takes_twice_the_steps(case):
    network, root, others = case
    members = {root, *others}
    steps = math.ceil(math.log2(len(members)))
    assert gather(network, root, others).steps == reduce(network, root, others).steps == steps
    for make in (all_gather, all_reduce):
        assert make(network, root, others).steps == 2 * steps
    for schedule in (gather(network, root, others), all_reduce(network, root, others)):
        for send in schedule.sends:
            assert all(schedule.sends[k].step < send.step for k in send.needs)
            assert all(schedule.sends[k].destination == send.source for k in send.needs)


@given(st.integers(4, 30), st.integers(0, 200), st.data())
def test_messages_of_a_step_on_the_circle_are_independent(n, seed, data):
    network = itm(n, seed=seed)
    place = positions(recognise(network).mesh)
    schedule = broadcast(network, data.draw(st.integers(0, n - 1)), order="circle")
    for number in range(schedule.steps):
        pairs = [(schedule.sends[i].source, schedule.sends[i].destination) for i in schedule.step(number)]
        for k, one in enumerate(pairs):
            assert all(independent(place, one, other) for other in pairs[k + 1 :])


def test_a_message_of_data_its_source_does_not_have_is_refused():
    schedule = broadcast(topologies.hypercube(2))
    sends = (replace(schedule.sends[1], needs=()), *schedule.sends[1:])
    with pytest.raises(NetworkError, match="that it does not have"):
        holdings(replace(schedule, sends=(sends[1] if sends[1].source else sends[2],)))


def test_orders():
    assert order_of(itm(9)).name == "circle"
    assert order_of(topologies.mesh(3, 2)).terminals == (0, 3, 1, 4, 2, 5)
    assert order_of(topologies.complete(5)).name == "numbers"
    with pytest.raises(NetworkError, match="no circular order"):
        order_of(topologies.mesh(3, 3), "circle")
    with pytest.raises(NetworkError, match="coordinates"):
        order_of(topologies.complete(4), "dimensions")
    with pytest.raises(NetworkError, match=r"unknown order.*circle"):
        order_of(topologies.complete(4), "cirle")


@pytest.mark.parametrize(
    ("operation", "root", "members", "text"),
    [
        ("brodcast", 0, None, "broadcast"),
        ("broadcast", 0, [1], "multicast to some"),
        ("multicast", 9, None, "has no terminal 9"),
        ("gather", 0, [1, 1], "named twice"),
    ],
)
def test_bad_arguments_are_reported(operation, root, members, text):
    with pytest.raises(NetworkError, match=text):
        collective(operation, topologies.complete(4), root, members)


def test_a_network_may_have_several_terminals_at_a_router():
    network = topologies.mesh(2, 2)
    network = replace(network, inject=[0, 0, 1, 1, 2, 3], eject=[0, 0, 1, 1, 2, 3])
    assert set(holdings(all_reduce(network, 3)).values()) == {frozenset(range(6))}
