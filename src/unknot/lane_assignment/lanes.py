"""The fewest lanes: routes along shortest paths that cannot deadlock, and why fewer lanes are not enough."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import numpy.typing as npt

from unknot._base import phrases
from unknot._base.deadline import Deadline, begun, counts_work
from unknot._base.errors import RelationError
from unknot._base.numbers import require_whole
from unknot._base.progress import Progress, with_bar
from unknot._base.records import require_options, with_fields
from unknot.fabrics.fabric import LAST_UNICAST, MOST_LMC
from unknot.lane_assignment.exact import ExactSearch
from unknot.lane_assignment.figures import Lanes, RoutesInLanes
from unknot.lane_assignment.low_loads import LowLoads
from unknot.lane_assignment.orders import fewest
from unknot.lane_assignment.path_set import demand, path_set
from unknot.lane_assignment.question import Question, question_of
from unknot.lane_assignment.rooted import LaneOrders, orders_of
from unknot.lane_assignment.tables import LaneTable, lanes_of
from unknot.lane_assignment.wanted import Aim, LaneEffort, SearchFields
from unknot.network import Network
from unknot.routing.lane_tables import in_blocks, terminals, vcs_of_lanes
from unknot.routing.paths import homes_of
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.search.effort import CHOOSING, SEARCHING, SearchEffort

AIM = Aim()
"""Routes in the fewest lanes."""
MOST_STATES = 200_000_000
"""Most lanes × channels × destinations for which routes are tabulated; 32 bytes each."""


@takes_network
@with_bar
@counts_work
def lanes(
    network: Network,
    paths: str = "free",
    *,
    routing: Relation | str | None = None,
    flows: npt.ArrayLike | None = None,
    vcs: int | None = None,
    both_ways: bool = False,
    lmc: int = 0,
    aim: Aim = AIM,
    effort: LaneEffort | int | None = None,
    time_limit: float | Deadline | None = None,
    seed: int = 1,
    progress: Progress | None = None,
    **fields: Unpack[SearchFields],
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
    both_ways : bool
        For tables and given paths: two routers send to each other in the same lane, all their addresses included, as
        InfiniBand wants it, where the accepting side of a connection answers at the level of the request.
    lmc : int
        For tables: each terminal has 2^lmc addresses, each with a route of its own, as InfiniBand's LIDs, and what is
        sent to it is shared out among them evenly.
    aim : Aim
        Properties of the routes: numbers of lanes, and failures that they survive.
    effort : LaneEffort or int, optional
        How long the search goes on; a number is that of the moves for each pair.
    time_limit : float or Deadline, optional
        Seconds; by default work is limited, to about a minute's, so that the result does not depend on the machine. A
        first result is made whatever it is; Ctrl-C then keeps the best.
    seed : int
        The same seed gives the same result, unless time ran out.
    progress : callable, optional
        Called with what is being tried, see `unknot._base.progress`.
    **fields
        Fields of `LaneEffort` and `Aim` by themselves: `tries`, `rounds`, `conflicts`; `most`, `first`, `worst`,
        `limit`, `survive`.

    Returns
    -------
    Lanes
        The routes, with their bounds.

    Raises
    ------
    NetworkError
        If some terminal has no way to another, or the flows make no sense.
    RelationError
        If an argument makes no sense, the network is too large for tables, or `limit` lanes were not enough.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> routes = lanes("ring(5)")
    >>> routes.count, routes.lower_bound, routes.evidence_holds
    (2, 2, True)
    """
    require_options("lanes", SearchFields, fields)
    aim = with_fields(aim, fields)
    effort = with_fields(effort if isinstance(effort, LaneEffort) else LaneEffort(moves=effort), fields)
    deadline = begun(time_limit, "lanes")
    if both_ways and paths == "free":
        raise RelationError("lanes: both directions of a pair share a lane for tables and given paths, not free ones")
    if aim.survive is not None and paths != "free":
        raise RelationError("lanes: failures are survived by free paths, not by tables or given ones")
    lids = _lids_of(network, lmc, paths, worst=aim.worst)
    if aim.worst and paths == "given":
        raise RelationError("lanes: a low load of the worst permutation is sought for free paths and tables")
    spent = SearchEffort(deadline.part(SEARCHING).end, seed, progress)
    question = question_of(network, paths, "shared" if both_ways else "none", routing, flows)
    pairs = question.demand
    if pairs is not None:
        choosing = CHOOSING * float(pairs.distances.table.T[pairs.wanted].sum())
        spent.deadline = min(spent.deadline, deadline.end - choosing)
    exact = ExactSearch(question, spent, effort.conflicts)

    def in_lanes(orders: LaneOrders) -> Lanes:
        """Routes in the lanes of some orders, of low load."""
        spent.finish_by(deadline.end)
        front = list[RoutesInLanes]()
        if pairs is None:
            front.append(_given(question, orders))
        else:
            states = max(1, len(orders)) * network.num_channels * question.path_set.home.size
            if states > MOST_STATES:
                raise RelationError(
                    f"lanes on {network.name}: tables of {len(orders)} lanes × {network.num_channels} channels × "
                    f"{question.path_set.home.size} destinations are too large"
                )
            low = LowLoads(exact, orders, effort, aim, lids)
            front += low.front(aim.most or 0)
        best = min(
            front, key=lambda o: (o.highest_load, o.count) if aim.first == "load" else (o.count, o.highest_load)
        )
        return Lanes(
            **vars(best),
            relation=best.relation_on(network, question.sends, vcs),
            both_ways=both_ways,
            lmc=lmc,
            single_load=None if pairs is None else low.single,
            front=() if pairs is None else tuple((one.count, one.highest_load) for one in front),
            history=() if pairs is None else tuple(spent.history),
            **exact.figures(),
        )

    orders = None
    try:
        orders = fewest(question.path_set, exact, rounds=effort.rounds, limit=aim.limit)
        return in_lanes(orders)
    except KeyboardInterrupt:
        # Once there are orders there is an answer, which Ctrl-C must not lose wherever it comes.
        if orders is None:
            raise
        spent.interrupted = True
        return in_lanes(orders)


def _lids_of(network: Network, lmc: int, paths: str, *, worst: bool) -> int:
    """LIDs of each terminal; RelationError if there are too many, or they make no sense."""
    require_whole("lanes: the LMC", lmc, 0, most=MOST_LMC, error=RelationError)
    lids = 1 << lmc
    if lmc and paths != "table":
        raise RelationError(
            f"lanes: several LIDs for each terminal are for tables (--paths table), got {paths} paths"
        )
    if lmc and worst:
        raise RelationError("lanes: several LIDs for each terminal are not for the worst permutation")
    if lmc and lids * network.num_terminals + network.num_routers > LAST_UNICAST:
        raise RelationError(
            f"lanes on {network.name}: {network.num_terminals} terminals with {lids} LIDs each, and one for each of "
            f"{network.num_routers} routers, are more than the {LAST_UNICAST:,} LIDs of InfiniBand; try a smaller LMC"
        )
    return lids


def _given(question: Question, orders: LaneOrders) -> RoutesInLanes:
    """The given routes in the lanes of some orders."""
    key = orders.key if len(orders) else np.zeros((1, question.network.num_channels))
    table = question.table_of(orders.taken)
    lane = lanes_of(orders_of(question.path_set, key, orders.taken), table)
    return RoutesInLanes(table, lane, table.loads(lane, len(key)), key)


def multipath(routes: Lanes, *, vcs: int | None = None) -> Relation:
    """Let packets take any shortest path that climbs in their lane, hop by hop.

    A pair keeps its lane. Each hop takes a channel that is higher in the order of the lane, so nothing can deadlock,
    and one from which a shortest path goes on climbing, so every packet arrives. How much choice there is depends on
    the orders: where they are those of dimension order, as on hypercubes, there is none.

    Parameters
    ----------
    routes : Lanes
        Of free paths.
    vcs : int, optional
        VCs per channel, shared out among the lanes; by default one for each lane.

    Returns
    -------
    Relation
        Its addresses are those of ``routes.relation``.

    Raises
    ------
    RelationError
        If the paths are given or those of a table, or there are fewer VCs than lanes.

    Examples
    --------
    >>> from unknot.verify import check
    >>> from unknot.lane_assignment import lanes, multipath
    >>> relation = multipath(lanes("torus(5, 4)"))
    >>> check(relation).deadlock_free, max(len(relation.candidates(relation.num_vcs, a)) for a in range(40))
    (True, 2)
    """
    if isinstance(routes.routes, LaneTable):
        raise RelationError(f"lanes: several paths for a pair are for free paths, and these are {routes.paths}")
    network, lanes, sends = routes.relation.network, routes.count, routes.sends
    orders = orders_of(path_set(demand(network, sends)), routes.key)
    key, reach = orders.key, orders.reach
    virtual = vcs_of_lanes(network, vcs, lanes)
    router, first, at_channel, num_vcs, total = (
        virtual.router, virtual.first, virtual.channel, virtual.total, virtual.widest,
    )  # fmt: skip
    addresses = terminals(network, sends, routes.routes.column)
    column, count, end = homes_of(network)[1], addresses.destination.size, network.eject[addresses.destination]
    leaving_first, leaving = network.outgoing

    def rule(at: int, address: int, out: Out) -> int:
        here, which, lane = router[at], address % count, address // count
        if here == end[which]:
            out[0] = EJECT
            return 1
        home, number = column[which], 0
        for j in range(leaving_first[here], leaving_first[here + 1]):
            channel = leaving[j]
            climbs = at >= num_vcs or key[lane, channel] > key[lane, at_channel[at]]
            if climbs and (reach[lane, channel, home >> 6] >> (home & 63)) & 1:
                for v in range(lane, total, lanes):
                    out[number] = first[channel] + v
                    number += 1
        return number

    return Relation(
        network,
        virtual,
        rule,
        name=f"lanes, all paths ({phrases.count(lanes, 'lane')})",
        **in_blocks(addresses, routes.lane, lanes, "in lane", minimal=True),
    )
