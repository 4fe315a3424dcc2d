"""By how many cycles two designs differ in their mean latency, under the same packets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum
from typing import Unpack

from unknot._base.errors import SimulationError
from unknot._base.frames import Tabular
from unknot._base.progress import Progress, with_bar
from unknot._base.shown import Shown
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING
from unknot.routing.relation import Relation
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.player import play
from unknot.simulation.run.backlog import TOO_SHORT
from unknot.simulation.run.measurement import Measured
from unknot.simulation.run.records import PointOptions, records
from unknot.simulation.run.scenario import MEASUREMENT, Measurement, Scenario
from unknot.simulation.run.statistics import Values, half_width_of_batches
from unknot.simulation.run.window import FEWEST_PACKETS
from unknot.traffic import PatternLike, Traffic
from unknot.traffic.workload import PATTERN

DOUBT = f"{TOO_SHORT}: accepted"
"""How reasons begin of runs in which sources may fall behind."""


OTHER_SEED = 0x5EED
"""What turns a seed into that of the packets by which the window is chosen."""


@dataclass(frozen=True, repr=False)
class LatencyDifference(Tabular, Shown):
    """By how much two designs differ at one load.

    Attributes
    ----------
    first, second : str
        Names of the designs.
    load : float
        Flits per terminal and cycle.
    cycles : float or None
        Mean latency of the first design less that of the second one; None if one of them is not stable.
    half_width : float or None
        Of the 95 % confidence interval of the difference; None if it is not known.
    of_single_runs : float or None
        The half-width if both designs had been given packets of their own.
    reason : str
        Why there is no difference; empty if there is one.
    warmup, measured : int
        Cycles of both runs.

    Examples
    --------
    >>> LatencyDifference("a", "b", 0.1, -3.12, 0.4, of_single_runs=1.1, reason="", warmup=500, measured=2000)
    <LatencyDifference at load 0.1: a is 3.1 ± 0.4 cycles faster than b>
    """

    first: str
    second: str
    load: float
    cycles: float | None
    half_width: float | None
    of_single_runs: float | None
    reason: str
    warmup: int
    measured: int

    @property
    def words(self) -> str:
        """One sentence."""
        if self.cycles is None or self.half_width is None:
            return f"{self.first} and {self.second}: {self.reason or 'the runs are too short for an interval'}"
        width = f"{self.half_width:.2g}"
        digits = len(width.partition(".")[2])
        if abs(self.cycles) <= self.half_width:
            sign = f"{self.cycles:+.{digits}f} ± {width} cycles"
            return f"{self.first} and {self.second} do not differ measurably: {sign}"
        faster, slower = (self.second, self.first) if self.cycles > 0 else (self.first, self.second)
        return f"{faster} is {abs(self.cycles):.{digits}f} ± {width} cycles faster than {slower}"

    def __repr__(self) -> str:
        return f"<LatencyDifference at load {self.load:g}: {self.words}>"


@with_bar
def difference(
    first: Relation,
    second: Relation,
    load: float,
    *,
    names: tuple[str, str] | None = None,
    switching: str = DEFAULT_SWITCHING,
    buffer_depth: int = BUFFER_DEPTH,
    router: Router | tuple[Router, Router] = DEFAULT,
    traffic: PatternLike | Traffic = PATTERN,
    measurement: Measurement = MEASUREMENT,
    seed: int = 1,
    progress: Progress | None = None,
    **fields: Unpack[PointOptions],
) -> LatencyDifference:
    """Return by how many cycles the mean latencies of two designs differ, with a 95 % confidence interval.

    Terminals of both designs create the same packets in the same cycles (common random numbers), and these cycles are
    measured. What chance adds to both falls out, so the interval is narrower than those of both runs together.

    Parameters
    ----------
    first, second : Relation
        Two routings, of one network or of two with as many terminals.
    load : float
        Flits per terminal and cycle.
    names : tuple of str, optional
        Names of both; by default those of the relations.
    switching, buffer_depth : optional
        As for `simulate`.
    router : Router or tuple of Router
        Routers of both designs, or of each.
    traffic, measurement, seed, progress : optional
        As for `simulate`; without `warmup` and `measure` each design is run once for the cycles that it takes.
    **fields
        `packet_length`, `bursts`, `warmup`, `measure`, `precision`.

    Returns
    -------
    LatencyDifference
        Without cycles where one of the designs is not stable.

    Raises
    ------
    SimulationError
        If the designs have different numbers of terminals, or a run cannot be made.

    References
    ----------
    A. M. Law, "Simulation modeling and analysis", 5th edition, 2015, section 11.2 (common random numbers).

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.routing import dimension_order
    >>> from unknot.simulation import difference
    >>> first, second = (dimension_order(mesh(4, 4), vcs) for vcs in (1, 4))
    >>> difference(first, second, 0.2, names=("1 VC", "4 VCs"), warmup=500, measure=4000, packet_length=4).words
    '4 VCs is 1.81 ± 0.46 cycles faster than 1 VC'
    """
    workload, measurement = records("difference", PointOptions, fields, traffic, measurement)
    terminals = [each.network.num_terminals for each in (first, second)]
    if terminals[0] != terminals[1]:
        words = f"{terminals[0]} and {terminals[1]} terminals create no common packets; compare networks of one size"
        raise SimulationError(f"difference: {words}")
    routers = router if isinstance(router, tuple) else (router, router)
    scenarios = [
        Scenario(each, load, workload, switching, buffer_depth, own, seed)
        for each, own in zip((first, second), routers, strict=True)
    ]
    labels = names or (first.name, second.name)
    warmup, cycles, chosen = measurement.warmup, measurement.measure, False
    if warmup is None or cycles is None:
        # Other packets choose the window: a series that ends when it looks calm leaves out jams of its own.
        others = [replace(scenario, seed=OTHER_SEED ^ seed) for scenario in scenarios]
        done, chosen = [_run(scenario, measurement, progress) for scenario in others], True
        windows = [source.window for source in done if source.window is not None and not source.reason]
        if len(windows) < 2:
            reason = next(source.reason for source in done if source.reason)
            return LatencyDifference(*labels, load, None, None, None, reason, warmup or 0, cycles or 0)
        warmup, cycles = max(each.start for each in windows), max(each.cycles for each in windows)
    sources = [_run(each, Measurement(warmup, cycles), progress) for each in scenarios]
    # That sources may fall behind in these cycles is doubt by chance where runs that chose theirs had none.
    reasons = [source.reason for source in sources if not (chosen and source.reason.startswith(DOUBT))]
    series = [source.window.latencies for source in sources if source.window is not None]
    if any(reasons) or len(series) < 2:
        return LatencyDifference(*labels, load, None, None, None, next(filter(None, reasons), ""), warmup, cycles)
    return LatencyDifference(*labels, load, *_of_batches(*series), "", warmup, cycles)


def _run(scenario: Scenario, measurement: Measurement, progress: Progress | None) -> Measured:
    """Return the run of one design, done; a knot is a reason."""
    source = Measured(scenario, measurement, None)
    play(source, progress=progress)
    if source.engine.deadlock is not None:
        source.reason = "deadlock"
    return source


def _of_batches(
    first: tuple[Values, Values], second: tuple[Values, Values]
) -> tuple[float, float | None, float | None]:
    """Return the difference of the mean latencies of two series of batches, and half-widths with and without pairs.

    Sums of latencies are compared with the mean of all packets: so batches with more packets weigh more, as in the
    mean.
    """
    means, away = [], []
    for totals, counts in (first, second):
        means.append(fsum(totals) / fsum(counts))
        away.append((totals - means[-1] * counts) * counts.size / fsum(counts))
    if min(counts.min() for _, counts in (first, second)) < FEWEST_PACKETS:
        return means[0] - means[1], None, None
    ones = first[1] * 0 + 1
    widths = []
    for deviations in (away[0] - away[1], *away):
        widths.append(half_width_of_batches(deviations, ones, 1, cautious=True))
    paired, one, other = widths
    return means[0] - means[1], paired, (one**2 + other**2) ** 0.5 if one is not None and other is not None else None
