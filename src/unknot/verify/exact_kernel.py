# mypy: ignore-errors
"""Spans of worms, closed walks of few VCs, and the depths at which dependencies arise."""

import numpy as np

from unknot._base.kernels.lazy_kernel import I16, I64, READ32, READ64, kernel
from unknot.routing.contract import EJECT, VC_MASK

FAR = 32767


@kernel
def spans(
    vcs: int,
    input_vc: READ64,
    next_first: READ64,
    next_state: READ64,
    stay_first: READ64,
    head_first: READ64,
    head_wait: READ64,
    span: I16,
) -> None:
    """Fill span[vcs v + w]: the fewest VCs of a worm that holds v at its tail and waits for w; FAR if there is none.

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
                    to = vcs * v + head_wait[k]
                    if span[to] > depth[s]:
                        span[to] = depth[s]
            for k in range(next_first[s], next_first[s + 1]):
                t = next_state[k]
                if seen[t] != start:
                    seen[t] = start
                    depth[t] = depth[s] + 1
                    queue[count] = t
                    count += 1


@kernel
def round_trip(first: READ64, target: READ64, weight: READ64, steps: int, walk: I64) -> int:
    """Write a closed walk of exactly `steps` steps of the least weight to `walk`; return its weight, or −1.

    It is looked for from its lowest node, over higher ones. Every step weighs at least 1.
    """
    nodes = first.size - 1
    best = np.int64(-1)
    cost = np.empty((steps + 1, nodes), np.int64)
    before = np.empty((steps + 1, nodes), np.int64)
    stamp = np.full((steps + 1, nodes), -1, np.int64)
    active = np.empty((steps + 1, nodes), np.int64)
    # By levels, as in Bellman and Ford: level k has the least weight of k steps to each node that is reached by them.
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


@kernel
def nearest(
    ports: int, order: READ64, first: READ64, candidates: READ64, edge: READ64, target: READ32, depth: I64, least: I64
) -> None:
    """Lower least[e] to the depth of the states of one address at which dependency e arises.

    The first `ports` states are injection ports, the others follow breadth first; ``edge[u]`` to ``edge[u + 1]``
    number the dependencies of VC u, which lead to `target`. `depth`, one entry per VC, is work space.
    """
    for i in range(ports, order.size):
        depth[order[i]] = -1
    for i in range(order.size):
        at = order[i]
        here = depth[at] if i >= ports else 0
        for k in range(first[i], first[i + 1]):
            vc = candidates[k] & VC_MASK
            if vc == EJECT:
                continue
            # Breadth first, whoever offers a VC first is nearest to injection.
            if depth[vc] < 0:
                depth[vc] = here + 1
            if i >= ports:
                for e in range(edge[at], edge[at + 1]):
                    if target[e] == vc:
                        least[e] = min(least[e], here)
                        break
