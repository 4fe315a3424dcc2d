"""Runs of a network whose terminals have the finite queues of a protocol."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress
from unknot._base.shown import Brief
from unknot._base.switching import BUFFER_DEPTH, DEFAULT_SWITCHING, switching_named
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.simulation.end_points import EndPoints
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.player import CHECK, play
from unknot.simulation.run.parts import Latencies, OfferedAndAccepted
from unknot.simulation.run.scenario import Scenario
from unknot.simulation.run.statistics import summary
from unknot.traffic import Traffic
from unknot.verify.protocols.evidence import Blocked, blocked_in
from unknot.verify.protocols.machine_state import Event
from unknot.verify.protocols.protocol import Protocol
from unknot.verify.protocols.queue_room import fits
from unknot.verify.protocols.runs import stuck
from unknot.verify.protocols.system import Sent, System

CYCLES = 10_000
"""Cycles of a run, where none are given."""


@dataclass(frozen=True, repr=False)
class ProtocolRun(Brief, Latencies, OfferedAndAccepted):
    """What happened to the transactions of a run.

    Attributes
    ----------
    offered_load : float
        Flits of first messages per terminal and cycle.
    accepted_load : float
        Flits of consumed messages, all classes together, per terminal and cycle.
    latency_mean, latency_p50, latency_p95, latency_p99, latency_max : float or None
        Cycles from the creation of a transaction to its end.
    cycles : int
        Cycles simulated.
    created, begun, done : int
        Transactions that terminals requested, for which their queues had room, and whose last message was consumed.
    consumed : dict of str to int
        Messages of each class.
    deadlock : bool
        Whether messages can never move again.
    blocked : tuple of Blocked
        Those messages.
    """

    cycles: int
    created: int
    begun: int
    done: int
    consumed: dict[str, int]
    deadlock: bool
    blocked: tuple[Blocked, ...] = field(repr=False)


@takes_relation
def simulate_protocol(
    relation: Relation,
    protocol: Protocol,
    load: float,
    *,
    switching: str = DEFAULT_SWITCHING,
    buffer_depth: int | None = None,
    packet_length: int = 1,
    cycles: int = CYCLES,
    drained: bool = False,
    router: Router = DEFAULT,
    seed: int = 1,
    progress: Progress | None = None,
) -> ProtocolRun:
    """Simulate a relation flit by flit with the end points of a protocol.

    Every queue of a terminal is a VC of its own, between its router and one for the terminal, so that a message takes
    a hop more at each end than without a protocol. Terminals create transactions at random, each to another terminal
    drawn from all that they have an address for, and begin them in order, as soon as their send queues have room and
    the limit of outstanding ones allows it.

    Parameters
    ----------
    load : float
        Flits of the messages with which transactions begin, per terminal and cycle.
    buffer_depth : int, optional
        Flits per VC of the network: by default 8, or a message.
    packet_length : int
        Flits of a message.
    cycles : int
        Cycles in which transactions are created.
    drained : bool
        Whether to go on then until the last message was consumed.

    Raises
    ------
    SimulationError
        If numbers make no sense.

    Examples
    --------
    >>> from unknot.verify.protocols import protocol
    >>> run = simulate_protocol("mesh(3, 3)", protocol("request_reply"), 0.5, routing="dimension_order")
    >>> run.deadlock, run.cycles < 10000
    (True, True)
    >>> run = simulate_protocol("mesh(3, 3)", protocol("request_reply"), 0.5, routing="message_classes", cycles=1000)
    >>> run.deadlock, run.cycles
    (False, 1000)
    """
    if not 0 <= load <= 1:
        raise SimulationError(f"load must be from 0 to 1 flits per terminal and cycle, got {load}")
    for name, number in (("cycles", cycles), ("packet_length", packet_length)):
        require_whole(name, number, 1, error=SimulationError)
    system = System(relation, protocol)
    depth = buffer_depth or max(BUFFER_DEPTH, packet_length * (1 + any(one.carries for one in protocol.classes)))
    workload = Traffic(packet_length=packet_length)
    scenario = Scenario(relation, load, workload, switching_named(switching), depth, router, seed)
    source = _Transactions(system, scenario, cycles, drained=drained)
    play(source, progress=progress)
    held = source.held or standstill(source, still=False)
    done = np.array(source.latencies, dtype=np.int64)
    return ProtocolRun(
        offered_load=load,
        accepted_load=sum(source.consumed) * packet_length / (system.terminals * source.now),
        cycles=source.now,
        created=source.created,
        begun=source.begun,
        done=done.size,
        **summary(done, "latency"),
        consumed=dict(zip((one.name for one in system.classes), source.consumed, strict=True)),
        deadlock=bool(held),
        blocked=tuple(blocked_in(source.system, source.standing(), held)),
    )


Held = dict[int, tuple[int, ...]]


def standstill(ends: EndPoints, *, still: bool) -> Held:
    """Positions, by place, of the messages that can never move again; of worms all, once nothing moved for long."""
    state = ends.standing()
    if ends.whole:
        return stuck(ends.system, state)
    return {place: tuple(range(len(messages))) for place, messages in state.items()} if still else {}


class _Group:
    """First messages of a kind of transaction; `served`, by two terminals: whether one begins it with the other."""

    def __init__(self, system: System, names: Sequence[str]) -> None:
        self.kinds = [system.number[name] for name in names]
        self.served = np.all([system.pairs(kind) for kind in self.kinds], axis=0)


class _Transactions(EndPoints):
    """Transactions that terminals create at random in some cycles, and begin as soon as they may.

    Attributes
    ----------
    held : dict
        Messages that can never move again, as of `standstill`.
    waiting : list of deque of int
        When the transactions were created that each terminal is to begin.
    since : dict of int
        When those under way were.
    """

    def __init__(self, system: System, scenario: Scenario, cycles: int, *, drained: bool) -> None:
        super().__init__(system, scenario)
        begins, protocol = system.protocol.begins, system.protocol
        self.groups = [_Group(system, names) for names in begins]
        first = sum(1 + bool(protocol[name].carries) for names in begins for name in names) / len(begins)
        some = np.any([group.served.any(axis=1) for group in self.groups], axis=0)
        self.rate = np.where(some, scenario.load / (self.flits * first), 0.0)
        self.random = np.random.default_rng([scenario.seed, system.terminals])
        self.cycles, self.drained, self.created, self.held, self.before = cycles, drained, 0, Held(), self.moves
        self.waiting: list[deque[int]] = [deque() for _ in range(system.terminals)]
        self.since: dict[tuple[int, int], int] = {}
        self.latencies: list[int] = []

    def report(self, progress: Progress) -> None:
        """Tell how many of the cycles are over in which transactions are created."""
        progress("simulating", self.now, self.cycles)

    def begin(self) -> int:
        """Create transactions, and begin as many as there is room for."""
        now = self.now
        if now < self.cycles:
            for terminal in np.flatnonzero(self.random.random(self.rate.size) < self.rate).tolist():
                self.waiting[terminal].append(now)
                self.created += 1
        for terminal, times in enumerate(self.waiting):
            while times and (sends := self._sends(terminal)) is not None:
                self.since[terminal, self.start(Event("begin", terminal, sends=sends))] = times.popleft()
        return super().begin()

    def end(self) -> None:
        """Take down how long the transactions took that have ended."""
        super().end()
        self.latencies += [self.now - self.since.pop(transaction) for transaction in self.ended if transaction]
        on = self.now < self.cycles or (self.drained and (self.messages or any(self.waiting)))
        self.left = int(bool(on))

    def is_due(self, *, is_quiet: bool) -> bool:
        """Whether the present cycle is due for a search for messages that never move again."""
        return self.now % CHECK == 0

    def find_knot(self) -> bool:
        """Look for messages that never move again."""
        self.held = standstill(self, still=self.before == self.moves)
        self.before = self.moves
        return bool(self.held)

    def _sends(self, terminal: int) -> tuple[Sent, ...] | None:
        """The first messages of a transaction that a terminal may begin now; None: it has to wait."""
        system, limit = self.system, self.system.protocol.outstanding
        if limit is not None and sum(origin == terminal for origin, _ in self.alive) >= limit:
            return None
        choices = [np.flatnonzero(group.served[terminal]) for group in self.groups]
        pairs = list(zip(self.groups, choices, strict=True))
        group, others = self.chance.choices(pairs, [len(some) for some in choices])[0]
        if not fits(system, self.state, terminal, group.kinds):
            return None
        other = int(self.chance.choice(others))
        return tuple((kind, self.chance.choice(system.addresses(kind, terminal, other))) for kind in group.kinds)
