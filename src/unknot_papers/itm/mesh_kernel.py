# mypy: ignore-errors
"""Growing incremental triangular meshes and walking round them."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ32, kept

I32 = types.int32[::1]


@kept(types.void(types.int32[:, ::1], types.int64, types.boolean, types.float64[::1]), nogil=True)
def add_routers(parents, degree, exterior, draws):
    """Fill in parents[3:]: each router is added to a random open edge.

    An edge is open while both ends have less than `degree` links and one of them less than `degree` − 1.
    """
    n = parents.shape[0]
    links = np.zeros(n, np.int64)
    links[:3] = 2
    edges = np.empty((2 * n, 2), np.int32)
    edges[0, 0], edges[0, 1] = 0, 1
    edges[1, 0], edges[1, 1] = 0, 2
    edges[2, 0], edges[2, 1] = 1, 2
    count = 3
    v = 3
    drawn = 0
    while v < n:
        k = int(draws[drawn] * count)
        drawn += 1
        x, y = edges[k, 0], edges[k, 1]
        fewest, most = min(links[x], links[y]), max(links[x], links[y])
        full = most >= degree or fewest >= degree - 1
        if full or exterior:
            count -= 1
            edges[k, 0], edges[k, 1] = edges[count, 0], edges[count, 1]
        if full:
            continue
        parents[v, 0], parents[v, 1] = x, y
        links[x] += 1
        links[y] += 1
        links[v] = 2
        edges[count, 0], edges[count, 1] = x, v
        edges[count + 1, 0], edges[count + 1, 1] = y, v
        count += 2
        v += 1


@kept(types.void(READ32, types.Array(types.int32, 2, "C", readonly=True), I32), nogil=True)
def walk_boundary(order, parents, circle):
    """The routers in the order of the boundary cycle, from router 0: each is spliced between its parents."""
    n = order.size
    after = np.empty(n, np.int32)
    a, b, c = order[0], order[1], order[2]
    after[a], after[b], after[c] = b, c, a
    for i in range(3, n):
        v = order[i]
        x, y = parents[v, 0], parents[v, 1]
        if after[y] == x:
            x, y = y, x
        after[x] = v
        after[v] = y
    at = np.int32(0)
    for i in range(n):
        circle[i] = at
        at = after[at]
