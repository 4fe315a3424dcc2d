# mypy: ignore-errors
"""Filling of a lane: paths are added one after the other, but those whose turns would close a cycle.

The order of a lane changes with its turns. So LASH fills its layers (Skeie, Lysne & Theiss: Layered Shortest Path
(LASH) Routing in Irregular System Area Networks, IPDPS 2002).
"""

import numpy as np

from unknot._base.kernels.types_kernel import called, kept
from unknot.lanes.orders_kernel import below
from unknot.routing.layers_kernel import climb

TRIES = 3
"""Paths of a pair that are tried."""
USED, RISES = 4096, 2048
"""Preference of a turn that is in use, and of one that climbs as it is; below that, at random."""


@called
def path_of(paths, uses, rank, state, u, h, path, turns):
    """Draw a path from router u to a home, its channels and turns; turns in use first. Its length."""
    length, x = 0, u
    while x != paths.home[h]:
        first, end, options = paths.leaving_first[x], paths.leaving_first[x + 1], paths.leaving
        if length > 0:
            last = path[length - 1]
            first, end, options = paths.after_first[last], paths.after_first[last + 1], paths.after
        best = -1
        for j in range(first, end):
            c = options[j]
            if (paths.nearer[c, h >> 6] >> (h & 63)) & 1:
                score = below(state, RISES)
                if length > 0:
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
