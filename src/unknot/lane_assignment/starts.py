"""Routes of the catalogue to begin a search for low loads with: named routings along shortest paths, in few lanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from unknot._base.errors import UnknotError
from unknot._base.work import spend
from unknot.lane_assignment.forced import climbing
from unknot.lane_assignment.orders import search
from unknot.lane_assignment.path_set import Floats, of_pairs, packed
from unknot.lane_assignment.rerouted import LoadGoal
from unknot.lane_assignment.tables import LaneTable, bits_of, free_table, paths_of_table, table_of
from unknot.routing.named import routing, routings
from unknot.search.effort import SearchEffort

CALLS = (
    "dimension_order(dateline='none')", "hyperx_dimension_order", "nca(up='modulo')", "shortest_paths", "dfsssp",
)  # fmt: skip
"""Calls that are tried besides all names, and first: few inputs contend for an output, at equal loads."""
MOST_STATES = 2_000_000
"""Most addresses × channels of a named routing that is tried; `romm` has all pairs of terminals as addresses."""
PER_STATE = 1e-5
"""Seconds of work of building a named routing, for each of its addresses × channels."""
ROUNDS = 2
"""Rounds of search for orders of more than one lane in which a table's routes climb."""


def catalogue(
    goal: LoadGoal, lanes: int, least: int, effort: SearchEffort, *, first: bool = False
) -> Iterator[tuple[LaneTable, Floats]]:
    """Named routings with one shortest path for each router and destination, in the fewest lanes that are found.

    Parameters
    ----------
    lanes : int
        The most lanes.
    least : int
        Fewer lanes are impossible.
    first : bool
        Try those only that are tried first.

    Yields
    ------
    table : LaneTable
        Its rows are the columns of the goal.
    key : float64 array, shape (lanes, channels)
        Orders of as many lanes, by which its routes climb.
    """
    network = goal.demand.network
    if network.num_terminals * network.num_channels > MOST_STATES:
        return
    known = set[bytes]()
    for name in CALLS if first else (*CALLS, *routings().core):
        if effort.over:
            return
        effort.report(f"trying the routes of {name}")
        spend(PER_STATE * network.num_terminals * network.num_channels)
        try:
            relation = routing(network, name)
            if relation.num_addresses * network.num_channels > MOST_STATES:
                continue
            table = _columns(goal, table_of(relation))
        except UnknotError:
            continue
        if table is None or table.next_channel.tobytes() in known:
            continue
        known.add(table.next_channel.tobytes())
        key = _orders(goal, table, lanes, least, effort)
        if key is not None:
            yield table, key


def _columns(goal: LoadGoal, table: LaneTable) -> LaneTable | None:
    """A table with the columns of the goal as its rows; None if addresses of one are routed differently.

    Where nobody comes, the first channel that leads nearer.
    """
    paths, traffic = goal.path_set, goal.demand
    step = np.full((paths.home.size, len(paths.wanted)), -1)
    for address, row in enumerate(table.addresses.row.tolist()):
        if not table.addresses.may_use[:, address].any():
            continue
        column = traffic.distances.column[table.addresses.destination[address]]
        then = table.next_channel[row]
        if ((step[column] >= 0) & (then >= 0) & (step[column] != then)).any():
            return None
        step[column] = np.maximum(step[column], then)
    free = free_table(traffic, paths, paths.nearer)
    step = np.where(step >= 0, step, free.next_channel)
    shortest = bits_of(paths, step) & ~paths.nearer
    return None if shortest.any() else replace(free, next_channel=step)


def _orders(goal: LoadGoal, table: LaneTable, lanes: int, least: int, effort: SearchEffort) -> Floats | None:
    """Orders of the fewest lanes that are found in which all routes of a table climb; None: of more than `lanes`."""
    key = climbing(table.turns, table.network.num_channels)
    if key is not None and not goal.path_set.many.size:
        return key[None]
    paths = of_pairs(paths_of_table(table), packed(table.wanted), both_ways=goal.path_set.many.size > 0)
    for count in range(max(least, 1 if key is not None else 2), lanes + 1):
        if effort.over:
            return None
        orders = search(paths, count, effort, first=0, rounds=ROUNDS)
        if orders is not None:
            return orders.key
    return None
