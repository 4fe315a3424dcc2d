"""Algorithms of a collective operation compared: time by the model, measured time, and both over the bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from unknot._base.errors import SimulationError
from unknot.simulation.traces.trace_run import TraceRun
from unknot.traffic.collectives.choice import Candidate, best
from unknot.traffic.collectives.schedule import Schedule


@dataclass(frozen=True)
class Timed:
    """An algorithm with its best number of pieces for a size.

    Attributes
    ----------
    size : int
        Flits.
    algorithm : str
    pieces : int
    steps : int
    time : float
        Cycles by the model.
    bound : float
        Cycles that no schedule can be below.
    measured : int or None
        Cycles of the run flit by flit; None: not run, or it came to no end.
    ratio : float
        Measured time, or else that of the model, over the bound.
    schedule : Schedule
    """

    size: int
    algorithm: str
    pieces: int
    steps: int
    time: float
    bound: float
    measured: int | None
    ratio: float
    schedule: Schedule


def compared(
    choices: Sequence[Candidate],
    size: int,
    lower: Fraction,
    run: Callable[[Schedule], TraceRun] | None = None,
    *,
    pieces_run: int = 2,
) -> list[Timed]:
    """Return each algorithm with its best number of pieces, the fastest first.

    Parameters
    ----------
    lower : Fraction
        Bound on the time of the whole size.
    run : callable, optional
        Runs a schedule, such as `execute` for a relation. The numbers of pieces that are best by the model are
        run, `pieces_run` of them and the whole, and the fastest counts.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.traffic.collectives import Operation, bound, candidates, platform_of
    >>> platform = platform_of(ring(5))
    >>> gather = Operation("all_gather", platform.members, Fraction(20))
    >>> rows = compared(candidates(platform, gather, ["ring", "bruck"]), 20, bound(platform, gather).time)
    >>> [(row.algorithm, row.time, row.bound) for row in rows]
    [('ring', 81.0, 81.0), ('bruck', 115.0, 81.0)]
    """
    rows = []
    for name in dict.fromkeys(one.algorithm for one in choices):
        fastest = sorted((one for one in choices if one.algorithm == name), key=lambda one: one.time(Fraction(size)))
        tried = [best(fastest, Fraction(size))] if run is None else fastest[:pieces_run]
        if run is not None:
            tried += [one for one in fastest if one.pieces == 1]
        timed = [_timed(one, size, lower, run) for one in dict.fromkeys(tried)]
        rows.append(min(timed, key=lambda row: (row.measured is None, row.measured or row.time, row.pieces)))
    return sorted(rows, key=lambda row: (row.measured is None, row.ratio))


def _timed(one: Candidate, size: int, lower: Fraction, run: Callable[[Schedule], TraceRun] | None) -> Timed:
    schedule = one.schedule(Fraction(size))
    measured = None
    if run is not None:
        try:
            measured = run(schedule).makespan
        except SimulationError:
            measured = None
    time = float(schedule.time)
    ratio = float((measured or time) / lower)
    return Timed(size, one.algorithm, one.pieces, schedule.steps, time, float(lower), measured, ratio, schedule)
