"""Schedules of collective operations run flit by flit: a message starts when its needs have arrived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.traces.trace_run import TraceRun, played
from unknot.traffic.trace import Trace, TracedMessage
from unknot_collectives.messages import Message, channels_used, messages_of
from unknot_collectives.schedule import Schedule
from unknot_collectives.timetable import timetable

BUSY = 0.9
"""Share of the time from which on a channel or terminal counts as what limits a run."""
MOST_FLIT_HOPS = 50_000_000
"""Flits times channels of the longest run: a few seconds."""


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
    packet: int = 0,
    apart: bool = False,
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
    packet : int
        Flits of packets into which messages are cut, and which leave at the rates of the model, as `timetable` says,
        unless they have to wait. 0: messages are whole, and go as soon as they can.
    apart : bool
        As `timetable` has it.

    Returns
    -------
    TraceRun
        When what arrived, message by message of `messages_of`, or packet by packet of `timetable`.

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
    trace = (
        timetable(relation.network, schedule, packet, apart=apart)
        if packet
        else _trace(messages_of(relation.network, schedule, together=together))
    )
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
