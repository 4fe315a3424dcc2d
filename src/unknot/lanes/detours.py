"""Orders of channels in which paths may be longer than shortest ones, and those of given tables are preferred."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unknot.lanes.effort import SearchEffort, annealed
from unknot.lanes.laned import Routes, Slots, no_slots
from unknot.lanes.path_set import Flags, Floats, Ints, following, packed
from unknot.lanes.rooted import orders_of
from unknot.network import Network

if TYPE_CHECKING:
    from unknot.lanes.orders_kernel import PathSet

FAR = 1 << 14
"""Hops that stand for no path."""
LOST = 8
"""Weight of a pair that no path serves, beside that of a pair on a long path."""
MOVES = 150
"""Moves for each channel and lane of the first round; each round has twice as many as the one before."""
HEATS = ((3.0, 0.4), (8.0, 0.6))
"""Temperatures at the beginning and at the end of a round, in turn."""


@dataclass(frozen=True, eq=False)
class RouteGoal:
    """Routes that are wanted: to each column's home.

    Attributes
    ----------
    network : Network
    home : int64 array, shape (columns,)
        Routers.
    hops : int64 array, shape (routers, columns)
        Of shortest paths; −1: there is none.
    wanted : bool array, shape (routers, columns)
    rate : float64 array, shape (routers, columns)
    """

    network: Network
    home: Ints
    hops: Ints
    wanted: Flags
    rate: Floats


def unit_of(goal: RouteGoal) -> int:
    """Unit of detours, which all are multiples of it: 2 in networks of two colours, otherwise 1."""
    more = _more(goal)
    return max(1, int(np.gcd.reduce(more[more > 0], initial=0)))


def detour_paths(goal: RouteGoal, weights: Ints, *, limited: bool = False) -> tuple[PathSet, Ints]:
    """Paths of any length: those that are longer by at least 1, 2, … units (see `unit_of`) count by the weights.

    The last weight is that of pairs without a path, beside all others. If paths are `limited`, those that the last
    weight is for are none. With the paths comes to where channels may be taken, for `orders_of`.
    """
    more, unit, planes = _more(goal), unit_of(goal), len(weights) - (not limited)
    nearer = more == 0
    away = [packed((more == unit * (i + 1)) & (more > 0)) for i in range(planes - 1)]
    block = packed(nearer).shape[1]
    taken = [nearer] * planes
    ends = ([], []) if limited else ([more >= 0], [nearer])
    form, words = _form(goal, taken + ends[0], taken + ends[1], weights)
    detour = np.zeros((len(away), *form.nearer.shape), dtype=np.int64)
    for i, led in enumerate(away):
        for plane in range(i + 1, planes):
            detour[i, :, plane * block : (plane + 1) * block] = led
    return form._replace(detour=detour), words


def table_paths(goal: RouteGoal, taken: Flags) -> tuple[PathSet, Ints]:
    """The paths of a table count; every pair has to have some path. With it, to where channels may be taken."""
    more = _more(goal)
    return _form(goal, [taken, more >= 0], [taken, more == 0], np.array([1, LOST]))


def improved(
    paths: PathSet, taken: Ints, start: Floats, effort: SearchEffort, *, rounds: int, low: int = 0
) -> tuple[Floats, int] | None:
    """Keys of low cost in which every pair has a path, and their cost; None if none were found.

    Parameters
    ----------
    start : float64 array, shape (lanes, channels)
        Keys to begin with.
    low : int
        A cost below which there is none: the search ends there.
    """
    best: tuple[Floats, int] | None = None
    try:
        for better in _better(paths, taken, start, effort, rounds, low):
            best = better
    except KeyboardInterrupt:
        effort.interrupted = True
    return best


def _better(
    paths: PathSet, taken: Ints, start: Floats, effort: SearchEffort, rounds: int, low: int
) -> Iterator[tuple[Floats, int]]:
    """Better and better keys."""
    best: tuple[Floats, int] | None = None
    lanes = f"{len(start)} lane{'s' * (len(start) > 1)} of longer paths"
    for number in range(rounds):
        key = start if number % 2 == 0 or best is None else best[0]
        orders, before = orders_of(paths, key.copy(), taken)
        moves, heat = MOVES * key.size << min(number, 6), HEATS[number % len(HEATS)]
        for cost, _ in annealed(paths, orders, before, moves, heat, effort, [effort.seed, number]):
            if (best is None or cost < best[1]) and all_have_a_path(paths, orders.cover):
                best = orders.key.copy(), cost
                yield best
            if (best is not None and best[1] <= low) or effort.over:
                return
            effort.report(f"{lanes}: {'no way for all yet' if best is None else f'{best[1]} at best'}")


def all_have_a_path(paths: PathSet, cover: Ints) -> bool:
    """Whether every wanted pair has some path in some lane."""
    left = paths.wanted[:, -paths.block :] & ~np.bitwise_or.reduce(cover[:, :, -paths.block :], axis=0)
    return not left.any()


def tree_order(network: Network) -> Floats:
    """Keys by which channels to lower levels of a spanning tree come before those to higher ones.

    Every pair of routers then has a climbing path if all channels have one back.
    """
    from unknot.network import distances_from

    degree = np.bincount(network.source, minlength=network.num_routers)
    root = int(np.argmax(degree))
    level = np.asarray(distances_from(network, root), dtype=np.float64)
    rank = level + np.arange(level.size) / (level.size + 1)
    source, target = rank[network.source], rank[network.target]
    high = level.max(initial=0.0) + 1
    keys: Floats = np.where(target < source, (high - source) / (2.2 * high), 0.5 + target / (2.2 * high))
    return keys


def climbing_routes(
    goal: RouteGoal, key: Floats, *, step: Ints | None = None, kept: Routes | None = None, seed: int = 0
) -> tuple[Routes, Ints]:
    """The shortest climbing routes in the lanes of some orders, and their hops, shape (routers, columns).

    Parameters
    ----------
    step : int64 array, shape (columns, routers), optional
        A table of next channels: where its routes climb, they are taken.
    kept : Routes, optional
        Routes in these lanes, with −1 for channels that are gone: those that are whole and climb are taken.
    """
    network, columns = goal.network, goal.home.size
    lanes, channels = key.shape
    first, leaving = network.outgoing
    length = np.full((lanes, channels, columns), FAR, dtype=np.int16)
    follow = no_slots((lanes, channels, columns), first)
    tabled = np.zeros((lanes, channels, columns), dtype=bool)
    every = np.arange(columns)
    for k in range(lanes):
        for c in np.argsort(key[k])[::-1].tolist():
            v = int(network.target[c])
            at_home = goal.home == v
            after = leaving[first[v] : first[v + 1]]
            higher = np.flatnonzero(key[k, after] > key[k, c])
            if higher.size:
                those = length[k, after[higher]]
                best = np.argmin(those, axis=0)
                length[k, c] = np.minimum(those[best, every] + 1, FAR)
                follow[k, c] = np.where(length[k, c] < FAR, higher[best], -1)
            if step is not None or (kept is not None and k < len(kept.follow)):
                if step is not None:
                    mine, then = step[:, network.source[c]] == c, step[:, v]
                else:
                    assert kept is not None
                    slot = kept.follow[k, c].astype(np.int64)
                    mine = at_home | (slot >= 0)
                    then = np.where(slot >= 0, after[np.maximum(slot, 0)] if after.size else -1, -1)
                own = mine & (at_home | ((then >= 0) & tabled[k, then, every] & (key[k, then] > key[k, c])))
                tabled[k, c] = own
                length[k, c, own] = np.where(at_home, 1, length[k, then, every] + 1)[own]
                follow[k, c, own] = np.searchsorted(after, then[own]) if after.size else -1
            length[k, c, at_home] = 1
            follow[k, c, at_home] = -1
            length[k, c, goal.home == network.source[c]] = FAR
    if step is not None:
        length = np.where(tabled, length - FAR, length)
    lane = np.full((network.num_routers, columns), -1)
    start = np.full((network.num_routers, columns), -1)
    hops = np.zeros((network.num_routers, columns), dtype=np.int64)
    random = np.random.default_rng([seed, lanes])
    for u in range(network.num_routers):
        here = leaving[first[u] : first[u + 1]]
        if not here.size:
            continue
        options = length[:, here].reshape(-1, columns)
        best = np.argmin(options + random.random(options.shape) / 2, axis=0)
        served = goal.wanted[u] & (options[best, every] < FAR)
        lane[u, served] = (best // here.size)[served]
        start[u, served] = here[best % here.size][served]
        hops[u, served] = options[best, every][served]
    if kept is not None:
        for u, column in np.argwhere(goal.wanted & (kept.lane >= 0) & (kept.start >= 0)).tolist():
            k, c = int(kept.lane[u, column]), int(kept.start[u, column])
            if tabled[k, c, column]:
                lane[u, column], start[u, column], hops[u, column] = k, c, length[k, c, column]
    hops = np.where(hops < 0, hops + FAR, hops)
    return Routes(lane, start, follow, loads_along(goal, lane, start, follow)), hops


def loads_along(goal: RouteGoal, lane: Ints, start: Ints, follow: Slots) -> Floats:
    """Return the load of each channel under routes in lanes: flow over bandwidth."""
    network = goal.network
    first, leaving = network.outgoing
    load = np.zeros(network.num_channels)
    u, column = np.nonzero(goal.wanted & (lane >= 0))
    rate, level, channel = goal.rate[u, column], lane[u, column], start[u, column]
    while channel.size:
        np.add.at(load, channel, rate)
        going = network.target[channel] != goal.home[column]
        column, rate, level, channel = column[going], rate[going], level[going], channel[going]
        channel = leaving[first[network.target[channel]] + follow[level, channel, column]].astype(np.int64)
    return load / network.bandwidth


def _more(goal: RouteGoal) -> Ints:
    """By how many hops a channel leads away: 0 on shortest paths, −1 where it leads nowhere."""
    network, hops = goal.network, goal.hops.astype(np.int64)
    ends = hops[network.target]
    more: Ints = np.where((ends < 0) | (hops[network.source] <= 0), -1, 1 + ends - hops[network.source])
    return more


def _form(goal: RouteGoal, taken: list[Flags], nearer: list[Flags], weights: Ints) -> tuple[PathSet, Ints]:
    """Blocks side by side, each padded to whole words; channels follow each other unless they lead straight back."""
    network, planes = goal.network, len(taken)
    own, wanted = packed(goal.home == network.target[:, None]), packed(goal.wanted)
    words = own.shape[1]
    home = np.zeros(64 * words * planes, dtype=np.int64)
    for plane in range(planes):
        home[64 * words * plane :][: goal.home.size] = goal.home
    whole = np.full((network.num_channels, 1), -1, dtype=np.int64)
    form = following(network, whole, np.tile(wanted, planes), home, back=False)
    nearer_bits, taken_bits = (np.concatenate([packed(part) for part in parts], axis=1) for parts in (nearer, taken))
    weight = np.repeat(np.asarray(weights, dtype=np.int64), words)
    detour = np.zeros((0, *nearer_bits.shape), dtype=np.int64)
    form = form._replace(nearer=nearer_bits, own=np.tile(own, planes), block=words, weight=weight, detour=detour)
    return form, taken_bits
