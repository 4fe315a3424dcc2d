"""A schedule run in the simulator: every message starts when what it needs has arrived and its terminal is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole
from unknot._base.shown import Brief
from unknot._base.switching import DEFAULT_SWITCHING, Switching, switching_named
from unknot.certificates.verdict import Configuration
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.engine.router import Router
from unknot.simulation.run.scenario import depth_for
from unknot.simulation.traces.player import Player
from unknot.simulation.traces.trace_run import played
from unknot.traffic.collectives.schedule import Schedule, Send, channels_used, same_network
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
    terminal_width: int = 1,
) -> Execution:
    """Run a schedule in an otherwise empty network.

    A terminal sends its messages in the order of the schedule; of several addresses for a destination the first is
    used. The run has no random choices.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    block : int
        Flits of a block of data.
    switching : Switching
        The switching technique.
    buffer_depth : int, optional
        Flits per VC; by default 8, or what the longest message needs under ``vct`` and ``saf``.
    overhead : int
        Cycles from the moment a message could start to its first flit.
    terminal_width : int
        Messages that a terminal sends at a time, and takes in; see `Router`.

    Returns
    -------
    Execution
        When what arrived.

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
    same_network(relation, schedule)
    require_whole("block", block, 1, error=SimulationError)
    depth = depth_for(switching_named(switching), buffer_depth, *(block * send.size for send in schedule.sends))

    def play(sends: Sequence[Send], overhead: int = 0) -> Player:
        """Let the messages be sent, each terminal's in their order, until all arrived or none moves."""
        trace = Trace.of(
            TracedMessage(0, send.source, send.destination, block * send.size, send.needs) for send in sends
        )
        return played(
            relation,
            trace,
            switching=switching,
            buffer_depth=depth,
            overhead=overhead,
            in_order=True,
            patient=True,
            router=Router(terminal_width=terminal_width),
        )

    together = play(schedule.sends, overhead)
    is_done, taken = together.arrived >= 0, together.arrived - together.injected
    for apart in _apart(relation, schedule):
        single = play([replace(schedule.sends[i], step=0, needs=()) for i in apart])
        taken[apart] -= single.arrived - single.injected

    def cycles(column: npt.NDArray[np.int64]) -> tuple[int | None, ...]:
        return tuple(number if done else None for number, done in zip(column.tolist(), is_done, strict=True))

    return Execution(
        latency=int(together.arrived.max(initial=0)) if is_done.all() else None,
        started=cycles(together.injected),
        arrived=cycles(together.arrived),
        blocked=cycles(taken),
        switching=together.engine.switching,
        block=block,
        overhead=int(overhead),
        deadlock=together.engine.deadlock,
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
