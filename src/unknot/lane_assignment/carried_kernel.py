# mypy: ignore-errors
"""Routes in lanes, and what channels carry by them.

A lane is free of cycles as long as every turn in use climbs in its ranks.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats, IntArray, Ints
from unknot._base.kernels.types_kernel import alone, called, inlined
from unknot.lane_assignment.load_kernel import serves, steeper
from unknot.lane_assignment.orders_kernel import leads
from unknot.search.random_kernel import below


class Carried(NamedTuple):
    """Routes in lanes, and what they use.

    Where routes are those of a table, what follows depends on the router alone: `apart` is 0, and `site` the router
    at the end of each channel. Else `apart` is 1, and `site` the channel.

    Attributes
    ----------
    apart : int
    site : int64 array, shape (channels,)
    lane, start : int64 arrays, shape (routers, columns)
        The lane and the first channel of each pair; lane −1: none is needed.
    follow : int32 array, shape (lanes or 1, sites, columns)
        The channel that follows on the way to a column's home; −1: not chosen yet.
    users : int32 array, shape (lanes, channels, columns)
        Pairs whose route takes a channel.
    flow : float64 array, same shape
        What they send.
    load : float64 array, shape (channels,)
        Flow over bandwidth; of all virtual channels of a channel together.
    lane_load : float64 array, shape (lanes, channels)
        What each lane of a channel carries of its load.
    evenness : float
        Cost of a channel whose highest load is all in one lane.
    squares : int
        How often a load is squared for its cost.
    slow : float64 array, shape (channels,)
        One over the bandwidth.
    uses : int32 array, shape (lanes, turns)
        Channels before and columns that take a turn, in the order of `PathSet.after`.
    rank, at : int64 arrays, shape (lanes, channels)
        The place of each channel in the order of a lane, and the channel at each place.
    left : int16 array, shape (lanes, channels, columns)
        Hops of the shortest climbing routes that begin with a channel; 0: none does. Orders stay. Without lanes where
        routes are shortest paths.
    slack : int
        Hops by which each step may lengthen a climbing route. With 0 all routes are shortest climbing ones.
    """

    apart: int
    site: Ints
    lane: Ints
    start: Ints
    follow: IntArray
    users: IntArray
    flow: Floats
    load: Floats
    lane_load: Floats
    evenness: float
    squares: int
    slow: Floats
    uses: IntArray
    rank: Ints
    at: Ints
    left: npt.NDArray[np.int16]
    slack: int


@inlined
def turn(paths, c, e):
    """The number of the turn from channel c to its successor e."""
    j = paths.after_first[c]
    while paths.after[j] != e:
        j += 1
    return j


@inlined
def after(now, k, c, h):
    """The channel that follows in a lane on the way to a column's home."""
    return np.int64(now.follow[k * now.apart, now.site[c], h])


@inlined
def onward_to(paths, now, k, c, e, h):
    """Whether a channel may follow another in a lane on the way to a column's home."""
    if now.left.size:
        return now.rank[k, e] > now.rank[k, c] and 0 < now.left[k, e, h] < now.left[k, c, h] + now.slack
    return leads(paths, e, h)


@alone
def climbing_hops(paths, now, key):
    """Work out `left` from the keys of lanes; 0 where no route climbs to a column's home."""
    for k in range(now.rank.shape[0]):
        for c in now.at[k][::-1]:
            for h in range(paths.home.size):
                hops = np.int16(paths.target[c] == paths.home[h])
                for j in range(paths.after_first[c], paths.after_first[c + 1] if hops == 0 else 0):
                    e = paths.after[j]
                    more = now.left[k, e, h] + 1
                    if key[k, e] > key[k, c] and more > 1 and (hops == 0 or more < hops):
                        hops = more
                now.left[k, c, h] = hops


@called
def add(paths, now, k, c, h, pairs, amount, scale):
    """Let pairs take the way from a channel to a column's home, or no longer if negative; the change of cost."""
    more = 0.0
    while True:
        channel = c // paths.copies
        carried = amount * now.slow[channel]
        more += steeper(now.load[channel], carried, scale, now.squares)
        # By how much the square of what the lane carries grows: (a + b)² − a² = b (2a + b).
        more += now.evenness * carried * (2 * now.lane_load[k, channel] + carried) / (scale * scale)
        now.load[channel] += carried
        now.lane_load[k, channel] += carried
        now.flow[k, c, h] += amount
        now.users[k, c, h] += pairs
        # Sums of floats do not come back to 0 by themselves.
        if now.users[k, c, h] == 0:
            now.flow[k, c, h] = 0.0
        if paths.target[c] == paths.home[h]:
            return more
        e = after(now, k, c, h)
        # A turn is counted once for each home, by the first pair that takes it and the last that leaves it.
        if pairs > 0 and now.users[k, c, h] == pairs:
            now.uses[k, turn(paths, c, e)] += 1
        elif pairs < 0 and now.users[k, c, h] == 0:
            now.uses[k, turn(paths, c, e)] -= 1
        c = e


@alone
def carry_routes(paths, now, rate):
    """Add what all pairs send."""
    for u in range(now.lane.shape[0]):
        for h in range(now.lane.shape[1]):
            if now.lane[u, h] >= 0:
                add(paths, now, now.lane[u, h], now.start[u, h], h, np.int64(1), rate[u, h], 1.0)


@alone
def choose(paths, key, reach, now, state, first, end, hurried):
    """Draw a lane and a path that climbs in its keys for each wanted pair of the routers from `first` to `end`.

    With `hurried` the lane is the first that serves a pair, which touches less memory. Where `left` is worked out,
    lanes and paths with the fewest hops alone are drawn. The lane of a pair that none serves is −1.
    """
    for u in range(first, end):
        for h in range(paths.home.size):
            if now.lane[u, h] < 0:
                continue
            count, least = 0, np.int64(0)
            for lane in range(key.shape[0]):
                if hurried and count:
                    break
                for j in range(paths.leaving_first[u], paths.leaving_first[u + 1]):
                    c = paths.leaving[j]
                    hops = np.int64(now.left[lane, c, h] if now.left.size else 0)
                    if serves(reach, lane, c, h) and (count == 0 or hops <= least):
                        count = 1 if hops < least else count + 1
                        least = hops
                        if below(state, count) == 0:
                            now.lane[u, h], now.start[u, h] = lane, c
            if count == 0:
                now.lane[u, h] = -1
                continue
            k, c = now.lane[u, h], now.start[u, h]
            while paths.target[c] != paths.home[h]:
                count = 0
                if after(now, k, c, h) >= 0:
                    break
                for j in range(paths.after_first[c], paths.after_first[c + 1]):
                    e = paths.after[j]
                    if key[k, e] > key[k, c] and serves(reach, k, e, h) and onward_to(paths, now, k, c, e, h):
                        count += 1
                        if below(state, count) == 0:
                            now.follow[k, c, h] = e
                c = now.follow[k, c, h]
