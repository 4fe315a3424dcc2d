"""Schedules in the simulator, and which of their messages may meet."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.papers import script
from unknot._base.errors import RelationError, SimulationError
from unknot._base.memory import SizeError, memory_limit
from unknot.network import families as topologies
from unknot.routing import Relation, dimension_order, fully_adaptive, valiant
from unknot.simulation.collectives import execute
from unknot.traffic.collectives import Schedule, Send, all_reduce, broadcast, collective, contention, scatter
from unknot.traffic.collectives.schedule import channels_used
from unknot.traffic.trace import addresses
from unknot_papers.itm import itm

on_shortest_paths = script("methods.independence").contention


def test_a_single_message_takes_the_zero_load_latency():
    network = topologies.line(5)
    schedule = scatter(network, 0, [4])
    done = execute(dimension_order(network), schedule, block=5)
    assert schedule.sends[0].size == 1
    assert done.latency == 5 * 4 + 7 + (5 - 1)
    assert done.blocked == (0,)


def test_a_broadcast_on_a_hypercube_meets_nowhere_and_each_step_adds_its_message():
    network = topologies.hypercube(4)
    relation, schedule = dimension_order(network), broadcast(network)
    assert contention(relation, schedule) == []
    done = execute(relation, schedule, block=6)
    assert done.blocked_messages == 0
    last = max(range(len(schedule.sends)), key=lambda i: done.arrived[i])
    assert done.latency == done.arrived[last]
    for i, send in enumerate(schedule.sends):
        assert all(done.arrived[j] <= done.started[i] for j in send.needs)


def test_overhead_is_paid_once_for_each_step_on_the_way():
    network = topologies.hypercube(3)
    relation, schedule = dimension_order(network), broadcast(network)
    free, paid = execute(relation, schedule), execute(relation, schedule, overhead=50)
    assert paid.latency == free.latency + 50 * schedule.steps


def test_the_circular_order_of_a_mesh_of_triangles_keeps_messages_of_a_step_apart():
    network = itm(24, seed=3)
    relation = fully_adaptive(network)
    good, bad = broadcast(network, order="circle"), broadcast(network, order="numbers")
    assert not any(meeting.same_step for meeting in contention(relation, good))
    assert any(meeting.same_step for meeting in contention(relation, bad))
    assert execute(relation, good).latency < execute(relation, bad).latency


def test_meetings_within_a_step_are_those_of_shortest_paths():
    network = itm(14, seed=5)
    schedule = all_reduce(network, order="numbers")
    found = {(m.one, m.other) for m in contention(fully_adaptive(network), schedule) if m.same_step}
    pairs = [(send.source, send.destination) for send in schedule.sends]
    met = {(i, j) for i, j, _ in on_shortest_paths(network, pairs)}
    want = {
        (i, j)
        for i, j in combinations(range(len(pairs)), 2)
        if schedule.sends[i].step == schedule.sends[j].step and (i, j) in met
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
        schedule = collective(operation, relation.network, 2, order=order)
        routes = [routes_of(relation, send.source, send.destination) for send in schedule.sends]
        used = channels_used(relation, schedule)
        assert [set(used.of(i).tolist()) for i in range(len(routes))] == routes
        before: list[set[int]] = []
        for send in schedule.sends:
            before.append(set(send.needs).union(*(before[k] for k in send.needs)))
        expected = [
            (i, j, min(routes[i] & routes[j]))
            for i, j in combinations(range(len(routes)), 2)
            if routes[i] & routes[j] and i not in before[j] and schedule.sends[i].source != schedule.sends[j].source
        ]
        assert [(m.one, m.other, m.channel) for m in contention(relation, schedule)] == expected


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
    relation, schedule = dimension_order(network), scatter(network, 4)
    done = execute(relation, schedule)
    for i, send in enumerate(schedule.sends):
        single = Schedule(
            "scatter",
            network,
            send.source,
            (send.source, send.destination),
            (Send(0, send.source, send.destination, (), send.size),),
        )
        own = execute(relation, single)
        assert done.arrived[i] - done.started[i] - done.blocked[i] == own.arrived[0] - own.started[0]


def test_what_takes_too_much_memory_is_refused_with_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unknot._base.memory.LEAST", 0)
    network = topologies.hypercube(10)
    with memory_limit(2**18), pytest.raises(SizeError, match="what 2046 messages wait for would take about"):
        all_reduce(network).needed()
    relation, schedule = dimension_order(network), broadcast(network)
    with memory_limit(2**13), pytest.raises(SizeError, match=r"the channels of 1023 messages on hypercube\(10\)"):
        contention(relation, schedule)


def test_a_deadlock_on_the_way_is_an_answer():
    network = topologies.ring(12)
    sends = tuple(Send(0, i, (i + 6) % 12, (i,), 1) for i in range(0, 12, 3))
    schedule = Schedule("multicast", network, 0, tuple(range(12)), sends)
    relation = dimension_order(network, dateline="none")
    assert any(meeting.same_step for meeting in contention(relation, schedule))
    assert execute(relation, schedule, block=60).latency is not None  # whole messages fit the buffers of vct
    done = execute(relation, schedule, block=60, switching="wormhole")
    assert done.latency is None
    assert done.arrived == (None,) * 4
    assert len(done.deadlock.messages) == 4


def test_relations_with_several_addresses_run():
    network = topologies.mesh(3, 3)
    done = execute(valiant(network), broadcast(network))
    assert done.latency is not None


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"overhead": -1}, "overhead"),
        ({"block": 0}, "block"),
        ({"block": 9, "buffer_depth": 8}, "does not fit"),
    ],
)
def test_bad_lengths_are_refused(options, text):
    network = topologies.hypercube(2)
    with pytest.raises(SimulationError, match=text):
        execute(dimension_order(network), broadcast(network), **options)


def test_a_schedule_for_another_network_is_refused():
    with pytest.raises(RelationError, match=r"hypercube\(2\)"):
        execute(dimension_order(topologies.mesh(3, 3)), broadcast(topologies.hypercube(2)))
