# mypy: ignore-errors
"""Orders of channels, one for each lane: which pairs of routers they serve, and the search for orders that serve all.

A lane orders the channels by a key each. A pair (s, t) is served by a lane if some shortest path from s to t climbs
in keys. ``reach[k, c]`` is a set of destinations, as bits: those that channel c begins a climbing shortest path to in
lane k. It is what the channels after c with higher keys reach, its own end, and nothing farther from c than its end.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

import unknot.types_kernel  # noqa: F401
from unknot.words_kernel import how_many, lowest


class Ways(NamedTuple):
    """Shortest paths of a network; sets of destinations are rows of words of 64 bits, a bit for each home.

    Attributes
    ----------
    source, target : int64 arrays, shape (channels,)
    leaving_first, leaving : int64 arrays
        Channels that leave each router, in compressed rows.
    after_first, after, before_first, before : int64 arrays
        Channels that follow, or come before, each channel on some shortest path, in compressed rows.
    nearer : int64 array, shape (channels, words)
        Destinations that the end of a channel is nearer to than its beginning.
    own : int64 array, shape (channels, words)
        The destination at the end of a channel, if there is one.
    wanted : int64 array, shape (routers, words)
        Destinations each router sends to.
    home : int64 array, shape (destinations,)
        The router of each destination.
    """

    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    leaving_first: npt.NDArray[np.int64]
    leaving: npt.NDArray[np.int64]
    after_first: npt.NDArray[np.int64]
    after: npt.NDArray[np.int64]
    before_first: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]
    nearer: npt.NDArray[np.int64]
    own: npt.NDArray[np.int64]
    wanted: npt.NDArray[np.int64]
    home: npt.NDArray[np.int64]


class Orders(NamedTuple):
    """Orders of the channels and what they serve, for arrays see above.

    Attributes
    ----------
    key : float64 array, shape (lanes, channels)
    reach : int64 array, shape (lanes, channels, words)
    cover : int64 array, shape (lanes, routers, words)
        Destinations each router reaches by some channel.
    missed : int64 array, shape (routers,)
        How many wanted destinations of each router no lane serves.
    """

    key: npt.NDArray[np.float64]
    reach: npt.NDArray[np.int64]
    cover: npt.NDArray[np.int64]
    missed: npt.NDArray[np.int64]


@njit(inline="always")
def draw(state):
    """The next 64 random bits (SplitMix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(inline="always")
def unit(state):
    """A random number from 0 up to 1."""
    return np.float64(draw(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(inline="always")
def below(state, n):
    """A random whole number from 0 up to n."""
    return np.int64(((draw(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(inline="always")
def reached(ways, keys, reach, c, w):
    """Word w of the destinations that channel c reaches, from what the channels after it reach."""
    found = ways.own[c, w]
    for j in range(ways.after_first[c], ways.after_first[c + 1]):
        after = ways.after[j]
        if keys[after] > keys[c]:
            found |= reach[after, w]
    return found & ways.nearer[c, w]


@njit(inline="always")
def missing(ways, orders, u, w):
    """Word w of the destinations that router u wants and no lane serves."""
    left = ways.wanted[u, w]
    for k in range(orders.key.shape[0]):
        left &= ~orders.cover[k, u, w]
    return left


@njit(inline="always")
def covered(ways, reach, u, w):
    """Word w of the destinations that router u reaches in a lane."""
    found = np.int64(0)
    for j in range(ways.leaving_first[u], ways.leaving_first[u + 1]):
        found |= reach[ways.leaving[j], w]
    return found


@njit(cache=True)
def settle(ways, orders):
    """Work out from the keys alone what is served; how many pairs are not."""
    lanes, _, words = orders.reach.shape
    for k in range(lanes):
        keys, reach = orders.key[k], orders.reach[k]
        for c in np.argsort(keys)[::-1]:
            for w in range(words):
                reach[c, w] = reached(ways, keys, reach, c, w)
        for u in range(orders.missed.size):
            for w in range(words):
                orders.cover[k, u, w] = covered(ways, reach, u, w)
    total = 0
    for u in range(orders.missed.size):
        orders.missed[u] = 0
        for w in range(words):
            orders.missed[u] += how_many(missing(ways, orders, u, w))
        total += orders.missed[u]
    return total


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
def aim(ways, orders, keys, state, path, fall):
    """A change of one key that makes a shortest path of a pair that is not served fall once less: channel and key.

    −1 for the channel if the path that was drawn does not fall.
    """
    u = below(state, orders.missed.size)
    while orders.missed[u] == 0:
        u = (u + 1) % orders.missed.size
    n = below(state, orders.missed[u])
    destination = -1
    for w in range(orders.reach.shape[2]):
        left = missing(ways, orders, u, w)
        count = how_many(left)
        if n >= count:
            n -= count
            continue
        for _ in range(n):
            left &= left - 1
        destination = 64 * w + lowest(left)
        break
    length, falls = 0, 0
    while u != ways.home[destination]:
        count, taken = 0, -1
        for j in range(ways.leaving_first[u], ways.leaving_first[u + 1]):
            c = ways.leaving[j]
            if (ways.nearer[c, destination >> 6] >> (destination & 63)) & 1:
                count += 1
                if below(state, count) == 0:
                    taken = c
        path[length] = taken
        if length > 0 and keys[path[length - 1]] >= keys[taken]:
            fall[falls] = length
            falls += 1
        length += 1
        u = ways.target[taken]
    if falls == 0:
        return -1, 0.0
    i = fall[below(state, falls)]
    past = unit(state) / keys.size
    if draw(state) & np.uint64(1):
        return path[i - 1], keys[path[i]] - past
    return path[i], keys[path[i - 1]] + past


@njit(cache=True)
def anneal(ways, orders, state, moves, hot, cold, aimed, unserved):
    """Simulated annealing of the keys on the number of pairs that are not served.

    A move gives a channel another key in one lane; only what that changes is worked out again, and put back if the
    move is refused. Stops at once when all pairs are served.

    Parameters
    ----------
    state : uint64 array, shape (1,)
        Of the random numbers.
    hot, cold : float
        Temperatures at the beginning and at the end.
    aimed : float
        The share of moves that are aimed at a pair that is not served.
    unserved : int
        How many are not served now.

    Returns
    -------
    unserved, least, moves made : int
    """
    lanes, channels, words = orders.reach.shape
    routers = orders.missed.size
    heap, waits = np.empty(channels, np.int64), np.zeros(channels, np.bool_)
    was_channel, was_reach = np.empty(channels, np.int64), np.empty((channels, words), np.int64)
    touched, is_touched = np.empty(routers, np.int64), np.zeros(routers, np.bool_)
    was_cover, was_missed = np.empty((routers, words), np.int64), np.empty(routers, np.int64)
    path, fall = np.empty(routers + 1, np.int64), np.empty(routers + 1, np.int64)
    least, heat = unserved, hot
    for move in range(moves):
        if unserved == 0:
            return unserved, 0, move
        if move & 255 == 0:
            heat = hot * (cold / hot) ** (move / moves)
        lane = below(state, lanes)
        keys, reach = orders.key[lane], orders.reach[lane]
        if unit(state) < aimed:
            c, new = aim(ways, orders, keys, state, path, fall)
            if c < 0:
                continue
        else:
            c, new = below(state, channels), unit(state)
        old = keys[c]
        keys[c] = new
        waits[c] = True
        size = push(heap, 0, keys, c)
        for j in range(ways.before_first[c], ways.before_first[c + 1]):
            before = ways.before[j]
            if (keys[before] < old) != (keys[before] < new) and not waits[before]:
                waits[before] = True
                size = push(heap, size, keys, before)
        changes, touches = 0, 0
        while size > 0:
            d, size = pop(heap, size, keys)
            waits[d] = False
            changed = False
            for w in range(words):
                found = reached(ways, keys, reach, d, w)
                was_reach[changes, w] = reach[d, w]
                if found != reach[d, w]:
                    changed = True
                    reach[d, w] = found
            if changed:
                was_channel[changes] = d
                changes += 1
                for j in range(ways.before_first[d], ways.before_first[d + 1]):
                    before = ways.before[j]
                    if keys[before] < keys[d] and not waits[before]:
                        waits[before] = True
                        size = push(heap, size, keys, before)
                if not is_touched[ways.source[d]]:
                    is_touched[ways.source[d]] = True
                    touched[touches] = ways.source[d]
                    touches += 1
        more = 0
        for i in range(touches):
            u = touched[i]
            is_touched[u] = False
            was_missed[i] = orders.missed[u]
            orders.missed[u] = 0
            for w in range(words):
                was_cover[i, w] = orders.cover[lane, u, w]
                orders.cover[lane, u, w] = covered(ways, reach, u, w)
                orders.missed[u] += how_many(missing(ways, orders, u, w))
            more += orders.missed[u] - was_missed[i]
        if more <= 0 or unit(state) < np.exp(-more / heat):
            unserved += more
            least = min(least, unserved)
            continue
        keys[c] = old
        for i in range(changes):
            for w in range(words):
                reach[was_channel[i], w] = was_reach[i, w]
        for i in range(touches):
            orders.missed[touched[i]] = was_missed[i]
            for w in range(words):
                orders.cover[lane, touched[i], w] = was_cover[i, w]
    return unserved, least, moves
