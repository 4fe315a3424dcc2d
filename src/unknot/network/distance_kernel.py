# mypy: ignore-errors
"""Breadth-first distances over all routers at once."""

import numpy as np

from unknot._base.kernels.lazy_kernel import kernel


@kernel(lambda t: t.void(t.READ64, t.READ32, t.READ32, t.int64, t.I32, t.I32))
def bfs(first, channel, end, start, distance, queue):
    """Write hops from `start` along `channel` to `end` into `distance`; −1 where there is no way."""
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


@kernel(lambda t: t.void(t.READ64, t.READ32, t.READ32, t.READ64, t.I64))
def sums(first, channel, end, starts, out):
    """Write sum of distances, number of ordered pairs reached and largest distance from `starts`, into out[0:3]."""
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
