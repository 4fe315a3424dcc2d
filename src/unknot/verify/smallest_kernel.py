# mypy: ignore-errors
"""Graph of VCs held and waited for by one message, and the shortest way round in it."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ64, kept

I16 = types.int16[:, ::1]
FAR = 32767


@kept(types.void(READ64, READ64, READ64, READ64, READ64, READ64, I16), nogil=True)
def spans(input_vc, next_first, next_state, stay_first, head_first, head_wait, span):
    """Fill span[v, w]: the fewest VCs of a worm that holds v at its tail and waits for w; FAR if there is none.

    The heads of state s are stay_first[s] to stay_first[s + 1]. One breadth-first search from every state.
    """
    states = input_vc.size
    seen = np.full(states, -1, np.int64)
    depth = np.empty(states, np.int64)
    queue = np.empty(states, np.int64)
    span[:] = FAR
    for start in range(states):
        # Stamped with its start, `seen` serves all searches without being cleared: n starts would take n² writes.
        v = input_vc[start]
        queue[0] = start
        depth[start] = 1
        seen[start] = start
        count = 1
        i = 0
        while i < count:
            s = queue[i]
            i += 1
            for h in range(stay_first[s], stay_first[s + 1]):
                for k in range(head_first[h], head_first[h + 1]):
                    w = head_wait[k]
                    if span[v, w] > depth[s]:
                        span[v, w] = depth[s]
            for k in range(next_first[s], next_first[s + 1]):
                t = next_state[k]
                if seen[t] != start:
                    seen[t] = start
                    depth[t] = depth[s] + 1
                    queue[count] = t
                    count += 1


@kept(types.int64(READ64, READ64, READ64, types.int64, types.int64[::1]), nogil=True)
def round_trip(first, target, weight, steps, walk):
    """Write a closed walk of exactly `steps` steps of the least weight to `walk`; return its weight, or −1.

    It is looked for from its lowest node, over higher ones. Every step weighs at least 1.
    """
    nodes = first.size - 1
    best = np.int64(-1)
    cost = np.empty((steps + 1, nodes), np.int64)
    before = np.empty((steps + 1, nodes), np.int64)
    stamp = np.full((steps + 1, nodes), -1, np.int64)
    active = np.empty((steps + 1, nodes), np.int64)
    for start in range(nodes):
        cost[0, start] = 0
        active[0, 0] = start
        size = 1
        for level in range(1, steps + 1):
            count = 0
            for i in range(size):
                u = active[level - 1, i]
                for k in range(first[u], first[u + 1]):
                    v = target[k]
                    if v < start or (level == steps and v != start):
                        continue
                    c = cost[level - 1, u] + weight[k]
                    # The steps that are left weigh 1 each at least.
                    if best >= 0 and c + steps - level >= best:
                        continue
                    if stamp[level, v] != start:
                        stamp[level, v] = start
                        active[level, count] = v
                        count += 1
                        cost[level, v] = c
                        before[level, v] = u
                    elif c < cost[level, v]:
                        cost[level, v] = c
                        before[level, v] = u
            size = count
        if size:
            best = cost[steps, start]
            v = start
            for level in range(steps, 0, -1):
                v = before[level, v]
                walk[level - 1] = v
    return best
