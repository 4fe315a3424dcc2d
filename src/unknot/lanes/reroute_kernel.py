# mypy: ignore-errors
"""The search for routes in lanes whose busiest channel carries little; orders of channels change with the routes.

A lane is free of cycles as long as every turn in use climbs in its ranks. A route that needs a turn that falls gets
it by moving channels up (`climb`), unless a cycle of turns in use forbids it.
"""

import numpy as np

from unknot._base.kernels.types_kernel import called, kept
from unknot.lanes.carried_kernel import add, after, onward_to, turn
from unknot.lanes.orders_kernel import below, cooled, unit
from unknot.routing.order_kernel import climb


@called
def climb_in(paths, now, mark, stack, k, c, e):
    """Move channels up in the order of lane k so that the turn from c to e climbs; whether no cycle forbids it."""
    return climb(
        paths.after_first, paths.after, now.uses[k], now.rank[k], now.at[k], mark, stack, np.int64(c), np.int64(e)
    )


@called
def onward(paths, now, state, k, c, h):
    """A channel, at random, that may follow a channel on the way to a home; one that climbs, if there is any."""
    count, rising, choice = 0, 0, -1
    for j in range(paths.after_first[c], paths.after_first[c + 1]):
        e = paths.after[j]
        if onward_to(paths, now, k, c, e, h):
            if now.rank[k, e] > now.rank[k, c]:
                rising += 1
                if below(state, rising) == 0:
                    choice = e
            elif rising == 0:
                count += 1
                if below(state, count) == 0:
                    choice = e
    return choice


@called
def walk(paths, now, u, h, path):
    """Write the route of a pair; its length."""
    k, c, length = now.lane[u, h], now.start[u, h], 1
    path[0] = c
    while paths.target[c] != paths.home[h]:
        c = after(now, k, c, h)
        path[length] = c
        length += 1
    return length


@called
def another(paths, now, state, k, u, before, old, h):
    """A channel but `old`, at random, by which a router may send to a home what came by `before`; −1: none.

    What begins at the router, where `before` is −1, may change to lane k from that of the pair.
    """
    first, end, options = paths.leaving_first[u], paths.leaving_first[u + 1], paths.leaving
    hops = now.left[now.lane[u, h], now.start[u, h], h] if now.left.size and before < 0 else 0
    if before >= 0:
        first, end, options = paths.after_first[before], paths.after_first[before + 1], paths.after
    count, choice = 0, -1
    for j in range(first, end):
        e = options[j]
        if e == old:
            continue
        if onward_to(paths, now, k, before, e, h) if hops == 0 else now.left[k, e, h] == hops:
            count += 1
            if below(state, count) == 0:
                choice = e
    return choice


@kept(nogil=True)
def reroute(paths, now, rate, state, moves, scale, hot, cold):
    """Simulated annealing of routes on the sum of steep costs of the loads; all turns in use stay acyclic.

    A move takes a pair at random and a step of its way, and takes another step there, with all that goes this way.
    """
    lanes, channels = now.rank.shape
    routers, columns = now.lane.shape
    path = np.empty(routers + 1, np.int64)
    fresh, was = np.empty(routers + 1, np.int64), np.empty(routers + 1, np.int64)
    mark, stack = np.zeros(channels, np.bool_), np.empty(channels, np.int64)
    heat = hot
    for move in range(moves):
        heat = cooled(heat, hot, cold, move, moves)
        u, h = below(state, routers), below(state, columns)
        k = now.lane[u, h]
        if k < 0:
            continue
        step = below(state, walk(paths, now, u, h, path))
        old, pairs, amount, lane, before = path[step], 1, rate[u, h], k, -1
        if step == 0:
            lane = below(state, lanes)
        else:
            before = path[step - 1]
            pairs, amount = now.users[k, before, h], now.flow[k, before, h]
        new = another(paths, now, state, lane, paths.source[old], before, old if lane == k else -1, h)
        if new < 0:
            continue
        more = add(paths, now, k, old, h, -pairs, -amount, scale)
        if before >= 0:
            now.uses[k, turn(paths, before, old)] -= 1
        # From where others go the same way on, it is chosen already; up to there it is drawn here.
        made, c = 0, new
        while now.users[lane, c, h] == 0 and paths.target[c] != paths.home[h]:
            fresh[made], was[made] = c, now.follow[lane, c, h]
            now.follow[lane, c, h] = onward(paths, now, state, lane, c, h)
            c = now.follow[lane, c, h]
            made += 1
        more += add(paths, now, lane, new, h, pairs, amount, scale)
        if before >= 0:
            now.uses[k, turn(paths, before, new)] += 1
        if more <= 0 or unit(state) < np.exp(-more / heat):
            climbs = before < 0 or climb_in(paths, now, mark, stack, lane, before, new)
            for i in range(made):
                c = np.int64(now.follow[lane, fresh[i], h])
                climbs = climbs and climb_in(paths, now, mark, stack, lane, fresh[i], c)
            if climbs:
                if before < 0:
                    now.lane[u, h], now.start[u, h] = lane, new
                else:
                    now.follow[k, before, h] = new
                continue
        # Refused: all is taken back in the opposite order. Ranks that changed stay, for all turns climb in them too.
        if before >= 0:
            now.uses[k, turn(paths, before, new)] -= 1
        add(paths, now, lane, new, h, -pairs, -amount, scale)
        for i in range(made - 1, -1, -1):
            now.follow[lane, fresh[i], h] = was[i]
        if before >= 0:
            now.uses[k, turn(paths, before, old)] += 1
        add(paths, now, k, old, h, pairs, amount, scale)
