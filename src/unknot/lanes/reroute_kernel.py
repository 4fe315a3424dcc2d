# mypy: ignore-errors
"""The search for routes in lanes whose busiest channel carries little; orders of channels change with the routes.

A lane is free of cycles as long as every turn in use climbs in its ranks. A route that needs a turn that falls gets
it by moving channels up (Marchetti-Spaccamela, Nanni & Rohnert: Maintaining a topological order under edge
insertions, Information Processing Letters 1996), unless a cycle of turns in use forbids it.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from unknot._base.kernels.types_kernel import kept
from unknot.lanes.load_kernel import serves, steep
from unknot.lanes.orders_kernel import below, unit


class Carried(NamedTuple):
    """Routes in lanes, and what they use.

    Where routes are those of a table, what follows depends on the router alone: `apart` is 0, and `site` the router
    at the end of each channel. Else `apart` is 1, and `site` the channel.

    Attributes
    ----------
    apart : int
    site : int64 array, shape (channels,)
    lane, start : int64 arrays, shape (routers, columns)
        The lane and the first channel of each pair; lane −1: none is wanted.
    follow : int32 array, shape (lanes or 1, sites, columns)
        The channel that follows on the way to a column's home; −1: not chosen yet.
    users : int32 array, shape (lanes, channels, columns)
        Pairs whose route takes a channel.
    flow : float64 array, same shape
        What they send.
    load : float64 array, shape (channels,)
        Flow over capacity; of all virtual channels of a channel together.
    slow : float64 array, same shape
        One over the capacity.
    uses : int32 array, shape (lanes, turns)
        Channels before and columns that take a turn, in the order of `Ways.after`.
    rank, at : int64 arrays, shape (lanes, channels)
        The place of each channel in the order of a lane, and the channel at each place.
    left : int16 array, shape (lanes, channels, columns)
        Hops of the shortest climbing routes that begin with a channel: all routes are such, and orders stay. Without
        lanes where routes are shortest paths.
    """

    apart: int
    site: npt.NDArray[np.int64]
    lane: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    follow: npt.NDArray[np.int32]
    users: npt.NDArray[np.int32]
    flow: npt.NDArray[np.float64]
    load: npt.NDArray[np.float64]
    slow: npt.NDArray[np.float64]
    uses: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int64]
    at: npt.NDArray[np.int64]
    left: npt.NDArray[np.int16]


@njit(inline="always")
def turn(ways, c, e):
    """The number of the turn from a channel to one that follows it."""
    j = ways.after_first[c]
    while ways.after[j] != e:
        j += 1
    return j


@njit(inline="always")
def after(now, k, c, h):
    """The channel that follows in a lane on the way to a column's home."""
    return now.follow[k * now.apart, now.site[c], h]


@njit(inline="always")
def leads(ways, c, h):
    """Whether a channel may be taken to a column's home."""
    return (ways.nearer[c, h >> 6] >> (h & 63)) & 1


@njit(inline="always")
def onward_to(ways, now, k, c, e, h):
    """Whether a channel may follow another in a lane on the way to a column's home."""
    if now.left.size:
        return now.rank[k, e] > now.rank[k, c] and now.left[k, e, h] == now.left[k, c, h] - 1
    return leads(ways, e, h)


@kept(nogil=True)
def climbing_hops(ways, now):
    """Work out `left` from the orders; 0 where no route climbs to a column's home."""
    for k in range(now.rank.shape[0]):
        for c in now.at[k][::-1]:
            for h in range(ways.home.size):
                hops = np.int16(ways.target[c] == ways.home[h])
                for j in range(ways.after_first[c], ways.after_first[c + 1] if hops == 0 else 0):
                    e = ways.after[j]
                    more = now.left[k, e, h] + 1
                    if now.rank[k, e] > now.rank[k, c] and more > 1 and (hops == 0 or more < hops):
                        hops = more
                now.left[k, c, h] = hops


@kept(nogil=True)
def add(ways, now, k, c, h, pairs, amount, scale):
    """Let pairs take the way from a channel to a column's home, or no longer if negative; the change of cost."""
    more = 0.0
    while True:
        channel = c // ways.copies
        load = now.load[channel] + amount * now.slow[channel]
        more += steep(load, scale) - steep(now.load[channel], scale)
        now.load[channel] = load
        now.flow[k, c, h] += amount
        now.users[k, c, h] += pairs
        if now.users[k, c, h] == 0:
            now.flow[k, c, h] = 0.0
        if ways.target[c] == ways.home[h]:
            return more
        e = after(now, k, c, h)
        if pairs > 0 and now.users[k, c, h] == pairs:
            now.uses[k, turn(ways, c, e)] += 1
        elif pairs < 0 and now.users[k, c, h] == 0:
            now.uses[k, turn(ways, c, e)] -= 1
        c = e


@kept(nogil=True)
def carry_routes(ways, now, rate):
    """Add what all pairs send."""
    for u in range(now.lane.shape[0]):
        for h in range(now.lane.shape[1]):
            if now.lane[u, h] >= 0:
                add(ways, now, now.lane[u, h], now.start[u, h], h, 1, rate[u, h], 1.0)


@kept(nogil=True)
def choose(ways, key, reach, now, state, first, end, hurried):
    """Draw a lane and a way for each wanted pair of the routers from `first` to `end`, that climbs in its keys.

    With `hurried` the lane is the first that serves a pair, which touches less memory.
    """
    for u in range(first, end):
        for h in range(ways.home.size):
            if now.lane[u, h] < 0:
                continue
            count = 0
            for lane in range(key.shape[0]):
                if hurried and count:
                    break
                for j in range(ways.leaving_first[u], ways.leaving_first[u + 1]):
                    if serves(reach, lane, ways.leaving[j], h):
                        count += 1
                        if below(state, count) == 0:
                            now.lane[u, h], now.start[u, h] = lane, ways.leaving[j]
            k, c = now.lane[u, h], now.start[u, h]
            while ways.target[c] != ways.home[h]:
                count = 0
                if after(now, k, c, h) >= 0:
                    break
                for j in range(ways.after_first[c], ways.after_first[c + 1]):
                    e = ways.after[j]
                    if key[k, e] > key[k, c] and serves(reach, k, e, h):
                        count += 1
                        if below(state, count) == 0:
                            now.follow[k, c, h] = e
                c = now.follow[k, c, h]


@kept(nogil=True)
def climb(ways, now, mark, stack, k, c, e):
    """Move channels up in a lane's order so that the turn from c to e climbs; whether no cycle of turns forbids it.

    Turns in use that fall do not count: each is made to climb in its turn.
    """
    rank, at = now.rank[k], now.at[k]
    low, high = rank[e], rank[c]
    if low > high:
        return True
    mark[e], stack[0], size, free = True, e, 1, True
    while size > 0 and free:
        size -= 1
        x = stack[size]
        for j in range(ways.after_first[x], ways.after_first[x + 1]):
            y = ways.after[j]
            if now.uses[k, j] > 0 and not mark[y] and rank[x] < rank[y] <= high:
                if y == c:
                    free = False
                    break
                mark[y] = True
                stack[size] = y
                size += 1
    place, moved = low, 0
    for p in range(low, high + 1):
        x = at[p]
        if mark[x]:
            mark[x] = False
            stack[moved] = x
            moved += 1
        elif free:
            at[place], rank[x] = x, place
            place += 1
    for i in range(moved if free else 0):
        at[place + i], rank[stack[i]] = stack[i], place + i
    return free


@kept(nogil=True)
def onward(ways, now, state, k, c, h):
    """A channel, at random, that may follow a channel on the way to a home; one that climbs, if there is any."""
    count, rising, choice = 0, 0, -1
    for j in range(ways.after_first[c], ways.after_first[c + 1]):
        e = ways.after[j]
        if onward_to(ways, now, k, c, e, h):
            if now.rank[k, e] > now.rank[k, c]:
                rising += 1
                if below(state, rising) == 0:
                    choice = e
            elif rising == 0:
                count += 1
                if below(state, count) == 0:
                    choice = e
    return choice


@kept(nogil=True)
def walk(ways, now, u, h, path):
    """Write the route of a pair; its length."""
    k, c, length = now.lane[u, h], now.start[u, h], 1
    path[0] = c
    while ways.target[c] != ways.home[h]:
        c = after(now, k, c, h)
        path[length] = c
        length += 1
    return length


@kept(nogil=True)
def another(ways, now, state, k, u, before, old, h):
    """A channel but `old`, at random, by which a router may send to a home what came by `before`; −1: none.

    What begins at the router, where `before` is −1, may change to lane k from that of the pair.
    """
    first, end, options = ways.leaving_first[u], ways.leaving_first[u + 1], ways.leaving
    hops = now.left[now.lane[u, h], now.start[u, h], h] if now.left.size and before < 0 else 0
    if before >= 0:
        first, end, options = ways.after_first[before], ways.after_first[before + 1], ways.after
    count, choice = 0, -1
    for j in range(first, end):
        e = options[j]
        if e == old:
            continue
        if onward_to(ways, now, k, before, e, h) if hops == 0 else now.left[k, e, h] == hops:
            count += 1
            if below(state, count) == 0:
                choice = e
    return choice


@kept(nogil=True)
def reroute(ways, now, rate, state, moves, scale, hot, cold):
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
        if move & 255 == 0:
            heat = hot * (cold / hot) ** (move / moves)
        u, h = below(state, routers), below(state, columns)
        k = now.lane[u, h]
        if k < 0:
            continue
        step = below(state, walk(ways, now, u, h, path))
        old, pairs, amount, lane, before = path[step], 1, rate[u, h], k, -1
        if step == 0:
            lane = below(state, lanes)
        else:
            before = path[step - 1]
            pairs, amount = now.users[k, before, h], now.flow[k, before, h]
        new = another(ways, now, state, lane, ways.source[old], before, old if lane == k else -1, h)
        if new < 0:
            continue
        more = add(ways, now, k, old, h, -pairs, -amount, scale)
        if before >= 0:
            now.uses[k, turn(ways, before, old)] -= 1
        made, c = 0, new
        while now.users[lane, c, h] == 0 and ways.target[c] != ways.home[h]:
            fresh[made], was[made] = c, now.follow[lane, c, h]
            now.follow[lane, c, h] = onward(ways, now, state, lane, c, h)
            c = now.follow[lane, c, h]
            made += 1
        more += add(ways, now, lane, new, h, pairs, amount, scale)
        if before >= 0:
            now.uses[k, turn(ways, before, new)] += 1
        if more <= 0 or unit(state) < np.exp(-more / heat):
            legal = before < 0 or climb(ways, now, mark, stack, lane, before, new)
            for i in range(made):
                legal = legal and climb(ways, now, mark, stack, lane, fresh[i], now.follow[lane, fresh[i], h])
            if legal:
                if before < 0:
                    now.lane[u, h], now.start[u, h] = lane, new
                else:
                    now.follow[k, before, h] = new
                continue
        if before >= 0:
            now.uses[k, turn(ways, before, new)] -= 1
        add(ways, now, lane, new, h, -pairs, -amount, scale)
        for i in range(made - 1, -1, -1):
            now.follow[lane, fresh[i], h] = was[i]
        if before >= 0:
            now.uses[k, turn(ways, before, old)] += 1
        add(ways, now, k, old, h, pairs, amount, scale)


@kept(nogil=True)
def swing(ways, now, u, h, old, new, scale):
    """Let a router take another channel to a home, with all that goes this way, in all lanes; the change of cost."""
    more = 0.0
    for k in range(now.rank.shape[0]):
        pairs, amount = now.users[k, old, h], now.flow[k, old, h]
        if pairs == 0:
            continue
        for j in range(ways.before_first[old], ways.before_first[old + 1]):
            if now.users[k, ways.before[j], h] > 0:
                now.uses[k, turn(ways, ways.before[j], old)] -= 1
                now.uses[k, turn(ways, ways.before[j], new)] += 1
        more += add(ways, now, k, old, h, -pairs, -amount, scale)
        more += add(ways, now, k, new, h, pairs, amount, scale)
    now.follow[0, u, h] = now.start[u, h] = new
    return more


@kept(nogil=True)
def legal(ways, now, mark, stack, k, h, new):
    """Whether in a lane all that takes a channel to a home climbs, there and from there on."""
    for j in range(ways.before_first[new], ways.before_first[new + 1]):
        if now.users[k, ways.before[j], h] > 0 and after(now, k, ways.before[j], h) == new:
            if not climb(ways, now, mark, stack, k, ways.before[j], new):
                return False
    c = new
    while ways.target[c] != ways.home[h]:
        e = after(now, k, c, h)
        if not climb(ways, now, mark, stack, k, c, e):
            return False
        c = e
    return True


@kept(nogil=True)
def relane(ways, now, rate, mark, stack, lane, u, v, first, end, scale):
    """Put what router u sends to the columns from `first` to `end`, at router v, into a lane, if it may be there."""
    for h in range(first, end):
        if now.lane[u, h] >= 0:
            add(ways, now, now.lane[u, h], now.start[u, h], h, -1, -rate[u, h], scale)
            now.lane[u, h] = lane
            add(ways, now, lane, now.start[u, h], h, 1, rate[u, h], scale)
    for h in range(first, end):
        if now.lane[u, h] >= 0 and not legal(ways, now, mark, stack, lane, h, now.start[u, h]):
            return False
    return True


@kept(nogil=True)
def reroute_table(ways, now, rate, state, moves, scale, hot, cold):
    """Simulated annealing as `reroute`, of tables.

    A move takes a pair at random, and gives it another lane, or its router another channel to the home. Where both
    directions of two routers share a lane, all that they send to each other changes it together.
    """
    lanes, channels = now.rank.shape
    routers, columns = now.lane.shape
    mark, stack = np.zeros(channels, np.bool_), np.empty(channels, np.int64)
    heat = hot
    for move in range(moves):
        if move & 255 == 0:
            heat = hot * (cold / hot) ** (move / moves)
        u, h = below(state, routers), below(state, columns)
        k = now.lane[u, h]
        if k < 0:
            continue
        if lanes > 1 and below(state, 4) == 0:
            lane, v, first, end = below(state, lanes), ways.home[h], h, h + 1
            if ways.many.size > 0:
                first, end = np.searchsorted(ways.home, v), np.searchsorted(ways.home, v, side="right")
            back, back_end = np.searchsorted(ways.home, u), np.searchsorted(ways.home, u, side="right")
            for go in (lane, k):
                free = relane(ways, now, rate, mark, stack, go, u, v, first, end, scale)
                if free and ways.many.size > 0:
                    free = relane(ways, now, rate, mark, stack, go, v, u, back, back_end, scale)
                if free:
                    break
            continue
        old = now.start[u, h]
        new = another(ways, now, state, k, u, -1, old, h)
        if new < 0:
            continue
        more = swing(ways, now, u, h, old, new, scale)
        free = more <= 0 or unit(state) < np.exp(-more / heat)
        for lane in range(lanes):
            free = free and (now.users[lane, new, h] == 0 or legal(ways, now, mark, stack, lane, h, new))
        if not free:
            swing(ways, now, u, h, new, old, scale)
