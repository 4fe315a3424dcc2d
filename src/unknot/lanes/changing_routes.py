"""Routes whose lane changes on the way: by virtual channel, or by ports and service level."""

from __future__ import annotations

import numpy as np

from unknot.lanes.laned import LeveledRoutes, slots
from unknot.lanes.path_set import Floats, Ints, Numbers, unpacked
from unknot.lanes.tables import Table, hops_of
from unknot.network import Network

LEVELS = 16
"""Service levels of InfiniBand."""


def table_steps(table: Table, key: Floats) -> tuple[Ints, Ints]:
    """Steps of routes by a table: always the lowest virtual channel that is higher than the last.

    They are the first of each pair, shape (routers, rows), and the next of each virtual channel.
    """
    network = table.network
    lanes, channels = key.shape
    flat = key.T.reshape(-1)
    first = np.arange(lanes)
    start = np.full(table.wanted.shape, -1)
    step = np.full((channels * lanes, len(table.home)), -1)
    for row, then in enumerate(table.next_channel):
        going = then >= 0
        start[going, row] = lanes * then[going] + np.argmin(key[:, then[going]], axis=0)
        after = np.repeat(then[network.target], lanes)
        options = np.where(after[:, None] >= 0, lanes * after[:, None] + first, 0)
        higher = np.where((flat[options] > flat[:, None]) & (after[:, None] >= 0), flat[options], np.inf)
        best = np.argmin(higher, axis=1)
        climbs = np.isfinite(higher[np.arange(best.size), best])
        step[:, row] = np.where(climbs, options[np.arange(best.size), best], -1)
    return start, step


def changes_of(network: Network, pairs_wanted: Ints, start: Ints, step: Numbers, lanes: int, home: Ints) -> int:
    """Count the routes that change their lane."""
    pairs = unpacked(pairs_wanted, home.size)
    router, column = np.nonzero(pairs)
    vc = start[router, column]
    changed = np.zeros(vc.size, dtype=bool)
    at_home = network.target[vc // lanes] == home[column]
    for _ in range(network.num_routers):
        if at_home.all():
            break
        then = np.where(at_home, vc, step[vc, column])
        changed |= then % lanes != vc % lanes
        vc = then
        at_home = network.target[vc // lanes] == home[column]
    return int(np.count_nonzero(changed))


def in_levels(table: Table, key: Floats) -> LeveledRoutes | None:
    """A service level for each pair, and what the lanes of each level are by ports; None if 16 levels do not suffice.

    A route climbs in the keys of the virtual channels. Pairs go into the first level whose entries so far let their
    route climb; where there is no entry yet it is the lowest virtual channel that climbs. Long routes go first.
    """
    from unknot.lanes.levels_kernel import fill

    network = table.network
    slot, width = slots(network)
    hops = hops_of(network, table.next_channel, table.home)
    pairs = np.argwhere(table.wanted)
    pairs = pairs[np.argsort(-hops[pairs[:, 1], pairs[:, 0]], kind="stable")]
    level = np.full(table.wanted.shape, -1)
    entries = np.full((LEVELS, network.num_channels + network.num_routers, width), -1, dtype=np.int8)
    target = network.target.astype(np.int64)
    key = np.ascontiguousarray(key, dtype=np.float64)
    next_channel, home = np.ascontiguousarray(table.next_channel), np.ascontiguousarray(table.home)
    used, changed = fill(pairs, next_channel, home, target, slot, key, level, entries)
    return LeveledRoutes(level, entries[:used], int(changed)) if used else None


def apart(table: Table, lane: Ints, lanes: int) -> LeveledRoutes:
    """A service level for each lane, where pairs keep their lanes."""
    network = table.network
    shape = (lanes, network.num_channels + network.num_routers, slots(network)[1])
    own = np.arange(lanes, dtype=np.int8)[:, None, None]
    return LeveledRoutes(lane, np.broadcast_to(own, shape).copy(), 0)
