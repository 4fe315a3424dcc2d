"""Engines whose terminals create what the tests say."""

from __future__ import annotations

from typing import Any

from unknot._base.switching import BUFFER_DEPTH, Switching
from unknot.flow_control import FlowControl
from unknot.routing import Relation
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import Mix
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.sources import Sources
from unknot.simulation.run.scenario import Scenario
from unknot.traffic import Traffic


def engine_of(
    relation: Relation,
    switching: Switching,
    sources: Sources | Mix,
    *,
    buffer_depth: int = BUFFER_DEPTH,
    router: Router = DEFAULT,
    seed: int = 1,
    flow: FlowControl | None = None,
    watchdog: int = 0,
    **options: Any,
) -> Engine:
    """An engine that has not begun; the other options are its own."""
    workload = Traffic(packet_length=1 if flow is None else sources.lengths[-1][0])
    scenario = Scenario(relation, 0.0, workload, switching, buffer_depth, router, seed, watchdog=watchdog, flow=flow)
    return Engine(scenario, sources, **options)
