# mypy: ignore-errors
"""Growing, taking apart and walking round incremental triangular meshes."""

import numpy as np
from numba import types

from unknot.types_kernel import READ32, READ64, kept

I32, I64 = types.int32[::1], types.int64[::1]


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


@kept(types.boolean(READ64, READ32, types.int64, types.int64), nogil=True)
def joined(first, neighbour, u, v):
    """Whether u and v are neighbours; rows are sorted."""
    low, high = first[u], first[u + 1]
    while low < high:
        middle = (low + high) >> 1
        if neighbour[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low < first[u + 1] and neighbour[low] == v


@kept(types.int64(READ64, READ32, I32, types.int32[:, ::1]), nogil=True)
def take_apart(first, neighbour, order, parents):
    """Remove routers with two joined neighbours, one after the other, until two are left.

    Fills order from its end and the parents of the removed. Returns −1, or the router with which the graph is shown
    to be no 2-tree: one with two neighbours that are not joined, or −2 when none of at most two neighbours is left.
    """
    n = first.size - 1
    left = np.empty(n, np.int64)
    todo = np.empty(n, np.int64)
    gone = np.zeros(n, np.bool_)
    count = 0
    for v in range(n):
        left[v] = first[v + 1] - first[v]
        if left[v] <= 2:
            todo[count] = v
            count += 1
    place = n
    while place > 2:
        if count == 0:
            return -2
        count -= 1
        v = todo[count]
        x = y = np.int64(-1)
        for k in range(first[v], first[v + 1]):
            w = neighbour[k]
            if not gone[w]:
                y = x
                x = np.int64(w)
        if y < 0 or not joined(first, neighbour, x, y):
            return v
        gone[v] = True
        place -= 1
        order[place] = v
        parents[v, 0], parents[v, 1] = min(x, y), max(x, y)
        for w in (x, y):
            left[w] -= 1
            if left[w] == 2:
                todo[count] = w
                count += 1
    place = 0
    for v in range(n):
        if not gone[v]:
            order[place] = v
            place += 1
    return -1


@kept(types.int64(READ64, READ32, I64, I64), nogil=True)
def search_cardinality(first, neighbour, order, place):
    """Number routers by maximum cardinality search, and check that the reverse eliminates cliques (Tarjan &
    Yannakakis 1984).

    Fills order and its inverse. Returns −1 if the graph is chordal, else a router v whose earlier neighbours are not
    all joined.
    """
    n = first.size - 1
    weight = np.zeros(n, np.int64)
    head = np.full(n + 1, -1, np.int64)
    after = np.empty(n, np.int64)
    before = np.empty(n, np.int64)
    for v in range(n - 1, -1, -1):
        after[v] = head[0]
        before[v] = -1
        if head[0] >= 0:
            before[head[0]] = v
        head[0] = v
    place[:] = -1
    top = 0
    for i in range(n):
        while head[top] < 0:
            top -= 1
        v = head[top]
        head[top] = after[v]
        if after[v] >= 0:
            before[after[v]] = -1
        order[i] = v
        place[v] = i
        for k in range(first[v], first[v + 1]):
            w = neighbour[k]
            if place[w] < 0:
                if before[w] >= 0:
                    after[before[w]] = after[w]
                else:
                    head[weight[w]] = after[w]
                if after[w] >= 0:
                    before[after[w]] = before[w]
                weight[w] += 1
                after[w] = head[weight[w]]
                before[w] = -1
                if head[weight[w]] >= 0:
                    before[head[weight[w]]] = w
                head[weight[w]] = w
        top += 1
    for i in range(n):
        v = order[i]
        last = np.int64(-1)
        for k in range(first[v], first[v + 1]):
            w = neighbour[k]
            if place[w] < i and (last < 0 or place[w] > place[last]):
                last = np.int64(w)
        for k in range(first[v], first[v + 1]):
            w = neighbour[k]
            if place[w] < i and w != last and not joined(first, neighbour, last, w):
                return v
    return -1
