"""Messages put into a network one by one, each when it becomes ready: what traces and closed loops have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress
from unknot._base.switching import Switching, switching_named
from unknot.routing.relation import Relation
from unknot.routing.subnets import first_channels
from unknot.simulation.engine.codes import NO_CYCLE, UNDECIDED
from unknot.simulation.engine.detector import in_words
from unknot.simulation.engine.engine import Engine
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.engine.state_arrays import placed
from unknot.simulation.player import CHECK, PacketSource, play
from unknot.simulation.run.scenario import Scenario, check_buffers, check_numbers, depth_for
from unknot.traffic import Traffic
from unknot.traffic.trace import MOST, Trace, TraceError, addresses_drawn, kinds

PATIENCE = 1_000_000
"""Cycles without an arrival after which messages on the way are given up; more when they are long."""
SHORTEST = 3
"""Cycles from the switch grant of a flit to its ejection, at least: the switch, a channel of latency 1, the latch.

With a speedup a flit may cross the switch in the cycle of its grant."""
READY, SEND, IDLE = range(3)
"""Events: a message becomes ready; it enters the network; a terminal may be free again."""


class Messages(PacketSource):
    """Given messages in place of random packets; `follow` of a subclass says what an arrival makes ready.

    Each port of a terminal sends one message after the other: of those that are ready, the one that has been ready
    longest, or with `in_order` strictly the first of those still to come. Between two events the kernel runs
    undisturbed.

    Attributes
    ----------
    ready, injected, arrived : int64 arrays, shape (messages,)
        The cycle in which each message was ready to be sent, its header entered the network, and its tail arrived;
        −1 where that did not happen.
    slack : int
        Cycles that surely lie between an arrival and what it makes ready; the larger, the faster the run.
    reason : str
        Why messages did not arrive; empty when all did.
    """

    slack = 0

    def __init__(
        self,
        relation: Relation,
        trace: Trace,
        *,
        switching: Switching,
        buffer_depth: int | None,
        seed: int | None = None,
        overhead: int = 0,
        in_order: bool = False,
        router: Router = DEFAULT,
    ) -> None:
        """Set up a run; `seed` draws addresses of a destination (by default the first) and in random selections."""
        switching = switching_named(switching)
        depth = depth_for(switching, buffer_depth, *trace.flits.tolist())
        require_whole("overhead", overhead, 0, MOST, unit="cycles", error=SimulationError)
        for name, column in (("source", trace.source), ("destination", trace.destination)):
            lost = np.flatnonzero(column >= relation.network.num_terminals)
            if lost.size:
                last = relation.network.num_terminals - 1
                words = f"{relation.network.name} has terminals 0 to {last}, there is no {column[lost[0]]}"
                raise TraceError(words, int(lost[0]), name)
        longest = int(trace.flits.max(initial=1))
        check_numbers(longest, depth, 0 if seed is None else seed)
        check_buffers(longest, switching, depth)
        terminals, many = relation.network.num_terminals, len(trace)
        self.relation, self.seed, self.overhead, self.in_order = relation, seed, overhead, in_order
        self.width = router.terminal_width
        self.engine = Engine(Scenario(relation, 0.0, Traffic(), switching, depth, router, seed or 0))
        # Created in cycle 0 as far as the kernel knows, so that what it records as latency is the cycle of arrival.
        self.engine.measure(0, NO_CYCLE)
        self.rows = placed({"packets": many})["packets"]
        self.rows.address[:] = addresses_drawn(
            relation, trace.source, trace.destination, seed, kinds(relation, trace.classes)
        )
        self.rows.length[:], self.rows.source[:] = trace.flits, trace.source
        self.carries = np.zeros(len(self.engine.state.packets), dtype=np.int64)
        self.ready, self.injected, self.arrived = (np.full(many, -1, dtype=np.int64) for _ in range(3))
        self.source, self.flits = trace.source.tolist(), trace.flits.tolist()
        self.events: list[tuple[int, int, int]] = []
        # Messages that are ready, by the channel by which they leave.
        self.queue: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(terminals)]
        self.order: list[list[int]] = [[] for _ in range(terminals if in_order else 0)]
        if in_order:
            for i in range(many - 1, -1, -1):
                self.order[self.source[i]].append(i)
        self.held, self.polled = [False] * terminals, [False] * terminals
        self.unready = self.left = many
        self.inside = self.freed = self.last_arrival = 0
        self.look, self.patience = CHECK, PATIENCE + 16 * longest
        pairs = list(zip(self.source, self.rows.address.tolist(), strict=True)) if self.width > 1 else []
        self.leaves = first_channels(relation, pairs) or [-1] * many
        self.wire = SHORTEST - router.queues
        self.reason = ""

    @abstractmethod
    def follow(self, message: int, cycle: int) -> Iterable[tuple[int, int]]:
        """Return the messages that the arrival of one in a cycle makes ready, and the cycle of each."""

    def release(self, message: int, cycle: int) -> None:
        """Make a message ready from a cycle on."""
        heappush(self.events, (cycle, READY, message))
        self.unready -= 1

    def play(self, *, limit: int | None = None, progress: Progress | None = None) -> None:
        """Run on until every message has arrived, or some never will."""
        why = play(self, limit=limit, progress=progress)
        if self.engine.deadlock is not None:
            self._leave()
            self.reason = in_words(self.relation, self.engine.deadlock, self.now)
        elif why:
            self._leave()
            late = int((self.ready < 0).sum())
            self.reason = (
                f"{why}: {self.left} of {len(self.rows)} messages had not arrived, {late} had not been ready"
            )

    def report(self, progress: Progress) -> None:
        """Tell how many messages have arrived."""
        progress(f"{len(self.rows) - self.left} of {len(self.rows)} messages", self.now, 0)

    def begin(self) -> int | None:
        """Let terminals act; return the next cycle in which anything may happen at one."""
        now = self.now
        self._act(now)
        if not self.inside and not self.events:
            self.why = "nothing makes them ready"
            return None
        self.freed, self.may_skip = self.engine.count("free"), not self.inside
        until = self.events[0][0] if self.events else now + CHECK
        if self.inside:
            until = min(until, now + CHECK)
            if self.unready:
                until = min(until, now + self.wire + self.slack)
        return until

    def end(self) -> None:
        """Record arrived messages, and release the messages that became ready."""
        for message, cycle in self._collect():
            self.last_arrival = self.now
            for other, start in self.follow(message, cycle):
                self.release(other, start)
        if not self.inside:
            self.last_arrival = self.now
        elif self.now - self.last_arrival > self.patience:
            self.why = f"livelock or starvation: nothing arrived for {self.patience} cycles"

    def is_due(self, *, is_quiet: bool) -> bool:
        """Whether to look for a knot now: when nothing moves, or some time after the last look."""
        is_due = self.inside > 0 and (is_quiet or self.now >= self.look)
        if is_due:
            self.look = self.now + CHECK
        return is_due

    def _act(self, now: int) -> None:
        """Process all that happens at the terminals before cycle `now` is simulated."""
        touched = {}
        while self.events and self.events[0][0] <= now:
            cycle, kind, number = heappop(self.events)
            terminal = number if kind == IDLE else self.source[number]
            touched[terminal] = True
            if kind == READY:
                self.ready[number] = cycle
                queue = self.queue[terminal].setdefault(self.leaves[number], [])
                heappush(queue, (0 if self.in_order else cycle, number))
            elif kind == SEND:
                self.held[terminal] = False
                self._send(number, terminal)
            else:
                self.polled[terminal] = False
        for terminal in touched:
            self._serve(terminal, now)

    def _serve(self, terminal: int, now: int) -> None:
        """Let a terminal take up its next message if it is free, or else look again when it may be."""
        ports = self.engine.parts[0].terminals[terminal :: len(self.queue)]
        while not self.held[terminal] and any(self.queue[terminal].values()):
            queue = self._next(terminal, ports)
            if ports.packet.min() >= 0 or queue is None:
                if not self.polled[terminal] and (ports.packet >= 0).any():
                    self.polled[terminal] = True
                    heappush(self.events, (now + int(ports.left[ports.packet >= 0].min()), IDLE, terminal))
                return
            message = heappop(queue)[1]
            if self.in_order:
                self.order[terminal].pop()
            if self.overhead:
                self.held[terminal] = True
                heappush(self.events, (now + self.overhead, SEND, message))
                return
            self._send(message, terminal)

    def _next(self, terminal: int, ports: Any) -> list[tuple[int, int]] | None:
        """Queue of a terminal with its next message, which leaves by a channel that none of its ports sends to.

        Messages that wait behind each other for one channel would occupy all ports.
        """
        busy = {self.leaves[int(self.carries[p])] for p in ports.packet[ports.packet >= 0].tolist()} - {-1}
        queues = {channel: queue for channel, queue in self.queue[terminal].items() if queue}
        if self.in_order:
            queues = {channel: q for channel, q in queues.items() if q[0][1] == self.order[terminal][-1]}
        return min((queue for channel, queue in queues.items() if channel not in busy), default=None)

    def _send(self, message: int, terminal: int) -> None:
        """Make this message the next packet of a free port of a terminal."""
        state = self.engine.parts[0]
        ports = state.terminals.packet[terminal :: len(self.queue)]
        port = terminal + len(self.queue) * int(np.argmax(ports < 0))
        packet = state.new_packet()
        state.packets[packet] = self.rows[message]
        state.packets.source[packet] = port
        if len(state.courses):
            state.courses.script[packet] = UNDECIDED
        state.terminals.packet[port] = packet
        state.terminals.left[port] = self.flits[message]
        self.carries[packet] = message
        self.inside += 1

    def _collect(self) -> list[tuple[int, int]]:
        """Messages whose tails were sent to their terminals since `begin`, with the cycle of arrival."""
        state = self.engine.parts[0]
        many = int(state.count.measured_arrived)
        if not many:
            return []
        state.count.measured_arrived = 0
        packets = state.free[self.freed : self.freed + many]
        messages, cycles = self.carries[packets], state.latencies[:many] + self.skipped
        self.injected[messages] = state.packets.injected[packets] + self.skipped
        self.arrived[messages] = cycles
        self.inside -= many
        self.left -= many
        return list(zip(messages.tolist(), cycles.tolist(), strict=True))

    def _leave(self) -> None:
        """Note when those still on the way were injected."""
        state = self.engine.state
        on_way = np.ones(int(state.count.high), dtype=bool)
        on_way[state.free[: state.count.free]] = False
        terminals = state.terminals
        on_way[terminals.packet[(terminals.packet >= 0) & (terminals.vc < 0)]] = False
        packets = np.flatnonzero(on_way)
        self.injected[self.carries[packets]] = state.packets.injected[packets] + self.skipped
