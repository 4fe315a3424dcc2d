# mypy: ignore-errors
"""Paths drawn at random: moves of the search for orders aim at them, and lanes are filled with them.

A lane is filled with paths one after the other, but those whose turns would close a cycle; its order changes with its
turns. So LASH fills its layers (Skeie, Lysne & Theiss: Layered Shortest Path (LASH) Routing in Irregular System Area
Networks, IPDPS 2002).
"""

import numpy as np

from unknot._base.kernels.mask_kernel import how_many, lowest
from unknot._base.kernels.types_kernel import called, kept
from unknot.lane_assignment.orders_kernel import leads, missing, ways_on
from unknot.routing.layers_kernel import climb
from unknot.search.random_kernel import below

TRIES = 3
"""Paths of a pair that are tried."""
USED, RISES = 4096, 2048
"""Preference of a turn that is in use, and of one that climbs as it is; below that, at random."""


@called
def apart(paths, orders, u, n):
    """The nth destination of router u that no lane serves, where both directions share a lane."""
    for v in range(orders.missed.size):
        if orders.agree[u, v] == 0:
            if n < paths.many[u, v]:
                break
            n -= paths.many[u, v]
    h = 0
    while paths.home[h] < v:
        h += 1
    while True:
        if (paths.wanted[u, h >> 6] >> (h & 63)) & 1:
            if n == 0:
                return h
            n -= 1
        h += 1


@called
def unserved_pair(paths, orders, state):
    """A router and a destination that no lane serves, each with the chance of its weight."""
    u = below(state, orders.missed.size)
    while orders.missed[u] == 0:
        u = (u + 1) % orders.missed.size
    n = below(state, orders.missed[u])
    if paths.many.size:
        return u, apart(paths, orders, u, n)
    for w in range(orders.reach.shape[2]):
        left = missing(paths, orders, u, w)
        count = how_many(left) * paths.weight[w]
        if n < count:
            for _ in range(n // paths.weight[w]):
                left &= left - 1
            return u, 64 * w + lowest(left)
        n -= count
    return u, -1


@called
def drawn_path(paths, orders, keys, state, u, destination, path, fall):
    """Draw a path of a pair into `path`, and the places where its keys do not rise into `fall`.

    Returns the number of these places; 0 if the path comes to a router that leads no farther.
    """
    length, falls = 0, 0
    while u != paths.home[destination]:
        count, next_channel = 0, -1
        first, end, options = ways_on(paths, u, path[length - 1] if length > 0 else -1)
        for j in range(first, end):
            c = options[j]
            if leads(paths, c, destination) & (orders.taken[c, destination >> 6] >> (destination & 63)):
                count += 1
                if below(state, count) == 0:
                    next_channel = c
        if next_channel < 0 or length == paths.wanted.shape[0]:
            return 0
        path[length] = next_channel
        if length > 0 and keys[path[length - 1]] >= keys[next_channel]:
            fall[falls] = length
            falls += 1
        length += 1
        u = paths.target[next_channel]
    return falls


@called
def completing(paths, keys, path, i, destination):
    """The channel whose move just past its neighbour makes a path climb, if keys fall at place i alone.

    1: the one before, 2: the one after, 3: either, 0: neither.
    """
    before = i < 2 or keys[path[i - 2]] < keys[path[i]]
    last = paths.target[path[i]] == paths.home[destination]
    after = last or keys[path[i + 1]] > keys[path[i - 1]]
    return (1 if before else 0) + (2 if after else 0)


@called
def elsewhere(paths, state, old, destination):
    """Another channel than `old` of the same router that may be taken to a destination; −1 if there is none.

    Of virtual channels the first of the channel.
    """
    u, count, choice = paths.source[old], 0, -1
    for j in range(paths.leaving_first[u], paths.leaving_first[u + 1]):
        c = paths.leaving[j]
        other = c % paths.copies == 0 and c // paths.copies != old // paths.copies
        if other and leads(paths, c, destination):
            count += 1
            if below(state, count) == 0:
                choice = c
    return choice


@called
def path_of(paths, uses, rank, state, u, h, path, turns):
    """Draw a path from router u to a home, its channels and turns; turns in use first. Its length."""
    length, x = 0, u
    while x != paths.home[h]:
        last, best = path[length - 1] if length > 0 else -1, -1
        first, end, options = ways_on(paths, x, last)
        for j in range(first, end):
            c = options[j]
            if leads(paths, c, h):
                score = below(state, RISES)
                if last >= 0:
                    score += USED if uses[j] > 0 else RISES if rank[c] > rank[last] else 0
                if score > best:
                    best, path[length], turns[length] = score, c, j
        x = paths.target[path[length]]
        length += 1
    return length


@kept(nogil=True)
def fill(paths, uses, rank, at, state, homes, most):
    """Add paths of pairs to a lane, one home after the other; a path is left out if its turns would close a cycle.

    Parameters
    ----------
    uses : int32 array, shape (turns,)
        1 for turns that a path takes; written, as `rank` and `at` are.
    rank, at : int64 arrays, shape (channels,)
        The place of each channel in the order of the lane, and the channel at each place.
    most : int
        Most pairs of which a path is tried.
    """
    channels, routers = rank.size, paths.wanted.shape[0]
    mark, stack = np.zeros(channels, np.bool_), np.empty(channels, np.int64)
    path, turns = np.empty(routers + 1, np.int64), np.empty(routers + 1, np.int64)
    added = np.empty(routers + 1, np.int64)
    for h in homes:
        for u in range(routers):
            if (paths.wanted[u, h >> 6] >> (h & 63)) & 1 == 0:
                continue
            if most == 0:
                return
            most -= 1
            for _ in range(TRIES):
                length, free, count = path_of(paths, uses, rank, state, u, h, path, turns), True, 0
                for i in range(1, length):
                    free = free and climb(
                        paths.after_first, paths.after, uses, rank, at, mark, stack, path[i - 1], path[i]
                    )
                    if free and uses[turns[i]] == 0:
                        uses[turns[i]] = 1
                        added[count] = turns[i]
                        count += 1
                if free:
                    break
                uses[added[:count]] = 0
