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
    for _ in range(CYCLES):
        engine.advance_to(engine.now + 1)
        _look(engine, flow)
    if engine.find_knot():
        return engine.deadlock
    engine.state.terminals.chance[:] = 0
    end = engine.now + CYCLES * relation.network.num_routers
    while engine.count("flits_in") > engine.count("flits_out") and engine.now < end:
        engine.advance_to(engine.now + 1)
        _look(engine, flow)
    if engine.find_knot():
        return engine.deadlock
    engine.advance_to(engine.now + BACK + int(relation.network.latency.max(initial=0)))
    _look(engine, flow, drained=True)
    return None


def _look(engine: Engine, flow: FlowControl, *, drained: bool = False) -> None:
    """Refuse buffers with more than their slots, and credits that are not those of the flits elsewhere."""
    vcs, state = engine.relation.vcs, engine.state
    stored = engine.stored().astype(np.int64)
    free = state.outputs.credits[state.out_row[: vcs.total]].astype(np.int64)
    depth, held = int(state.setup.depth), -(-stored // LENGTH)

    def refuse(what: str, vc: int, found: str) -> None:
        raise SimulationError(f"{flow.name}: a run {what} of {vcs.name(vc)} in cycle {engine.now}: {found}")

    for vc in np.flatnonzero((free < 0) | (free + stored > depth))[:1].tolist():
        refuse("invents credits", vc, f"{free[vc]} with {stored[vc]} flits in a buffer of {depth}")
    most = flow.packets or depth // (-(-LENGTH // flow.cell) * flow.cell)
    for vc in np.flatnonzero(held > most)[: flow.slotted].tolist():
        refuse("invents slots", vc, f"{held[vc]} packets, and room for {most}")
    for pool in flow.pools:
        if pool.free(held.tolist()) < 0:
            refuse("invents slots", pool.vcs[0], f"{-pool.free(held.tolist())} packets more than its pool takes")
    if drained:
        for vc in np.flatnonzero((free != depth) | (stored > 0))[:1].tolist():
            refuse("loses credits", vc, f"{free[vc]} of {depth} are back, and {stored[vc]} flits stay")
        if flow.pools:
            inside = state.members.held - state.members.left
            for member in np.flatnonzero(inside)[:1].tolist():
                pool = flow.pools[int(state.members.pool[member])]
                refuse("loses slots", pool.vcs[0], f"{inside[member]} in the empty network")
