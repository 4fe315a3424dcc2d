# mypy: ignore-errors
"""Orders of channels, one for each lane, and which pairs of routers they serve.

A lane orders the channels by a key each. A pair (s, t) is served by a lane if some shortest path from s to t climbs
in keys. ``reach[k, c]`` is a set of destinations, as bits: those that channel c begins a climbing shortest path to in
lane k. It is what the channels after c with higher keys reach, and its own end, as far as c is taken to there.

Where longer paths count too, sets have several blocks of words: what is reached with no detour, with a detour of at
most one hop, and so on; a channel that leads away by i hops takes from i blocks before.

Where both directions of a pair share a lane, a lane serves two routers if it serves all that each wants at the other.
"""

from typing import NamedTuple

import numpy as np

from unknot._base.arrays import Floats, Ints
from unknot._base.kernels.mask_kernel import how_many, lowest
from unknot._base.kernels.types_kernel import alone, called, inlined


class PathSet(NamedTuple):
    """Shortest paths of a network; sets of destinations are rows of words of 64 bits, a bit for each home.

    Attributes
    ----------
    source, target : int64 arrays, shape (channels,)
    leaving_first, leaving : int64 arrays
        Channels that leave each router, in compressed rows.
    after_first, after, before_first, before : int64 arrays
        Channels that follow, or come before, each channel on some shortest path, in compressed rows.
    nearer : int64 array, shape (channels, words)
        Destinations to which a channel may be taken at all: on shortest paths, those its end is nearer to.
    own : int64 array, shape (channels, words)
        The destination at the end of a channel, if there is one.
    wanted : int64 array, shape (routers, words)
        Destinations each router sends to.
    home : int64 array, shape (destinations,)
        The router of each destination.
    block : int
        Words of a block.
    detour : int64 array, shape (most hops of detours, channels, words)
        Destinations to which a channel leads away by 1, 2, … hops more than a shortest path; see above.
    weight : int64 array, shape (words,)
        What a pair that is not served counts.
    copies : int
        Channels that are virtual channels of one: c · copies and those that follow it.
    base : float64 array, shape (channels,)
        Where the keys of each channel begin; they are drawn from there up to 1 more.
    many : int64 array, shape (routers, routers)
        Where both directions share a lane: how many destinations each router wants at each other; else without rows.
        Destinations at the same router are then next to each other.
    """

    source: Ints
    target: Ints
    leaving_first: Ints
    leaving: Ints
    after_first: Ints
    after: Ints
    before_first: Ints
    before: Ints
    nearer: Ints
    own: Ints
    wanted: Ints
    home: Ints
    block: int
    detour: Ints
    weight: Ints
    copies: int
    base: Floats
    many: Ints


class Orders(NamedTuple):
    """Orders of the channels and what they serve, for arrays see above.

    Attributes
    ----------
    key : float64 array, shape (lanes, channels)
    taken : int64 array, shape (channels, words)
        Destinations to which a channel is taken: all of `nearer`, or by a table one channel for each router.
    reach : int64 array, shape (lanes, channels, words)
    cover : int64 array, shape (lanes, routers, words)
        Destinations each router reaches by some channel.
    missed : int64 array, shape (routers,)
        How many wanted destinations of each router no lane serves, by their weights.
    lack : int64 array, shape (lanes, routers, routers)
        Where both directions share a lane: how many of `many` are not in `cover`; else without rows.
    agree : int64 array, shape (routers, routers)
        How many lanes lack nothing in either direction.
    """

    key: Floats
    taken: Ints
    reach: Ints
    cover: Ints
    missed: Ints
    lack: Ints
    agree: Ints

    @property
    def unserved(self):
        """How many wanted pairs no lane serves, by their weights."""
        return int(self.missed.sum())


@inlined
def leads(paths, c, h):
    """Whether a channel may be taken to a column's home."""
    return (paths.nearer[c, h >> 6] >> (h & 63)) & 1


@inlined
def ways_on(paths, u, before):
    """Begin, end and array of channels that may follow `before`; for −1 of the channels out of router u."""
    if before >= 0:
        return paths.after_first[before], paths.after_first[before + 1], paths.after
    return paths.leaving_first[u], paths.leaving_first[u + 1], paths.leaving


@inlined
def onward(paths, keys, c, higher):
    """Write the channels of higher keys that may follow channel c; how many they are."""
    count = 0
    for j in range(paths.after_first[c], paths.after_first[c + 1]):
        after = paths.after[j]
        if keys[after] > keys[c]:
            higher[count] = after
            count += 1
    return count


@inlined
def reached(paths, taken, reach, c, w, higher, count):
    """Word w of the destinations reached by channel c, from the reach of its `onward` successors."""
    word, longer = paths.own[c, w], np.int64(0)
    for j in range(count):
        word |= reach[higher[j], w]
        for i in range(paths.detour.shape[0]):
            away = (i + 1) * paths.block
            if w >= away:
                longer |= reach[higher[j], w - away] & paths.detour[i, c, w]
    return (word & taken[c, w]) | longer


@inlined
def missing(paths, orders, u, w):
    """Word w of the destinations that router u wants and no lane serves."""
    left = paths.wanted[u, w]
    for k in range(orders.key.shape[0]):
        left &= ~orders.cover[k, u, w]
    return left


@inlined
def covered(paths, reach, u, w):
    """Word w of the destinations that router u reaches in a lane."""
    homes = np.int64(0)
    for j in range(paths.leaving_first[u], paths.leaving_first[u + 1]):
        homes |= reach[paths.leaving[j], w]
    return homes


@called
def counted(paths, orders, k, u, w, was):
    """Count what a new word of `cover` changes where both directions share a lane; the change of what is missed."""
    more, now = 0, orders.cover[k, u, w]
    changed = (was ^ now) & paths.wanted[u, w]
    while changed:
        bit = lowest(changed)
        changed &= changed - 1
        v = paths.home[64 * w + bit]
        before = orders.lack[k, u, v] + orders.lack[k, v, u] == 0
        orders.lack[k, u, v] += -1 if (now >> bit) & 1 else 1
        after = orders.lack[k, u, v] + orders.lack[k, v, u] == 0
        if before == after:
            continue
        step = 1 if after else -1
        orders.agree[u, v] += step
        orders.agree[v, u] += step
        if orders.agree[u, v] == after:  # from no lane to one, or back
            orders.missed[u] -= step * paths.many[u, v]
            orders.missed[v] -= step * paths.many[v, u]
            more -= step * (paths.many[u, v] + paths.many[v, u])
    return more


def settle(paths, orders) -> None:
    """Work out from the keys alone what is served."""
    higher = np.empty(orders.key.shape[1], np.int64)
    settle_by(paths, orders, np.argsort(orders.key, axis=1)[:, ::-1].copy(), higher)


@alone
def settle_by(paths, orders, falling, higher):
    """Do that, given the channels of each lane by falling key, and room for channels."""
    lanes, _, words = orders.reach.shape
    mutual = paths.many.size > 0
    for u in range(orders.missed.size):
        orders.missed[u] = 0
        for v in range(paths.many.shape[0]):  # an array copied to another takes half a second longer to compile
            orders.agree[u, v] = 0
            orders.missed[u] += paths.many[u, v]
            for k in range(lanes):
                orders.lack[k, u, v] = paths.many[u, v]
    for k in range(lanes):
        keys, reach = orders.key[k], orders.reach[k]
        for c in falling[k]:
            count = onward(paths, keys, c, higher)
            for w in range(words):
                reach[c, w] = reached(paths, orders.taken, reach, c, w, higher, count)
        for u in range(orders.missed.size):
            for w in range(words):
                orders.cover[k, u, w] = covered(paths, reach, u, w)
                if mutual:
                    counted(paths, orders, k, u, w, np.int64(0))
    for u in range(orders.missed.size):
        for w in range(0 if mutual else words):
            orders.missed[u] += how_many(missing(paths, orders, u, w)) * paths.weight[w]


@called
def push(heap, size, keys, c):
    """Add a channel to a heap whose first has the highest key; the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[heap[parent]] >= keys[c]:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = c
    return size + 1


@called
def pop(heap, size, keys):
    """Take the channel of the highest key from a heap; it and the new size."""
    top = heap[0]
    size -= 1
    last = heap[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and keys[heap[child + 1]] > keys[heap[child]]:
            child += 1
        if keys[heap[child]] <= keys[last]:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = last
    return top, size
