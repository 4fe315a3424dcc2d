# mypy: ignore-errors
"""Breadth-first distances over all routers at once."""

import numpy as np
from numba import njit, types

from unknot.types_kernel import READ32, READ64


@njit(types.void(READ64, READ32, READ32, types.int64, types.int32[::1], types.int32[::1]), nogil=True, cache=True)
def bfs(first, channel, end, start, distance, queue):
    """Hops from `start` along `channel` to `end` into `distance`; −1 where there is no way."""
    distance[:] = -1
    distance[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        router = queue[head]
        head += 1
        for k in range(first[router], first[router + 1]):
            to = end[channel[k]]
            if distance[to] < 0:
                distance[to] = distance[router] + 1
                queue[tail] = to
                tail += 1


@njit(types.void(READ64, READ32, READ32, READ64, types.int64[::1]), nogil=True, cache=True)
def sums(first, channel, end, starts, out):
    """Sum of distances, number of ordered pairs reached and largest distance from `starts`, into out[0:3]."""
    routers = first.size - 1
    distance = np.empty(routers, np.int32)
    queue = np.empty(routers, np.int32)
    for start in starts:
        bfs(first, channel, end, start, distance, queue)
        for router in range(routers):
            if distance[router] > 0:
                out[0] += distance[router]
                out[1] += 1
                out[2] = max(out[2], distance[router])
