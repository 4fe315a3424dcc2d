"""The two ends of a latency curve: latency without contention, and the load beyond which there is no steady one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from unknot._base.errors import SimulationError
from unknot._base.frames import Tabular
from unknot._base.memory import require
from unknot._base.numbers import is_number
from unknot._base.progress import Progress, found, with_bar
from unknot._base.quantities import Load
from unknot._base.shown import Shown
from unknot._base.switching import DEFAULT_SWITCHING
from unknot.flow_control.techniques import technique
from unknot.network.interchange import require_equal
from unknot.routing.flow_controls.named import flow_given
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_simulated
from unknot.simulation.engine.router import DEFAULT, Router
from unknot.simulation.run.backlog import CARRIED
from unknot.simulation.run.driver import simulate
from unknot.simulation.run.run import Run
from unknot.traffic import PatternLike
from unknot.traffic.workload import PACKET_LENGTH, PATTERN, Lengths, length_shares

ENDS = 3
"""Cycles of the injection and the ejection channel, both of latency 1, and of the last latch."""
LEAST = 1e-3
"""Load below which no stable one is looked for."""


@takes_simulated
def zero_load_latency(
    relation: Relation,
    *,
    packet_length: Lengths = PACKET_LENGTH,
    switching: str = DEFAULT_SWITCHING,
    traffic: PatternLike = PATTERN,
    router: Router = DEFAULT,
) -> float:
    """Mean latency of a packet that is alone in the network, in cycles.

    A packet of L flits that passes H routers over channels of latency d takes S H + Σ d + 3 + (L − 1) s cycles,
    where s are the cycles of switch allocation and S those of all stages of the router (4 by default): routing, VC
    allocation, switch allocation and traversal, or the longer one of both allocations if the router is speculative.
    Under saf each router waits for the tail besides: (L − 1) s cycles, the first one L − 1, less those of routing.
    Of packets of several lengths it is the mean. H and Σ d are means over the traffic, from `unknot.verify.loads`:
    exact where a packet has no choice or all its ways are alike, else the mean over headers that take each candidate
    of the lowest tier equally often. Headers that speculate on several output ports at once take longer where the
    switch is matched to another one than that of their VC, which is not counted. With a `direct` address (UGAL)
    packets take that one, as they do in an empty network. Buffers are deep enough for a packet to flow on.

    Parameters
    ----------
    packet_length, switching, traffic, router : optional
        As for `simulate`.

    Returns
    -------
    float
        Cycles.

    Raises
    ------
    RelationError, SimulationError
        If there is no traffic, or some of it is not delivered.

    Examples
    --------
    >>> zero_load_latency("mesh(4, 4)", routing="dimension_order", packet_length=4)
    22.5
    """
    from unknot.verify.loads import loads

    complete = technique(flow_given(relation, switching)[0]).complete
    require_equal(relation.network, "the formula of zero_load_latency")
    routed = loads(directly(relation), traffic)
    total = float(routed.channel.sum())
    if routed.mean_hops == 0.0 and routed.throughput == np.inf:
        raise SimulationError(f"{relation.name} on {relation.network.name}: there is no traffic")
    links = float(routed.channel @ relation.network.latency) * (routed.mean_hops / total) if total else 0.0
    routers = routed.mean_hops + 1
    sa = router.switch_allocation_delay

    def rest(length: int) -> float:
        """Return the cycles that a packet takes beyond its header."""
        behind = (length - 1) * sa
        if not complete:
            return float(behind)
        first, later = (max(0, wait - router.routing_delay) for wait in (length - 1, behind))
        return behind + first + (routers - 1) * later

    longer = sum(share * rest(length) for length, share in length_shares(packet_length))
    return router.header_cycles * routers + links + ENDS + longer


def directly(relation: Relation) -> Relation:
    """The relation with the addresses packets use when queues are empty."""
    if relation.direct is None:
        return relation
    terminals = np.arange(relation.network.num_terminals)[:, None]
    require("the direct addresses of all pairs", 8 * terminals.size * relation.num_addresses)
    taken = relation.direct_addresses(terminals, relation.destination[None, :])
    allowed = (taken == np.arange(relation.num_addresses)) | (taken < 0)
    return replace(
        relation,
        addresses=replace(
            relation.addresses, may_use=allowed if relation.may_use is None else allowed & relation.may_use
        ),
    )


@dataclass(frozen=True, repr=False)
class Saturation(Tabular, Shown):
    """Saturation of a network; loads in flits per terminal and cycle.

    Attributes
    ----------
    load : float
        The highest load found stable; 0.0 if none was.
    limit : float or None
        The lowest load found not stable, for sure where a run says so; None when the most that terminals send is
        stable: 1.0, or their width.
    throughput : float
        The highest accepted load of all runs that did not deadlock.
    runs : tuple of Run
        All runs of the search, by load.

    Examples
    --------
    >>> limits = saturation("ring(4)", routing="dimension_order", vcs=2, tolerance=0.2)
    >>> limits.load <= limits.throughput, limits.lower < limits.load < limits.limit
    (True, True)
    """

    load: Load
    limit: Load | None
    throughput: Load
    runs: tuple[Run, ...]

    @property
    def lower(self) -> float:
        """Lower end of the 95 % interval, of which `limit` is the upper: a growth below `CARRIED` counts as none."""
        return self.load / (1 + CARRIED)

    @property
    def unsure(self) -> tuple[float, ...]:
        """Loads of runs too short to tell, below the lowest load that is surely not carried: perhaps stable."""
        sure = min((run.offered_load for run in self.runs if not (run.stable or run.undecided)), default=inf)
        return tuple(run.offered_load for run in self.runs if run.undecided and run.offered_load < sure)

    def __repr__(self) -> str:
        limit = "and at load 1" if self.limit is None else f"not at {self.limit:.4g}"
        return f"<Saturation stable at {self.load:.4g}, {limit}; accepts at most {self.throughput:.4g}>"


@takes_simulated
@with_bar
def saturation(
    relation: Relation,
    /,
    *,
    tolerance: float = 0.01,
    progress: Progress | None = None,
    **options: Any,
) -> Saturation:
    """Search for the load at which runs cease to be stable, as a 95 % interval.

    It goes from `Saturation.lower` to `Saturation.limit`. Each run is a sequential test of its load, which goes on
    while it is in doubt. The loads are chosen by what a run beyond the limit accepts, then by bisection. A run that
    deadlocks counts as not stable. Where a run is in doubt to its end, loads on both sides of it are tried, and the
    interval may stay wider: see `Saturation.unsure`.

    Parameters
    ----------
    tolerance : float
        Half of the width of the interval as a part of the load, above `CARRIED` / 2 = 0.004.
    progress : callable, optional
        Called with the load and the stage of its run, see `unknot._base.progress`.
    **options : Any
        As for `simulate`.

    Returns
    -------
    Saturation
        The interval, with the runs that found it.

    Raises
    ------
    SimulationError
        If `tolerance` is not such a number below 1, or a run cannot be made.

    Examples
    --------
    >>> limits = saturation("ring(4)", routing="dimension_order", vcs=2, tolerance=0.2)
    >>> len(limits.runs) < 6
    True
    """
    if not is_number(tolerance) or not CARRIED / 2 < tolerance < 1:
        raise SimulationError(f"tolerance must be a number between {CARRIED / 2} and 1, got {tolerance!r}")
    runs: list[Run] = []
    low, high, limit, doubt = 0.0, float(options.get("router", DEFAULT).terminal_width), None, list[float]()
    load = high
    while True:
        told = None if progress is None else _at(progress, load)
        runs.append(simulate(relation, load, progress=told, **options))
        if runs[-1].stable:
            low = load
        elif runs[-1].undecided:
            doubt.append(load)
        if not (runs[-1].stable or runs[-1].undecided):
            high = limit = load
        found(f"stable at load {low:.4g}, {len(runs)} runs")
        doubt = [each for each in doubt if low < each < high]
        if low == high or not low < (load := _next(low, high, doubt, runs, tolerance)) < high:
            break
    if limit is None and runs[0].undecided:
        limit = high
    carried = max((run.accepted_load for run in runs if run.deadlock is None), default=0.0)
    return Saturation(low, limit, carried, tuple(sorted(runs, key=lambda run: run.offered_load)))


def _next(low: float, high: float, doubt: list[float], runs: list[Run], tolerance: float) -> float:
    """Return the load of the next run, with four digits, or `high` at the end of the search.

    The interval has to be narrow enough with `CARRIED` below it. Loads in doubt leave two gaps: the wider is halved.
    """
    wide = max(2 * tolerance - CARRIED, tolerance / 2)
    if high <= low * (1 + wide) or (not low and high < LEAST):
        return high
    edges = [low, *sorted(doubt), high]
    gaps = [(edges[1] - low, low, edges[1]), (high - edges[-2], edges[-2], high)]
    gap, below, above = max(gaps)
    if doubt and gap < wide * high / 4:
        return high
    last, load = runs[-1], (below + above) / 2
    guess = last.accepted_load * (1 - wide / 2) if last.deadlock is None else 0.0
    if last.offered_load == high and low * (1 + wide / 2) < guess < high * (1 - wide):
        load = guess
    elif last.stable and sum(run.stable for run in runs) == 1:
        load = min(load, low * (1 + 0.9 * wide))
    return float(f"{max(load, below + (above - below) / 100):.4g}")


def _at(progress: Progress, load: float) -> Progress:
    return lambda stage, done, total: progress(f"load {load:.4g}, {stage}", done, total)
