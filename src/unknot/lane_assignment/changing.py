"""The fewest lanes where packets change lanes on the way: classes that rise, any changes, or changes by ports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats
from unknot._base.deadline import Deadline, begun, counts_work
from unknot._base.errors import RelationError, require_known
from unknot._base.progress import Progress, with_bar
from unknot._base.shown import Brief
from unknot.lane_assignment.changing_search import ChangingSearch, changes_of, table_steps
from unknot.lane_assignment.evidence import shows
from unknot.lane_assignment.figures import LaneFigures
from unknot.lane_assignment.laned import by_levels, moving
from unknot.lane_assignment.load_bounds import load_bound
from unknot.lane_assignment.question import CHANGES, question_of
from unknot.lane_assignment.rerouted import LoadGoal, balanced, routes_of
from unknot.lane_assignment.rooted import LaneOrders, orders_of
from unknot.lane_assignment.tables import bits_of, table_from
from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network
from unknot.search.bound import Bound
from unknot.search.effort import SEARCHING, SearchEffort, random_state

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import Orders, PathSet
    from unknot.lane_assignment.path_set import Demand, Ints

ROUNDS = 4
"""Rounds of the search for routes of low load."""
TABLE_MOVE = 2e-6
"""Seconds of work of a move of a table."""
MOVES = 200
"""Moves of the search for each pair, in all rounds together."""
MOST_MOVES = 20_000_000
"""Most moves of the search in all."""
TABLE_ROUNDS = ((1.1, 0.1, 0.003), (1.05, 0.05, 0.001))
"""Scale of the loads, by the mean one, and temperatures at the beginning and at the end of each round."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ChangingLanes(Brief, LaneFigures):
    """Routes that change lanes on the way; `key` orders all virtual channels so that every route climbs.

    An address is a terminal (or one of the given routing); where lanes change by ports it is level · addresses +
    address. The evidence also excludes routes that change lanes. Where `tried` says 0 pairs, all had routes, but
    these did not fit into the service levels.

    Attributes
    ----------
    count : int
        Number of lanes.
    key : float64 array, shape (lanes, channels)
    load : float64 array, shape (channels,)
        Load of each channel, in routes (pairs of terminals) or in the units of the flows, over its bandwidth.
    load_evidence : Bound or None
        Why no shortest paths have a lower highest load than `load_bound`; None for given paths.
    changes : {"rising", "any", "ports"}
    changing_pairs : int
        Pairs of routers whose route changes its lane.
    levels : int or None
        Service levels in use, where lanes change by ports.

    Examples
    --------
    >>> from unknot import Network
    >>> ring = Network("one-way ring", 5, range(5), [1, 2, 3, 4, 0])
    >>> routes = changing_lanes(ring)
    >>> routes.count, routes.changing_pairs > 0, routes.changes
    (2, True, 'rising')
    """

    count: int
    key: Floats
    load: Floats
    load_evidence: Bound | None
    changes: str
    changing_pairs: int
    levels: int | None

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none to check."""
        network, changes = self.relation.network, self.changes
        return shows(network, self.evidence, self.lower_bound, sends=self.sends, relation=self.given, changes=changes)


@takes_network
@with_bar
@counts_work
def changing_lanes(
    network: Network,
    paths: str = "free",
    *,
    changes: str = "rising",
    routing: Relation | str | None = None,
    flows: npt.ArrayLike | None = None,
    vcs: int | None = None,
    time_limit: float | Deadline | None = None,
    rounds: int = 6,
    conflicts: int = 50_000,
    seed: int = 1,
    progress: Progress | None = None,
) -> ChangingLanes:
    """Route in as few lanes as are found, where a packet may change its lane at a hop.

    All virtual channels have one order, and every route climbs in it, so none can deadlock under any switching
    technique. Where classes rise, the order has all channels of a lane before those of the next.

    Parameters
    ----------
    network : Network or str
        A text such as ``"torus(8, 8)"`` is read as a topology.
    paths : {"free", "table", "given"}
        As `unknot.lane_assignment.lanes` takes them.
    changes : {"rising", "any", "ports"}
        A packet keeps its lane or goes to a higher one, as VC classes of a chip's network; it goes to any lane, which
        depends on its virtual channel and destination; or to the lane that input port, output port and a service
        level say, as SL2VL tables of InfiniBand do. A level is chosen for each pair, and there are 16.
    routing, flows, vcs, time_limit : optional
        As `unknot.lane_assignment.lanes` takes them.
    rounds : int
        Rounds of annealing with the same number of lanes before the search gives up.
    conflicts, seed, progress : optional
        As `unknot.lane_assignment.lanes` takes them.

    Returns
    -------
    ChangingLanes
        The routes and lanes, with the bound.

    Raises
    ------
    NetworkError
        As `unknot.lane_assignment.lanes`.
    RelationError
        If an argument makes no sense, or no routes were found that fit into 16 service levels.

    Examples
    --------
    >>> from unknot import Network
    >>> from unknot.lane_assignment import changing_lanes, lanes
    >>> ring = Network("one-way ring", 7, range(7), [1, 2, 3, 4, 5, 6, 0])
    >>> lanes(ring).count, changing_lanes(ring).count
    (4, 2)
    """
    require_known("lanes: unknown changes", changes, CHANGES, RelationError)
    if changes == "ports" and paths == "free":
        raise RelationError(
            "lanes that change by ports are those of forwarding tables, and need paths by table, or given ones"
        )
    deadline = begun(time_limit, "lanes")
    question = question_of(network, paths, changes, routing, flows)
    effort = SearchEffort(deadline.part(SEARCHING).end, seed, progress)
    searching = ChangingSearch(question, effort, rounds, conflicts)
    orders = searching.fewest()
    effort.finish_by(deadline.end)
    return effort.insist(lambda: _routes(searching, orders, vcs))


def _routes(searching: ChangingSearch, orders: LaneOrders, vcs: int | None) -> ChangingLanes:
    """Routes of low load in some orders."""
    question, effort, network = searching.question, searching.effort, searching.question.network
    key = orders.key if len(orders) else np.zeros((1, network.num_channels))
    taken = orders.taken if len(orders) else question.path_set.nearer
    count, pairs = len(key), question.demand
    effort.report("choosing routes of low load")
    paths = searching.paths(count)
    wide = np.repeat(taken, count, axis=0)
    lanes = orders_of(paths, key.T.reshape(1, -1), wide)
    levels = None
    if question.paths == "free" and pairs is not None:
        goal = LoadGoal(pairs, paths, False, 0.0)
        goal = replace(goal, floor=float(load_bound(pairs).least))
        carried = balanced(goal, goal.drawn(key.T.reshape(1, -1), effort), effort, range(ROUNDS))
        routes, load = routes_of(goal, carried), carried.load
        key = carried.rank.reshape(-1, count).T.astype(np.float64)
        start, step = routes.start, routes.follow[0]
    else:
        if pairs is not None and question.changes != "ports":
            wide, _ = balanced_table(pairs, paths, lanes, effort)
        table = question.table_of(wide[::count])
        load = table.loads()[0]
        if searching.packed is not None:
            levels, changed = len(searching.packed.entries), searching.packed.changed
            relation = by_levels(table, searching.packed, count, vcs=vcs)
        else:
            start, step = table_steps(table, key)
    if levels is None:
        changed = changes_of(network, question.path_set.wanted, start, step, count, question.path_set.home)
        relation = moving(
            network, start, step, count, vcs=vcs, sends=question.sends, table=question.table, changes=question.changes
        )  # fmt: skip
    return ChangingLanes(
        relation=relation,
        count=count,
        changes=question.changes,
        key=key,
        load=load,
        load_evidence=None if pairs is None else load_bound(pairs, time_limit=effort.bounding),
        changing_pairs=changed,
        levels=levels,
        **searching.exact.figures(count),
    )


def balanced_table(traffic: Demand, paths: PathSet, orders: Orders, effort: SearchEffort) -> tuple[Ints, Floats]:
    """A table, as bits, by which the orders serve all pairs, of low highest load; and the load of each channel.

    By simulated annealing on the sum of the 16th powers of loads, from the table that the orders were found with.
    """
    from unknot.lane_assignment.load_kernel import LoadedTable, balance_table, carry_all

    step = table_from(paths, orders.taken)
    order = np.argsort(traffic.distances.table, axis=1, kind="stable")
    load = np.zeros(len(paths.source) // paths.copies)
    table = LoadedTable(step, np.zeros(step.shape), load, 1.0 / traffic.network.bandwidth)
    carry_all(paths, table, traffic.wanted, traffic.rate)
    state = random_state(effort.seed, 1)
    mean = load.sum() / max(1, load.size)
    best, least = step.copy(), load.copy()
    moves = min(MOVES * traffic.pairs, MOST_MOVES) // len(TABLE_ROUNDS)
    with effort.until_interrupted():
        for number, (scale, hot, cold) in enumerate(TABLE_ROUNDS if mean > 0 else ()):
            for annealing in effort.cooled(
                moves, (hot, cold), each=TABLE_MOVE, share=1 / (len(TABLE_ROUNDS) - number)
            ):
                balance_table(paths, orders.key, table, traffic.wanted, order, state, annealing, scale * mean)
            if load.max() < least.max():
                best, least = step.copy(), load.copy()
    return bits_of(paths, best), least
