"""Figures of a run for each of its traffic classes."""

from __future__ import annotations

from dataclasses import dataclass

from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import Mix
from unknot.simulation.run.statistics import mean


@dataclass(frozen=True)
class ClassRun:
    """One traffic class of a run, requests and replies together; times in cycles.

    Attributes
    ----------
    name : str
    offered_load, accepted_load : float
        Flits per terminal and cycle.
    latency_mean, network_latency_mean, hops_mean : float or None
        As of the run. A reply is created when its request arrives.
    packets : int
        Measured packets that arrived.
    """

    name: str
    offered_load: float
    accepted_load: float
    latency_mean: float | None
    network_latency_mean: float | None
    hops_mean: float | None
    packets: int


def class_runs(engine: Engine, cycles: int) -> tuple[ClassRun, ...]:
    """Return the figures of each class, of a run that was measured for some cycles."""
    if not isinstance(engine.sources, Mix):
        return ()
    rows, terminals, mix = engine.parts[0].classes, engine.nodes, engine.sources
    return tuple(
        ClassRun(
            name=one.name or str(k),
            offered_load=flits / terminals,
            accepted_load=int(row.flits_out) / (terminals * cycles) if cycles else 0.0,
            latency_mean=mean(int(row.latency), int(row.arrived)),
            network_latency_mean=mean(int(row.network_latency), int(row.arrived)),
            hops_mean=mean(int(row.hops), int(row.arrived)),
            packets=int(row.arrived),
        )
        for k, (one, flits, row) in enumerate(zip(mix.classes, mix.flits, rows, strict=True))
    )
