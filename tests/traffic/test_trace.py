"""Traces: closed forms, the plain simulator message for message, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.trace import TraceSimulator
from tests.simulation.relations import random_relation
from unknot._base.errors import RelationError, SimulationError
from unknot._base.switching import SWITCHINGS
from unknot.network import families as topologies
from unknot.routing import Relation, VirtualChannels, dimension_order, fully_adaptive, valiant
from unknot.simulation.traces.trace_run import run_trace
from unknot.traffic.trace import Trace, TracedMessage, TraceError

MESH = dimension_order(topologies.mesh(4, 4), 2)
DETOURS = valiant(topologies.mesh(3, 3))
RELATIONS = {
    "mesh": MESH,
    "ring": dimension_order(topologies.ring(5), 2),
    "adaptive": fully_adaptive(topologies.mesh(3, 3)),
    **{f"random {seed}": random_relation(seed) for seed in (1, 2, 3)},
}


def latency(hops: int, flits: int) -> int:
    """Latency of a packet in an empty network over channels of latency 1."""
    return 5 * (hops - 1) + 7 + flits - 1


@st.composite
def traces(draw, terminals: int, most: int = 20) -> Trace:
    messages, senders = [], draw(st.integers(1, terminals))
    for i in range(draw(st.integers(1, most))):
        source = draw(st.integers(0, senders - 1))
        messages.append(
            TracedMessage(
                draw(st.integers(0, 40)) * draw(st.sampled_from([1, 1, 50])),
                source,
                (source + draw(st.integers(1, terminals - 1))) % terminals,
                draw(st.integers(1, 4)),
                tuple(draw(st.sets(st.integers(0, i - 1), max_size=3))) if i else (),
                draw(st.integers(0, 9)),
            )
        )
    return Trace.of(messages)


@pytest.mark.parametrize("switching", ["wormhole", "vct", "wormhole-nonatomic"])
def test_isolated_messages_take_the_zero_load_latency(switching):
    run = run_trace(
        MESH,
        [TracedMessage(1000 * i, 0, to, flits) for i, (to, flits) in enumerate([(1, 1), (5, 4), (15, 8)])],
        switching=switching,
    )
    assert run.latency.tolist() == [latency(2, 1), latency(3, 4), latency(7, 8)]
    assert run.ready.tolist() == run.injected.tolist() == [0, 1000, 2000]
    assert (run.makespan, run.unfinished, run.reason) == (2000 + latency(7, 8), 0, "")


def test_a_chain_of_needs_adds_latencies_and_delays():
    hops = [(0, 3), (3, 15), (15, 12), (12, 0)]
    trace = [TracedMessage(7, a, b, 5, (i - 1,) if i else (), 11) for i, (a, b) in enumerate(hops)]
    run = run_trace(MESH, trace)
    assert run.makespan == 7 + 4 * latency(4, 5) + 3 * 11
    assert run.latency_mean == run.latency_p50 == run.latency_max == latency(4, 5)


def test_cycles_in_which_nothing_is_on_the_way_are_passed_over():
    def arrivals(gap: int) -> list[int]:
        messages = [(3, 0, 5), (gap + 3, 0, 5), (gap + 4, 1, 5), (2 * gap, 9, 5)]
        return run_trace(MESH, [TracedMessage(*message, 3) for message in messages]).arrived.tolist()

    near, gap = arrivals(40), 2**35
    assert arrivals(gap) == [near[0], near[1] + gap - 40, near[2] + gap - 40, near[3] + 2 * (gap - 40)]


@given(st.data())
def test_every_message_fares_as_in_the_plain_simulator(data):
    relation = RELATIONS[data.draw(st.sampled_from(sorted(RELATIONS)))]
    trace = data.draw(traces(relation.network.num_terminals))
    switching = data.draw(st.sampled_from(SWITCHINGS))
    depth = data.draw(st.integers(4, 6))
    twin = TraceSimulator(relation, trace, switching, depth=depth)
    run = run_trace(relation, trace, switching=switching, buffer_depth=depth, limit=5000)
    for mine, theirs in zip((run.ready, run.injected, run.arrived), twin.play(5000), strict=True):
        assert {i: int(cycle) for i, cycle in enumerate(mine) if cycle >= 0} == theirs


@given(st.data())
def test_every_message_arrives_once_and_not_before_what_it_needs(data):
    relation = DETOURS if data.draw(st.booleans()) else MESH
    trace = data.draw(traces(relation.network.num_terminals, 60))
    seed = data.draw(st.integers(0, 5))
    run = run_trace(relation, trace, seed=seed)
    assert run.unfinished == 0
    assert run.flit_hops >= trace.flits.sum()
    assert (run.ready >= trace.cycle).all()
    assert (run.injected >= run.ready).all()
    assert (run.arrived >= run.injected + 6 + trace.flits).all()
    for i, message in enumerate(trace):
        for need in message.needs:
            assert run.ready[i] >= run.arrived[need] + message.delay
    for terminal in range(relation.network.num_terminals):
        sent = np.flatnonzero(trace.source == terminal)
        sent = sent[np.argsort(run.injected[sent])]
        assert (np.diff(run.injected[sent]) >= trace.flits[sent][:-1]).all()
    again = run_trace(relation, trace, seed=seed)
    assert (again.arrived == run.arrived).all()
    assert (again.injected == run.injected).all()


def test_the_message_that_has_been_ready_longest_goes_first():
    trace = [TracedMessage(0, 0, 5, 8), TracedMessage(5, 0, 5, 2), TracedMessage(3, 0, 5, 2), TracedMessage(3, 0, 6)]
    run = run_trace(dimension_order(topologies.mesh(4, 4), 4), trace)
    assert run.injected.tolist() == [0, 11, 8, 10]


def test_overhead_is_paid_for_each_message_and_order_can_be_kept():
    trace = [TracedMessage(0, 15, 3), TracedMessage(0, 0, 5, 2, (0,)), TracedMessage(0, 0, 5, 2)]
    free, strict = run_trace(MESH, trace), run_trace(MESH, trace, in_order=True)
    assert free.injected[2] == 0
    assert free.injected[1] == strict.injected[1] == free.arrived[0]
    assert strict.injected[2] == strict.injected[1] + 2
    paid = run_trace(MESH, [TracedMessage(0, 0, 5, 2)] * 3, overhead=10)
    assert paid.injected.tolist() == [10, 22, 34]


def test_an_order_that_waits_for_itself_is_reported():
    trace = [TracedMessage(0, 0, 5, needs=(1,)), TracedMessage(0, 0, 6)]
    assert run_trace(MESH, trace).unfinished == 0
    run = run_trace(MESH, trace, in_order=True)
    assert run.unfinished == 2
    assert run.reason == "nothing makes them ready: 2 of 2 messages had not arrived, 1 had not been ready"


def test_a_deadlock_is_an_answer():
    ring = dimension_order(topologies.ring(12), dateline="none")
    trace = [TracedMessage(0, i, (i + 6) % 12, 60) for i in range(0, 12, 3)] + [TracedMessage(0, 1, 2, 1, (0,))]
    whole = run_trace(ring, trace)  # whole messages fit the buffers of vct
    assert (whole.switching, whole.buffer_depth, whole.unfinished) == ("vct", 60, 0)
    run = run_trace(ring, trace, switching="wormhole")
    assert (run.makespan, run.unfinished, len(run.deadlock.messages)) == (None, 5, 4)
    assert run.reason.startswith("deadlock of 4 messages")
    assert run.injected.tolist() == [0, 0, 0, 0, -1]


def test_a_livelock_is_reported():
    network = topologies.ring(3)
    vcs = VirtualChannels(network, 1)
    first, router = vcs.first, vcs.router
    up = np.array([network.between(r, (r + 1) % 3)[0] for r in range(3)])

    def round_and_round(at: int, address: int, out: np.ndarray) -> int:
        out[0] = first[up[router[at]]]
        return 1

    relation = Relation(network, vcs, round_and_round, name="round and round")
    run = run_trace(relation, [TracedMessage(0, 0, 1)])
    assert run.reason.startswith("livelock or starvation: nothing arrived for 1000016 cycles: 1 of 1 messages")
    assert run.deadlock is None


def test_progress_counts_messages_and_cycles():
    shown = []
    trace = [TracedMessage(500 * i, 0, 5) for i in range(10)]
    run_trace(MESH, trace, progress=lambda words, cycle, total: shown.append((words, cycle)))
    assert shown[0][0] == "2 of 10 messages"
    assert [cycle for _, cycle in shown] == sorted(cycle for _, cycle in shown)


def test_a_limit_is_reported():
    run = run_trace(MESH, [TracedMessage(0, 0, 15), TracedMessage(0, 15, 0, needs=(0,))], limit=20)
    assert run.reason == "the limit of 20 cycles was reached: 2 of 2 messages had not arrived, 1 had not been ready"
    assert (run.cycles, run.ready.tolist(), run.injected.tolist()) == (20, [0, -1], [0, -1])


def test_latencies_by_class():
    run = run_trace(
        MESH, [TracedMessage(0, 0, 1, message_class="a"), TracedMessage(0, 15, 5, 3, message_class="b")] * 2
    )
    assert run.of_class("a").size == 2
    assert run.of_class("b").min() == latency(5, 3)
    assert run.of_class("c").size == 0


def test_a_trace_gives_its_messages_back():
    messages = [TracedMessage(5, 0, 1, 2, (1,), 3, "a"), TracedMessage(4, 1, 0)]
    assert list(Trace.of(messages)) == messages
    assert Trace.of(messages)[-1] == messages[1]
    assert len(Trace.of([])) == 0
    assert run_trace(MESH, []).makespan == 0


@pytest.mark.parametrize(
    ("message", "column", "text"),
    [
        (TracedMessage(-1, 0, 1), "cycle", "cycle must be"),
        (TracedMessage(0, 0, 1, 0), "flits", "flits must be"),
        (TracedMessage(0, 0, 1, 1.5), "flits", "got 1.5"),
        (TracedMessage(0, 0, 1, needs=(7,)), "needs", "needs message 7"),
        (TracedMessage(0, 0, 1, needs=(0,)), "needs", "0, which needs 0"),
        (TracedMessage(0, 0, 16), "destination", "has terminals 0 to 15, there is no 16"),
    ],
)
def test_messages_that_cannot_be_are_refused(message, column, text):
    with pytest.raises(TraceError, match=text) as caught:
        run_trace(MESH, [message])
    assert (caught.value.message, caught.value.column) == (0, column)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"cycle": [0.5, 1]}, "cycle of a trace must be one array of whole numbers"),
        ({"cycle": [[0, 1]]}, "one array"),
        ({"flits": [1]}, "2 messages has 1 values of flits"),
        ({"names": ("a",)}, "1 values of names"),
        ({"need_first": [0, 0]}, "must ascend in 3 values from 0 to 1"),
        ({"need_first": [0, 2, 1]}, "must ascend"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(change, text):
    arrays = {name: np.array([0, 1]) for name in ("source", "destination", "delay", "cycle")}
    arrays |= {"flits": np.array([1, 1]), "need_first": np.array([0, 0, 1]), "needs": np.array([0])}
    assert Trace(**arrays)[1].needs == (0,)
    with pytest.raises(SimulationError, match=text):
        Trace(**(arrays | {name: value if name == "names" else np.array(value) for name, value in change.items()}))


def test_points_that_cannot_be_are_refused():
    message = TracedMessage(0, 0, 1, 9)
    for options, text in [({"overhead": -1}, "overhead"), ({"limit": 1.5}, "limit"), ({"seed": -1}, "seed")]:
        with pytest.raises(SimulationError, match=text):
            run_trace(MESH, [message], **options)
    with pytest.raises(SimulationError, match="does not fit"):
        run_trace(MESH, [message], buffer_depth=8)
    assert run_trace(MESH, [message]).buffer_depth == 9
    assert run_trace(MESH, [message], switching="wormhole").buffer_depth == 8


def test_a_message_that_has_no_address_is_refused():
    usable = np.ones((16, 16), dtype=bool)
    usable[2, 7] = False
    relation = replace(MESH, addresses=replace(MESH.addresses, may_use=usable))
    assert run_trace(relation, [TracedMessage(0, 2, 6)]).unfinished == 0
    with pytest.raises(RelationError, match="t2 has no address for t7"):
        run_trace(relation, [TracedMessage(0, 2, 7)])


def test_columns_of_a_trace_are_its_own_and_cannot_be_written():
    flits = np.array([3, 4], dtype=np.int32)
    trace = replace(Trace.of([TracedMessage(0, 0, 1), TracedMessage(2, 1, 0)]), flits=flits)
    flits[0] = 9
    assert trace.flits.tolist() == [3, 4]
    for name in ("cycle", "source", "destination", "flits", "delay", "need_first", "needs"):
        column = getattr(trace, name)
        assert column.dtype == np.int64
        with pytest.raises(ValueError, match="read-only"):
            column[:] = 0
