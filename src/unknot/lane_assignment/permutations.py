"""Load of the worst permutation: of all in which each terminal sends to one and receives from one.

Of a channel it is the size of a largest matching among the flows that take it, so the worst of all is found exactly
(B. Towles and W. J. Dally, "Worst-case traffic for oblivious routing functions", SPAA 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.arrays import grouped
from unknot.lane_assignment.path_set import Floats, Ints
from unknot.lane_assignment.rerouted import LoadGoal, balanced, highest
from unknot.lane_assignment.tables import hop_by_hop
from unknot.search.effort import SearchEffort

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried

ROUNDS = 24
"""Rounds, each with the worst permutations of the routes before."""
SHARE = 0.05
"""Flow of each pair at first, of one that is in a worst permutation."""
KEPT = 0.8
"""Share of the flows of earlier rounds."""
NEAR = 0.8
"""Load, of the highest one, from which on the permutation of a channel becomes flows."""


def lower_worst(goal: LoadGoal, starts: Sequence[Carried], effort: SearchEffort) -> tuple[Carried, float]:
    """Routes with the lowest load in their worst permutation, given routes included, and the load; not a bound.

    By cutting planes: the worst permutations of the routes so far become flows, for which routes are annealed again.
    """
    ranks = [(len(start.rank), worst_load(goal, start)[0], highest(start)) for start in starts]
    least = min(ranks)
    best = now = starts[ranks.index(least)]
    flows = SHARE * goal.demand.wanted
    for number in range(ROUNDS):
        if effort.stopped:
            break
        flows = KEPT * flows + worst_load(goal, now)[1]
        cut = replace(goal, demand=replace(goal.demand, rate=flows), floor=0.0)
        now = balanced(cut, cut.widened(now, now.rank), effort, range(1), stream=number, later=ROUNDS - number)
        now = goal.widened(now, now.rank)
        load = len(now.rank), worst_load(goal, now)[0], highest(now)
        effort.report(f"load of the worst permutation {min(load, least)[1]:g}")
        if load < least:
            best, least = now, load
    return best, least[1]


def worst_load(goal: LoadGoal, now: Carried) -> tuple[float, Floats]:
    """The highest load of a channel under any permutation, and what pairs send in those of nearly as high loads.

    Time: for each channel that may have the highest load its flows × the root of the terminals.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    network, column = goal.demand.network, goal.demand.distances.column
    terminals = network.num_terminals
    channel, source, destination = _taken(goal, now)
    taken = grouped(channel, network.num_channels)
    most, worst = 0.0, list[tuple[float, Ints, Ints]]()
    for c in np.argsort(-taken.width * now.slow, kind="stable").tolist():
        those = taken.of(c)
        s, t = source[those], destination[those]
        if min(np.unique(s).size, np.unique(t).size) * now.slow[c] < NEAR * most or not those.size:
            continue
        sends = csr_array((np.ones(those.size), (s, t)), shape=(terminals, terminals))
        receiver = maximum_bipartite_matching(sends, perm_type="column")
        senders = np.flatnonzero(receiver >= 0)
        load = senders.size * float(now.slow[c])
        worst.append((load, network.inject[senders].astype(np.int64), column[receiver[senders]]))
        most = max(most, load)
    flows = np.zeros(goal.demand.wanted.shape)
    for load, router, home in worst:
        if load >= NEAR * most:
            np.add.at(flows, (router, home), 1.0)
    return most, flows


def _taken(goal: LoadGoal, now: Carried) -> tuple[Ints, Ints, Ints]:
    """Every channel of a flow, with the flow's sending and receiving terminals."""
    demand, home = goal.demand, goal.path_set.home
    network = demand.network
    sends = ~np.eye(network.num_terminals, dtype=bool) if demand.flows is None else demand.flows > 0
    source, destination = np.nonzero(sends & (network.inject[:, None] != network.eject))
    router, column = network.inject[source], demand.distances.column[destination]
    table, start = now.lane[router, column] * now.apart, now.start[router, column]
    steps = hop_by_hop(
        start, home[column], network.target, lambda route, c: now.follow[table[route], now.site[c], column[route]]
    )
    route, channel = (np.concatenate(parts) for parts in zip(*steps, strict=True))
    return channel, source[route], destination[route]
