# mypy: ignore-errors
"""Traffic to one address spread over the candidates of the lowest tier."""

import numpy as np

from unknot._base.kernels.lazy_kernel import F64, FLAGS, I64, READ32, READ64, kernel
from unknot.routing.contract import EJECT, TIER, VC_MASK


@kernel(allocates=False)
def _start(rate: F64, reached: FLAGS, stack: I64) -> int:
    """Mark the states into which something is sent as reached and put them on a stack; return their number."""
    size = 0
    for i in range(rate.size):
        reached[i] = rate[i] > 0
        if reached[i]:
            stack[size] = i
            size += 1
    return size


@kernel(allocates=False)
def _root(parent: I64, i: int) -> int:
    """Return the root of state i, and halve its way there."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def spread(
    order: READ64, first: READ64, candidates: READ64, channel_of: READ32, rate: F64, slot: I64, load: F64
) -> int:
    """Send ``rate[i]`` into every state i and add what each VC carries to `load`.

    States are those of `explore`; a header takes each candidate of the lowest tier equally often. `slot` is scratch.

    Returns
    -------
    int
        1 if some header chose among several channels, else 0. −1: states that can be reached lie on a cycle, nothing
        was added. −2 − i: the dead end i is reached.
    """
    count = order.size
    for i in range(count):
        slot[order[i]] = i
    low = np.empty(count, np.int64)
    many = np.zeros(count, np.int64)
    reached, stack = np.empty(count, np.bool_), np.empty(count, np.int64)
    seen = _start(rate, reached, stack)
    # How much of what enters a state is still to come, counted in the states before it: a state passes its flow on
    # when nothing is missing, so each is visited once. On a cycle something is always missing.
    left = np.zeros(count, np.int64)
    choice = 0
    k = 0
    while k < seen:
        i = stack[k]
        k += 1
        if first[i] == first[i + 1]:
            return -2 - i
        low[i] = 255
        for c in range(first[i], first[i + 1]):
            low[i] = min(low[i], (candidates[c] // TIER) & 0xFF)
        # −2 stands for no channel yet, −1 for ejection; VCs of one channel are no choice of a route.
        lone = np.int64(-2)
        for c in range(first[i], first[i + 1]):
            if (candidates[c] // TIER) & 0xFF != low[i]:
                continue
            vc = candidates[c] & VC_MASK
            to = np.int64(-1) if vc == EJECT else np.int64(channel_of[vc])
            if lone != -2 and to != lone:
                choice = 1
            lone = to
            many[i] += 1
            if vc != EJECT:
                s = slot[vc]
                left[s] += 1
                if not reached[s]:
                    reached[s] = True
                    stack[seen] = s
                    seen += 1
    flow = rate.copy()
    size, done = 0, 0
    queue = np.empty(seen, np.int64)
    for k in range(seen):
        if left[stack[k]] == 0:
            queue[size] = stack[k]
            size += 1
    while done < size:
        i = queue[done]
        done += 1
        share = flow[i] / many[i]
        for c in range(first[i], first[i + 1]):
            vc = candidates[c] & VC_MASK
            if vc == EJECT or (candidates[c] // TIER) & 0xFF != low[i]:
                continue
            s = slot[vc]
            flow[s] += share
            left[s] -= 1
            if left[s] == 0:
                queue[size] = s
                size += 1
    if done < seen:
        return -1
    vcs = channel_of.size
    for k in range(done):
        if order[queue[k]] < vcs:
            load[order[queue[k]]] += flow[queue[k]]
    return choice


@kernel
def one_route(order: READ64, first: READ64, candidates: READ64, channel_of: READ32, rate: F64, slot: I64) -> bool:
    """Return whether every sent header takes a single sequence of channels, whatever it selects.

    States that one sequence of channels can lead a header to are united, as in the comparison of automata by Hopcroft
    and Karp; each union must lead on over one channel. Candidates of all tiers count. Time is almost linear in them.
    """
    count = order.size
    for i in range(count):
        slot[order[i]] = i
    parent = np.arange(count)
    out = np.full(count, -2, np.int64)
    head = np.full(count, -1, np.int64)
    reached, todo = np.empty(count, np.bool_), np.empty(count, np.int64)
    size = _start(rate, reached, todo)
    pairs = np.empty(2 * (candidates.size + count), np.int64)
    while size:
        size -= 1
        i = todo[size]
        equal = 0
        for c in range(first[i], first[i + 1]):
            vc = candidates[c] & VC_MASK
            to, s = np.int64(-1), np.int64(-1)
            if vc != EJECT:
                to, s = np.int64(channel_of[vc]), slot[vc]
                if not reached[s]:
                    reached[s] = True
                    todo[size] = s
                    size += 1
            root = _root(parent, i)
            if out[root] == -2:
                out[root], head[root] = to, s
            elif out[root] != to:
                return False
            elif s >= 0:
                pairs[2 * equal], pairs[2 * equal + 1] = head[root], s
                equal += 1
        while equal:
            equal -= 1
            a, b = _root(parent, pairs[2 * equal]), _root(parent, pairs[2 * equal + 1])
            if a == b:
                continue
            parent[b] = a
            if out[a] == -2:
                out[a], head[a] = out[b], head[b]
            elif out[b] != -2:
                if out[a] != out[b]:
                    return False
                if head[a] >= 0:
                    pairs[2 * equal], pairs[2 * equal + 1] = head[a], head[b]
                    equal += 1
    return True
