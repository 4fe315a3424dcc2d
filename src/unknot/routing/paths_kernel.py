# mypy: ignore-errors
"""Distances over whole networks to many routers at once, and parts of rules."""

import numpy as np
from numba import types

from unknot._base.kernels.types_kernel import READ32, READ64, kept
from unknot.network.graph_kernel import bfs

TABLE = types.int16[:, ::1]
FARTHEST = 32767


@kept(types.int64(READ64, READ32, READ64, TABLE), nogil=True)
def distances(first, neighbour, starts, table):
    """Row i of the table: hops from starts[i]. Returns −1 − i when a router is too far from starts[i], else 0."""
    queue, distance = np.empty(first.size - 1, np.int32), np.empty(first.size - 1, np.int32)
    for i in range(starts.size):
        count = bfs(first, neighbour, starts[i], distance, queue)
        if distance[queue[count - 1]] > FARTHEST:
            return -1 - i
        table[i, :] = distance
    return 0


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
