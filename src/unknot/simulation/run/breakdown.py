"""Figures of a run by traffic class, by pair of terminals, and over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.shown import Brief
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.mix import Mix
from unknot.simulation.run.statistics import mean

Values = npt.NDArray[np.float64]


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

    Examples
    --------
    >>> from unknot import simulate
    >>> from unknot.traffic import TrafficClass
    >>> classes = [TrafficClass(name="short"), TrafficClass(messages=4, name="long")]
    >>> run = simulate("mesh(4, 4)", 0.2, routing="dimension_order", classes=classes, warmup=100, measure=200)
    >>> [(each.name, each.packets > 0) for each in run.classes]
    [('short', True), ('long', True)]
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


@dataclass(frozen=True, eq=False)
class PairRun:
    """Measured packets by source and destination; arrays of shape (terminals, terminals), times in cycles.

    Attributes
    ----------
    packets : int64 array
        Packets that arrived.
    latency_mean, network_latency_mean, hops_mean : float64 array
        As of the run; NaN where no packet arrived.
    """

    packets: npt.NDArray[np.int64]
    latency_mean: npt.NDArray[np.float64]
    network_latency_mean: npt.NDArray[np.float64]
    hops_mean: npt.NDArray[np.float64]


def pair_run(engine: Engine) -> PairRun:
    """Return the figures of each pair, of an engine that kept them."""
    packets = engine.pairs("packets")
    means = []
    for column in ("latency", "network_latency", "hops"):
        mean = np.full(packets.shape, np.nan)
        means.append(np.divide(engine.pairs(column), packets, out=mean, where=packets > 0))
    return PairRun(packets, *means)


@dataclass(frozen=True, eq=False, repr=False)
class Series(Brief):
    """A run over time, warm-up included; loads in flits per terminal and cycle, all arrays of shape (intervals,).

    Attributes
    ----------
    interval : int
        Cycles from one row to the next; the first row is of cycles 0 to `interval` − 1.
    offered : float64 array
        Flits of the packets that were created in it, by the mean length of packets. A source that has fallen behind
        creates its packets late; they count per cycle that it has caught up with.
    accepted : float64 array
        Flits ejected.
    latency : float64 array
        Mean latency of the packets that arrived in it, in cycles; NaN where none did.
    inside : int64 array
        Flits between source queues and terminals at its end.
    behind : float64 array
        Cycles that sources are behind at its end, on average.

    Examples
    --------
    >>> from unknot import simulate
    >>> run = simulate("mesh(4, 4)", 0.1, routing="dimension_order", warmup=50, measure=100, interval=50)
    >>> run.series.interval, run.series.accepted.shape
    (50, (5,))
    """

    interval: int
    offered: Values
    accepted: Values
    latency: Values
    inside: npt.NDArray[np.int64]
    behind: Values


def series_of(engine: Engine) -> Series | None:
    """Return the series that an engine recorded; None without an interval."""
    if engine.interval is None:
        return None
    rows = np.array(engine.records)
    created, drawn, out, latency, arrived = np.diff(rows[:, :5], axis=0).T
    return Series(
        interval=engine.interval,
        offered=created * engine.sources.mean_length * engine.router.terminal_width / np.maximum(1, drawn),
        accepted=out / (engine.interval * engine.nodes),
        latency=np.where(arrived > 0, latency / np.maximum(1, arrived), np.nan),
        inside=rows[1:, 5].astype(np.int64),
        behind=rows[1:, 6],
    )
