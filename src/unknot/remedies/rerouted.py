"""Remedy without more lanes: as few changed routes or table entries as are found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unknot.lane_assignment.detours import improved, table_paths, tree_order
from unknot.lane_assignment.laned import PairRoutes, laned
from unknot.lane_assignment.path_set import Demand, Floats, Ints, every_path
from unknot.lane_assignment.rerouted import LoadGoal, routes_of
from unknot.lane_assignment.rooted import orders_of
from unknot.lane_assignment.tables import LaneTable, lanes_of, paths_of_table
from unknot.remedies.change_bounds import Kind, change_bound, payers
from unknot.routing.lane_tables import tabled
from unknot.routing.paths import Distances, distances_to_homes
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.search.bound import Bounded
from unknot.search.effort import SearchEffort

Column = dict[int, int]
"""The next channel of each router to one home."""
ROUNDS = 5
"""Rounds of the search for orders."""
BOUNDING = 0.3
"""Share of the time for the bound."""


@dataclass(frozen=True, eq=False, repr=False)
class Rerouted(Bounded):
    """Routes by tables, some changed so that all fit into a number of lanes.

    Attributes
    ----------
    relation : Relation
    count : int
        Lanes.
    kind : {"pairs", "entries"}
        What was kept low.
    changed : int
        Pairs (router, address) whose routes are others, or entries of tables; addresses that are routed alike count
        once.
    units : int
        Pairs, or entries, in all.
    lower_bound : int
        Fewest changes that can be enough.
    evidence : Bound or None
        Proof of the bound, if that is above 0.
    key : float64 array, shape (lanes, channels)
        In its lane, the channels of every route climb in it.
    load : float64 array, shape (channels,)
    original : Relation
        The relation that was changed.
    moves : int
        Moves of the search.
    complete : bool
        Whether the search ended by itself.

    Examples
    --------
    >>> from unknot.remedies import repair
    >>> few = next(r for r in repair("ring(5)", routing="shortest_paths") if r.kind == "few changed routes")
    >>> few.change.changed, few.change.units, few.change.count
    (2, 20, 1)
    """

    relation: Relation
    count: int
    kind: str
    changed: int
    units: int
    key: Floats
    load: Floats
    moves: int
    complete: bool

    @property
    def fewest(self) -> bool:
        """Whether fewer changes are shown to be impossible."""
        return self.changed == self.lower_bound

    @property
    def highest_load(self) -> float:
        """Highest load of a channel."""
        return float(self.load.max(initial=0.0))

    @property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts the evidence; None: there is none to check."""
        return None if self.evidence is None else self.evidence.evidence_holds(payers(self.original, self.evidence))


def demand_of(table: LaneTable) -> Demand:
    """The pairs that send by a table, to be routed anew; its rows are the homes."""
    distances = distances_to_homes(table.network, "repair")
    hops = distances.table[np.searchsorted(distances.homes, table.home)]
    return Demand(table.network, Distances(table.home, table.addresses.row, hops), table.wanted, table.rate)


@takes_relation
def rerouted(
    relation: Relation, table: LaneTable, lanes: int, effort: SearchEffort, *, kind: Kind = "pairs"
) -> Rerouted | None:
    """Change few routes so that all fit into a number of lanes; None if no way was found to connect all.

    Parameters
    ----------
    table : LaneTable
        The tables of the relation.
    kind : {"pairs", "entries"}
        The routes of changed pairs are free; or the result is by tables again, and few entries change. Entries are
        changed in one lane only: with more, tables of shortest paths are the remedy.
    """
    network = table.network
    bound = change_bound(relation, table, kind, effort.limit.part(BOUNDING)) if lanes == 1 else None
    if bound is not None and not bound.evidence_holds(payers(relation, bound)):
        bound = None
    low = int(bound.least) if bound is not None and kind == "pairs" else 0
    traffic = demand_of(table)
    paths, taken = table_paths(traffic, table.taken)
    start = np.random.default_rng([effort.seed, lanes]).random((lanes, network.num_channels))
    start[0] = tree_order(network)
    best = improved(paths, taken, start, effort, rounds=ROUNDS, low=low)
    if best is None:
        return None
    key = best[0]
    if kind == "pairs":
        routes = _nearby(traffic, table, key, effort)
        changed, units, load = best[1], int(np.count_nonzero(table.wanted)), routes.load
        made = laned(network, routes, table=table, minimal=False, name="few changed routes")
    else:
        step = changed_table(table, key)
        other = replace(table, next_channel=step, minimal=False)
        lane, name = lanes_of(orders_of(paths_of_table(other), key), other), "few changed entries"
        made = tabled(table.addresses, step, lane, lanes, name=name, minimal=False)
        old = np.zeros(step.shape, dtype=bool)
        for _, row, channel in table.steps():
            old[row, network.source[channel]] = True
        changed, units, load = (
            int(np.count_nonzero(old & (step != table.next_channel))),
            int(old.sum()),
            other.loads()[0],
        )
    return Rerouted(
        made, lanes, kind, changed, units, key, load, effort.moves, not effort.over and not effort.interrupted,
        original=relation, evidence=bound,
    )  # fmt: skip


def _nearby(traffic: Demand, table: LaneTable, key: Floats, effort: SearchEffort) -> PairRoutes:
    """Short routes that climb in given orders; climbing routes of a table are kept."""
    goal, then = LoadGoal(traffic, every_path(traffic), False, 0.0, longer=True), table.next_channel.T
    lane = lanes_of(orders_of(paths_of_table(table), key), table)
    follow = np.broadcast_to(then[table.network.target], (len(key), *table.taken.shape)).astype(np.int32)
    before = PairRoutes(lane, then, follow, np.zeros(table.network.num_channels))
    return routes_of(goal, goal.drawn(key, effort, before))


def changed_table(table: LaneTable, key: Floats) -> Ints:
    """Tables whose routes climb in one lane, with few entries changed.

    Entries whose routes climb are kept. The others take, channels by falling keys, the first channel from which the
    rest climbs; where that leaves someone out, the column is made anew in this way, and entries are then put back
    while all still climb.
    """
    network = table.network
    step = np.full_like(table.next_channel, -1)
    source, target = network.source.tolist(), network.target.tolist()
    order = np.argsort(key[0])[::-1].tolist()
    height = np.argsort(order[::-1]).tolist()

    def grown(home: int, column: Column, among: Column | None = None) -> Column:
        """Entries added to a column, channels by falling keys, from which the rest climbs; by default any."""
        for c in order:
            u, v = source[c], target[c]
            if u == home or u in column or (among is not None and among.get(u) != c):
                continue
            if v == home or (v in column and height[column[v]] > height[c]):
                column[u] = c
        return column

    for row in range(len(step)):
        home, senders = int(table.home[row]), {*np.flatnonzero(table.wanted[:, row]).tolist()}
        old = {u: c for u, c in enumerate(table.next_channel[row].tolist()) if c >= 0}
        column = grown(home, grown(home, {}, old))
        if not senders <= column.keys():
            column = grown(home, {})
        for u in sorted(column, key=lambda u: height[column[u]]):
            if old.get(u, column[u]) != column[u]:
                tried = {**column, u: old[u]}
                if senders <= grown(home, {}, tried).keys():
                    column = tried
        for u, c in column.items():
            step[row, u] = c
    return step
