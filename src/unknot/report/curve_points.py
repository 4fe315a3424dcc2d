"""Points of curves: the runs of one load together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unknot._base.units import Scale
from unknot.simulation.run.replication import mean_of, spread
from unknot.simulation.run.run import Run

if TYPE_CHECKING:
    pass


FIGURES = (
    "offered_load", "accepted_load", "latency_mean", "latency_p99", "stable", "undecided", "accepted_half_width",
    "latency_half_width",
)  # fmt: skip
"""What a point of one seed has of its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The runs of one design at one load, averaged over seeds.

    Attributes
    ----------
    offered_load, accepted_load : float
    latency_mean, latency_p99 : float or None
        In cycles; None when no packet arrived in any run.
    stable : bool
        Whether every run was.
    undecided : bool
        Whether it is open if every run is stable: some were too short to tell, the others are.
    accepted_half_width, latency_half_width : float or None
        Of 95 % confidence intervals: the run's own with one seed, none with two, over the seeds with more.
    deadlocked : bool
        Whether some run ended in a deadlock.
    stable_seeds, seeds : int
        How many runs are stable, and how many there are.
    pj_per_bit : float or None
        Energy per delivered bit; None without a technology.
    """

    offered_load: float
    accepted_load: float
    latency_mean: float | None
    latency_p99: float | None
    stable: bool
    undecided: bool
    accepted_half_width: float | None
    latency_half_width: float | None
    deadlocked: bool
    stable_seeds: int
    seeds: int = 1
    pj_per_bit: float | None = None

    def on(self, scale: Scale) -> CurvePoint:
        """The point with its times and loads in this scale."""
        changed: dict[str, Any] = {}
        for name in FIGURES:
            figure = getattr(self, name)
            if figure is not None and not isinstance(figure, bool):
                changed[name] = (scale.time if name.startswith("latency") else scale.load)(figure)
        return replace(self, **changed)


def points(runs: Iterable[Run | CurvePoint]) -> list[CurvePoint]:
    """The runs of a design gathered by load, ascending; already gathered points are kept."""
    by_load: dict[float, list[CurvePoint]] = {}
    for run in runs:  # of each its figures alone: there may be many
        by_load.setdefault(run.offered_load, []).append(run if isinstance(run, CurvePoint) else _point(run))
    return [group[0] if len(group) == 1 else _mean(group) for _, group in sorted(by_load.items())]


def _point(run: Run) -> CurvePoint:
    """The point of one seed."""
    figures = {name: getattr(run, name) for name in FIGURES}
    return CurvePoint(
        **figures,
        deadlocked=run.deadlock is not None,
        stable_seeds=int(run.stable),
        pj_per_bit=None if run.energy is None else run.energy.pj_per_bit,
    )


def _mean(group: list[CurvePoint]) -> CurvePoint:
    """The point of several seeds."""
    stable = sum(one.stable for one in group)
    accepted, latencies = [one.accepted_load for one in group], [one.latency_mean for one in group]
    return CurvePoint(
        offered_load=group[0].offered_load,
        accepted_load=mean_of(accepted) or 0.0,
        latency_mean=mean_of(latencies),
        latency_p99=mean_of([one.latency_p99 for one in group]),
        stable=stable == len(group),
        undecided=stable < len(group) and all(one.stable or one.undecided for one in group),
        accepted_half_width=spread(accepted),
        latency_half_width=spread(latencies) if stable == len(group) else None,
        deadlocked=any(one.deadlocked for one in group),
        stable_seeds=stable,
        seeds=len(group),
        pj_per_bit=mean_of([one.pj_per_bit for one in group]),
    )
