"""Loads of tables, and tables of low load for lanes that packets change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unknot.lanes.effort import SearchEffort
from unknot.lanes.path_set import Demand, Floats, Ints
from unknot.lanes.tables import Table, bits_of, table_from

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, PathSet

MOVES = 200
"""Moves of the search for each pair, in all rounds together."""
MOST_MOVES = 20_000_000
"""Most moves of the search in all."""
ROUNDS = ((1.1, 0.1, 0.003), (1.05, 0.05, 0.001))
"""Scale of the loads, by the mean one, and temperatures at the beginning and at the end of each round."""


def balanced_table(traffic: Demand, paths: PathSet, orders: Orders, effort: SearchEffort) -> tuple[Ints, Floats]:
    """A table, as bits, by which the orders serve all pairs, of low highest load; and the load of each channel.

    By simulated annealing on the sum of the 16th powers of loads, from the table that the orders were found with.
    """
    from unknot.lanes.load_kernel import LoadedTable, balance_table, carry_all

    step = table_from(paths, orders.taken)
    order = np.argsort(traffic.distances.table, axis=1, kind="stable")
    load = np.zeros(len(paths.source) // paths.copies)
    table = LoadedTable(step, np.zeros(step.shape), load, 1.0 / traffic.network.bandwidth)
    carry_all(paths, table, traffic.wanted, traffic.rate)
    state = np.array([np.random.default_rng([effort.seed, 1]).integers(2**63)], dtype=np.uint64)
    mean = load.sum() / max(1, load.size)
    best, least = step.copy(), load.copy()
    moves = min(MOVES * traffic.pairs, MOST_MOVES) // len(ROUNDS)
    try:
        for number, (scale, hot, cold) in enumerate(ROUNDS if mean > 0 else ()):
            for count, now, then in effort.cooled(moves, (hot, cold), share=1 / (len(ROUNDS) - number)):
                balance_table(paths, orders.key, table, traffic.wanted, order, state, count, scale * mean, now, then)
            if load.max() < least.max():
                best, least = step.copy(), load.copy()
    except KeyboardInterrupt:
        effort.interrupted = True
    return bits_of(paths, best), least


def loads_of(table: Table) -> Floats:
    """Return the load of each channel under given tables: flow over bandwidth."""
    load = np.zeros(table.network.num_channels)
    router, row = np.nonzero(table.wanted)
    rate = table.rate[router, row]
    while row.size:
        going = router != table.home[row]
        row, router, rate = row[going], router[going], rate[going]
        channel = table.next_channel[row, router]
        np.add.at(load, channel, rate)
        router = table.network.target[channel]
    return load / table.network.bandwidth


def lane_loads(table: Table, lane: Ints, lanes: int) -> Floats:
    """Return the load of each channel in each lane, shape (lanes, channels), by tables and the lane of each pair."""
    loads = [loads_of(replace(table, wanted=table.wanted & (lane == one))) for one in range(lanes)]
    return np.array(loads).reshape(lanes, table.network.num_channels)
