"""The fewest lanes: routes along shortest paths that cannot deadlock, and why fewer lanes are not enough."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from unknot._base.background import clock
from unknot._base.deadline import Deadline
from unknot._base.errors import RelationError, near
from unknot._base.progress import Progress, with_bar
from unknot.lanes.effort import CHOOSING, SEARCHING, Effort
from unknot.lanes.evidence import Evidence
from unknot.lanes.exact import Open, decide
from unknot.lanes.figures import Lanes
from unknot.lanes.flows import only
from unknot.lanes.forced import cycle_of_routes, forced_cycle
from unknot.lanes.lane_refutation import Refutation
from unknot.lanes.laned import Routes, laned
from unknot.lanes.loads import balanced, balanced_table, load_bound, loads_of
from unknot.lanes.orders import fewest, search
from unknot.lanes.rooted import Found, orders_of
from unknot.lanes.tables import Table, free_table, lanes_of, table_of, tabled, ways_of
from unknot.lanes.ways import Demand, Floats, Ints, demand, of_pairs, packed, ways
from unknot.network import Network
from unknot.routing.relation import Relation

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Ways

PATHS = ("free", "table", "given")
FIRST = ("lanes", "load")
UNEVEN = 1.5
"""Highest load over the mean above which the second search is longer; orders around roots are uneven."""
LONGER, SHARE = 6, 0.15
"""Rounds of that search, which begins with random orders, and its share of the time that is left."""
MOST_STATES = 400_000_000
"""Most lanes × channels × destinations for which routes are tabulated; 9 bytes each."""


@with_bar
def lanes(
    network: Network | str,
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
    if paths not in PATHS:
        raise RelationError(f"lanes: unknown paths {paths!r}; {near(paths, PATHS)}")
    if isinstance(tries, bool) or not isinstance(tries, int) or tries < 1:
        raise RelationError(f"lanes: at least one try is wanted, got {tries!r}")
    deadline = Deadline.of(time_limit, "lanes")
    if isinstance(network, str):
        from unknot.network import tod

        network = tod.network(network)
    if first not in FIRST:
        raise RelationError(f"lanes: unknown first {first!r}; {near(first, FIRST)}")
    if both_ways and paths == "free":
        raise RelationError("lanes: both directions of a pair share a lane for tables and given paths, not free ones")
    if (paths == "given") != (routing is not None):
        raise RelationError("lanes: a routing is wanted for given paths, and for no others")
    effort = Effort(deadline.part(SEARCHING).end, seed, progress)
    if routing is not None:
        return _given(network, routing, flows, vcs, effort, rounds, both_ways, limit)
    given = demand(network, flows)
    effort.deadline = min(
        effort.deadline, deadline.end - CHOOSING * float(given.distances.table.T[given.wanted].sum())
    )
    reason = forced_cycle(given)
    reasons: list[Evidence] = [] if reason is None else [reason]
    space = of_pairs(ways(given), packed(given.wanted), both_ways=both_ways)
    left_open: dict[int, int] = {}

    def exact(count: int) -> Found | Literal[True] | None:
        now = clock()
        half = replace(effort, deadline=now + (effort.deadline - now) / 2)
        answer = decide(given, count, half, conflicts=conflicts, changes="shared" if both_ways else "none")
        if isinstance(answer, Refutation):
            reasons.append(answer)
            return True
        if isinstance(answer, Open):
            left_open[count] = answer.conflicts
        return Found(answer, space.nearer) if isinstance(answer, np.ndarray) and paths == "free" else None

    hops = given.distances.table if paths == "table" else None
    found = fewest(space, 1 + len(reasons), effort, rounds=rounds, exact=exact, hops=hops, limit=limit)
    key = found.key if len(found) else np.zeros((1, network.num_channels))
    if key.size * given.distances.homes.size > MOST_STATES:
        raise RelationError(
            f"lanes on {network.name}: tables of {len(key)} lanes × {network.num_channels} channels × "
            f"{given.distances.homes.size} destinations are too large"
        )
    effort.finish_by(deadline.end)
    served = Found(key, found.taken)
    began = clock()
    options = [effort.insist(lambda: _routes(given, space, served, paths, effort))]
    took = clock() - began
    wanted = [len(key)] * (tries - 1) + list(range(len(key) + 1, (most or 0) + 1)) * tries
    for number, many in enumerate(wanted, start=1):
        least = min(_highest(option) for option in options)
        if (many == len(key) and least <= options[0][2].mean()) or effort.interrupted:
            continue
        if clock() + took > effort.deadline:
            effort.hurried = True
            break
        again = replace(effort, seed=seed + 7919 * number, tried={})
        try:
            uneven = number == 1 and least > UNEVEN * options[0][2].mean()
            if uneven:
                again.deadline = clock() + SHARE * (effort.deadline - clock())
            rounds, roots = (LONGER, False) if uneven else (1, None)
            other = search(space, many, again, first=0, rounds=rounds, hops=hops, roots=roots)
            if other is not None:
                options.append(_routes(given, space, other, paths, again))
        except KeyboardInterrupt:
            effort.interrupted = True
        effort.moves, effort.hurried = again.moves, effort.hurried | again.hurried
        effort.interrupted |= again.interrupted
    front = tuple(
        (many, min(_highest(option) for option in options if len(option[3]) == many))
        for many in sorted({len(option[3]) for option in options})
    )
    routes, lane, load, key = min(
        options,
        key=lambda option: (
            (_highest(option), len(option[3])) if first == "load" else (len(option[3]), _highest(option))
        ),
    )
    if isinstance(routes, Table):
        relation = tabled(routes, lane, len(key), vcs=vcs)
    else:
        relation = laned(network, routes, vcs=vcs, sends=given.sends)
    return Lanes(
        relation=relation,
        count=len(key),
        lower_bound=max([1, *(r.lanes + 1 if isinstance(r, Refutation) else 2 for r in reasons)]),
        evidence=reasons[-1] if reasons else None,
        paths=paths,
        routes=routes,
        lane=lane,
        load=load,
        load_bound=effort.insist(lambda: load_bound(given, time_limit=min(20.0, effort.deadline - clock()))),
        key=key,
        pairs=given.pairs,
        tried=effort.tried,
        conflicts=left_open,
        moves=effort.moves,
        complete=effort.complete,
        sends=given.sends,
        both_ways=both_ways,
        front=front,
        history=tuple(effort.history),
    )


def _highest(option: tuple[Routes | Table, Ints, Floats, Floats]) -> float:
    return float(option[2].max(initial=0.0))


def _routes(
    given: Demand, space: Ways, found: Found, paths: str, effort: Effort
) -> tuple[Routes | Table, Ints, Floats, Floats]:
    """Routes of low load in some orders, the lane of each pair, the loads, and the keys."""
    effort.say("choosing routes of low load")
    orders, _ = orders_of(space, found.key, found.taken)
    if paths == "free":
        routes = balanced(given, space, orders, effort)
        return routes, routes.lane, routes.load, found.key
    taken, load = balanced_table(given, space, orders, effort)
    orders, _ = orders_of(space, found.key, taken)
    table = free_table(given, space, taken)
    return table, lanes_of(orders, table), load, found.key


def _given(
    network: Network,
    routing: Relation | str,
    flows: npt.ArrayLike | None,
    vcs: int | None,
    effort: Effort,
    rounds: int,
    both_ways: bool,
    limit: int | None,
) -> Lanes:
    """The fewest lanes for the paths of a routing."""
    from unknot.routing.named import routing as named

    relation = named(network, routing) if isinstance(routing, str) else routing
    if flows is not None:
        relation = only(relation, flows)
    table = table_of(relation)
    space = of_pairs(ways_of(table), packed(table.wanted), both_ways=both_ways)
    reason = cycle_of_routes(table)
    found = fewest(space, 1 if reason is None else 2, effort, rounds=rounds, exact=lambda count: None, limit=limit)
    key = found.key if len(found) else np.zeros((1, network.num_channels))
    orders, _ = orders_of(space, key)
    lane = lanes_of(orders, table)
    return Lanes(
        relation=tabled(table, lane, len(key), vcs=vcs),
        count=len(key),
        lower_bound=1 if reason is None else 2,
        evidence=reason,
        paths="given",
        routes=table,
        lane=lane,
        load=loads_of(table),
        load_bound=None,
        key=key,
        pairs=int(np.count_nonzero(table.wanted)),
        tried=effort.tried,
        conflicts={},
        moves=effort.moves,
        complete=effort.complete,
        sends=None if flows is None else np.asarray(flows) > 0,
        given=relation,
        both_ways=both_ways,
    )
