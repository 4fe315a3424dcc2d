"""A schedule run in the simulator: every message starts when what it needs has arrived and its terminal is free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.certificates.verdict import Configuration
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.run.scenario import check_buffers, depth_for
from unknot.simulation.traces.player import Player
from unknot.simulation.traces.trace_run import check_cycles, played
from unknot.traffic.collectives.schedule import Schedule, channels_used, same_network
from unknot.traffic.trace import Trace, TracedMessage


@dataclass(frozen=True, repr=False)
class Execution(Brief):
    """Latency of a schedule, and start, arrival and blocking of each of its messages.

    Attributes
    ----------
    latency : int or None
        Cycles from the start to the last arrival; None if messages blocked each other for good.
    started, arrived : tuple of int or None
        For each message, the cycle in which it entered the network and that in which its tail arrived.
    blocked : tuple of int or None
        Cycles each message took longer in the network than it takes when that is empty.
    switching : str
    block : int
        Flits of a block.
    overhead : int
        Cycles a terminal needs before it sends a message.
    deadlock : Configuration or None

    Examples
    --------
    >>> from unknot.traffic.collectives import broadcast
    >>> outcome = execute("mesh(3, 3)", broadcast("mesh(3, 3)", 0), routing="dimension_order", block=4)
    >>> outcome.latency, outcome.deadlock, max(outcome.blocked)
    (60, None, 0)
    """

    latency: int | None
    started: tuple[int | None, ...]
    arrived: tuple[int | None, ...]
    blocked: tuple[int | None, ...]
    switching: Switching
    block: int
    overhead: int
    deadlock: Configuration | None

    @property
    def blocked_messages(self) -> int:
        """Messages that took longer than in an empty network."""
        return sum(cycles is not None and cycles > 0 for cycles in self.blocked)


@takes_simulated
def execute(
    relation: Relation,
    schedule: Schedule,
    *,
    block: int = 8,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: int | None = None,
    overhead: int = 0,
) -> Execution:
    """Run a schedule in an otherwise empty network.

    A terminal sends its messages in the order of the schedule; of several addresses for a destination the first is
    used. The run has no random choices.

    Parameters
    ----------
    block : int
        Flits of a block of data.
    buffer_depth : int, optional
        Flits per VC; by default 8, or what the longest message needs under ``vct`` and ``saf``.
    overhead : int
        Cycles from the moment a message could start to its first flit.

    Raises
    ------
    SimulationError
        If the lengths make no sense, or a message does not fit its buffer.
    RelationError
        If the schedule is for another network or a message cannot be delivered.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.routing import dimension_order
    >>> from unknot.traffic.collectives import all_gather
    >>> network = mesh(3, 3)
    >>> execute(dimension_order(network), all_gather(network)).latency
    422
    """
    technique = switching_named(switching)
    same_network(relation, schedule)
    check_cycles(overhead=overhead)
    depth = depth_for(technique, buffer_depth, *(block * send.size for send in schedule.sends))
    check_buffers(block, technique, depth, 0)
    for send in schedule.sends:
        check_buffers(block * send.size, technique, depth, 0)
    together = _play(relation, schedule, block, technique, depth, int(overhead))
    started = [
        int(cycle) if end >= 0 else None for cycle, end in zip(together.injected, together.arrived, strict=True)
    ]
    arrived = [int(end) if end >= 0 else None for end in together.arrived]
    alone: list[int | None] = [None] * len(schedule.sends)
    for apart in _apart(relation, schedule):
        rows = tuple(replace(schedule.sends[i], step=0, needs=()) for i in apart)
        single = _play(relation, replace(schedule, sends=rows), block, technique, depth, 0)
        for i, start, end in zip(apart, single.injected.tolist(), single.arrived.tolist(), strict=True):
            alone[i] = end - start
    blocked = [
        None if start is None or end is None or own is None else end - start - own
        for start, end, own in zip(started, arrived, alone, strict=True)
    ]
    done = [cycle for cycle in arrived if cycle is not None]
    return Execution(
        latency=max(done, default=0) if len(done) == len(schedule.sends) else None,
        started=tuple(started),
        arrived=tuple(arrived),
        blocked=tuple(blocked),
        switching=technique,
        block=block,
        overhead=int(overhead),
        deadlock=together.deadlock,
    )


def _apart(relation: Relation, schedule: Schedule) -> Iterator[list[int]]:
    """The messages in groups whose members cannot meet: no channel, source or destination in common.

    Run together, those of a group take as long as each of them alone.
    """
    used = channels_used(relation, schedule)
    left = list(range(len(schedule.sends)))
    while left:
        taken = np.zeros(relation.network.num_channels, dtype=bool)
        busy: set[tuple[str, int]] = set()
        group, rest = [], []
        for i in left:
            send, channels = schedule.sends[i], used.of(i)
            ends = {("from", send.source), ("to", send.destination)}
            if busy & ends or taken[channels].any():
                rest.append(i)
                continue
            group.append(i)
            busy |= ends
            taken[channels] = True
        yield group
        left = rest


def _play(
    relation: Relation, schedule: Schedule, block: int, switching: Switching, buffer_depth: int, overhead: int
) -> Player:
    """The messages of a schedule as a trace, each terminal's in their order, until all arrived or none moves."""
    trace = Trace.of(
        TracedMessage(0, send.source, send.destination, block * send.size, send.needs) for send in schedule.sends
    )
    return played(
        relation,
        trace,
        switching=switching,
        buffer_depth=buffer_depth,
        overhead=overhead,
        in_order=True,
        patient=True,
    )
