"""The fewest lanes: routes along shortest paths that cannot deadlock, and why fewer lanes are not enough."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError, near
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.synthesis.evidence import Evidence, Refutation, Rejected, accept
from unknot.synthesis.exact import Open, decide
from unknot.synthesis.forced import forced_cycle
from unknot.synthesis.laned import Routes, laned
from unknot.synthesis.loads import balanced
from unknot.synthesis.orders import Effort, Progress, fewest, orders_of
from unknot.synthesis.ways import Flags, Floats, demand, ways

PATHS = ("free",)
MOST_STATES = 400_000_000
"""Most lanes × channels × destinations for which routes are tabulated; 9 bytes each."""


@dataclass(frozen=True, eq=False)
class Lanes:
    """Routes in lanes, and what is known about fewer.

    Attributes
    ----------
    relation : Relation
        Lane l has VC l of every channel. An address is lane · terminals + terminal.
    count : int
        Number of lanes.
    lower_bound : int
        Fewer lanes are impossible: shown by `evidence`, or because there is no fewer than one.
    evidence : ForcedCycle, Refutation or None
        Why `lower_bound` − 1 lanes are not enough.
    paths : {"free"}
    routes : Routes
        The tables behind the relation.
    key : float64 array, shape (lanes, channels)
        In its lane, the channels of every route climb in it.
    pairs : int
        Pairs of routers that are served.
    highest_load, mean_load : float
        Of the channels, in routes (pairs of terminals), or in the units of the flows.
    tried : dict of int to (int, int)
        For each number of lanes that was not enough the rounds of search, and the fewest pairs left without a route.
    conflicts : dict of int to int
        For each number of lanes that an exact search left open its conflicts; 0: it was too large for one.
    moves : int
        Of the search.
    complete : bool
        Whether the search ended by itself, not by the time limit or Ctrl-C.
    sends : bool array or None
        The flows that are served, if not all.
    """

    relation: Relation
    count: int
    lower_bound: int
    evidence: Evidence | None
    paths: str
    routes: Routes
    key: npt.NDArray[np.float64]
    pairs: int
    highest_load: float
    mean_load: float
    tried: dict[int, tuple[int, int]]
    conflicts: dict[int, int]
    moves: int
    complete: bool
    sends: Flags | None = None

    @property
    def fewest(self) -> bool:
        """Whether fewer lanes are shown to be impossible."""
        return self.count == self.lower_bound

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none to check."""
        if self.evidence is None:
            return None
        try:
            impossible = accept(self.relation.network, self.evidence, self.sends)
        except Rejected:
            return False
        return impossible == self.lower_bound - 1


def lanes(
    network: Network | str,
    paths: str = "free",
    *,
    flows: npt.ArrayLike | None = None,
    vcs: int | None = None,
    time_limit: float = 60.0,
    rounds: int = 7,
    conflicts: int = 100_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Lanes:
    """Route along shortest paths in as few lanes as are found, and say whether fewer are impossible.

    A lane is a VC of every channel that a packet never leaves. Each lane orders the channels, and routes climb, so
    none can deadlock under any switching technique. The orders are found by simulated annealing.

    Parameters
    ----------
    network : Network or str
        A text such as ``"torus(8, 8)"`` is read as a topology.
    paths : {"free"}
        Which shortest path a pair takes is free.
    flows : array_like of float, shape (terminals, terminals), optional
        What each terminal sends to each other; pairs with 0 need no route. By default every terminal sends as much to
        every other.
    vcs : int, optional
        VCs per channel of the relation, shared out among the lanes; by default one for each lane.
    time_limit : float
        Seconds. A first result is made whatever it is; Ctrl-C then keeps the best.
    rounds : int
        Rounds of annealing with the same number of lanes before the search gives up, each twice as long as the last.
    conflicts : int
        Most conflicts of the solver that searches exactly, where the annealing found no way.
    seed : int
        The same seed gives the same result, unless time ran out.
    progress : callable(str), optional
        Called with what is being tried.

    Raises
    ------
    NetworkError
        If some terminal has no way to another, or the flows make no sense.
    RelationError
        If an argument makes no sense, or the network is too large for tables.

    Examples
    --------
    >>> from unknot.synthesis import lanes
    >>> found = lanes("torus(6, 6)")
    >>> found.count, found.lower_bound, found.evidence_holds
    (2, 2, True)
    """
    if paths not in PATHS:
        raise RelationError(f"lanes: unknown paths {paths!r}; {near(paths, PATHS)}")
    if not time_limit > 0:
        raise RelationError(f"lanes: the time limit must be a positive number of seconds, got {time_limit!r}")
    if isinstance(network, str):
        from unknot import tod

        network = tod.network(network)
    given = demand(network, flows)
    effort = Effort(time.monotonic() + time_limit, seed, progress)
    reason = forced_cycle(given)
    least = 1 if reason is None else 2
    space = ways(given)
    reasons: list[Evidence] = [] if reason is None else [reason]
    left_open: dict[int, int] = {}

    def exact(count: int) -> Floats | Literal[True] | None:
        now = time.monotonic()
        half = replace(effort, deadline=now + (effort.deadline - now) / 2)
        answer = decide(given, count, half, conflicts=conflicts)
        if isinstance(answer, Refutation):
            reasons.append(answer)
            return True
        if isinstance(answer, Open):
            left_open[count] = answer.conflicts
            return None
        return answer

    key = fewest(space, least, effort, rounds=rounds, exact=exact)
    key = key if len(key) else np.zeros((1, network.num_channels))
    if key.size * given.distances.homes.size > MOST_STATES:
        raise RelationError(
            f"lanes on {network.name}: tables of {len(key)} lanes × {network.num_channels} channels × "
            f"{given.distances.homes.size} destinations are too large"
        )
    orders, _ = orders_of(space, key)
    effort.say("choosing routes of low load")
    routes = balanced(given, space, orders, seed=seed)
    return Lanes(
        relation=laned(network, routes, vcs=vcs, sends=given.sends),
        count=len(key),
        lower_bound=max([least, *(r.lanes + 1 for r in reasons if isinstance(r, Refutation))]),
        evidence=reasons[-1] if reasons else None,
        paths=paths,
        routes=routes,
        key=key,
        pairs=given.pairs,
        highest_load=float(routes.load.max(initial=0.0)),
        mean_load=float(routes.load.mean()) if routes.load.size else 0.0,
        tried=effort.tried,
        conflicts=left_open,
        moves=effort.moves,
        complete=not effort.over and not effort.interrupted,
        sends=given.sends,
    )
