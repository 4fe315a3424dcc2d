# mypy: ignore-errors
"""The choice among climbing shortest paths that keeps the load of the busiest channel low."""

import numpy as np
from numba import njit

from unknot._base.kernels.types_kernel import kept
from unknot.lanes.orders_kernel import below, unit


@njit(inline="always")
def steep(load, scale):
    """The cost of a load: its 16th power."""
    x = load / scale
    x *= x
    x *= x
    x *= x
    return x * x


@njit(inline="always")
def serves(reach, lane, channel, h):
    return (reach[lane, channel, h >> 6] >> (h & 63)) & 1


@kept(nogil=True)
def choose(ways, key, reach, rate, start_lane, start, follow, flow, load, state, first, end, hurried):
    """A first choice: for each pair of the routers from `first` to `end` a lane and a channel at random.

    What follows a channel in a lane on the way to a destination is one channel, whoever sent the packet, and is drawn
    when the first packet comes: follow[lane, channel, destination] is its place among the channels that leave the
    router, −1 until then, and flow the rate that takes this step. Pairs that no lane serves get lane −1. With
    `hurried` the lane is the first that serves a pair, which touches less memory.
    """
    lanes = key.shape[0]
    for u in range(first, end):
        for h in range(ways.home.size):
            start_lane[u, h] = -1
            if rate[u, h] < 0 or u == ways.home[h]:
                continue
            count = 0
            for lane in range(lanes):
                if hurried and count:
                    break
                for j in range(ways.leaving_first[u], ways.leaving_first[u + 1]):
                    if serves(reach, lane, ways.leaving[j], h):
                        count += 1
                        if below(state, count) == 0:
                            start_lane[u, h] = lane
                            start[u, h] = ways.leaving[j]
            if count:
                shift(ways, key, reach, state, follow, flow, load, start_lane[u, h], start[u, h], h, rate[u, h], 1.0)


@kept(nogil=True)
def shift(ways, key, reach, state, follow, flow, load, lane, c, h, amount, scale):
    """Add an amount to what takes the way from a channel to a destination; the change of cost."""
    more = 0.0
    while True:
        channel = c // ways.copies
        more += steep(load[channel] + amount, scale) - steep(load[channel], scale)
        load[channel] += amount
        flow[lane, c, h] += amount
        v = ways.target[c]
        if v == ways.home[h]:
            return more
        if follow[lane, c, h] < 0:
            follow[lane, c, h] = drawn(ways, key, reach, state, lane, c, h)
        c = ways.leaving[ways.leaving_first[v] + follow[lane, c, h]]


@kept(nogil=True)
def drawn(ways, key, reach, state, lane, c, h):
    """One at random of the channels that may follow a channel in a lane on the way to a destination."""
    v, count, drawn_one = ways.target[c], 0, 0
    for j in range(ways.leaving_first[v], ways.leaving_first[v + 1]):
        after = ways.leaving[j]
        if key[lane, after] > key[lane, c] and serves(reach, lane, after, h):
            count += 1
            if below(state, count) == 0:
                drawn_one = j - ways.leaving_first[v]
    return drawn_one


@kept(nogil=True)
def balance(ways, key, reach, rate, start_lane, start, follow, flow, load, state, moves, scale, hot, cold):
    """Simulated annealing of the choice on the sum of steep costs of the loads.

    A move takes a pair at random and a step of its way, and takes another step there, with all that goes this way.
    """
    lanes, routers, homes = key.shape[0], rate.shape[0], ways.home.size
    path = np.empty(routers + 1, np.int64)
    heat = hot
    for move in range(moves):
        if move & 255 == 0:
            heat = hot * (cold / hot) ** (move / moves)
        u, h = below(state, routers), below(state, homes)
        if start_lane[u, h] < 0 or rate[u, h] <= 0:
            continue
        lane, c, length = start_lane[u, h], start[u, h], 0
        while True:
            path[length] = c
            length += 1
            v = ways.target[c]
            if v == ways.home[h]:
                break
            c = ways.leaving[ways.leaving_first[v] + follow[lane, c, h]]
        step = below(state, length)
        old, count = path[step], 0
        new_lane, new = lane, old
        if step == 0:
            for other in range(lanes):
                for j in range(ways.leaving_first[u], ways.leaving_first[u + 1]):
                    c = ways.leaving[j]
                    if serves(reach, other, c, h) and (other != lane or c != old):
                        count += 1
                        if below(state, count) == 0:
                            new_lane, new = other, c
            amount = rate[u, h]
        else:
            before = path[step - 1]
            v = ways.target[before]
            for j in range(ways.leaving_first[v], ways.leaving_first[v + 1]):
                c = ways.leaving[j]
                if c != old and key[lane, c] > key[lane, before] and serves(reach, lane, c, h):
                    count += 1
                    if below(state, count) == 0:
                        new = c
            amount = flow[lane, before, h]
        if count == 0:
            continue
        more = shift(ways, key, reach, state, follow, flow, load, lane, old, h, -amount, scale)
        more += shift(ways, key, reach, state, follow, flow, load, new_lane, new, h, amount, scale)
        if more <= 0 or unit(state) < np.exp(-more / heat):
            if step == 0:
                start_lane[u, h], start[u, h] = new_lane, new
            else:
                before = path[step - 1]
                v = ways.target[before]
                for j in range(ways.leaving_first[v], ways.leaving_first[v + 1]):
                    if ways.leaving[j] == new:
                        follow[lane, before, h] = j - ways.leaving_first[v]
        else:
            shift(ways, key, reach, state, follow, flow, load, new_lane, new, h, -amount, scale)
            shift(ways, key, reach, state, follow, flow, load, lane, old, h, amount, scale)


@kept(nogil=True)
def grow(ways, key, order, step):
    """Choose for each home and router a next channel from which routes climb in many lanes, and begin high.

    `order` has for each home the routers by rising distance; `step` is written, shape (homes, routers).
    """
    lanes = key.shape[0]
    top = np.empty((lanes, order.shape[1]))
    for h in range(order.shape[0]):
        for u in order[h]:
            first, end = ways.leaving_first[u], ways.leaving_first[u + 1]
            best, most = -1, -1.0
            for i in range(end - first):
                c = ways.leaving[first + (i + u + h) % (end - first)]
                if (ways.nearer[c, h >> 6] >> (h & 63)) & 1:
                    score = 0.0
                    for lane in range(lanes):
                        if key[lane, c] < top[lane, ways.target[c]]:
                            score += 1.0 + key[lane, c]
                    if score > most:
                        best, most = c, score
            step[h, u] = best
            for lane in range(lanes):
                climbs = best >= 0 and key[lane, best] < top[lane, ways.target[best]]
                top[lane, u] = key[lane, best] if climbs else -np.inf
                if u == ways.home[h]:
                    top[lane, u] = np.inf


@kept(nogil=True)
def served_column(ways, key, step, wanted, order, h, top):
    """Whether all wanted routers have a climbing route in some lane by column h of a table of next channels.

    `order` has the routers by rising distance from the home; top[lane, router] is worked out on the way: the highest
    key with which a climbing route from there can begin, −∞ if there is none. Of virtual channels `step` has the
    first.
    """
    home = ways.home[h]
    for i in range(order.size):
        u = order[i]
        if u == home:
            for lane in range(key.shape[0]):
                top[lane, u] = np.inf
            continue
        c = step[h, u]
        v = ways.target[c] if c >= 0 else -1
        some = False
        for lane in range(key.shape[0]):
            top[lane, u] = -np.inf
            for copy in range(c, c + ways.copies if c >= 0 else c):
                if top[lane, u] < key[lane, copy] < top[lane, v]:
                    top[lane, u] = key[lane, copy]
                    some = True
        if wanted[u, h] and not some:
            return False
    return True


@kept(nogil=True)
def answered(ways, wanted, climbs, column, h, top):
    """Whether a lane serves both directions of each pair of column h, whose climbing routes `top` shows.

    climbs[lane, column, router] has those of the other columns; column[router] is that of each router, −1: none.
    """
    for u in range(column.size):
        if not wanted[u, h] or column[u] < 0 or not wanted[ways.home[h], column[u]]:
            continue
        some = False
        for lane in range(climbs.shape[0]):
            some |= top[lane, u] > -np.inf and climbs[lane, column[u], ways.home[h]]
        if not some:
            return False
    return True


@kept(nogil=True)
def carry(ways, step, flow, load, h, u, amount, scale):
    """Add an amount to what flows from router u to a home by the table; the change of cost."""
    more = 0.0
    while True:
        flow[h, u] += amount
        if u == ways.home[h]:
            return more
        c = step[h, u] // ways.copies
        more += steep(load[c] + amount, scale) - steep(load[c], scale)
        load[c] += amount
        u = ways.target[step[h, u]]


@kept(nogil=True)
def carry_all(ways, step, flow, load, wanted, rate):
    """Add what all pairs send."""
    for u in range(wanted.shape[0]):
        for h in range(wanted.shape[1]):
            if wanted[u, h]:
                carry(ways, step, flow, load, h, u, rate[u, h], 1.0)


@kept(nogil=True)
def balance_table(ways, key, step, wanted, order, flow, load, state, moves, scale, hot, cold):
    """Simulated annealing of a table on the sum of steep costs of the loads; every wanted pair stays served.

    A move sends a router's packets to one home by another channel, with all that come this way.
    """
    homes, routers = step.shape
    top = np.empty((key.shape[0], routers))
    mutual = ways.many.size > 0
    climbs = np.zeros((key.shape[0] if mutual else 0, homes, routers), np.bool_)
    column = np.full(routers, -1)
    for h in range(homes if mutual else 0):
        served_column(ways, key, step, wanted, order[h], h, top)
        climbs[:, h] = top > -np.inf
        column[ways.home[h]] = h
    heat = hot
    for move in range(moves):
        if move & 255 == 0:
            heat = hot * (cold / hot) ** (move / moves)
        u, h = below(state, routers), below(state, homes)
        old, count, new = step[h, u], 0, -1
        if u == ways.home[h] or old < 0:
            continue
        for j in range(ways.leaving_first[u], ways.leaving_first[u + 1]):
            c = ways.leaving[j]
            if c != old and c % ways.copies == 0 and (ways.nearer[c, h >> 6] >> (h & 63)) & 1:
                count += 1
                if below(state, count) == 0:
                    new = c
        if count == 0:
            continue
        amount = flow[h, u]
        more = carry(ways, step, flow, load, h, u, -amount, scale)
        step[h, u] = new
        more += carry(ways, step, flow, load, h, u, amount, scale)
        if (
            (more <= 0 or unit(state) < np.exp(-more / heat))
            and served_column(ways, key, step, wanted, order[h], h, top)
            and (not mutual or answered(ways, wanted, climbs, column, h, top))
        ):
            if mutual:
                climbs[:, h] = top > -np.inf
            continue
        carry(ways, step, flow, load, h, u, -amount, scale)
        step[h, u] = old
        carry(ways, step, flow, load, h, u, amount, scale)
