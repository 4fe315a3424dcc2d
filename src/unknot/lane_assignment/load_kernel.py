# mypy: ignore-errors
"""The choice among climbing shortest paths that keeps the load of the busiest channel low."""

from typing import NamedTuple

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.kernels.types_kernel import called, inlined, kept
from unknot.lane_assignment.orders_kernel import leads
from unknot.lane_assignment.paths_kernel import elsewhere
from unknot.search.random_kernel import below, cooled, unit

SQUARES = 4
"""How often a load is squared where its cost is not made steeper: its 16th power."""


class LoadedTable(NamedTuple):
    """A table and what its routes carry.

    Attributes
    ----------
    step : int64 array, shape (homes, routers)
        Next channels, of virtual channels the first; −1 at the home.
    flow : float64 array, shape (homes, routers)
        What goes through each router to each home.
    load : float64 array, shape (channels,)
        Flow over bandwidth.
    slow : float64 array, shape (channels,)
        One over the bandwidth.
    """

    step: Ints
    flow: Floats
    load: Floats
    slow: Floats


@inlined
def steep(load, scale, squares=SQUARES):
    """The cost of a load, over a scale: it is squared that many times."""
    x = load / scale
    for _ in range(squares):
        x *= x
    return x


@inlined
def steeper(load, more, scale, squares=SQUARES):
    """By how much the cost of a load grows with a load more."""
    return steep(load + more, scale, squares) - steep(load, scale, squares)


@inlined
def serves(reach, lane, channel, h):
    return (reach[lane, channel, h >> 6] >> (h & 63)) & 1


@kept(nogil=True)
def grow(paths, key, order, step):
    """Choose for each home and router a next channel from which routes climb in many lanes, and begin high.

    `order` has for each home the routers by rising distance; `step` is written, shape (homes, routers).
    """
    lanes = key.shape[0]
    top = np.empty((lanes, order.shape[1]))
    for h in range(order.shape[0]):
        for u in order[h]:
            first, end = paths.leaving_first[u], paths.leaving_first[u + 1]
            best, most = -1, -1.0
            for i in range(end - first):
                # Of equals the first is kept, so it begins elsewhere for each router and home: ties spread.
                c = paths.leaving[first + (i + u + h) % (end - first)]
                if leads(paths, c, h):
                    score = 0.0
                    for lane in range(lanes):
                        if key[lane, c] < top[lane, paths.target[c]]:
                            score += 1.0 + key[lane, c]
                    if score > most:
                        best, most = c, score
            step[h, u] = best
            for lane in range(lanes):
                climbs = best >= 0 and key[lane, best] < top[lane, paths.target[best]]
                top[lane, u] = key[lane, best] if climbs else -np.inf
                if u == paths.home[h]:
                    top[lane, u] = np.inf


@kept(nogil=True)
def served_column(paths, key, step, wanted, order, h, top):
    """Whether all wanted routers have a climbing route in some lane by column h of a table of next channels.

    `order` has the routers by rising distance from the home; top[lane, router] is worked out on the way: the highest
    key with which a climbing route from there can begin, −∞ if there is none. Of virtual channels `step` has the
    first.
    """
    home = paths.home[h]
    for i in range(order.size):
        u = order[i]
        if u == home:
            for lane in range(key.shape[0]):
                top[lane, u] = np.inf
            continue
        c = step[h, u]
        v = paths.target[c] if c >= 0 else -1
        some = False
        for lane in range(key.shape[0]):
            top[lane, u] = -np.inf
            for copy in range(c, c + paths.copies if c >= 0 else c):
                if top[lane, u] < key[lane, copy] < top[lane, v]:
                    top[lane, u] = key[lane, copy]
                    some = True
        if wanted[u, h] and not some:
            return False
    return True


@called
def carry(paths, table, h, u, amount, scale):
    """Add an amount to what flows from router u to a home by the table; the change of cost."""
    step, flow, load, slow = table
    more = 0.0
    while True:
        flow[h, u] += amount
        if u == paths.home[h]:
            return more
        c = step[h, u] // paths.copies
        more += steeper(load[c], amount * slow[c], scale)
        load[c] += amount * slow[c]
        u = paths.target[step[h, u]]


@kept(nogil=True)
def carry_all(paths, table, wanted, rate):
    """Add what all pairs send."""
    for u in range(wanted.shape[0]):
        for h in range(wanted.shape[1]):
            if wanted[u, h]:
                carry(paths, table, h, u, rate[u, h], 1.0)


@kept(nogil=True)
def balance_table(paths, key, table, wanted, order, state, annealing, scale):
    """Simulated annealing of a table on the sum of steep costs of the loads; every wanted pair stays served.

    A move sends a router's packets to one home by another channel, with all that come this way.
    """
    step, flow = table.step, table.flow
    homes, routers = step.shape
    top = np.empty((key.shape[0], routers))
    heat = annealing.hot
    for move in range(annealing.moves):
        heat = cooled(heat, annealing, move)
        u, h = below(state, routers), below(state, homes)
        old = step[h, u]
        new = -1 if u == paths.home[h] or old < 0 else elsewhere(paths, state, old, h)
        if new < 0:
            continue
        amount = flow[h, u]
        more = carry(paths, table, h, u, -amount, scale)
        step[h, u] = new
        more += carry(paths, table, h, u, amount, scale)
        likely = more <= 0 or unit(state) < np.exp(-more / heat)
        if likely and served_column(paths, key, step, wanted, order[h], h, top):
            continue
        carry(paths, table, h, u, -amount, scale)
        step[h, u] = old
        carry(paths, table, h, u, amount, scale)
