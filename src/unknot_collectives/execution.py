"""Schedules of collective operations, run flit by flit and compared: a message starts when its needs have arrived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from unknot._base.deadline import NEVER, Deadline
from unknot._base.errors import NetworkError, SimulationError
from unknot._base.progress import found
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.traces.trace_run import TraceRun, played
from unknot.traffic.trace import Trace, TracedMessage
from unknot_collectives.bounds import Bound
from unknot_collectives.choice import AlgorithmProposal, best
from unknot_collectives.messages import Message, channels_used, messages_of
from unknot_collectives.schedule import Schedule
from unknot_collectives.timing import timed

BUSY = 0.9
"""Share of the time from which on a channel or terminal counts as what limits a run."""
LOOKED_AT = 4
"""Numbers of pieces of an algorithm whose starts are looked for: more took twice the time, and gained nothing."""
MOST_FLIT_HOPS = 50_000_000
"""Flits times channels of the longest run: a few seconds."""
MOST_BEGUN = 20_000
"""Transfers of a schedule up to which its starts are computed."""


@takes_simulated
def execute(
    relation: Relation,
    schedule: Schedule,
    *,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int | None = None,
    overhead: int = 0,
    in_order: bool = False,
    router: Router = DEFAULT,
    together: bool = False,
) -> TraceRun:
    """Run a schedule in an otherwise empty network, on the network's routing.

    Of several addresses for a destination the first is used. The run has no random choices.

    Parameters
    ----------
    schedule : Schedule
        The schedule; its size is in flits.
    switching : Switching
        Switching technique.
    buffer_depth : int, optional
        Flits per VC; by default 8, or those of the longest message under ``vct`` and ``saf``.
    overhead : int
        Cycles a terminal needs before it sends a message.
    in_order : bool
        Whether terminals send in the order of the schedule, even if a later message could go.
    router : Router
        With a `terminal_width` terminals send as many messages at a time, and take in as many.
    together : bool
        Whether chunks that go the same way in a step are one message; each is one otherwise.

    Returns
    -------
    TraceRun
        When what arrived, message by message of `messages_of`.

    Raises
    ------
    NetworkError
        If the schedule is for another network, or the size is no whole number of flits.
    RelationError
        If a message cannot be delivered.
    SimulationError
        If a message does not fit its buffer, or the run would take too long.

    Examples
    --------
    >>> from unknot_collectives import Operation, collective, platform_of, textbook
    >>> execute("mesh(3, 3)", collective("mesh(3, 3)", block=4), routing="dimension_order").makespan
    60
    """
    hops = sum(int(schedule.chunks[sent.chunk].size) * len(sent.path) for sent in schedule.transfers)
    if hops > MOST_FLIT_HOPS:
        raise SimulationError(f"{hops} flits times channels would be simulated; {MOST_FLIT_HOPS} at most are")
    trace = _trace(messages_of(relation.network, schedule, together=together))
    return played(
        relation, trace, switching=switching, buffer_depth=buffer_depth, overhead=overhead, in_order=in_order,
        router=router,
    )  # fmt: skip


def blocked_cycles(relation: Relation, messages: Sequence[Message], run: TraceRun) -> list[int | None]:
    """Return for each message the cycles it was longer in the network than when that is empty; None: for good."""
    taken = run.arrived - run.injected
    for apart in _apart(relation, messages):
        trace = _trace([Message(0, messages[i].source, messages[i].destination, messages[i].flits) for i in apart])
        alone = played(relation, trace, switching=run.switching, buffer_depth=run.buffer_depth)
        taken[apart] -= alone.arrived - alone.injected
    return [cycles if done else None for cycles, done in zip(taken.tolist(), run.arrived >= 0, strict=True)]


def _trace(messages: Sequence[Message]) -> Trace:
    return Trace.of(TracedMessage(0, one.source, one.destination, one.flits, one.needs) for one in messages)


def _apart(relation: Relation, messages: Sequence[Message]) -> Iterator[list[int]]:
    """The messages in groups whose members cannot meet: no channel, source or destination in common.

    Run together, those of a group take as long as each of them alone.
    """
    used = channels_used(relation, messages)
    left = list(range(len(messages)))
    while left:
        taken = np.zeros(relation.network.num_channels, dtype=bool)
        busy: set[tuple[str, int]] = set()
        group, rest = [], []
        for i in left:
            channels = used.of(i)
            ends = {("from", messages[i].source), ("to", messages[i].destination)}
            if busy & ends or taken[channels].any():
                rest.append(i)
                continue
            group.append(i)
            busy |= ends
            taken[channels] = True
        yield group
        left = rest


def limit_of(relation: Relation, run: TraceRun, width: int = 1) -> str:
    """Return what a run spent its time on: its busiest terminal or channel, or messages that wait for each other.

    Parameters
    ----------
    width : int
        Flits per cycle of a terminal.
    """
    network, trace, cycles = relation.network, run.trace, max(1, run.cycles)
    ends = [np.bincount(end, trace.flits, network.num_terminals) for end in (trace.source, trace.destination)]
    shares = [*(end / width for end in ends), run.carried[: network.num_channels] / network.bandwidth]
    most = max(range(len(shares)), key=lambda kind: shares[kind].max(initial=0.0))
    at, share = int(np.argmax(shares[most])), float(shares[most].max()) / cycles
    name = network.channel_name(at) if most == 2 else f"terminal {network.terminal_name(at)}"
    verb = ("sends", "receives", "is busy")[most]
    return f"{name} {verb} {share:.0%} of the time" + "; messages wait for each other" * (share < BUSY)


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
    rest, tables = iter(algorithms), [list[Timed]() for _ in bounds]
    while choices := until.unless_over(lambda: next(rest, ())):  # None: the time is up
        for floor, table in zip(bounds, tables, strict=True):
            runs = None if relation is None else pieces_run
            made = until.unless_over(partial(_schedules, choices, floor.operation.size, runs)) or []
            timed = [_timed(schedule, floor, relation, until, options) for schedule in made]
            if timed:
                best = min(timed, key=lambda row: row.measured or row.time)
                words = f"{best.algorithm} {float(best.measured or best.time):.4g}"
                found(f"latest: {words} cycles, at least {float(floor.time):.4g}")
            table += sorted(timed, key=lambda row: (row.measured is None, row.measured or row.time, row.pieces))[:1]
    for table in tables:
        table.sort(key=lambda row: (row.measured is None, row.ratio, row.algorithm != "optimal"))
    return Comparison(tables, choices is not None)


def _schedules(choices: Sequence[AlgorithmProposal], size: Fraction, runs: int | None) -> list[Schedule]:
    """Return the best schedule of an algorithm for a size, or those that are run."""
    if runs is None:
        return [best(choices, size, LOOKED_AT)]
    fastest = sorted(choices, key=lambda one: one.time(size))
    tried = dict.fromkeys([*fastest[:runs], *(one for one in fastest if one.pieces == 1)])
    made = [one.schedule(size) for one in tried]
    return made + [one.by_steps() for one in made if one.pieces == 1 and one.starts]


def _time_without_barriers(schedule: Schedule) -> Fraction:
    """Time by the model of what `execute` runs: there steps do not wait for each other, only messages for messages.

    That of the steps stays where members exchange parts of a chunk in a step, or transfers are too many.
    """
    if schedule.starts or len(schedule.transfers) > MOST_BEGUN:
        return schedule.time
    try:
        return min(schedule.time, timed(schedule).time)
    except NetworkError:
        return schedule.time


def _timed(
    schedule: Schedule, floor: Bound, relation: Relation | None, until: Deadline, options: dict[str, Any]
) -> Timed:
    time, measured, limit = float(schedule.time), None, ""
    if relation is not None:
        time = float(_time_without_barriers(schedule))
        try:
            run = until.unless_over(lambda: execute(relation, schedule, **options))
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
