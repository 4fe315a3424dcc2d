"""Schedules by halving do what their operation says, in as few steps as halving allows."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.papers import script
from tests.reference.collectives import holdings
from unknot._base.errors import NetworkError, UnknotError
from unknot.network import families as topologies
from unknot_collectives import collective, messages_of, order_of
from unknot_collectives.messages import Message
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
    root, *others = draw(st.lists(st.integers(0, network.num_terminals - 1), unique=True, min_size=2))
    return network, root, others


def steps_of(messages: tuple[Message, ...]) -> list[list[Message]]:
    last = max(message.step for message in messages)
    return [[message for message in messages if message.step == step] for step in range(last + 1)]


@given(cases())
def test_everyone_has_the_data_at_the_end(case):
    network, root, others = case
    first = network.num_routers
    members, start = {first + one for one in (root, *others)}, first + root
    for kind in ("broadcast", "scatter", "gather", "reduce", "all_gather", "all_reduce"):
        schedule = collective(network, kind, root, others)
        held = holdings(schedule)
        assert set(schedule.operation.members) == members
        for number, chunk in enumerate(schedule.chunks):
            everyone = members if chunk.source is None else {chunk.source}
            for member in members if chunk.target is None else {chunk.target}:
                assert held[member][number] == everyone
        ends = {(chunk.source, chunk.target) for chunk in schedule.chunks}
        apart = {(start, one) for one in members - {start}}
        assert ends == {
            "broadcast": {(start, None)}, "scatter": apart, "gather": {(b, a) for a, b in apart},
            "reduce": {(None, start)}, "all_gather": {(one, None) for one in members}, "all_reduce": {(None, None)},
        }[kind]  # fmt: skip


@given(cases())
def test_steps_are_logarithmic_and_each_member_gets_one_message(case):
    network, root, others = case
    messages = messages_of(network, collective(network, "broadcast", root, others))
    steps = steps_of(messages)
    assert len(steps) == math.ceil(math.log2(1 + len(others)))
    assert sorted(message.destination for message in messages) == sorted(others)
    for step in steps:
        ends = [end for message in step for end in (message.source, message.destination)]
        assert len(set(ends)) == len(ends)


@given(cases())
def test_there_and_back_takes_twice_the_steps(case):
    network, root, others = case
    steps = math.ceil(math.log2(1 + len(others)))
    for kind in ("gather", "reduce", "all_gather", "all_reduce"):
        schedule = collective(network, kind, root, others)
        assert schedule.steps == steps * (2 if kind.startswith("all") else 1)
        messages = messages_of(network, schedule)
        for message in messages:
            assert all(messages[k].step < message.step for k in message.needs)
            assert all(messages[k].destination == message.source for k in message.needs)


@given(st.integers(4, 30), st.integers(0, 200), st.data())
def test_messages_of_a_step_on_the_circle_are_independent(n, seed, data):
    network = itm(n, seed=seed)
    place = positions(recognise(network).mesh)
    schedule = collective(network, root=data.draw(st.integers(0, n - 1)), order="circle")
    for step in steps_of(messages_of(network, schedule)):
        pairs = [(message.source, message.destination) for message in step]
        for k, one in enumerate(pairs):
            assert all(independent(place, one, other) for other in pairs[k + 1 :])


def test_a_transfer_of_data_its_source_does_not_have_is_refused():
    schedule = collective(topologies.hypercube(2))
    with pytest.raises(NetworkError, match="does not have"):
        holdings(replace(schedule, transfers=schedule.transfers[1:]))


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
        ("all_to_all", 0, None, "unknown operation"),
        ("broadcast", 9, None, "has no terminal 9"),
        ("broadcast", 0, [0], "at least two members"),
        ("gather", 0, [1, 1], "named twice"),
    ],
)
def test_bad_arguments_are_reported(operation, root, members, text):
    with pytest.raises(UnknotError, match=text):
        collective(topologies.complete(4), operation, root, members)


def test_a_network_may_have_several_terminals_at_a_router():
    network = topologies.mesh(2, 2)
    network = replace(network, inject=[0, 0, 1, 1, 2, 3], eject=[0, 0, 1, 1, 2, 3])
    schedule = collective(network, "all_reduce", 3)
    held = holdings(schedule)
    assert all(held[m][0] == set(schedule.operation.members) for m in schedule.operation.members)
    assert len(messages_of(network, schedule)) == 10
