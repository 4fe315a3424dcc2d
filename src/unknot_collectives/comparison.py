"""Algorithms of an operation side by side, by the model or run flit by flit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import NetworkError, SimulationError
from unknot._base.progress import found
from unknot._base.units import digits
from unknot.routing.relation import Relation
from unknot.simulation.engine.router import DEFAULT
from unknot.simulation.traces.trace_run import TraceRun
from unknot_collectives.choice import NEAR, best
from unknot_collectives.evidence import Bound
from unknot_collectives.execution import execute, limit_of
from unknot_collectives.proposals import AlgorithmProposal
from unknot_collectives.schedule import Schedule
from unknot_collectives.timing import timed

LOOKED_AT = 4
"""Numbers of pieces of an algorithm whose starts are looked for: more took twice the time, and gained nothing."""
MOST_BEGUN = 20_000
"""Transfers of a schedule up to which its starts are computed."""
LEAST = 1.001
"""Times its bound that a schedule may take and count as one that no other can beat."""
CLOSE = 1.1
"""Times the time of the model up to which the packets of a step are not run in other turns."""


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
        Cycles by the model; of what is run flit by flit without barriers between steps, as the run is.
    bound : float
        Cycles that no schedule can be below.
    measured : int or None
        Cycles of the run flit by flit; None: not run, or it came to no end.
    ratio : float
        Measured time, or else that of the model, over the bound.
    limit : str
        As `limit_of` says; empty: not run.
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
    limit: str
    schedule: Schedule


@dataclass(frozen=True)
class Comparison:
    """Algorithms side by side.

    Attributes
    ----------
    tables : list of list of Timed
        For each size the algorithms, the fastest first.
    complete : bool
        Whether all algorithms are there; else the time was up.
    """

    tables: list[list[Timed]]
    complete: bool


def compared(
    algorithms: Iterable[Sequence[AlgorithmProposal]],
    bounds: Sequence[Bound],
    relation: Relation | None = None,
    *,
    pieces_run: int = 2,
    enough: bool = False,
    until: Deadline = NEVER,
    **options: Any,
) -> Comparison:
    """Compare algorithms, each with its best number of pieces.

    Parameters
    ----------
    algorithms : iterable of sequence of Proposal
        What `by_algorithm` yields, or the candidates of each algorithm; made one after the other.
    bounds : sequence of Bound
        A bound for each size.
    relation : Relation, optional
        Routing on which schedules are run by `execute`, which takes the other options. The numbers of pieces that are
        best by the model are run, `pieces_run` of them and the whole, this in the order of its steps too, and the
        fastest counts.
    enough : bool
        Whether no more algorithms are tried after one that no other can beat by a thousandth, by the bounds.
    until : Deadline, optional
        When to end; what is not compared then is left out.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot_collectives import Operation, bound, platform_of
    >>> from unknot_collectives.choice import by_algorithm
    >>> platform = platform_of(ring(5))
    >>> gather = Operation("all_gather", platform.members, Fraction(20))
    >>> made = compared(by_algorithm(platform, gather, ["ring", "bruck"]), [bound(platform, gather)])
    >>> [(row.algorithm, row.time, row.bound) for row in made.tables[0]]
    [('ring', 81.0, 81.0), ('bruck', 115.0, 81.0)]
    """
    rest, tables, paced = iter(algorithms), [list[Timed]() for _ in bounds], bool(options.get("packet"))
    while choices := until.unless_over(lambda: next(rest, ())):  # None: the time is up
        for floor, table in zip(bounds, tables, strict=True):
            if choices[0].floor is not None and min((row.ratio for row in table), default=NEAR + 1) <= NEAR:
                continue
            runs = None if relation is None else pieces_run
            made = until.unless_over(partial(_schedules, choices, floor.operation.size, runs, paced)) or []
            timed = [_timed(schedule, floor, relation, until, options) for schedule in made]
            if timed:
                best = min(timed, key=lambda row: row.measured or row.time)
                words = f"{best.algorithm} {digits(float(best.measured or best.time))}"
                found(f"latest: {words} cycles, at least {digits(float(floor.time))}")
            table += sorted(timed, key=lambda row: (row.measured is None, row.measured or row.time, row.pieces))[:1]
        if enough and all(min((row.ratio for row in table), default=LEAST + 1) <= LEAST for table in tables):
            break
    for table in tables:
        table.sort(key=lambda row: (row.measured is None, row.ratio, row.algorithm != "optimal"))
    return Comparison(tables, choices is not None)


def _schedules(choices: Sequence[AlgorithmProposal], size: Fraction, runs: int | None, paced: bool) -> list[Schedule]:
    """Return the best schedule of an algorithm for a size, or those that are run.

    Those in one piece are run by steps, and, where packets leave at the rates of the model, by starts.
    """
    if runs is None:
        return [best(choices, size, LOOKED_AT)]
    fastest = sorted(choices, key=lambda one: one.time(size))
    tried = dict.fromkeys([*fastest[:runs], *(one for one in fastest if one.pieces == 1)])
    made = [one.schedule(size) for one in tried]
    return [*made, *(other for one in made if one.pieces == 1 for other in _otherwise(one) if paced or one.starts)]


def _otherwise(schedule: Schedule) -> Iterator[Schedule]:
    if schedule.starts:
        yield schedule.by_steps()
    elif len(schedule.transfers) <= MOST_BEGUN:
        with suppress(NetworkError):
            yield timed(schedule)


def _time_without_barriers(schedule: Schedule) -> Fraction:
    """Time by the model of what `execute` runs: there steps do not wait for each other, only messages for messages.

    That of the steps stays where members exchange parts of a chunk in a step, or transfers are too many.
    """
    return min([schedule.time, *(one.time for one in _otherwise(schedule) if one.starts)])


def _timed(
    schedule: Schedule, floor: Bound, relation: Relation | None, until: Deadline, options: dict[str, Any]
) -> Timed:
    time, measured, limit = float(schedule.time), None, ""
    if relation is not None:
        if not options.get("packet"):
            time = float(_time_without_barriers(schedule))
        try:
            run = until.unless_over(lambda: _run(relation, schedule, time, options))
        except SimulationError as error:
            limit = str(error)
        else:
            limit = "the time was up before it ended"
            if run is not None:
                measured, width = run.makespan, options.get("router", DEFAULT).terminal_width
                limit = run.reason or limit_of(relation, run, width)
    return Timed(
        int(schedule.operation.size), schedule.name, schedule.pieces, schedule.steps, time, float(floor.time),
        measured, float((measured or time) / floor.time), limit, schedule,
    )  # fmt: skip


def _run(relation: Relation, schedule: Schedule, time: float, options: dict[str, Any]) -> TraceRun:
    """Run a schedule; in other turns, too, where packets in steps take much longer than by the model."""
    run = execute(relation, schedule, **options)
    if not options.get("packet") or schedule.starts or (run.makespan is not None and run.makespan <= CLOSE * time):
        return run
    other = execute(relation, schedule, apart=True, **options)
    return min(run, other, key=lambda one: (one.makespan is None, one.makespan))
