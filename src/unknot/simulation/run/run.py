"""Result of a simulation, in all, by traffic class, by pair of terminals, and over time."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats
from unknot._base.frames import Tabular
from unknot._base.quantities import Cycles, Flits, Load, MeanHops, WholeCycles
from unknot._base.shown import Brief, Shown
from unknot._base.three_valued import ThreeValued
from unknot.flow_control.model import FlowControl
from unknot.simulation.energy.account import EnergyRun
from unknot.simulation.engine.router import Router
from unknot.simulation.faults.fault_run import FaultRun, delay
from unknot.simulation.run.backlog import TOO_SHORT
from unknot.simulation.run.parts import Ending, NetworkLatencies, OfferedAndAccepted
from unknot.traffic.workload import Bursts


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
    >>> from unknot.simulation import simulate
    >>> from unknot.traffic import TrafficClass
    >>> classes = [TrafficClass(name="short"), TrafficClass(messages=4, name="long")]
    >>> run = simulate("mesh(4, 4)", 0.2, routing="dimension_order", classes=classes, warmup=100, measure=200)
    >>> [(each.name, each.packets > 0) for each in run.classes]
    [('short', True), ('long', True)]
    """

    name: str
    offered_load: Load
    accepted_load: Load
    latency_mean: Cycles | None
    network_latency_mean: Cycles | None
    hops_mean: MeanHops | None
    packets: int


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
    latency_mean: Floats
    network_latency_mean: Floats
    hops_mean: Floats


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
    >>> from unknot.simulation import simulate
    >>> run = simulate("mesh(4, 4)", 0.1, routing="dimension_order", warmup=50, measure=100, interval=50)
    >>> run.series.interval, run.series.accepted.shape
    (50, (5,))
    """

    interval: int
    offered: Floats
    accepted: Floats
    latency: Floats
    inside: npt.NDArray[np.int64]
    behind: Floats


POINT = ("network", "routing", "vcs", "switching", "traffic", "packet_length", "buffer_depth")
MEASURED = (
    "offered_load", "seed", "accepted_load", "accepted_half_width", "accepted_min", "accepted_max", "jain_index",
    "latency_mean", "latency_half_width", "latency_p50", "latency_p95", "latency_p99", "latency_max",
    "network_latency_mean", "hops_mean",
    "stable", "outcome",
)  # fmt: skip
COUNTS = (
    "reason", "packets", "cycles", "warmup", "measured", "flit_hops", "lost_packets", "lost_flits", "fault_delay",
)  # fmt: skip
ENERGIES = ("pj_per_bit", "dynamic_pj_per_bit", "dynamic_mw", "static_mw", "area_mm2")
"""Names of columns: the point that was simulated, what was measured, counts, and energies where they are known."""


@dataclass(frozen=True)
class Figures(NetworkLatencies, OfferedAndAccepted):
    """What was measured at a load; times in cycles, loads in flits per terminal per cycle.

    Attributes
    ----------
    latency_mean, latency_p50, latency_p95, latency_p99, latency_max : float or None
        Packet latency, from creation to the ejection of the tail, of packets created while measuring; None when
        none arrived.
    hops_mean : float or None
        Hops of a packet: channels between routers that it crossed.
    stable : bool
        False when the run saturated or deadlocked, or was too short to tell; latencies then have no steady meaning.
    reason : str
        Reason why the run is not stable; empty when it is.
    """

    hops_mean: MeanHops | None
    stable: bool
    reason: str


@dataclass(frozen=True, repr=False)
class Run(ThreeValued, Ending, Figures, Tabular, Shown, asks="carried"):
    """The result of one simulation; times in cycles, loads in flits per terminal per cycle.

    Attributes
    ----------
    latency_half_width, accepted_half_width : float or None
        Half the width of the 95 % confidence interval of `latency_mean` and `accepted_load`, by batch means within
        the measuring window; None when there are too few packets, or batches depend on one another too much, of
        the latency also when not stable.
    accepted_min, accepted_max : float
        The least and the greatest load that a terminal accepted.
    jain_index : float or None
        Jain's index of fairness of the loads that terminals accept: 1 where all are equal, 1/n where all is accepted
        by 1 of n; None where nothing was.
    utilisation : float64 array, shape (channels,)
        Flits per cycle of each channel while measuring. It and `occupancy` are empty when nothing was measured, and
        do not count when runs are compared.
    occupancy : float64 array, shape (VCs,)
        Mean number of flits in the buffer of each VC while measuring, from samples.
    packets : int
        Measured packets that arrived.
    packet_length, seed, lengths, router, bursts, flow, watchdog :
        The point that was simulated; `packet_length` is the longest, and `lengths` has lengths and their shares when
        there are several.
    dropped : int
        Packets that the watchdog dropped in all; each was sent again, and its latency counts from its creation.
    lost_packets, lost_flits : int
        Packets lost to faults, and flits of them that vanished from the network.
    faults : tuple of FaultRun
        The faults that came before the run ended, and what each cost.
    warmup, measured : int
        Cycles before the measuring window, and in it.
    network, routing, vcs, traffic :
        Names of what was simulated, and the VCs of each channel, None where they differ; do not count when runs are
        compared.
    classes : tuple of ClassRun
        Figures of each traffic class, of a run with classes.
    pairs : PairRun or None
        Figures of each pair of terminals, when they were asked for; do not count when runs are compared.
    series : Series or None
        The run over time, when it was asked for; does not count when runs are compared.
    energy : EnergyRun or None
        Power and area while measuring, of a run with a technology; does not count when runs are compared.

    Examples
    --------
    >>> from unknot.simulation import simulate
    >>> run = simulate("mesh(4, 4)", 0.1, routing="dimension_order", warmup=100, measure=200)
    >>> run.stable, run.latency_p50, run.deadlock
    (True, 17.0, None)
    """

    packets: int
    packet_length: Flits
    seed: int
    latency_half_width: float | None = None
    accepted_half_width: float | None = None
    accepted_min: Load = 0.0
    accepted_max: Load = 0.0
    jain_index: float | None = None
    lengths: tuple[tuple[int, float], ...] = ()
    router: Router = field(default_factory=Router)
    bursts: Bursts | None = None
    flow: FlowControl | None = None
    watchdog: WholeCycles = 0
    dropped: int = 0
    lost_packets: int = 0
    lost_flits: int = 0
    faults: tuple[FaultRun, ...] = ()
    warmup: WholeCycles = 0
    measured: WholeCycles = 0
    classes: tuple[ClassRun, ...] = ()
    network: str = field(default="", compare=False)
    routing: str = field(default="", compare=False)
    vcs: int | None = field(default=None, compare=False)
    traffic: str = field(default="", compare=False)
    pairs: PairRun | None = field(default=None, compare=False, repr=False)
    series: Series | None = field(default=None, compare=False, repr=False)
    energy: EnergyRun | None = field(default=None, compare=False, repr=False)
    utilisation: Floats = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)
    occupancy: Floats = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)

    @property
    def outcome(self) -> str:
        """``stable``, ``saturated``, ``deadlock``, ``livelock``, ``starvation``, or ``too short`` to say."""
        return "stable" if self.stable else "deadlock" if self.deadlock is not None else self.reason.partition(":")[0]

    @property
    def carried(self) -> bool | None:
        """Whether the network carries the load; None: the run was too short to say."""
        return None if self.undecided else self.stable

    @property
    def undecided(self) -> bool:
        """Whether the run was too short to say if it is stable."""
        return self.outcome == TOO_SHORT

    @property
    def fault_delay(self) -> float | None:
        """By how much the mean latency after the last fault exceeds that before the first; None: not known."""
        return delay(self.faults)

    def __repr__(self) -> str:
        latency = "no packet arrived" if self.latency_mean is None else f"latency {self.latency_mean:.4g} cycles"
        of = f"{self.network}, {self.routing}, " if self.network else ""
        return f"<Run {of}load {self.offered_load:g}: accepted {self.accepted_load:.4g}, {latency}, {self.outcome}>"

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """The run in plain values, as one row: loads in flits per terminal and cycle, times in cycles.

        Examples
        --------
        >>> import unknot
        >>> (row,) = unknot.simulation.simulate("ring(4)", 0.1, routing="dimension_order", vcs=2, measure=500).rows
        >>> row["network"], row["vcs"], row["switching"], row["stable"]
        ('ring(4)', 2, 'vct', True)
        """
        columns: dict[str, Any] = {name: getattr(self, name) for name in POINT}
        if self.flow is not None:
            columns["switching"] = self.flow.name
        if self.lengths:
            columns["packet_length"] = ", ".join(f"{length}:{share:g}" for length, share in self.lengths)
        changed = {f.name: setting for f in fields(Router) if (setting := getattr(self.router, f.name)) != f.default}
        columns["router"] = ", ".join(f"{name}={setting}" for name, setting in changed.items())
        columns["bursts"] = "" if self.bursts is None else f"{self.bursts.begin:g}, {self.bursts.end:g}"
        columns |= {name: getattr(self, name) for name in MEASURED}
        if self.energy is not None:
            columns |= {name: getattr(self.energy, name) for name in ENERGIES}
        columns["deadlock"] = self.deadlock is not None
        return (columns | {name: getattr(self, name) for name in COUNTS},)


def in_brief(run: Run) -> str:
    """Outcome, load and mean latency of a run in words, as progress names them."""
    latency = "" if run.latency_mean is None else f"{run.latency_mean:.1f} cycles at load {run.offered_load:g}"
    return latency if run.stable and latency else f"{run.outcome} at load {run.offered_load:g}"
