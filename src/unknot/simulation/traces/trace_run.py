"""Traces run flit by flit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unknot._base.arrays import Ints
from unknot._base.progress import Progress, with_bar
from unknot._base.quantities import Flits, WholeCycles
from unknot._base.switching import DEFAULT_SWITCHING, Switching
from unknot._base.three_valued import ThreeValued
from unknot.flow_control.techniques import technique_of
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.player import CUT_OFF
from unknot.simulation.run.parts import Ending, NetworkLatencies
from unknot.simulation.run.statistics import mean, summary
from unknot.simulation.traces.messages import Messages
from unknot.traffic.trace import MOST, Trace, TracedMessage


@dataclass(frozen=True, eq=False, kw_only=True)
class TraceRun(ThreeValued, Ending, NetworkLatencies, asks="finished"):
    """Outcome of the messages of a trace; times in cycles.

    Attributes
    ----------
    trace : Trace
    ready, injected, arrived : int64 arrays, shape (messages,)
        The cycle in which each message was ready to be sent (its own cycle had come, what it needs had arrived, and
        its delay was over), in which its header entered the network, and in which its tail arrived; −1 where that
        did not happen.
    makespan : int or None
        Cycle of the last arrival; None if messages did not arrive.
    latency_mean, latency_p50, latency_p95, latency_p99, latency_max : float or None
        Cycles from ready to arrived, over the messages that arrived.
    network_latency_mean : float or None
        Mean cycles from injected to arrived.
    unfinished : int
        Messages that did not arrive.
    reason : str
        Reason why messages did not arrive; empty when all did.
    carried : int64 array, shape (channels,)
        Flits that routers sent over each channel.
    seed : int or None
        Seed of the point that was simulated.

    Examples
    --------
    >>> from unknot.simulation import TracedMessage
    >>> run = run_trace("ring(4)", [TracedMessage(0, 0, 2, flits=4)], routing="dimension_order")
    >>> run.makespan, run.arrived.tolist(), run.unfinished
    (20, [20], 0)
    """

    trace: Trace = field(repr=False)
    ready: Ints = field(repr=False)
    injected: Ints = field(repr=False)
    arrived: Ints = field(repr=False)
    makespan: WholeCycles | None
    unfinished: int
    reason: str
    carried: Ints = field(repr=False)
    seed: int | None

    @property
    def finished(self) -> bool | None:
        """Whether all messages arrived; None: the limit came first."""
        return None if self.reason.startswith(CUT_OFF) else not self.unfinished

    @property
    def latency(self) -> Ints:
        """From ready to arrived, of each message that arrived; −1 for the others."""
        return np.where(self.arrived < 0, -1, self.arrived - self.ready)

    def of_class(self, message_class: str, *, network: bool = False) -> Ints:
        """Latencies of the messages of a class that arrived; with `network` from injected instead of ready."""
        members = np.array([c == message_class for c in self.trace.classes], dtype=bool)
        if not members.size:
            return self.arrived[:0]
        arrived = members & (self.arrived >= 0)
        return (self.arrived - (self.injected if network else self.ready))[arrived]


@takes_simulated
@with_bar
def run_trace(
    relation: Relation,
    trace: Trace | Iterable[TracedMessage],
    *,
    switching: Switching = DEFAULT_SWITCHING,
    buffer_depth: Flits | None = None,
    overhead: int = 0,
    in_order: bool = False,
    limit: int | None = None,
    seed: int | None = 1,
    progress: Progress | None = None,
) -> TraceRun:
    """Run the messages of a trace through a network that is empty at the beginning.

    Each terminal sends one message at a time, those first that were ready first. Messages always start in the first
    cycle in which they may, and arrival times are exact; the run stops between cycles only where something can
    start, so its cost is that of the flits moved plus some microseconds for each message and each stop. Cycles in
    which the network is empty cost nothing.

    Where the relation has message classes (`unknot.routing.in_classes`) a message carries an address of its class,
    and one without a class any.

    Parameters
    ----------
    trace : Trace | Iterable[TracedMessage]
        The messages.
    switching : {"saf", "vct", "wormhole", "wormhole-nonatomic"}
    buffer_depth : int, optional
        Flits per VC; by default 8, or those of the longest message under ``vct`` and ``saf``.
    overhead : int
        Cycles a free terminal is busy with a message before its first flit.
    in_order : bool
        Whether a terminal sends its messages strictly in the order of the trace, waiting for one whose needs have
        not arrived although others are ready.
    limit : int, optional
        Cycle in which to stop. By default the run ends when all has arrived, at a deadlock, or when nothing at all
        arrives for a million cycles.
    seed : int or None
        Of the draws among several addresses for a destination; with None the first is taken. Also of a relation
        that selects candidates at random, such as `nca`. Nothing else is random.
    progress : callable, optional
        Called with words and the cycle reached, see `unknot._base.progress`.

    Returns
    -------
    TraceRun
        A deadlock is an answer (`TraceRun.deadlock`), and so are messages that did not arrive (`TraceRun.reason`).

    Raises
    ------
    SimulationError
        If a message does not fit the network or its buffers, or is of a class that the relation does not have.
    RelationError
        If there is no address for a message, or it comes to an input VC without a candidate.

    Examples
    --------
    >>> from unknot.simulation import TracedMessage
    >>> question = TracedMessage(0, source=0, destination=2)
    >>> answer = TracedMessage(0, source=2, destination=0, flits=8, needs=(0,), delay=20)
    >>> run_trace("ring(4)", [question, answer], routing="dimension_order").arrived.tolist()
    [17, 61]
    """
    trace = trace if isinstance(trace, Trace) else Trace.of(trace)
    return played(
        relation, trace, switching=switching, buffer_depth=buffer_depth, seed=seed, overhead=overhead,
        in_order=in_order, limit=limit, progress=progress,
    )  # fmt: skip


class Traced(Messages):
    """Messages of a trace, which are ready when their needs have arrived."""

    def __init__(self, relation: Relation, trace: Trace, **options: Any) -> None:
        super().__init__(relation, trace, **options)
        self.followers, self.needed = trace.followers(), np.diff(trace.need_first).tolist()
        self.earliest, self.delay = trace.cycle.tolist(), trace.delay.tolist()
        for message, needed in enumerate(self.needed):
            if not needed:
                self.release(message, self.earliest[message])
        self.slack = int(trace.delay[np.diff(trace.need_first) > 0].min(initial=MOST))

    def follow(self, message: int, cycle: int) -> Iterator[tuple[int, int]]:
        """Yield the messages whose last need this was."""
        for i in self.followers[message]:
            self.needed[i] -= 1
            self.earliest[i] = max(self.earliest[i], cycle + self.delay[i])
            if not self.needed[i]:
                yield i, self.earliest[i]


def played(
    relation: Relation,
    trace: Trace,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> TraceRun:
    """Run a trace; the other options are those of `Messages`."""
    source = Traced(relation, trace, **options)
    source.play(limit=limit, progress=progress)
    return trace_run(source, trace)


def trace_run(source: Messages, trace: Trace) -> TraceRun:
    """Return the outcome of messages that were played."""
    done, engine = source.arrived >= 0, source.engine
    latency = (source.arrived - source.ready)[done]
    makespan = int(source.arrived.max(initial=0)) if done.all() else None
    return TraceRun(
        trace=trace,
        ready=source.ready,
        injected=source.injected,
        arrived=source.arrived,
        makespan=makespan,
        **summary(latency, "latency"),
        network_latency_mean=mean(int((source.arrived - source.injected)[done].sum()), latency.size),
        unfinished=source.left,
        reason=source.reason,
        cycles=source.now if makespan is None else makespan,
        flit_hops=engine.count("flit_hops"),
        carried=engine.carried(),
        switching=technique_of(engine.scenario.control),
        buffer_depth=engine.scenario.buffer_depth,
        seed=source.seed,
        deadlock=engine.deadlock,
    )
