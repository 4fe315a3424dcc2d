"""What kinds of runs share is read alike from each of them."""

from dataclasses import fields

import numpy as np

from unknot.network.families import line
from unknot.routing.named import routing
from unknot.simulation.protocol_run import simulate_protocol
from unknot.simulation.run.driver import simulate
from unknot.simulation.run.parts import Ending, Latencies, NetworkLatencies, OfferedAndAccepted
from unknot.simulation.run.replication import gather
from unknot.simulation.traces.trace_run import run_trace
from unknot.traffic.trace import TracedMessage
from unknot.verify.protocols import protocol

DESIGN = routing(line(3), "dimension_order")
MEASURED = simulate(DESIGN, 0.2, warmup=50, measure=200)
TRACED = run_trace(DESIGN, [TracedMessage(0, 0, 2, flits=4), TracedMessage(5, 2, 0)])
PROTOCOL = simulate_protocol(DESIGN, protocol("request_reply"), 0.1, cycles=300, drained=True)


def test_each_kind_of_run_is_made_of_parts_that_others_have() -> None:
    runs = (
        (MEASURED, {OfferedAndAccepted, Latencies, NetworkLatencies, Ending}),
        (TRACED, {Latencies, NetworkLatencies, Ending}),
        (PROTOCOL, {OfferedAndAccepted, Latencies}),
        (gather([MEASURED]), {OfferedAndAccepted, Latencies, NetworkLatencies}),
    )
    kinds = {part for _, several in runs for part in several}
    for run, own in runs:
        assert {part for part in kinds if isinstance(run, part)} == own
        assert all(hasattr(run, one.name) for part in own for one in fields(part))


def test_a_trace_and_a_protocol_end_with_the_numbers_of_their_messages() -> None:
    latency = np.sort(TRACED.latency)
    assert (TRACED.latency_p50, TRACED.latency_max) == tuple(latency.astype(float))
    assert TRACED.latency_mean == latency.mean()
    assert TRACED.network_latency_mean == (TRACED.arrived - TRACED.injected).mean() <= TRACED.latency_mean
    assert (TRACED.cycles, TRACED.deadlock, TRACED.switching) == (TRACED.arrived.max(), None, "vct")
    assert PROTOCOL.done == PROTOCOL.created > 0
    assert PROTOCOL.latency_p50 <= PROTOCOL.latency_p95 <= PROTOCOL.latency_max
