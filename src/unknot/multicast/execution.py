"""A schedule run in the simulator: every message starts when what it needs has arrived and its terminal is free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot.errors import SimulationError
from unknot.multicast.contention import addresses, same_network
from unknot.multicast.schedule import Schedule
from unknot.routing.relation import Relation
from unknot.simulation.detector import knot, stuck_vcs
from unknot.simulation.engine import Engine, check_point
from unknot.simulation.flit_kernel import EJECTION
from unknot.simulation.layout import (
    ADDRESS,
    CREATED,
    FREE,
    HIGH,
    HOPS,
    INJECTED,
    LEFT,
    LENGTH,
    PACKET,
    SCRIPT,
    SOURCE,
    STOP,
)
from unknot.simulation.traffic import nobody
from unknot.switching import Switching, switching_named
from unknot.verify.verdict import Configuration


@dataclass(frozen=True)
class Execution:
    """How a schedule ran.

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


def execute(
    relation: Relation,
    schedule: Schedule,
    *,
    block: int = 8,
    switching: Switching = "wormhole",
    buffer_depth: int = 8,
    overhead: int = 0,
) -> Execution:
    """Run a schedule in an otherwise empty network.

    A terminal sends its messages in the order of the schedule; of several addresses for a destination the first is
    used. The run has no random choices.

    Parameters
    ----------
    block : int
        Flits of a block of data.
    overhead : int
        Cycles from the moment a message could start to its first flit.

    Raises
    ------
    SimulationError
        If the lengths make no sense, or a message does not fit its buffer.
    RelationError
        If the schedule is for another network or a message cannot be delivered.
    """
    technique = switching_named(switching)
    same_network(relation, schedule)
    if isinstance(overhead, bool) or not isinstance(overhead, (int, np.integer)) or overhead < 0:
        raise SimulationError(f"overhead must be a whole number of cycles, at least 0, got {overhead!r}")
    check_point(block, technique, buffer_depth, 0)
    for send in schedule.sends:
        check_point(block * send.size, technique, buffer_depth, 0)
    together = _Run(relation, schedule, block, technique, buffer_depth, int(overhead))
    together.run()
    alone: dict[tuple[int, int, int], int] = {}
    blocked: list[int | None] = []
    for send, start, end in zip(schedule.sends, together.started, together.arrived, strict=True):
        if start is None or end is None:
            blocked.append(None)
            continue
        key = (send.source, send.destination, send.size)
        if key not in alone:
            single = _Run(relation, _only(schedule, *key), block, technique, buffer_depth, 0)
            single.run()
            alone[key] = (single.arrived[0] or 0) - (single.started[0] or 0)
        blocked.append(end - start - alone[key])
    done = [cycle for cycle in together.arrived if cycle is not None]
    return Execution(
        latency=max(done, default=0) if len(done) == len(schedule.sends) else None,
        started=tuple(together.started),
        arrived=tuple(together.arrived),
        blocked=tuple(blocked),
        switching=technique,
        block=block,
        overhead=int(overhead),
        deadlock=together.deadlock,
    )


def _only(schedule: Schedule, source: int, destination: int, size: int) -> Schedule:
    from unknot.multicast.schedule import Send

    send = Send(0, source, destination, (), size)
    return Schedule(schedule.operation, schedule.network, source, (source, destination), (send,))


class _Run:
    """One run of a schedule, cycle by cycle."""

    def __init__(
        self,
        relation: Relation,
        schedule: Schedule,
        block: int,
        switching: Switching,
        buffer_depth: int,
        overhead: int,
    ) -> None:
        self.relation, self.sends, self.block, self.overhead = relation, schedule.sends, block, overhead
        self.engine = Engine(
            relation,
            switching,
            packet_length=1,
            buffer_depth=buffer_depth,
            chance=0.0,
            seed=0,
            pairs=nobody(relation.network.num_terminals),
        )
        self.address = [addresses(relation, send.source, send.destination)[0] for send in self.sends]
        self.started: list[int | None] = [None] * len(self.sends)
        self.arrived: list[int | None] = [None] * len(self.sends)
        self.deadlock: Configuration | None = None
        self.queue: dict[int, list[int]] = {}
        for i in sorted(range(len(self.sends)), key=lambda i: (self.sends[i].step, i), reverse=True):
            self.queue.setdefault(self.sends[i].source, []).append(i)
        self.carries: dict[int, int] = {}

    def run(self) -> None:
        """Go on until every message has arrived, or none can move any more."""
        engine = self.engine
        ready: dict[int, int] = {}
        while True:
            state, now = engine.state, engine.now
            for terminal, queue in self.queue.items():
                if queue and state.terminals[terminal, PACKET] < 0 and self._may(queue[-1], now):
                    start = ready.setdefault(queue[-1], now + self.overhead)
                    if now >= start:
                        self._start(queue.pop(), terminal, now)
            if all(cycle is not None for cycle in self.arrived):
                return
            freed = int(state.count[FREE])
            quiet = engine.advance(now + 1)
            state = engine.state
            for packet in state.free[freed : state.count[FREE]].tolist():
                i = self.carries.pop(packet)
                self.started[i] = int(state.packets[packet, INJECTED])
                self.arrived[i] = now + EJECTION
            if quiet and self.carries:
                stuck = stuck_vcs(self.relation, state)
                if stuck.any():
                    self.deadlock = knot(self.relation, state, engine.switching, stuck)
                    return

    def _may(self, i: int, now: int) -> bool:
        """Whether all a message needs has arrived by now."""
        return all((at := self.arrived[j]) is not None and at <= now for j in self.sends[i].needs)

    def _start(self, i: int, terminal: int, now: int) -> None:
        state, send = self.engine.state, self.sends[i]
        if state.count[FREE]:
            state.count[FREE] -= 1
            packet = int(state.free[state.count[FREE]])
        else:
            packet = int(state.count[HIGH])
            state.count[HIGH] += 1
        row = state.packets[packet]
        row[[CREATED, INJECTED, HOPS, STOP]] = now, now, 0, 0
        row[[ADDRESS, LENGTH, SOURCE, SCRIPT]] = self.address[i], self.block * send.size, terminal, -1
        state.terminals[terminal, [PACKET, LEFT]] = packet, self.block * send.size
        self.carries[packet] = i
