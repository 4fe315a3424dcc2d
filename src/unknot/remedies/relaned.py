"""Repairs of routes in lanes: after given faults, with as few changes as possible, and after every single fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unknot._base import phrases
from unknot._base.errors import RelationError
from unknot._base.shown import Brief
from unknot.lane_assignment.detours import LOST, detour_paths, improved, tree_order
from unknot.lane_assignment.figures import Lanes
from unknot.lane_assignment.laned import PairRoutes, laned
from unknot.lane_assignment.path_set import Demand, Floats, Ints, by_terminal, demand, every_path, terminal_columns
from unknot.lane_assignment.rerouted import LoadGoal, routes_of
from unknot.lane_assignment.tables import LaneTable
from unknot.network import Network
from unknot.network.graph import survivors
from unknot.network.parts import Origin
from unknot.routing.paths import homes_of
from unknot.routing.relation import Relation
from unknot.search.effort import SearchEffort

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried


@dataclass(frozen=True, eq=False, repr=False)
class Relaned(Brief):
    """Routes in lanes on what is left of a network.

    Attributes
    ----------
    relation : Relation
    count : int
        Lanes; more than before if some pair had no way in those there were.
    changed : int
        Pairs of router and terminal whose route changed: exactly those that the faults cut, so fewer are impossible;
        more only where orders had to change, so that the lanes there were are enough.
    pairs : int
        Pairs of router and terminal that are left.
    entries : int
        Entries (lane, input, destination) that are new or others.
    longer : int
        Pairs whose route is no shortest path of what is left.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> before = lanes("mesh(3, 3)")
    >>> after = relaned(before, before.relation.network.without(channels=[0]))
    >>> after.count, after.changed, after.pairs
    (2, 6, 72)
    """

    relation: Relation
    count: int
    changed: int
    pairs: int
    entries: int
    longer: int


def relaned(before: Lanes, left: Network, *, within: int | None = None, seed: int = 1) -> Relaned:
    """Make lanes for what faults have left of a network: whole routes stay, the others go where the lanes climb.

    The orders of the lanes stay, so no route that is kept has to change for one that is new. Only where a pair has no
    climbing path at all a lane is added, ordered by a spanning tree; or, if channels without one back are needed,
    lanes ordered by the distance to a destination.

    Parameters
    ----------
    before : Lanes
        Free paths between terminals, or tables with one address for each terminal.
    left : Network
        Made by `Network.without` of the network of `before`.
    within : int, optional
        Most lanes. Where that is too few with the orders there are, other orders are searched for, and routes that do
        not climb in them change too.
    seed : int
        Of that search.

    Returns
    -------
    Relaned
        The new lanes, and how many routes changed.

    Raises
    ------
    NetworkError
        If it is not, or some terminal has no way to another.
    RelationError
        If terminals have several addresses, or no routes were found within that many lanes.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> from unknot.remedies import relaned
    >>> found = lanes("torus(4, 4)", seed=0)
    >>> after = relaned(found, found.relation.network.without(channels=[0]))
    >>> after.changed < 10, after.pairs
    (True, 240)
    """
    whole = before.relation.network
    of_left = survivors(whole, left)
    terminals = of_left.terminals
    flows = None
    if before.sends is not None:
        flows = before.sends[np.ix_(terminals, terminals)].astype(float)
    traffic = demand(left, flows)
    apart = isinstance(before.routes, LaneTable) or before.lane.shape[1] == whole.num_terminals
    traffic = by_terminal(traffic) if apart else traffic
    columns = terminal_columns(whole) if apart else homes_of(whole)[1]
    column = np.empty(traffic.distances.homes.size, dtype=np.int64)
    column[traffic.distances.column] = _rows(before, columns)[terminals]
    old = _kept(before, whole, left, of_left, column)
    goal = LoadGoal(traffic, every_path(traffic), False, 0.0, longer=True)
    key: Floats = before.key[:, of_left.channels]
    effort = SearchEffort(seed=seed)
    now = goal.drawn(key, effort, old)
    if (traffic.wanted & (now.lane < 0)).any():
        more = np.vstack([key, tree_order(left)])
        by_tree = goal.drawn(more, effort, old)
        if not (traffic.wanted & (by_tree.lane < 0)).any():
            key, now = more, by_tree
    while (lost := traffic.wanted & (now.lane < 0)).any():
        far = traffic.distances.table[int(np.argmax(lost.sum(axis=0)))]
        key = np.vstack([key, -far[left.target].astype(np.float64)])
        now = goal.drawn(key, effort, old)
    if within is not None and len(key) > within:
        key = _reordered(traffic, key[:within], effort)
        now = goal.drawn(key, effort, old)
    changes = _changes(traffic, old, now)
    routes = laned(left, routes_of(goal, now), sends=traffic.sends, minimal=changes["longer"] == 0)
    return Relaned(routes, len(key), pairs=traffic.pairs, **changes)


def _rows(laned: Lanes, columns: Ints) -> Ints:
    """The row or column of routes to each terminal; `columns` has those of free routes."""
    routes, network = laned.routes, laned.relation.network
    if not isinstance(routes, LaneTable):
        return columns
    row = routes.addresses.row
    if len(row) != network.num_terminals or not np.array_equal(routes.home[row], network.eject):
        raise RelationError(f"{laned.relation.name}: after faults, one address for each terminal is needed")
    return row


def _kept(laned: Lanes, whole: Network, left: Network, of_left: Origin, column: Ints) -> PairRoutes:
    """The routes by the numbers of what is left, with −1 for channels that are gone."""
    routers, channels = of_left.routers, of_left.channels
    now = np.full(whole.num_channels + 1, -1, dtype=np.int32)
    now[channels] = np.arange(channels.size)
    routes = laned.routes
    lane = laned.lane[np.ix_(routers, column)]
    if isinstance(routes, LaneTable):
        start = routes.next_channel[np.ix_(column, routers)].T
        then = np.broadcast_to(
            routes.next_channel[np.ix_(column, whole.target[channels])].T,
            (len(laned.key), channels.size, column.size),
        )
    else:
        start = routes.start[np.ix_(routers, column)]
        then = routes.follow[:, channels][:, :, column]
    return PairRoutes(lane, now[start].astype(np.int64), now[then], np.zeros(left.num_channels))


def _reordered(traffic: Demand, key: Floats, effort: SearchEffort) -> Floats:
    """Other orders of as many lanes, from some that do not serve all pairs, in which all have a path."""
    paths, taken = detour_paths(traffic, np.array([1, LOST]))
    starts = [key, np.vstack([tree_order(traffic.network), key[1:]])]
    for start in starts:
        best = improved(paths, taken, start, effort, rounds=ROUNDS)
        if best is not None:
            return best[0]
    raise RelationError(
        f"{traffic.network.name}: no routes were found within {phrases.count(len(key), 'lane')}; more may do"
    )


def _walk(traffic: Demand, routes: PairRoutes | Carried, u: int, column: int) -> list[tuple[int, int, int]] | None:
    """The entries (lane, input channel or −1 − router, channel taken) of a route; None if it does not arrive."""
    network = traffic.network
    lane, channel = int(routes.lane[u, column]), int(routes.start[u, column])
    entries = [(lane, -1 - u, channel)]
    while channel >= 0:
        if network.target[channel] == traffic.distances.homes[column]:
            return entries
        then = int(routes.follow[lane, channel, column])
        entries.append((lane, channel, then))
        channel = then
    return None


def _changes(traffic: Demand, old: PairRoutes, new: PairRoutes | Carried) -> dict[str, int]:
    """Pairs whose route is another than before, entries that old routes do not have, and pairs on longer routes."""
    changed, longer, before, after = 0, 0, set(), set()
    for u, column in np.argwhere(traffic.wanted).tolist():
        was, now = _walk(traffic, old, u, column), _walk(traffic, new, u, column) or []
        changed += was != now
        longer += len(now) > traffic.distances.table[column, u]
        before |= {(column, *entry) for entry in (was or ())}
        after |= {(column, *entry) for entry in now}
    return {"changed": changed, "entries": len(after - before), "longer": longer}


ROUNDS = 4
"""Rounds of the search for other orders."""
