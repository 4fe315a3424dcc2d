# mypy: ignore-errors
"""The search for routes in lanes whose busiest channel carries little; orders of channels change with the routes.

A lane is free of cycles as long as every turn in use climbs in its ranks. A route that needs a turn that falls gets
it by moving channels up (`climb`), unless a cycle of turns in use forbids it.
"""

import numpy as np

from unknot._base.kernels.types_kernel import alone, called
from unknot.lane_assignment.carried_kernel import add, after, onward_to, turn
from unknot.lane_assignment.orders_kernel import ways_on
from unknot.routing.layers_kernel import climb
from unknot.search.random_kernel import below, cooled, unit


@called
def climb_in(paths, now, mark, stack, k, c, e):
    """Move channels up in the order of lane k so that the turn from c to e climbs; whether no cycle forbids it."""
    return climb(
        paths.after_first, paths.after, now.uses[k], now.rank[k], now.at[k], mark, stack, np.int64(c), np.int64(e)
    )


@called
def onward(paths, now, state, k, c, h):
    """A random channel among the possible next channels to a home, a climbing one if possible."""
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
    first, end, options = ways_on(paths, u, before)
    hops = now.left[now.lane[u, h], now.start[u, h], h] if now.left.size and before < 0 else 0
    count, choice = 0, -1
    for j in range(first, end):
        e = options[j]
        if e == old:
            continue
        if onward_to(paths, now, k, before, e, h) if hops == 0 else 0 < now.left[k, e, h] <= hops + now.slack:
            count += 1
            if below(state, count) == 0:
                choice = e
    return choice


def reroute(paths, now, rate, state, step, scale) -> None:
    """Simulated annealing of routes on the sum of steep costs of the loads; all turns in use stay acyclic."""
    channels = now.rank.shape[1]
    mark, stack = np.zeros(channels, np.bool_), np.empty(channels, np.int64)
    if not now.apart:
        reroute_table(paths, now, rate, state, step, scale, mark, stack)
        return
    # A climbing route takes a channel once, but may come to a router again.
    drawn = np.empty((3, max(len(now.lane), channels) + 1), np.int64)
    reroute_paths(paths, now, rate, state, step, scale, mark, stack, drawn)


@alone
def reroute_paths(paths, now, rate, state, step, scale, mark, stack, drawn):
    """Anneal routes of which each is free, in arrays made for it.

    A move takes a pair at random and a step of its way, and takes another step there, with all that goes this way.
    """
    lanes = now.rank.shape[0]
    routers, columns = now.lane.shape
    path, fresh, was = drawn[0], drawn[1], drawn[2]
    heat = step.hot
    for move in range(step.moves):
        heat = cooled(heat, step, move)
        u, h = below(state, routers), below(state, columns)
        k = now.lane[u, h]
        if k < 0:
            continue
        place = below(state, walk(paths, now, u, h, path))
        old, pairs, amount, lane, before = path[place], 1, rate[u, h], k, -1
        if place == 0:
            lane = below(state, lanes)
        else:
            before = path[place - 1]
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


@called
def swing(paths, now, u, h, old, new, scale):
    """Let a router take another channel to a home, with all that goes this way, in all lanes; the change of cost."""
    more = 0.0
    for k in range(now.rank.shape[0]):
        pairs, amount = np.int64(now.users[k, old, h]), now.flow[k, old, h]
        if pairs == 0:
            continue
        for j in range(paths.before_first[old], paths.before_first[old + 1]):
            if now.users[k, paths.before[j], h] > 0:
                now.uses[k, turn(paths, paths.before[j], old)] -= 1
                now.uses[k, turn(paths, paths.before[j], new)] += 1
        more += add(paths, now, k, old, h, -pairs, -amount, scale)
        more += add(paths, now, k, new, h, pairs, amount, scale)
    now.follow[0, u, h] = now.start[u, h] = new
    return more


@called
def legal(paths, now, mark, stack, k, h, new):
    """Whether in a lane all traffic that takes a channel to a home climbs, at the channel and afterwards."""
    for j in range(paths.before_first[new], paths.before_first[new + 1]):
        if now.users[k, paths.before[j], h] > 0 and after(now, k, paths.before[j], h) == new:
            if not climb_in(paths, now, mark, stack, k, paths.before[j], new):
                return False
    c = new
    while paths.target[c] != paths.home[h]:
        e = after(now, k, c, h)
        if not climb_in(paths, now, mark, stack, k, c, e):
            return False
        c = e
    return True


@called
def relane(paths, now, rate, mark, stack, lane, u, first, end, scale):
    """Move the traffic of router u to the columns from `first` to `end` into a lane, if legal."""
    for h in range(first, end):
        if now.lane[u, h] >= 0:
            add(paths, now, now.lane[u, h], now.start[u, h], h, np.int64(-1), -rate[u, h], scale)
            now.lane[u, h] = lane
            add(paths, now, lane, now.start[u, h], h, np.int64(1), rate[u, h], scale)
    for h in range(first, end):
        if now.lane[u, h] >= 0 and not legal(paths, now, mark, stack, lane, h, now.start[u, h]):
            return False
    return True


@alone
def reroute_table(paths, now, rate, state, step, scale, mark, stack):
    """Anneal routes by a table, which has one next channel of a router for each home.

    A move takes a pair at random, and gives it another lane, or its router another channel to the home. Where both
    directions of two routers share a lane, all that they send to each other changes it together.
    """
    lanes = now.rank.shape[0]
    routers, columns = now.lane.shape
    heat = step.hot
    for move in range(step.moves):
        heat = cooled(heat, step, move)
        u, h = below(state, routers), below(state, columns)
        k = now.lane[u, h]
        if k < 0:
            continue
        if lanes > 1 and below(state, 4) == 0:
            lane, v, first, end = below(state, lanes), paths.home[h], h, h + 1
            if paths.many.size > 0:
                first, end = np.searchsorted(paths.home, v), np.searchsorted(paths.home, v, side="right")
            back, back_end = np.searchsorted(paths.home, u), np.searchsorted(paths.home, u, side="right")
            # Back into the old lane if it may not be in the new one; there it was legal before.
            for go in (lane, k):
                free = relane(paths, now, rate, mark, stack, go, u, first, end, scale)
                if free and paths.many.size > 0:
                    free = relane(paths, now, rate, mark, stack, go, v, back, back_end, scale)
                if free:
                    break
            continue
        old = now.start[u, h]
        new = another(paths, now, state, k, u, np.int64(-1), old, h)
        if new < 0:
            continue
        more = swing(paths, now, u, h, old, new, scale)
        free = more <= 0 or unit(state) < np.exp(-more / heat)
        for lane in range(lanes):
            free = free and (now.users[lane, new, h] == 0 or legal(paths, now, mark, stack, lane, h, new))
        if not free:
            swing(paths, now, u, h, new, old, scale)
