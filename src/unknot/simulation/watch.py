"""Runs of a flow control on small networks, looked at after each cycle: packets in slots, and credits."""

from __future__ import annotations

import numpy as np

from unknot._base.errors import SimulationError
from unknot.certificates.verdict import Configuration
from unknot.flow_control.model import FlowControl
from unknot.routing.relation import Relation
from unknot.simulation.engine.engine import Engine
from unknot.simulation.run.scenario import Measurement, Scenario
from unknot.simulation.run.start import engine_of
from unknot.traffic import Traffic

LENGTH = 2
"""Flits of a packet."""
CYCLES = 400
"""Cycles at full load, and the most in which the network then has to drain, for each router."""
BACK = 16
"""Cycles in which the last credits come back, besides the latency of channels."""


def watched(relation: Relation, flow: FlowControl, seed: int = 1) -> Configuration | None:
    """Run a flow control at full load, then let the network drain, and look at buffers after each cycle.

    Parameters
    ----------
    relation : Relation
        The routing.
    flow : FlowControl
        Of that relation.
    seed : int
        Of the traffic.

    Returns
    -------
    Configuration or None
        The packets that block each other, if any come to do so.

    Raises
    ------
    SimulationError
        If credits or slots are lost or invented: names the VC, or the first VC of a pool.

    Examples
    --------
    >>> import unknot
    >>> relation = unknot.routing.dimension_order(unknot.network.families.ring(3), vcs=2)
    >>> watched(relation, unknot.routing.flow_controls.damq(relation)) is None
    True
    """
    depth = flow.slot(LENGTH) * (flow.packets or 2 * LENGTH)
    scenario = Scenario(relation, 1.0, Traffic(packet_length=LENGTH), buffer_depth=depth, seed=seed, flow=flow)
    engine = engine_of(scenario, Measurement())
    end = CYCLES * (1 + relation.network.num_routers)
    while engine.now < CYCLES or (engine.count("flits_in") > engine.count("flits_out") and engine.now < end):
        engine.advance_to(engine.now + 1)
        _look(engine, flow)
        if engine.now == CYCLES:
            engine.state.terminals.chance[:] = 0
    if not engine.find_knot():
        engine.advance_to(engine.now + BACK + int(relation.network.latency.max(initial=0)))
        _look(engine, flow, drained=True)
    return engine.deadlock


def _look(engine: Engine, flow: FlowControl, *, drained: bool = False) -> None:
    """Refuse buffers with more than their slots, and credits that are not those of the flits elsewhere."""
    vcs, state, depth = engine.relation.vcs, engine.state, int(engine.state.setup.depth)
    stored = engine.stored().astype(np.int64)
    free = state.outputs.credits[state.out_row[: vcs.total]].astype(np.int64)
    held = -(-stored // LENGTH)
    most = flow.packets or depth // flow.slot(LENGTH)
    over = [pool.vcs[0] for pool in flow.pools if pool.free(held.tolist()) < 0]
    inside = state.members.pool[(state.members.held - state.members.left != 0).nonzero()] if flow.pools else []
    wrong = {
        "invents credits": (free < 0) | (free + stored > depth),
        "invents slots": np.isin(np.arange(vcs.total), over) | ((held > most) & flow.slotted),
        "loses credits": drained & ((free != depth) | (stored > 0)),
        "loses slots": drained & np.isin(np.arange(vcs.total), [flow.pools[p].vcs[0] for p in inside]),
    }
    for what, vc in ((what, int(vc)) for what, those in wrong.items() for vc in np.flatnonzero(those)[:1]):
        raise SimulationError(
            f"{flow.name}: a run {what} of {vcs.name(vc)}, or of its pool, in cycle {engine.now}: the buffer of "
            f"{depth} flits has {stored[vc]}, and {free[vc]} credits are at its sender"
        )
