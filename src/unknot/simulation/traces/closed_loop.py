"""Closed loops: fixed work for each terminal, a window of outstanding requests, replies from where they arrive."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from unknot._base.arrays import Ints, offsets
from unknot._base.errors import SimulationError
from unknot._base.memory import require
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress, with_bar
from unknot._base.quantities import Cycles, Load, WholeCycles
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.run.statistics import summary
from unknot.simulation.traces.exchange import Exchange, LoopOptions
from unknot.simulation.traces.messages import Messages
from unknot.simulation.traces.trace_run import TraceRun, trace_run
from unknot.traffic import Pattern, PatternLike, pattern
from unknot.traffic.trace import Trace

REQUEST, REPLY = "request", "reply"
NONE = np.zeros(0, dtype=np.int64)
MESSAGE = 400
"""Bytes at the peak for each message of a run."""


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """Outcome of a closed loop of requests and replies; times in cycles.

    Attributes
    ----------
    makespan : int or None
        Cycle in which the last request was done; None if not all were.
    throughput : float or None
        Flits that arrived per terminal of the network and cycle, over the makespan.
    round_trip_mean, round_trip_p50, round_trip_p95, round_trip_p99, round_trip_max : float or None
        Cycles from the moment a request was ready to the arrival of its reply, service included.
    finished : int64 array, shape (terminals,)
        Cycle in which each terminal was done; −1 if it was not, or had nothing to do.
    requests, window : int
        Requests of each terminal that sends, and most of them under way at once.
    done : int
        Requests that were replied to, of all terminals.
    run : TraceRun
        The single messages. Its trace, in which each request needs the reply that made it possible, run again with
        the same options gives the same run.

    Examples
    --------
    >>> loop = closed_loop("mesh(4, 4)", routing="dimension_order", requests=5)
    >>> loop.done, loop.requests, loop.round_trip_p50
    (80, 5, 50.0)
    """

    makespan: WholeCycles | None
    throughput: Load | None
    round_trip_mean: Cycles | None
    round_trip_p50: Cycles | None
    round_trip_p95: Cycles | None
    round_trip_p99: Cycles | None
    round_trip_max: Cycles | None
    finished: Ints = field(repr=False)
    requests: int
    window: int
    done: int
    run: TraceRun = field(repr=False)

    @property
    def reason(self) -> str:
        """Reason why some work was left undone; empty when all was done."""
        return self.run.reason


@takes_simulated
@with_bar
def closed_loop(
    relation: Relation,
    *,
    requests: int = 100,
    window: int = 4,
    traffic: PatternLike = "uniform_others",
    switching: str = DEFAULT_SWITCHING,
    buffer_depth: int | None = None,
    limit: int | None = None,
    router: Router = DEFAULT,
    seed: int = 1,
    progress: Progress | None = None,
    **numbers: Unpack[LoopOptions],
) -> ClosedLoop:
    """Let every terminal make a number of requests, never more than a window of them outstanding.

    When a request has arrived its destination creates the reply `service` cycles later; when a reply has arrived the
    next request is made `think` cycles later. They share source queues, and virtual channels too unless the relation
    has the message classes ``request`` and ``reply`` (`unknot.routing.in_classes`). Since terminals take in whatever
    arrives, a reply never keeps a request from being received: on a relation that is proved deadlock-free the work
    always gets done, with classes and without.

    Parameters
    ----------
    requests : int
        Of each terminal.
    window : int
        Requests of a terminal that may be outstanding.
    traffic : str, sequence of int, array, callable or Pattern
        Destinations of requests, as in `simulate`; each request draws anew. A terminal sends none to itself unless
        `itself`, and one without another destination is silent. Of a matrix only proportions within each row matter.
    switching : Switching
        The switching technique.
    limit : int or None
        Cycles after which the run ends.
    router : Router
        As for `simulate`.
    buffer_depth : int, optional
        As for `run_trace`.
    seed : int
        Of the destinations and of the draws among several addresses.
    progress : Progress or None
        Called with what is done, how far it is, and how far it goes.
    **numbers
        Fields of `Exchange`: `request_flits`, by default 1, and `reply_flits`, 4, without replies 0; `service` and
        `think`, cycles before a reply and before the next request; `itself`.

    Returns
    -------
    ClosedLoop
        What the terminals waited for.

    Raises
    ------
    SimulationError
        If a number makes no sense, no terminal has another one to ask, or the relation has other message classes.
    RelationError
        If there is no address for a message, or it comes to an input VC without a candidate.

    Examples
    --------
    >>> few = closed_loop("mesh(4, 4)", routing="dimension_order", requests=5, window=1)
    >>> many = closed_loop("mesh(4, 4)", routing="dimension_order", requests=5, window=4)
    >>> few.makespan > many.makespan
    True
    """
    for name, number in (("requests", requests), ("window", window)):
        require_whole(name, number, 1, error=SimulationError)
    one = Exchange(**numbers)
    if relation.classes and not {REQUEST, REPLY} <= set(relation.classes):
        raise SimulationError(
            f"{relation.name}: the messages of a closed loop are of the classes {REQUEST} and {REPLY}; the routing "
            f"has {', '.join(relation.classes)}"
        )

    terminals = relation.network.num_terminals
    require(
        f"{requests} requests of each of {terminals} terminals",
        (1 + bool(one.reply_flits)) * requests * terminals * MESSAGE,
    )
    targets = _targets(pattern(relation.network, traffic), terminals, requests, seed, one.itself)
    sources = np.flatnonzero(targets[:, 0] >= 0)
    if not sources.size:
        raise SimulationError(f"{relation.network.name}: no terminal has another one to ask")
    there = np.repeat(sources, requests), targets[sources].reshape(-1)
    back = there[::-1] if one.reply_flits else (NONE, NONE)
    many = [there[0].size, back[0].size]
    flits, delay = np.repeat([one.request_flits, one.reply_flits], many), np.repeat([one.think, one.service], many)
    loop = _Loop(
        relation,
        Trace(
            cycle=np.zeros(flits.size, dtype=np.int64),
            source=np.append(there[0], back[0]),
            destination=np.append(there[1], back[1]),
            flits=flits,
            delay=delay,
            need_first=np.zeros(flits.size + 1, dtype=np.int64),
            needs=NONE,
            classes=(REQUEST,) * many[0] + (REPLY,) * many[1],
        ),
        requests,
        window,
        switching=switching,
        buffer_depth=buffer_depth,
        seed=seed,
        router=router,
    )
    loop.play(limit=limit, progress=progress)
    return _summary(relation, trace_run(loop, loop.outcome()), many[0], requests, window)


class _Loop(Messages):
    """Requests of each terminal, one block after the other, and then as many replies or none."""

    def __init__(self, relation: Relation, trace: Trace, requests: int, window: int, **options: Any) -> None:
        super().__init__(relation, trace, **options)
        self.trace, self.requests, self.many = trace, requests, trace.classes.count(REQUEST)
        self.replied, self.delay = len(trace) > self.many, trace.delay.tolist()
        self.slack = min(self.delay)
        # The message that made each one possible: −1 where nothing had to arrive.
        self.made_by = np.maximum(-1, np.arange(len(trace)) - self.many)
        self.following = []
        for first in range(0, self.many, requests):
            self.following.append(first + min(window, requests))
            for request in range(first, self.following[-1]):
                self.release(request, 0)

    def follow(self, message: int, cycle: int) -> list[tuple[int, int]]:
        """Return the reply to a request, or the next request."""
        following = message + self.many
        if message >= self.many or not self.replied:
            block = message % self.many // self.requests
            following = self.following[block]
            if following == (block + 1) * self.requests:
                return []
            self.following[block] += 1
            self.made_by[following] = message
        return [(following, cycle + self.delay[following])]

    def outcome(self) -> Trace:
        """Return the trace of the run, in which each message needs its predecessors."""
        made = self.made_by >= 0
        # A request that the run did not come to is put at its end.
        cycle = np.where((self.ready < 0) & ~made, self.now, 0)
        return replace(self.trace, cycle=cycle, need_first=offsets(made), needs=self.made_by[made])


def _targets(chosen: Pattern, terminals: int, requests: int, seed: int, itself: bool) -> Ints:
    """Return the destinations of requests: int64 array, shape (terminals, requests); −1 for a silent terminal."""
    random = np.random.default_rng([seed, terminals])
    targets = np.full((terminals, requests), -1, dtype=np.int64)
    for t in range(terminals):
        if chosen.destination is not None:
            targets[t] = chosen.destination[t] if itself or chosen.destination[t] != t else -1
            continue
        weight = np.ones(terminals) if chosen.weight is None else np.array(chosen.weight[t], dtype=np.float64)
        weight[t] *= itself
        if weight.any():
            targets[t] = random.choice(terminals, requests, p=weight / weight.sum())
    return targets


def _summary(relation: Relation, run: TraceRun, many: int, requests: int, window: int) -> ClosedLoop:
    """Round trips and throughput of the messages, the first `many` of which are requests."""
    last = run.arrived[-many:]
    done = last >= 0
    trips = (last - run.ready[:many])[done]
    terminals = relation.network.num_terminals
    finished = np.full(terminals, -1, dtype=np.int64)
    ends = np.where(done.reshape(-1, requests).all(axis=1), last.reshape(-1, requests).max(axis=1), -1)
    finished[run.trace.source[:many:requests]] = ends
    makespan = run.makespan
    return ClosedLoop(
        makespan=makespan,
        throughput=float(run.trace.flits.sum()) / (terminals * makespan) if makespan else None,
        **summary(trips, "round_trip"),
        finished=finished,
        requests=requests,
        window=window,
        done=int(done.sum()),
        run=run,
    )
