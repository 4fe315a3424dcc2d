"""Whatever the options, the plain simulator loses nothing and comes to rest as it began."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference.simulator import Simulator
from tests.simulation.options import BURSTS, LENGTHS, routers
from unknot._base.switching import SWITCHINGS, Switching
from unknot.network.families import torus
from unknot.routing import dimension_order
from unknot.simulation.engine.pairs import nobody
from unknot.simulation.engine.router import Router
from unknot.traffic.workload import Bursts, Lengths

RING = dimension_order(torus(3, latency=2), 2)


@pytest.mark.parametrize("switching", SWITCHINGS)
@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(router=routers(), lengths=LENGTHS, bursts=BURSTS, seed=st.integers(0, 9))
def test_all_that_goes_in_comes_out(
    switching: Switching, router: Router, lengths: Lengths, bursts: Bursts | None, seed: int
) -> None:
    depth = 6
    run = Simulator(
        RING,
        switching,
        length=lengths,
        depth=depth,
        chance=0.2,
        seed=seed,
        pairs=replace(nobody(3), everyone=0, rate=np.ones(3)),
        router=router,
        bursts=bursts,
    )
    for _ in range(80):
        run.run(1)
        ports = [port for node in run.routers for port in node.inputs]
        stored = sum(len(vc.queue) for port in ports for vc in port.vcs)
        moving = sum(len(list(wire.on_the_way())) for wire in [port.flits for port in ports])
        assert run.flits_in - run.flits_out == stored + moving
        for port in ports:
            assert all(len(vc.queue) <= depth for vc in port.vcs)
    run.workload.threshold = [0] * 3
    for _ in range(100):
        run.run(20)
        if not any(terminal.packet for terminal in run.terminals) and run.flits_in == run.flits_out:
            break
    run.run(20)
    assert run.flits_in == run.flits_out
    assert len(run.finish()) == run.created > 0
    ends = [*run.output.values(), *(out for terminal in run.terminals for out in terminal.injection)]
    assert all(out.credits == depth and out.owner is None for out in ends)
    assert all(port.holder is None for node in run.routers for port in node.entries + node.outputs)
