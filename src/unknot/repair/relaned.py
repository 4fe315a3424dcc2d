"""Routes in lanes after faults: as many as possible stay as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.errors import NetworkError, RelationError
from unknot._base.shown import Brief
from unknot.lanes.detours import LOST, RouteGoal, climbing_routes, detour_paths, improved, tree_order
from unknot.lanes.effort import SearchEffort
from unknot.lanes.figures import Lanes
from unknot.lanes.laned import Routes, laned, no_slots
from unknot.lanes.path_set import Floats, Ints, by_terminal, demand, terminal_columns
from unknot.lanes.tables import Table
from unknot.network import Network
from unknot.routing.paths import homes_of
from unknot.routing.relation import Relation

ROUNDS = 4
"""Rounds of the search for other orders."""


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
    >>> from unknot.lanes import lanes
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
    >>> from unknot.lanes import lanes
    >>> from unknot.repair import relaned
    >>> found = lanes("torus(4, 4)", seed=0)
    >>> after = relaned(found, found.relation.network.without(channels=[0]))
    >>> after.changed < 10, after.pairs
    (True, 240)
    """
    whole = before.relation.network
    routers, channels, terminals = _origins(whole, left)
    flows = None
    if before.sends is not None:
        flows = before.sends[np.ix_(terminals, terminals)].astype(float)
    traffic = demand(left, flows)
    apart = isinstance(before.routes, Table) or before.lane.shape[1] == whole.num_terminals
    traffic = by_terminal(traffic) if apart else traffic
    hops = traffic.distances.table.T.astype(np.int64)
    goal = RouteGoal(left, traffic.distances.homes, hops, traffic.wanted, traffic.rate)
    columns = terminal_columns(whole) if apart else homes_of(whole)[1]
    column = np.empty(goal.home.size, dtype=np.int64)
    column[traffic.distances.column] = _rows(before, columns)[terminals]
    old = _kept(before, whole, left, routers, channels, column)
    key: Floats = before.key[:, channels]
    routes, length = climbing_routes(goal, key, kept=old)
    if (goal.wanted & (routes.lane < 0)).any():
        more = np.vstack([key, tree_order(left)])
        by_tree, hops_by_tree = climbing_routes(goal, more, kept=old)
        if not (goal.wanted & (by_tree.lane < 0)).any():
            key, routes, length = more, by_tree, hops_by_tree
    while (lost := goal.wanted & (routes.lane < 0)).any():
        key = np.vstack([key, -hops[left.target, int(np.argmax(lost.sum(axis=0)))]])
        routes, length = climbing_routes(goal, key, kept=old)
    if within is not None and len(key) > within:
        key = _reordered(goal, key[:within], seed)
        routes, length = climbing_routes(goal, key, kept=old)
    changed, entries = _changes(goal, old, routes)
    shortest = bool((length <= np.where(goal.wanted, hops, 0)).all())
    routes = replace(routes, column=traffic.distances.column)
    return Relaned(
        laned(left, routes, sends=traffic.sends, minimal=shortest),
        len(key),
        changed,
        traffic.pairs,
        entries,
        int(np.count_nonzero((length > hops) & goal.wanted)),
    )


def _origins(whole: Network, left: Network) -> tuple[Ints, Ints, Ints]:
    """Routers, channels and terminals of the whole network that those of the other are."""
    if left.origin is None:
        raise NetworkError(f"{left.name} is not what faults left of {whole.name}")
    sizes = (whole.num_routers, whole.num_channels, whole.num_terminals)
    then = (left.origin.routers, left.origin.channels, left.origin.terminals)
    before: list[npt.NDArray[np.integer[Any]]] = [np.arange(size) for size in sizes]
    if whole.origin is not None:
        before = [whole.origin.routers, whole.origin.channels, whole.origin.terminals]
    places = [np.searchsorted(a, b).astype(np.int64) for a, b in zip(before, then, strict=True)]
    if any((i >= a.size).any() or (a[i] != b).any() for i, a, b in zip(places, before, then, strict=True)):
        raise NetworkError(f"{left.name} is not what faults left of {whole.name}")
    return places[0], places[1], places[2]


def _rows(laned: Lanes, columns: Ints) -> Ints:
    """The row or column of routes to each terminal; `columns` has those of free routes."""
    routes, network = laned.routes, laned.relation.network
    if not isinstance(routes, Table):
        return columns
    if len(routes.row) != network.num_terminals or not np.array_equal(routes.home[routes.row], network.eject):
        raise RelationError(f"{laned.relation.name}: after faults, one address for each terminal is wanted")
    return routes.row


def _kept(laned: Lanes, whole: Network, left: Network, routers: Ints, channels: Ints, column: Ints) -> Routes:
    """The routes by the numbers of what is left, with −1 for channels that are gone."""
    now = np.full(whole.num_channels + 1, -1)
    now[channels] = np.arange(channels.size)
    routes = laned.routes
    lane = laned.lane[np.ix_(routers, column)]
    first, leaving = whole.outgoing
    new_first, new_leaving = left.outgoing
    follow = no_slots((len(laned.key), channels.size, column.size), new_first)
    if isinstance(routes, Table):
        start = routes.next_channel[np.ix_(column, routers)].T
        next_channel = routes.next_channel[np.ix_(column, whole.target[channels])].T
        then = np.broadcast_to(next_channel, (len(laned.key), channels.size, column.size))
    else:
        start = routes.start[np.ix_(routers, column)]
        slots = routes.follow[:, channels][:, :, column].astype(np.int64)
        begin = first[whole.target[channels]].astype(np.int64)
        at = np.minimum(begin[None, :, None] + np.maximum(slots, 0), max(0, leaving.size - 1))
        then = np.where(slots >= 0, leaving[at], -1)
    mapped = now[then]
    slot_of = np.empty(left.num_channels, dtype=np.int64)
    slot_of[new_leaving] = np.arange(new_leaving.size) - new_first[left.source[new_leaving]]
    follow[...] = np.where(mapped >= 0, slot_of[np.maximum(mapped, 0)], -1)
    return Routes(lane, now[start], follow, np.zeros(left.num_channels))


def _reordered(goal: RouteGoal, key: Floats, seed: int) -> Floats:
    """Other orders of as many lanes, from some that do not serve all pairs, in which all have a path."""
    paths, taken = detour_paths(goal, np.array([1, LOST]))
    starts = [key, np.vstack([tree_order(goal.network), key[1:]])]
    for start in starts:
        best = improved(paths, taken, start, SearchEffort(seed=seed), rounds=ROUNDS)
        if best is not None:
            return best[0]
    raise RelationError(
        f"{goal.network.name}: no routes were found within {len(key)} lane{'s' * (len(key) > 1)}; more may do"
    )


def _walk(goal: RouteGoal, routes: Routes, u: int, column: int) -> list[tuple[int, int, int]] | None:
    """The entries (lane, input channel or −1 − router, channel taken) of a route; None if it does not arrive."""
    network = goal.network
    first, leaving = network.outgoing
    lane, channel = int(routes.lane[u, column]), int(routes.start[u, column])
    entries = [(lane, -1 - u, channel)]
    while channel >= 0:
        v = int(network.target[channel])
        if v == goal.home[column]:
            return entries
        slot = int(routes.follow[lane, channel, column])
        then = -1 if slot < 0 else int(leaving[first[v] + slot])
        entries.append((lane, channel, then))
        channel = then
    return None


def _changes(goal: RouteGoal, old: Routes, new: Routes) -> tuple[int, int]:
    """Pairs whose route is another than before, and entries that the old routes do not have."""
    changed, before, after = 0, set(), set()
    for u, column in np.argwhere(goal.wanted).tolist():
        was, now = _walk(goal, old, u, column), _walk(goal, new, u, column)
        changed += was != now
        before |= {(column, *entry) for entry in (was or ())}
        after |= {(column, *entry) for entry in (now or ())}
    return changed, len(after - before)
