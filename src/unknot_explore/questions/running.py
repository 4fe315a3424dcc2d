"""Runs flit by flit: a latency curve that fills, and a film of a short run with the heat of channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unknot._base.errors import UnknotError
from unknot_explore.design import Design
from unknot_explore.questions import Tell
from unknot_explore.questions.pictured import asked, numbers_in_whole

if TYPE_CHECKING:
    from unknot.simulation.engine.engine import Engine
    from unknot.simulation.run.scenario import Scenario

LOADS = (0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Loads of a curve, until one saturates; then loads between are run."""
BETWEEN = 3
"""Loads between the last stable one and the first that is not."""
CYCLES = 240
"""Cycles of a film."""
WINDOW = 20
"""Cycles of which a film tells the heat."""
MOST_FILMED = 20_000
"""Most VCs of a film."""


def curve(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Latency and accepted load against offered load, point by point."""
    from unknot.simulation import simulate

    tell(asked(design, "curve"))
    relation = design.relation()
    options: dict[str, Any] = {"switching": design.switching, "buffer_depth": design.buffer_depth}
    options |= {"traffic": design.traffic, "packet_length": design.packet_length}

    def point(load: float) -> bool:
        run = simulate(relation, load, **options)
        tell({"load": load, "latency": run.latency_mean, "accepted": run.accepted_load, "outcome": run.outcome})
        return bool(run.stable)

    last = 0.0
    for load in LOADS:
        if not point(load):
            for step in range(1, BETWEEN + 1):
                if not point(round(last + (load - last) * step / (BETWEEN + 1), 4)):
                    break
            break
        last = load


def film(design: Design, given: dict[str, Any], tell: Tell) -> None:
    """Flits in each buffer, cycle by cycle, from the empty network, and how busy channels are window by window."""
    from unknot.cli.commands.flows import flow_of
    from unknot.simulation.run.scenario import Measurement, Scenario
    from unknot.simulation.run.start import engine_of
    from unknot.traffic import Traffic

    relation = design.relation()
    if relation.num_vcs > MOST_FILMED:
        raise UnknotError(f"a film of {relation.num_vcs:,} VCs is too long; at most {MOST_FILMED:,} can be filmed")
    technique, flow = flow_of(relation, design.switching)
    workload = Traffic(pattern=design.traffic, packet_length=design.packet_length)
    scenario = Scenario(relation, design.load, workload, technique, design.buffer_depth, flow=flow)
    channels = numbers_in_whole(design.whole(), relation.network)
    vcs = relation.vcs
    tell(
        {
            "channel": [channels[c] for c in vcs.channel.tolist()],
            "index": vcs.index.tolist(),
            "counts": vcs.counts[vcs.channel].tolist(),
            "depth": design.buffer_depth,
            "window": WINDOW,
            "cycles": CYCLES,
            **asked(design, "simulate"),
        }
    )
    engine = engine_of(scenario, Measurement())
    engine.keep_events()
    _play(engine, scenario, channels, tell)


def _play(engine: Engine, scenario: Scenario, channels: list[int], tell: Tell) -> None:
    """Run a film; the last part says whether packets are in a knot."""
    number = scenario.relation.network.num_channels
    before = np.zeros(number, dtype=np.int64)
    while engine.now < CYCLES and not engine.deadlock:
        frames = []
        for _ in range(WINDOW):
            engine.advance_to(engine.now + 1)
            stored = engine.stored()
            full = np.flatnonzero(stored)
            frames.append([full.tolist(), stored[full].tolist()])
        sent = engine.events()[0].sum(axis=0)[:number]
        heat, before = (sent - before) / WINDOW, sent.copy()
        tell({"frames": frames, "heat": [channels, np.round(heat, 3).tolist()]})
        engine.find_knot()
    inside = engine.count("flits_in") - engine.count("flits_out")
    tell({"knot": engine.deadlock is not None, "inside": inside, "arrived": engine.count("flits_out")})
