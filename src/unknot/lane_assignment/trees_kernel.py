# mypy: ignore-errors
"""Trees of next channels, one for each row of tables, of which all turns together stay free of cycles."""

from typing import NamedTuple

import numpy as np

from unknot._base.arrays import Flags, Floats, Ints
from unknot._base.kernels.types_kernel import called, kept
from unknot.lane_assignment.load_kernel import steeper
from unknot.lane_assignment.orders_kernel import pop, push
from unknot.routing.layers_kernel import climb
from unknot.search.random_kernel import unit as uniform


class TreeScratch(NamedTuple):
    """Scratch arrays of the growing of a tree.

    Attributes
    ----------
    mark, stack
        As `climb` takes them.
    weight : float64 array, shape (channels,)
        Cost of a channel for the mean flow.
    heap : int64 array, shape (channels,)
    key : float64 array, shape (channels,)
        Minus the cost of the way that begins with a channel of the heap.
    away : float64 array, shape (routers,)
        Cost of the way from each router in the tree; else infinite.
    through : float64 array, shape (routers,)
        What goes through each router to the home.
    """

    mark: Flags
    stack: Ints
    weight: Floats
    heap: Ints
    key: Floats
    away: Floats
    through: Floats


@called
def count_turns(net, uses, step, amount):
    """Add to the uses of the turns of a tree."""
    for u in range(step.size):
        c = step[u]
        if c >= 0 and step[net.target[c]] >= 0:
            uses[net.first[c] + net.slot[step[net.target[c]]]] += amount


@called
def flow_along(net, trees, step, order, rate, sign, through):
    """Add what routers send along a tree to the loads of channels; `order` has the routers by rising distance."""
    for u in range(rate.size):
        through[u] = rate[u]
    for i in range(order.size - 1, 0, -1):
        c = step[order[i]]
        trees.load[c] += sign * through[order[i]] * trees.slow[c]
        through[net.target[c]] += through[order[i]]


@called
def grown(net, turns, scratch, home, step, order, within):
    """Grow the tree to a home: lightest ways first, of which each turn closes no cycle; how many routers it has.

    Turns count from when they are taken. With `within` only channels whose entry is above 0 are taken.
    """
    heap, key, away = scratch.heap, scratch.key, scratch.away
    for u in range(step.size):
        step[u], away[u] = -1, np.inf
    away[home], order[0], size, many = 0.0, home, np.int64(0), 1
    v = home
    while True:
        for j in range(net.coming_first[v], net.coming_first[v + 1]):
            c = net.coming[j]
            if away[net.source[c]] == np.inf and (within.size == 0 or within[c] > 0):
                key[c] = -away[v] - scratch.weight[c]
                size = push(heap, size, key, c)
        v = -1
        while size > 0 and v < 0:
            c, size = pop(heap, size, key)
            u, w = net.source[c], net.target[c]
            if away[u] < np.inf:
                continue  # a router is in the heap by each channel from it into the tree; the first that may wins
            if w != home:
                e = step[w]
                if not climb(
                    net.first, net.after, turns.uses, turns.rank, turns.at, scratch.mark, scratch.stack, c, e
                ):
                    continue
                turns.uses[net.first[c] + net.slot[e]] += 1
            away[u], step[u], order[many], v = -key[c], c, u, u
            many += 1
        if v < 0:
            return many


@called
def cost(net, trees, step, order, rate, costs, through):
    """What the flows of a tree cost on channels that carry loads already: steep loads, and hops."""
    load, scale = trees.load, costs.scale
    for u in range(rate.size):
        through[u] = rate[u]
    total = 0.0
    for i in range(order.size - 1, 0, -1):
        c, flow = step[order[i]], through[order[i]]
        total += steeper(load[c], flow * trees.slow[c], scale) + costs.hop * flow
        through[net.target[c]] += flow
    return total


@kept(nogil=True)
def route(net, turns, spanning, rows, trees, costs, state):
    """Grow the tree of each of some rows by the loads of the others; within a spanning tree if turns cut routers off.

    Where there is heat the rows have trees, and keep them where new ones cost much more (simulated annealing), or
    where there is no spanning tree to lie within.
    Returns how many rows lie within the spanning tree. The records are those of `trees`.
    """
    home, rate, step, order, load, slow = trees
    hop, scale, noise, heat = costs
    uses = turns.uses
    channels, routers = load.size, step.shape[1]
    scratch = TreeScratch(
        np.zeros(channels, np.bool_), np.empty(channels, np.int64), np.empty(channels), np.empty(channels, np.int64),
        np.empty(channels), np.empty(routers), np.empty(routers),
    )  # fmt: skip
    weight, through, anywhere, spanned = scratch.weight, scratch.through, np.zeros(0, np.int8), 0
    old, old_order = np.empty(routers, np.int64), np.empty(routers, np.int64)
    for row in rows:
        if heat > 0:
            old[:], old_order[:] = step[row], order[row]
            flow_along(net, trees, old, old_order, rate[row], -1.0, through)
            count_turns(net, uses, old, -1)
        total = rate[row].sum()
        # What a hop costs: the growth of the steep cost by a typical flow, per unit of it.
        unit = total / routers if total > 0 else scale / routers
        for c in range(channels):
            weight[c] = hop + steeper(load[c], unit * slow[c], scale) / unit
            weight[c] *= 1.0 + noise * uniform(state)
        many = grown(net, turns, scratch, home[row], step[row], order[row], anywhere)
        if many < routers:
            count_turns(net, uses, step[row], -1)
            many = grown(net, turns, scratch, home[row], step[row], order[row], spanning)
            spanned += 1
        if heat > 0:
            more = np.inf
            if many == routers:
                more = cost(net, trees, step[row], order[row], rate[row], costs, through)
                more -= cost(net, trees, old, old_order, rate[row], costs, through)
            if more > -heat * np.log(1.0 - uniform(state)):
                count_turns(net, uses, step[row], -1)
                step[row], order[row] = old, old_order
                # The order of channels has changed with the new tree, but without it these turns close no cycle.
                for i in range(1, routers):
                    c = old[old_order[i]]
                    e = old[net.target[c]]
                    if e >= 0:
                        climb(net.first, net.after, uses, turns.rank, turns.at, scratch.mark, scratch.stack, c, e)
                        uses[net.first[c] + net.slot[e]] += 1
        flow_along(net, trees, step[row], order[row], rate[row], 1.0, through)
    return spanned


@kept(nogil=True)
def plant(net, turns, trees):
    """Work out the orders of the routers in trees, and what these use and carry."""
    home, rate, step, order, _, _ = trees
    routers = step.shape[1]
    through = np.empty(routers)
    for row in range(home.size):
        order[row, 0], many = home[row], 1
        for i in range(routers):
            v = order[row, i]
            for j in range(net.coming_first[v], net.coming_first[v + 1]):
                c = net.coming[j]
                if step[row, net.source[c]] == c:
                    order[row, many] = net.source[c]
                    many += 1
        count_turns(net, turns.uses, step[row], 1)
        flow_along(net, trees, step[row], order[row], rate[row], 1.0, through)
