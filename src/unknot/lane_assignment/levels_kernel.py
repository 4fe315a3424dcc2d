# mypy: ignore-errors
"""Service levels of routes whose lanes depend on input port, output port and level."""

import numpy as np

from unknot._base.kernels.types_kernel import inlined, kept


@inlined
def lane_of(entry, keys, channel, last):
    """The lane that an entry says, or if it says none the lowest virtual channel above the last; −1: none climbs."""
    if entry >= 0:
        return entry if keys[entry, channel] > last else -1
    best, lowest = -1, np.inf
    for lane in range(keys.shape[0]):
        if last < keys[lane, channel] < lowest:
            best, lowest = lane, keys[lane, channel]
    return best


@kept()
def fill(pairs, next_channel, home, target, slot, keys, level, entries):
    """Give each pair, in turn, the first level in which its route can climb, and write the lanes of its hops.

    Parameters
    ----------
    pairs : int64 array, shape (pairs, 2)
        Router and row.
    next_channel, home
        As in `tables.Table`.
    target, slot : int64 arrays, shape (channels,)
        Where a channel ends, and its place among those that leave its router.
    keys : float64 array, shape (lanes, channels)
    level : int64 array, shape (routers, rows)
        Written.
    entries : int8 array, shape (levels, channels + routers, most channels that leave a router)
        −1 at first; written.

    Returns
    -------
    used, changed : int
        Levels in use, and routes that change their lane; 0 levels: they do not suffice.
    """
    channels, routers = target.size, next_channel.shape[1]
    way, came, lanes = np.empty(routers, np.int64), np.empty(routers, np.int64), np.empty(routers, np.int64)
    used, changed = 1, 0
    for i in range(len(pairs)):
        router, row = pairs[i]
        length, at = 0, channels + router
        while router != home[row]:
            way[length], came[length] = next_channel[row, router], at
            at = way[length]
            router = target[at]
            length += 1
        placed = False
        for number in range(len(entries)):
            last, step = -np.inf, 0
            while step < length:
                channel = way[step]
                lane = lane_of(entries[number, came[step], slot[channel]], keys, channel, last)
                if lane < 0:
                    break
                lanes[step], last = lane, keys[lane, channel]
                step += 1
            if step == length:
                placed = True
                level[pairs[i, 0], row] = number
                used = max(used, number + 1)
                other = False
                for j in range(length):
                    entries[number, came[j], slot[way[j]]] = lanes[j]
                    other |= lanes[j] != lanes[0]
                changed += other
                break
        if not placed:
            return 0, 0
    return used, changed
