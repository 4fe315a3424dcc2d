"""Routes that orders allow, chosen so that the busiest channel carries little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.background import NoAnswerError, clock, within
from unknot.lanes.effort import SearchEffort
from unknot.lanes.laned import Routes, no_slots
from unknot.lanes.tables import Table, bits_of, table_from
from unknot.lanes.ways import Demand, Floats, Ints

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import Orders, Ways

MOVES = 200
"""Moves of the search for each pair, in all rounds together."""
MOST_MOVES = 20_000_000
"""Most moves of the search in all."""
MOST_FLOWS = 4_000_000
"""Most pairs × channels for which the bound is sought by linear programming."""
SLACK = 1e-6
"""Error allowed to the solver of linear programs."""
AT_ONCE = 16
"""Routers whose routes are chosen between two looks for Ctrl-C."""
ROUNDS = ((1.1, 0.1, 0.003), (1.05, 0.05, 0.001))
"""Scale of the loads, by the mean one, and temperatures at the beginning and at the end of each round."""


def balanced(traffic: Demand, ways: Ways, orders: Orders, effort: SearchEffort) -> Routes:
    """Routes along climbing shortest paths in the lanes of some orders, of low highest load.

    By simulated annealing on the sum of the 16th powers of loads; what follows a channel in a lane on the way to a
    destination is one channel, so a change moves all that comes this way. Time and memory: lanes × channels ×
    destinations.
    """
    from unknot.lanes.load_kernel import balance, choose

    lanes, channels = orders.key.shape
    routers, homes = traffic.wanted.shape
    rate = np.where(traffic.wanted, traffic.rate, -1.0)
    lane, start = np.full((routers, homes), -1), np.full((routers, homes), -1)
    follow = no_slots((lanes, channels, homes), ways.leaving_first)
    flow, load = np.zeros((lanes, channels, homes)), np.zeros(channels // ways.copies)
    state = np.array([np.random.default_rng([effort.seed, lanes]).integers(2**63)], dtype=np.uint64)
    began = clock()
    for first in range(0, routers, AT_ONCE):
        end = min(routers, first + AT_ONCE)
        late = effort.over or (clock() - began) * routers > (effort.deadline - began) * end
        choose(ways, orders.key, orders.reach, rate, lane, start, follow, flow, load, state, first, end, late)
        effort.hurried |= late
    if effort.over:
        return Routes(lane, start, follow, load)
    mean = load.sum() / max(1, load.size)
    best = Routes(lane.copy(), start.copy(), follow.copy(), load.copy())
    for _ in _rounds(
        traffic, effort, mean, lambda *how: balance(
            ways, orders.key, orders.reach, rate, lane, start, follow, flow, load, state, *how
        )
    ):  # fmt: skip
        if load.max() < best.load.max():
            best = Routes(lane.copy(), start.copy(), follow.copy(), load.copy())
    return best


def _rounds(
    traffic: Demand, effort: SearchEffort, mean: float, anneal: Callable[[int, float, float, float], None]
) -> Iterator[None]:
    """Anneal in rounds, each yields; Ctrl-C ends them."""
    moves = min(MOVES * traffic.pairs, MOST_MOVES) // len(ROUNDS)
    try:
        for number, (scale, hot, cold) in enumerate(ROUNDS if mean > 0 else ()):
            for count, now, then in effort.cooled(moves, (hot, cold), share=1 / (len(ROUNDS) - number)):
                anneal(count, scale * mean, now, then)
            yield
    except KeyboardInterrupt:
        effort.interrupted = True


def balanced_table(traffic: Demand, ways: Ways, orders: Orders, effort: SearchEffort) -> tuple[Ints, Floats]:
    """A table, as bits, by which the orders serve all pairs, of low highest load; and the load of each channel.

    By annealing as above, from the table that the orders were found with.
    """
    from unknot.lanes.load_kernel import balance_table, carry_all

    step = table_from(ways, orders.taken)
    order = np.argsort(traffic.distances.table, axis=1, kind="stable")
    flow, load = np.zeros(step.shape), np.zeros(len(ways.source) // ways.copies)
    carry_all(ways, step, flow, load, traffic.wanted, traffic.rate)
    state = np.array([np.random.default_rng([effort.seed, 1]).integers(2**63)], dtype=np.uint64)
    mean = load.sum() / max(1, load.size)
    best, least = step.copy(), load.copy()
    for _ in _rounds(
        traffic, effort, mean, lambda *how: balance_table(
            ways, orders.key, step, traffic.wanted, order, flow, load, state, *how
        )
    ):  # fmt: skip
        if load.max() < least.max():
            best, least = step.copy(), load.copy()
    return bits_of(ways, best), least


def load_bound(traffic: Demand, *, time_limit: float = 20.0) -> float:
    """Lower bound on the highest load of any choice of shortest paths, even if pairs may be split.

    By linear programming; where that is too large, or there is no time for it, the mean load of all channels.
    """
    from unknot._base.errors import RelationError
    from unknot.routing.shortest_paths import shortest_paths
    from unknot.verify import best_loads

    network = traffic.network
    mean = float((traffic.rate * np.where(traffic.wanted, traffic.distances.table.T, 0)).sum())
    mean /= max(1, network.num_channels)
    if traffic.pairs * network.num_channels > MOST_FLOWS or time_limit <= 0:
        return mean
    relation = shortest_paths(network, choice="all")
    terminals = network.num_terminals
    weight = (~np.eye(terminals, dtype=bool)).astype(float) if traffic.flows is None else traffic.flows
    try:
        best = within(time_limit, lambda: best_loads(relation, weight / weight.sum(), time_limit=time_limit))
    except (RelationError, NoAnswerError):
        return mean
    return max(mean, best.highest * float(weight.sum()) * (1 - SLACK))


def loads_of(table: Table) -> Floats:
    """Return the load of each channel under given tables."""
    load = np.zeros(table.network.num_channels)
    router, row = np.nonzero(table.wanted)
    rate = table.rate[router, row]
    while row.size:
        going = router != table.home[row]
        row, router, rate = row[going], router[going], rate[going]
        channel = table.next_channel[row, router]
        np.add.at(load, channel, rate)
        router = table.network.target[channel]
    return load
