"""Several seeds of one point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.frames import Tabular
from unknot._base.progress import Progress, found, reported, with_bar
from unknot._base.quantities import Load
from unknot._base.shown import Shown
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.run.driver import simulate
from unknot.simulation.run.run import Figures, Run, in_brief
from unknot.simulation.run.statistics import half_width, mean

FEWEST_SEEDS = 3
"""Fewest runs of a point from which a confidence interval is computed."""
MEANS = ("latency_mean", "latency_p50", "latency_p95", "latency_p99", "network_latency_mean", "hops_mean")
"""Figures of which that of several runs is the mean over the stable ones."""


@dataclass(frozen=True, repr=False)
class Runs(Figures, Tabular, Shown):
    """Several runs of one point that differ in their seeds.

    Loads are means over all runs that did not deadlock, latencies and hops over the stable ones. Half-widths are of
    95 % confidence intervals by Student's distribution over the means of the runs; None of fewer than
    `FEWEST_SEEDS`, whose interval says nothing: that of two is 9 times their standard deviation to each side.

    Attributes
    ----------
    runs : tuple of Run
        By seed.
    offered_load, accepted_load : float
    accepted_half_width : float or None
    accepted_min, accepted_max, jain_index :
        Means over all runs.
    latency_mean, latency_half_width : float or None
    latency_p50, latency_p95, latency_p99 : float or None
        Means of the percentiles of the runs.
    latency_max : float or None
        Highest latency in all stable runs.
    network_latency_mean, hops_mean : float or None
    stable_runs : int
        Number of stable runs.
    stable : bool
        Whether all runs were stable.
    reason : str
        Reason why the first unstable run is not stable; empty when all are.

    Examples
    --------
    >>> runs = replicate("mesh(4, 4)", 0.1, routing="dimension_order", seeds=3, warmup=50, measure=100)
    >>> len(runs.runs), runs.stable_runs, runs.latency_half_width > 0
    (3, 3, True)
    """

    runs: tuple[Run, ...]
    accepted_half_width: float | None
    accepted_min: Load
    accepted_max: Load
    jain_index: float | None
    latency_half_width: float | None
    stable_runs: int

    @property
    def undecided(self) -> bool:
        """Whether it is open if all are stable: some were too short to tell, the others are."""
        return not self.stable and all(run.stable or run.undecided for run in self.runs)

    def __repr__(self) -> str:
        latency = "" if self.latency_mean is None else f", latency {self.latency_mean:.4g} cycles"
        of = f"load {self.offered_load:g}: accepted {self.accepted_load:.4g}{latency}"
        return f"<Runs {of}, {self.stable_runs} of {len(self.runs)} stable>"


@takes_simulated
@with_bar
def replicate(
    relation: Relation,
    /,
    load: float,
    *,
    seeds: int | Sequence[int] = 5,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Runs:
    """Simulate one point with several seeds.

    Parameters
    ----------
    load : float
        As for `simulate`.
    seeds : int or sequence of int
        The seeds, or how many; then they are 1, 2, ….
    executor : concurrent.futures.Executor, optional
        Computes the runs, such as a thread pool (the compiled loops run side by side); one after another without. The
        answer does not depend on it.
    progress : callable, optional
        Called with the seed and the runs done, see `unknot._base.progress`.
    **options : Any
        As for `simulate`, without `seed`; with an executor each run has one thread unless `threads` says otherwise.

    Returns
    -------
    Runs
        Means over the runs, with intervals.

    Raises
    ------
    SimulationError
        If there is no seed, one is given twice, or a run cannot be made.

    Examples
    --------
    >>> runs = replicate("mesh(4, 4)", 0.1, routing="dimension_order", seeds=[7, 8], warmup=50, measure=100)
    >>> [run.seed for run in runs.runs], runs.stable
    ([7, 8], True)
    """
    numbers = list_of_seeds(seeds)
    if "seed" in options:
        raise SimulationError("replicate takes seeds, not seed: a list of them, or how many")
    if executor is None:
        runs: Iterable[Run] = (simulate(relation, load, seed=seed, **options) for seed in numbers)
    else:
        relation.compiled  # noqa: B018 compiled once, before threads share it
        options = {"threads": 1, **options}
        pending = [executor.submit(partial(simulate, relation, load, seed=seed, **options)) for seed in numbers]
        runs = (future.result() for future in pending)
    return gather(reported(runs, len(numbers), progress, _latest))


def _latest(run: Run) -> str:
    """Name what was found with a seed; return what is counted."""
    found(f"latest: seed {run.seed}, {in_brief(run)}")
    return "runs"


def list_of_seeds(seeds: int | Sequence[int]) -> list[int]:
    """The seeds, or the first `seeds` of them.

    Raises
    ------
    SimulationError
        If there is none, or one is given twice.
    """
    if isinstance(seeds, (int, np.integer)) and not isinstance(seeds, bool):
        if seeds < 1:
            raise SimulationError(f"at least one seed is needed, got seeds={seeds}")
        return list(range(1, int(seeds) + 1))
    if isinstance(seeds, (bool, str)) or not isinstance(seeds, Iterable):
        raise SimulationError(f"seeds must be a number of seeds or a list of them, got {seeds!r}")
    numbers = list(seeds)
    if not numbers or len(set(numbers)) < len(numbers):
        raise SimulationError(f"seeds must be different whole numbers, at least one, got {numbers!r}")
    return numbers


def gather(runs: Iterable[Run]) -> Runs:
    """Several runs of one point as one answer."""
    by_seed = tuple(sorted(runs, key=lambda run: run.seed))
    stable = [run for run in by_seed if run.stable]
    accepted = [run.accepted_load for run in by_seed if run.deadlock is None]
    broken = next((run for run in by_seed if not run.stable), None)

    return Runs(
        runs=by_seed,
        offered_load=by_seed[0].offered_load,
        accepted_load=mean_of(accepted) or 0.0,
        accepted_half_width=spread(accepted),
        accepted_min=mean_of([run.accepted_min for run in by_seed]) or 0.0,
        accepted_max=mean_of([run.accepted_max for run in by_seed]) or 0.0,
        jain_index=mean_of([run.jain_index for run in by_seed]),
        **{name: mean_of([getattr(run, name) for run in stable]) for name in MEANS},
        latency_half_width=spread([run.latency_mean for run in stable]),
        latency_max=max((run.latency_max for run in stable if run.latency_max is not None), default=None),
        stable_runs=len(stable),
        stable=broken is None,
        reason="" if broken is None else f"seed {broken.seed}: {broken.reason}",
    )


def mean_of(figures: Sequence[float | None]) -> float | None:
    """Mean of the figures that there are; None without any."""
    numbers = [figure for figure in figures if figure is not None]
    return mean(sum(numbers), len(numbers))


def spread(figures: Sequence[float | None]) -> float | None:
    """Half the 95 % confidence interval of their mean; None of fewer than `FEWEST_SEEDS`."""
    return half_width(np.array([figure for figure in figures if figure is not None]), fewest=FEWEST_SEEDS)
