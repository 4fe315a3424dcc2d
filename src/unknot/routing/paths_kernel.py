# mypy: ignore-errors
"""Distances over whole networks: shortest paths, and shortest up*/down* paths, to many routers at once."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ32, READ64, READ_BOOL, kept

TABLE = types.int16[:, ::1]
FARTHEST = 32767


@kept(types.int64(READ64, READ32, types.int64, types.int16[::1], types.int32[::1]), nogil=True)
def search(first, neighbour, start, distance, queue):
    """Hops from `start` along `neighbour` into `distance`, −1 where there is no way; how many routers were reached.

    The reached routers are queue[0:result] in the order of their distance; −1 is returned for one too far away.
    """
    distance[:] = -1
    distance[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        router = queue[head]
        head += 1
        further = distance[router] + 1
        if further > FARTHEST:
            return -1
        for k in range(first[router], first[router + 1]):
            to = neighbour[k]
            if distance[to] < 0:
                distance[to] = further
                queue[tail] = to
                tail += 1
    return tail


@kept(types.int64(READ64, READ32, READ64, TABLE), nogil=True)
def distances(first, neighbour, starts, table):
    """Row i of the table: hops from starts[i]. Returns −1 − i when a router is too far from starts[i], else 0."""
    queue = np.empty(first.size - 1, np.int32)
    for i in range(starts.size):
        if search(first, neighbour, starts[i], table[i], queue) < 0:
            return -1 - i
    return 0


@kept(types.int64(READ64, READ32, READ64, READ_BOOL, types.int64[:, ::1]), nogil=True)
def spreads(first, neighbour, starts, marked, out):
    """Row i of out: greatest distance and sum of distances from starts[i] to the marked routers, −1 where some is out
    of reach. Returns −1 − i when a router is too far from starts[i], else 0."""
    routers = first.size - 1
    queue, distance = np.empty(routers, np.int32), np.empty(routers, np.int16)
    targets = np.count_nonzero(marked)
    for i in range(starts.size):
        count = search(first, neighbour, starts[i], distance, queue)
        if count < 0:
            return -1 - i
        far, total, met = 0, 0, 0
        # The queue is in the order of distance, so the last one that is marked is the farthest.
        for k in range(count):
            if marked[queue[k]]:
                met += 1
                total += distance[queue[k]]
                far = distance[queue[k]]
        out[i, 0] = far if met == targets else -1
        out[i, 1] = total if met == targets else -1
    return 0


@kept(types.int64(READ64, READ32, READ64, READ32, READ32, READ64, TABLE, TABLE), nogil=True)
def legal_distances(rise_first, rise, fall_first, fall, order, homes, falling, legal):
    """Shortest legal up*/down* paths to each home, row by row.

    `rise` lists for every router the routers one step up, `fall` those from which it is one step down; `order` lists
    the routers by rank, the root first. `falling` is filled with the hops of paths that only go down, `legal` with
    those that may go up before; −1 where there is none. Returns −1 − i when a path to homes[i] is too long, else 0.
    """
    queue = np.empty(order.size, np.int32)
    for i in range(homes.size):
        if search(fall_first, fall, homes[i], falling[i], queue) < 0:
            return -1 - i
        # A step up leads to a lower rank, whose paths are known.
        for router in order:
            best = np.int64(falling[i, router])
            for k in range(rise_first[router], rise_first[router + 1]):
                above = np.int64(legal[i, rise[k]])
                if above >= 0 and (best < 0 or above + 1 < best):
                    best = above + 1
            if best > FARTHEST:
                return -1 - i
            legal[i, router] = best
    return 0


@kept(types.void(READ64, READ32, types.int64, types.int32[::1]), nogil=True)
def depth_first(first, neighbour, root, rank):
    """Preorder number of every router of a depth-first search from `root`, neighbours in order; −1 if not reached."""
    routers = first.size - 1
    rank[:] = -1
    stack, next_edge = np.empty(routers, np.int64), np.empty(routers, np.int64)
    stack[0], next_edge[0], size, count = root, first[root], 1, 1
    rank[root] = 0
    while size:
        router = stack[size - 1]
        k = next_edge[size - 1]
        if k == first[router + 1]:
            size -= 1
            continue
        next_edge[size - 1] = k + 1
        to = neighbour[k]
        if rank[to] < 0:
            rank[to] = count
            count += 1
            stack[size], next_edge[size] = to, first[to]
            size += 1


@kept(
    types.int64(
        types.int64[::1], types.int64, types.int64, types.int64, types.int64, READ64, types.int64, types.int64
    ),
    nogil=True,
)
def offer(out, count, pick, here, there, first, index, share):
    """Turn out[0:count], channels, into `share` VCs of each from `index` on; the new count.

    `pick` −1 keeps every channel, 0 the first; any other number is the seed of a choice that depends on `here` and
    `there` alone.
    """
    if pick >= 0 and count > 1:
        if pick > 0:
            out[0] = out[((here * 7919 + there * 104729 + pick * 15485863) % 1000003) % count]
        count = 1
    # Backwards, since the VCs of a channel are written where later channels stood.
    for k in range(count - 1, -1, -1):
        channel = out[k]
        for v in range(share):
            out[k * share + v] = first[channel] + index + v
    return count * share


@kept(types.int64(types.int64, types.int64, types.int64, types.int64), nogil=True)
def shifts(u, v, letters, words):
    """Least number of letters that must be shifted into word u from the right to make it v."""
    count, whole, tail = 0, 1, words
    while u % tail != v // whole:
        count += 1
        whole *= letters
        tail //= letters
    return count


@kept(types.int64(types.int64, types.int64, types.int64, types.int64), nogil=True)
def depth(u, a, letters, words):
    """Letters of word u after the leading run of letter a: its level in the tree of shifts that starts at aa…a."""
    count, power = 0, words
    while power > 1:
        power //= letters
        if count > 0 or u // power % letters != a:
            count += 1
    return count
