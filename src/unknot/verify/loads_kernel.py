# mypy: ignore-errors
"""Traffic to one address spread over the candidates of the lowest tier."""

import numpy as np
from numba import njit, types

from unknot.routing.relation import EJECT, TIER, VC_MASK
from unknot.types_kernel import READ32, READ64

F64 = types.float64[::1]
I64 = types.int64[::1]
READ_F64 = types.Array(types.float64, 1, "C", readonly=True)


@njit(types.int64(READ64, READ64, READ64, READ32, READ_F64, I64, F64), nogil=True, cache=True)
def spread(order, first, value, channel_of, rate, slot, load):
    """Send ``rate[i]`` into every state i and add what each VC carries to `load`.

    States are those of `explore`; a header takes each candidate of the lowest tier equally often. `slot` is scratch.

    Returns
    -------
    int
        Bit 0: some header chose among several channels; bit 1: among candidates of several channels of any tier. −1:
        states that can be reached lie on a cycle, nothing was added. −2 − i: the dead end i is reached.
    """
    count = order.size
    for i in range(count):
        slot[order[i]] = i
    low = np.empty(count, np.int64)
    many = np.zeros(count, np.int64)
    reached = rate > 0
    stack = np.empty(count, np.int64)
    left = np.zeros(count, np.int64)
    size = 0
    for i in range(count):
        if reached[i]:
            stack[size] = i
            size += 1
    found = 0
    seen = size
    k = 0
    while k < seen:
        i = stack[k]
        k += 1
        if first[i] == first[i + 1]:
            return -2 - i
        low[i] = 255
        for c in range(first[i], first[i + 1]):
            low[i] = min(low[i], (value[c] // TIER) & 0xFF)
        lone_low = np.int64(-2)
        lone = np.int64(-2)
        for c in range(first[i], first[i + 1]):
            vc = value[c] & VC_MASK
            to = np.int64(-1) if vc == EJECT else np.int64(channel_of[vc])
            if lone != -2 and to != lone:
                found |= 2
            lone = to
            if (value[c] // TIER) & 0xFF != low[i]:
                continue
            if lone_low != -2 and to != lone_low:
                found |= 1
            lone_low = to
            many[i] += 1
            if vc != EJECT:
                s = slot[vc]
                left[s] += 1
                if not reached[s]:
                    reached[s] = True
                    stack[seen] = s
                    seen += 1
    flow = rate.copy()
    size = 0
    for k in range(seen):
        i = stack[k]
        if left[i] == 0:
            stack[size] = i
            size += 1
    done = 0
    ready = stack[:size].copy()
    queue = np.empty(seen, np.int64)
    queue[:size] = ready
    while done < size:
        i = queue[done]
        done += 1
        share = flow[i] / many[i]
        for c in range(first[i], first[i + 1]):
            vc = value[c] & VC_MASK
            if vc == EJECT or (value[c] // TIER) & 0xFF != low[i]:
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
    return found
