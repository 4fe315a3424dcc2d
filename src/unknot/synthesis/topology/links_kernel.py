# mypy: ignore-errors
"""Annealing of the links of a network on the sum of its hops. Under a symmetry links come and go by orbits."""

import numpy as np

from unknot._base.kernels.types_kernel import alone, called, inlined
from unknot.search.random_kernel import below, cooled, unit
from unknot.synthesis.topology.hops_kernel import cost_of, hops

NEVER = 1 << 60
ROOM_TRIES = 8
"""Links that are drawn to make room in budgets."""


@inlined
def place(row, many, node):
    for j in range(many):
        if row[j] == node:
            return j
    return -1


@inlined
def take(space, links, u, v, times):
    """Take what a link takes of each budget, so many times."""
    if space.most.size > 0:
        pair = u * space.leaving.size + v
        for i in range(space.takes_first[pair], space.takes_first[pair + 1]):
            links.used[space.takes[i, 0]] += times * space.takes[i, 1]


@inlined
def takes_of(space, u, v, budget):
    pair = u * space.leaving.size + v
    for i in range(space.takes_first[pair], space.takes_first[pair + 1]):
        if space.takes[i, 0] == budget:
            return True
    return False


@called
def connect(space, links, u, v):
    take(space, links, u, v, 1)
    links.there[u, v] = True
    links.after[u, links.leaving[u]] = v
    links.leaving[u] += 1
    links.before[v, links.entering[v]] = u
    links.entering[v] += 1


@called
def disconnect(space, links, u, v):
    take(space, links, u, v, -1)
    links.there[u, v] = False
    last = links.leaving[u] - 1
    links.after[u, place(links.after[u], last, v)] = links.after[u, last]
    links.leaving[u] = last
    last = links.entering[v] - 1
    links.before[v, place(links.before[v], last, u)] = links.before[v, last]
    links.entering[v] = last


@called
def change(space, scratch, links, u, v, there):
    """Bring or take the orbit of a link, and note each link for `take_back`; return whether all limits are kept."""
    for k in range(space.image.shape[0]):
        a, b = space.image[k, u], space.image[k, v]
        for _ in range(1 + space.both_ways):
            if links.there[a, b] != there:
                if there:
                    if links.leaving[a] >= space.leaving[a] or links.entering[b] >= space.entering[b]:
                        return False
                    connect(space, links, a, b)
                elif space.required[a, b]:
                    return False
                else:
                    disconnect(space, links, a, b)
                i = scratch.many[0]
                scratch.changed[i, 0], scratch.changed[i, 1] = a, b
                scratch.many[0] = i + 1
            a, b = b, a
    return True


@called
def take_back(space, scratch, links):
    for i in range(scratch.many[0] - 1, -1, -1):
        u, v = scratch.changed[i, 0], scratch.changed[i, 1]
        if links.there[u, v]:
            disconnect(space, links, u, v)
        else:
            connect(space, links, u, v)


@called
def exceeded(space, scratch, links):
    """A budget that is exceeded by a link that a move brought, or −1."""
    if space.most.size > 0:
        for i in range(scratch.many[0]):
            u, v = scratch.changed[i, 0], scratch.changed[i, 1]
            if links.there[u, v]:
                pair = u * space.leaving.size + v
                for j in range(space.takes_first[pair], space.takes_first[pair + 1]):
                    budget = space.takes[j, 0]
                    if links.used[budget] > space.most[budget]:
                        return budget
    return np.int64(-1)


@called
def make_room(space, scratch, links, u, v, state):
    """Drop links drawn at random until all budgets have room for a new one; return whether they have."""
    for _ in range(ROOM_TRIES):
        budget = exceeded(space, scratch, links)
        if budget < 0:
            return True
        a = below(state, space.leaving.size)
        if links.leaving[a] == 0:
            continue
        b = links.after[a, below(state, links.leaving[a])]
        own = (a == u and b == v) or (a == v and b == u)
        if own or not takes_of(space, a, b, budget):
            continue
        if not change(space, scratch, links, a, b, False):
            return False
    return exceeded(space, scratch, links) < 0


@inlined
def drawn_link(space, state):
    """A link that is allowed, from u to v; v is −1 where there is none from u."""
    u = below(state, space.leaving.size)
    if space.first.size == 0:
        v = below(state, space.leaving.size)
        return u, v if v != u else np.int64(-1)
    many = space.first[u + 1] - space.first[u]
    return u, space.to[space.first[u] + below(state, many)] if many > 0 else np.int64(-1)


@inlined
def freed(space, ends, many, node, other, state):
    """The other end of a link that makes room for another one, of the same switch if there is any; or −1."""
    if many == 0:
        return np.int64(-1)
    if space.switch.size == 0:
        return ends[below(state, many)]
    for j in range(many):
        if space.switch[node, ends[j]] == space.switch[node, other]:
            return ends[j]
    return np.int64(-1)


@called
def move(space, scratch, links, state):
    """Bring a link u → v, in place of u → a and b → v where ports are full; then join the free ports by b → a.

    Returns whether links changed, and all limits are kept.
    """
    scratch.many[0] = 0
    u, v = drawn_link(space, state)
    if v < 0 or links.there[u, v]:
        return False
    a = b = np.int64(-1)
    if links.leaving[u] >= space.leaving[u]:
        a = freed(space, links.after[u], links.leaving[u], u, v, state)
        if a < 0 or not change(space, scratch, links, u, a, False):
            return False
    if links.entering[v] >= space.entering[v]:
        b = freed(space, links.before[v], links.entering[v], v, u, state)
        if b < 0 or not change(space, scratch, links, b, v, False):
            return False
    if not change(space, scratch, links, u, v, True):
        return False
    if not (a < 0 or b < 0 or a == b or links.there[b, a] or not space.allowed[b, a]):
        # Of two orbits that meet, the first may have taken the ports already: then these stay free.
        full = links.leaving[b] >= space.leaving[b] or links.entering[a] >= space.entering[a]
        if not full and not change(space, scratch, links, b, a, True):
            return False
    return make_room(space, scratch, links, u, v, state)


@called
def remember(links, best):
    for u in range(best.shape[0]):
        for j in range(best.shape[1]):
            best[u, j] = links.after[u, j] if j < links.leaving[u] else -1


@alone
def dearest(space, scratch, links, firsts):
    """The link from some nodes whose loss leaves most hops, both ends as a number."""
    nodes = space.leaving.size
    worst, most = np.int64(0), np.int64(-1)
    for u in firsts:
        for v in range(nodes):
            if links.there[u, v]:
                back = space.both_ways and links.there[v, u]
                disconnect(space, links, u, v)
                if back:
                    disconnect(space, links, v, u)
                cost = hops(space, scratch, links, NEVER)
                connect(space, links, u, v)
                if back:
                    connect(space, links, v, u)
                if cost > most:
                    worst, most = u * nodes + v, cost
    return worst


@alone
def anneal(space, scratch, links, best, state, least, step):
    """Simulated annealing of links for a step.

    Parameters
    ----------
    space : LinkSpace
    scratch : LinkScratch
    links : Links
    best : int64 array, shape (nodes, most ports)
        Receives the links of lowest cost by their ends, −1 behind them, where the cost is below `least`.
    state : uint64 array, shape (1,)
        Of the random numbers.
    least : int
        Lowest cost so far.
    step : AnnealingStep

    Returns
    -------
    cost, least : int
        Of the links at the end, and the lowest.
    """
    heat, cost = step.hot, cost_of(space, scratch, links, NEVER)
    if cost < least:
        least = cost
        remember(links, best)
    for number in range(step.moves):
        heat = cooled(heat, step, number)
        # Metropolis: what is worse is taken with a chance that falls with the temperature.
        most = cost + np.int64(-heat * np.log(1.0 - unit(state)))
        good = move(space, scratch, links, state)
        new = cost_of(space, scratch, links, most) if good else NEVER
        if new > most:
            take_back(space, scratch, links)
            continue
        cost = new
        if cost < least:
            least = cost
            remember(links, best)
    return cost, least
