# mypy: ignore-errors
"""The search of `reroute_kernel` for routes that are those of a table, one next channel of a router for each home."""

import numpy as np

from unknot._base.kernels.types_kernel import called, kept
from unknot.lanes.carried_kernel import add, after, turn
from unknot.lanes.orders_kernel import below, cooled, unit
from unknot.lanes.reroute_kernel import another, climb_in


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
    """Whether in a lane all that takes a channel to a home climbs, there and from there on."""
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
def relane(paths, now, rate, mark, stack, lane, u, v, first, end, scale):
    """Put what router u sends to the columns from `first` to `end`, at router v, into a lane, if it may be there."""
    for h in range(first, end):
        if now.lane[u, h] >= 0:
            add(paths, now, now.lane[u, h], now.start[u, h], h, np.int64(-1), -rate[u, h], scale)
            now.lane[u, h] = lane
            add(paths, now, lane, now.start[u, h], h, np.int64(1), rate[u, h], scale)
    for h in range(first, end):
        if now.lane[u, h] >= 0 and not legal(paths, now, mark, stack, lane, h, now.start[u, h]):
            return False
    return True


@kept(nogil=True)
def reroute_table(paths, now, rate, state, moves, scale, hot, cold):
    """Simulated annealing as `reroute`, of tables.

    A move takes a pair at random, and gives it another lane, or its router another channel to the home. Where both
    directions of two routers share a lane, all that they send to each other changes it together.
    """
    lanes, channels = now.rank.shape
    routers, columns = now.lane.shape
    mark, stack = np.zeros(channels, np.bool_), np.empty(channels, np.int64)
    heat = hot
    for move in range(moves):
        heat = cooled(heat, hot, cold, move, moves)
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
                free = relane(paths, now, rate, mark, stack, go, u, v, first, end, scale)
                if free and paths.many.size > 0:
                    free = relane(paths, now, rate, mark, stack, go, v, u, back, back_end, scale)
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
