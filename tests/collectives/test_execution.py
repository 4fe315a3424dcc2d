"""Schedules in the simulator, and which of their messages may meet."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest

from tests.papers import script
from unknot._base.errors import NetworkError, SimulationError
from unknot._base.memory import SizeError, memory_limit
from unknot.network import Network
from unknot.network import families as topologies
from unknot.routing import Relation, dimension_order, fully_adaptive, valiant
from unknot.simulation import run_trace
from unknot.studies.exchanges import FLITS, around_a_ring, in_pairs
from unknot.traffic.trace import TracedMessage, addresses
from unknot_collectives import Message, Operation, collective, contention, messages_of, platform_of, textbook
from unknot_collectives.execution import blocked_cycles, execute
from unknot_collectives.messages import channels_used, needed
from unknot_papers.itm import itm

on_shortest_paths = script("methods.independence").contention


def test_a_single_message_takes_the_zero_load_latency():
    network = topologies.line(5)
    relation, schedule = dimension_order(network), collective(network, "scatter", 0, [4], block=5)
    done = execute(relation, schedule)
    assert done.makespan == 5 * 4 + 7 + (5 - 1)
    assert blocked_cycles(relation, messages_of(network, schedule), done) == [0]


def test_a_broadcast_on_a_hypercube_meets_nowhere_and_each_step_adds_its_message():
    network = topologies.hypercube(4)
    relation, schedule = dimension_order(network), collective(network, block=6)
    messages = messages_of(network, schedule)
    assert contention(relation, messages) == []
    done = execute(relation, schedule)
    assert blocked_cycles(relation, messages, done) == [0] * len(messages)
    for i, message in enumerate(messages):
        assert all(done.arrived[j] <= done.injected[i] for j in message.needs)


def test_overhead_is_paid_once_for_each_step_on_the_way():
    network = topologies.hypercube(3)
    relation, schedule = dimension_order(network), collective(network)
    free, paid = execute(relation, schedule), execute(relation, schedule, overhead=50)
    assert paid.makespan == free.makespan + 50 * schedule.steps


def test_the_circular_order_of_a_mesh_of_triangles_keeps_messages_of_a_step_apart():
    network = itm(24, seed=3)
    relation = fully_adaptive(network)
    good, bad = collective(network, order="circle", block=8), collective(network, order="numbers", block=8)
    assert not any(meeting.same_step for meeting in contention(relation, messages_of(network, good)))
    assert any(meeting.same_step for meeting in contention(relation, messages_of(network, bad)))
    assert execute(relation, good).makespan < execute(relation, bad).makespan


def test_meetings_within_a_step_are_those_of_shortest_paths():
    network = itm(14, seed=5)
    messages = messages_of(network, collective(network, "all_reduce", order="numbers"))
    found = {(m.one, m.other) for m in contention(fully_adaptive(network), messages) if m.same_step}
    pairs = [(message.source, message.destination) for message in messages]
    met = {(i, j) for i, j, _ in on_shortest_paths(network, pairs)}
    want = {
        (i, j)
        for i, j in combinations(range(len(pairs)), 2)
        if messages[i].step == messages[j].step and (i, j) in met
    }
    assert found == want


@pytest.mark.parametrize("order", ["numbers", "auto"])
@pytest.mark.parametrize("operation", ["broadcast", "gather", "all_gather"])
def test_meetings_are_those_of_the_plain_definition(operation: str, order: str) -> None:
    """Channels of all routes, found by asking the rule, of every two messages; sets of what comes before."""
    for relation in (
        dimension_order(topologies.mesh(3, 3)),
        fully_adaptive(itm(9, seed=2)),
        valiant(topologies.mesh(2, 2)),
    ):
        messages = messages_of(relation.network, collective(relation.network, operation, 2, order=order))
        routes = [routes_of(relation, message.source, message.destination) for message in messages]
        used = channels_used(relation, messages)
        assert [set(used.of(i).tolist()) for i in range(len(routes))] == routes
        before: list[set[int]] = []
        for message in messages:
            before.append(set(message.needs).union(*(before[k] for k in message.needs)))
        expected = [
            (i, j, min(routes[i] & routes[j]))
            for i, j in combinations(range(len(routes)), 2)
            if routes[i] & routes[j] and i not in before[j] and messages[i].source != messages[j].source
        ]
        assert [(m.one, m.other, m.channel) for m in contention(relation, messages)] == expected


def routes_of(relation: Relation, source: int, destination: int) -> set[int]:
    found = set()
    for address in addresses(relation, source, destination):
        todo, seen = [relation.num_vcs + source], set()
        while todo:
            for candidate in relation.candidates(todo.pop(), address):
                if candidate.vc is not None and candidate.vc not in seen:
                    seen.add(candidate.vc)
                    todo.append(candidate.vc)
        found |= {int(relation.vcs.channel[vc]) for vc in seen}
    return found


def test_messages_that_run_together_take_as_long_as_alone() -> None:
    network = topologies.mesh(3, 3)
    relation, schedule = dimension_order(network), collective(network, "scatter", 4, block=8)
    messages = messages_of(network, schedule)
    done = execute(relation, schedule, together=True)
    for message, blocked, took in zip(
        messages, blocked_cycles(relation, messages, done), done.arrived - done.injected, strict=True
    ):
        single = TracedMessage(0, message.source, message.destination, message.flits)
        own = run_trace(relation, [single], buffer_depth=done.buffer_depth)
        assert took - blocked == own.arrived[0] - own.injected[0]


def test_what_takes_too_much_memory_is_refused_with_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot._base.memory.LEAST", 0)
    network = topologies.hypercube(10)
    messages = [Message(0, 0, terminal, 1) for terminal in range(1, 1024)]
    with memory_limit(2**16), pytest.raises(SizeError, match="what 1023 messages wait for would take about"):
        needed(messages)
    relation = dimension_order(network)
    with memory_limit(2**13), pytest.raises(SizeError, match=r"the channels of 1023 messages on hypercube\(10\)"):
        contention(relation, messages)


def test_a_deadlock_on_the_way_is_an_answer():
    network = topologies.ring(12)
    messages = [Message(0, i, (i + 6) % 12, 60) for i in range(0, 12, 3)]
    relation = dimension_order(network, dateline="none")
    assert any(meeting.same_step for meeting in contention(relation, messages))
    traced = [TracedMessage(0, one.source, one.destination, one.flits) for one in messages]
    assert run_trace(relation, traced).makespan is not None  # whole messages fit the buffers of vct
    done = run_trace(relation, traced, switching="wormhole")
    assert done.makespan is None
    assert blocked_cycles(relation, messages, done) == [None] * 4
    assert len(done.deadlock.messages) == 4


def test_relations_with_several_addresses_run():
    network = topologies.mesh(3, 3)
    assert execute(valiant(network), collective(network)).makespan is not None


def test_bad_lengths_are_refused():
    network = topologies.hypercube(2)
    relation = dimension_order(network)
    with pytest.raises(NetworkError, match="block"):
        collective(network, block=0)
    with pytest.raises(SimulationError, match="overhead"):
        execute(relation, collective(network), overhead=-1)
    with pytest.raises(SimulationError, match="does not fit"):
        execute(relation, collective(network, block=9), buffer_depth=8)


def test_a_schedule_for_another_network_is_refused():
    with pytest.raises(NetworkError, match=r"hypercube\(2\)"):
        execute(dimension_order(topologies.mesh(3, 3)), collective(topologies.hypercube(2)))
    with pytest.raises(NetworkError, match=r"ring\(4\)"):  # as many channels between as many routers
        execute(dimension_order(topologies.mesh(2, 2)), collective(topologies.ring(4)))


OWN = {("all_to_all", "pairwise"): in_pairs, ("all_reduce", "ring"): around_a_ring}


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize("network", [topologies.ring(2), topologies.mesh(2, 3), topologies.hypercube(3)])
def test_comparisons_run_textbook_schedules(kind: tuple[str, str], network: Network) -> None:
    """The core's own messages, as it knows no collectives, arrive in the same cycles."""
    relation, platform, count = fully_adaptive(network), platform_of(network), network.num_terminals
    size = Fraction(FLITS * (1 if kind[0] == "all_to_all" else count))
    schedule = textbook(platform, Operation(kind[0], platform.members, size), kind[1])
    own = run_trace(relation, OWN[kind](count))
    assert execute(relation, schedule).arrived.tolist() == own.arrived.tolist()
