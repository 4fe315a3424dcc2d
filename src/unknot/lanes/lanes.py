"""The fewest lanes: routes along shortest paths that cannot deadlock, and why fewer lanes are not enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unknot._base.background import clock
from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError, near
from unknot._base.progress import Progress, with_bar
from unknot.lanes.effort import CHOOSING, SEARCHING, SearchEffort
from unknot.lanes.exact import ExactSearch
from unknot.lanes.figures import Lanes
from unknot.lanes.laned import Routes, laned
from unknot.lanes.loads import balanced, balanced_table, load_bound, loads_of
from unknot.lanes.orders import fewest, search
from unknot.lanes.question import Question, question_of
from unknot.lanes.rooted import ServingOrders, orders_of
from unknot.lanes.tables import Table, lanes_of, tabled
from unknot.lanes.ways import Floats, Ints
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

FIRST = ("lanes", "load")
UNEVEN = 1.5
"""Highest load over the mean above which the second search is longer; orders around roots are uneven."""
LONGER, SHARE = 6, 0.15
"""Rounds of that search, which begins with random orders, and its share of the time that is left."""
MOST_STATES = 400_000_000
"""Most lanes × channels × destinations for which routes are tabulated; 9 bytes each."""


@dataclass(frozen=True, eq=False)
class RoutesInLanes:
    """Routes in some lanes, with the lane of each pair, the load of each channel, and the orders of the lanes."""

    routes: Routes | Table
    lane: Ints
    load: Floats
    key: Floats

    @property
    def count(self) -> int:
        """Number of lanes."""
        return len(self.key)

    @property
    def highest(self) -> float:
        """Highest load of a channel."""
        return float(self.load.max(initial=0.0))

    def relation(self, question: Question, vcs: int | None) -> Relation:
        """The relation with this number of VCs per channel; by default one for each lane."""
        if isinstance(self.routes, Table):
            return tabled(self.routes, self.lane, self.count, vcs=vcs)
        return laned(question.network, self.routes, vcs=vcs, sends=question.sends)


@takes_network
@with_bar
def lanes(
    network: Network,
    paths: str = "free",
    *,
    routing: Relation | str | None = None,
    flows: npt.ArrayLike | None = None,
    vcs: int | None = None,
    time_limit: float | Deadline = 60.0,
    tries: int = 4,
    most: int | None = None,
    first: str = "lanes",
    rounds: int = 7,
    conflicts: int = 200_000,
    both_ways: bool = False,
    limit: int | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> Lanes:
    """Route along shortest paths in as few lanes as are found, and say whether fewer are impossible.

    A lane is a VC of every channel that a packet never leaves. Each lane orders the channels, and routes climb, so
    none can deadlock under any switching technique. The orders are found by simulated annealing.

    Parameters
    ----------
    network : Network or str
        A text such as ``"torus(8, 8)"`` is read as a topology.
    paths : {"free", "table", "given"}
        Which shortest path a pair takes is free; or it is as far as the next channel depends on the router and the
        destination alone, the same in all lanes; or the paths are those of `routing`, shortest or not.
    routing : Relation or str, optional
        For given paths: a relation that has one way for each router and address, or the name of one.
    flows : array_like of float, shape (terminals, terminals), optional
        What each terminal sends to each other; pairs with 0 need no route. By default every terminal sends as much to
        every other.
    vcs : int, optional
        VCs per channel of the relation, shared out among the lanes; by default one for each lane.
    time_limit : float or Deadline
        Seconds. A first result is made whatever it is; Ctrl-C then keeps the best.
    tries : int
        Searches with as many lanes as were found; the routes of the lowest highest load are kept.
    most : int, optional
        Routes are also sought in more lanes than are needed, up to this many, for their loads: see `Lanes.front`.
    first : {"lanes", "load"}
        Which routes of the front are taken: those in the fewest lanes, or those of the lowest highest load.
    rounds : int
        Rounds of annealing with the same number of lanes before the search gives up, each twice as long as the last.
    conflicts : int
        Most conflicts of the solver that searches exactly, where the annealing found no way.
    both_ways : bool
        For tables and given paths: two routers send to each other in the same lane, all their addresses included, as
        InfiniBand wants it, where the accepting side of a connection answers at the level of the request.
    limit : int, optional
        Lanes there are at most; an error if no routes are found in them.
    seed : int
        The same seed gives the same result, unless time ran out.
    progress : callable, optional
        Called with what is being tried, see `unknot._base.progress`.

    Raises
    ------
    NetworkError
        If some terminal has no way to another, or the flows make no sense.
    RelationError
        If an argument makes no sense, the network is too large for tables, or `limit` lanes were not enough.

    Examples
    --------
    >>> from unknot.lanes import lanes
    >>> found = lanes("torus(6, 6)")
    >>> found.count, found.lower_bound, found.evidence_holds
    (2, 2, True)
    """
    if isinstance(tries, bool) or not isinstance(tries, int) or tries < 1:
        raise RelationError(f"lanes: at least one try is wanted, got {tries!r}")
    deadline = Deadline.of(time_limit, "lanes")
    if first not in FIRST:
        raise RelationError(f"lanes: unknown first {first!r}; {near(first, FIRST)}")
    if both_ways and paths == "free":
        raise RelationError("lanes: both directions of a pair share a lane for tables and given paths, not free ones")
    effort = SearchEffort(deadline.part(SEARCHING).end, seed, progress)
    question = question_of(network, paths, "shared" if both_ways else "none", routing, flows)
    pairs, bound = question.demand, None
    if pairs is not None:
        choosing = CHOOSING * float(pairs.distances.table.T[pairs.wanted].sum())
        effort.deadline = min(effort.deadline, deadline.end - choosing)
    exact = ExactSearch(question, effort, conflicts)
    orders = fewest(question.ways, exact, rounds=rounds, limit=limit)
    effort.finish_by(deadline.end)
    options = list(_options(question, orders, effort, tries, most or 0))
    counts = sorted({option.count for option in options})
    front = tuple((count, min(option.highest for option in options if option.count == count)) for count in counts)
    best = min(options, key=lambda o: (o.highest, o.count) if first == "load" else (o.count, o.highest))
    if pairs is not None:
        bound = effort.insist(lambda: load_bound(pairs, time_limit=min(20.0, effort.deadline - clock())))
    return Lanes(
        relation=best.relation(question, vcs),
        count=best.count,
        lower_bound=exact.low,
        evidence=exact.evidence,
        paths=paths,
        routes=best.routes,
        lane=best.lane,
        load=best.load,
        load_bound=bound,
        key=best.key,
        pairs=question.pairs,
        tried=effort.tried,
        conflicts=exact.open,
        moves=effort.moves,
        complete=effort.complete,
        sends=question.sends,
        given=question.given,
        both_ways=both_ways,
        front=() if pairs is None else front,
        history=() if pairs is None else tuple(effort.history),
    )


def _options(
    question: Question, orders: ServingOrders, effort: SearchEffort, tries: int, most: int
) -> Iterator[RoutesInLanes]:
    """Routes in the orders, then those of more searches: in as many lanes, and in more up to `most`."""
    network = question.network
    if not len(orders):
        orders = replace(orders, key=np.zeros((1, network.num_channels)))
    count, homes = len(orders), question.ways.home.size
    if question.demand is not None and orders.key.size * homes > MOST_STATES:
        raise RelationError(
            f"lanes on {network.name}: tables of {count} lanes × {network.num_channels} channels × "
            f"{homes} destinations are too large"
        )
    began = clock()
    made = effort.insist(lambda: _routes(question, orders, effort))
    yield made
    if question.demand is None:
        return
    took, least, mean = clock() - began, made.highest, made.load.mean()
    for number, lanes in enumerate([count] * (tries - 1) + [*range(count + 1, most + 1)] * tries, start=1):
        if (lanes == count and least <= mean) or effort.interrupted:
            continue
        if clock() + took > effort.deadline:
            effort.hurried = True
            return
        again = replace(effort, seed=effort.seed + 7919 * number, tried={})
        uneven = number == 1 and least > UNEVEN * mean
        rounds, roots = (LONGER, False) if uneven else (1, None)
        if uneven:
            again.deadline = clock() + SHARE * (effort.deadline - clock())
        try:
            other = search(question.ways, lanes, again, first=0, rounds=rounds, hops=question.hops, roots=roots)
            if other is not None:
                made = _routes(question, other, again)
                least = min(least, made.highest)
                yield made
        except KeyboardInterrupt:
            effort.interrupted = True
        effort.moves, effort.hurried = again.moves, effort.hurried | again.hurried
        effort.interrupted |= again.interrupted


def _routes(question: Question, orders: ServingOrders, effort: SearchEffort) -> RoutesInLanes:
    """Routes of low load in some orders."""
    effort.report("choosing routes of low load")
    lanes, _ = orders_of(question.ways, orders.key, orders.taken)
    if question.demand is None:
        table = question.table_of(orders.taken)
        return RoutesInLanes(table, lanes_of(lanes, table), loads_of(table), orders.key)
    if question.paths == "free":
        routes = balanced(question.demand, question.ways, lanes, effort)
        return RoutesInLanes(routes, routes.lane, routes.load, orders.key)
    taken, load = balanced_table(question.demand, question.ways, lanes, effort)
    lanes, _ = orders_of(question.ways, orders.key, taken)
    table = question.table_of(taken)
    return RoutesInLanes(table, lanes_of(lanes, table), load, orders.key)
