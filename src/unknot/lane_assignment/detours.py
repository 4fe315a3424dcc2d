"""Orders of channels in which paths may be longer than shortest ones, and those of given tables are preferred."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unknot._base import phrases
from unknot.lane_assignment.annealing import annealed
from unknot.lane_assignment.path_set import Demand, Flags, Floats, Ints, following, packed
from unknot.lane_assignment.rooted import orders_of
from unknot.network import Network
from unknot.search.effort import SearchEffort

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import PathSet

LOST = 8
"""Weight of a pair that no path serves, beside that of a pair on a long path."""
MOVES = 150
"""Moves for each channel and lane of the first round; each round has twice as many as the one before."""
HEATS = ((3.0, 0.4), (8.0, 0.6))
"""Temperatures at the beginning and at the end of a round, in turn."""


def unit_of(traffic: Demand) -> int:
    """Unit of detours, which all are multiples of it: 2 in networks of two colours, otherwise 1."""
    more = _more(traffic)
    return max(1, int(np.gcd.reduce(more[more > 0], initial=0)))


def detour_paths(traffic: Demand, weights: Ints, *, limited: bool = False) -> tuple[PathSet, Ints]:
    """Paths of any length: those that are longer by at least 1, 2, … units (see `unit_of`) count by the weights.

    The last weight is that of pairs without a path, beside all others. If paths are `limited`, those that the last
    weight is for are none. With the paths comes to where channels may be taken, for `orders_of`.
    """
    more, unit, planes = _more(traffic), unit_of(traffic), len(weights) - (not limited)
    nearer = more == 0
    away = [packed((more == unit * (i + 1)) & (more > 0)) for i in range(planes - 1)]
    block = packed(nearer).shape[1]
    taken = [nearer] * planes
    ends = ([], []) if limited else ([more >= 0], [nearer])
    form, words = _form(traffic, taken + ends[0], taken + ends[1], weights)
    detour = np.zeros((len(away), *form.nearer.shape), dtype=np.int64)
    for i, led in enumerate(away):
        for plane in range(i + 1, planes):
            detour[i, :, plane * block : (plane + 1) * block] = led
    return form._replace(detour=detour), words


def table_paths(traffic: Demand, taken: Flags) -> tuple[PathSet, Ints]:
    """The paths of a table count; every pair has to have some path. With it, to where channels may be taken."""
    more = _more(traffic)
    return _form(traffic, [taken, more >= 0], [taken, more == 0], np.array([1, LOST]))


def improved(
    paths: PathSet,
    taken: Ints,
    start: Floats,
    effort: SearchEffort,
    *,
    rounds: int,
    low: int = 0,
    heats: tuple[tuple[float, float], ...] = HEATS,
) -> tuple[Floats, int] | None:
    """Keys of low cost in which every pair has a path, and their cost; None if none were found.

    Parameters
    ----------
    start : float64 array, shape (lanes, channels)
        Keys to begin with.
    low : int
        A cost below which there is none: the search ends there.
    heats : tuple of (float, float)
        Temperatures at the beginning and at the end of a round, in turn.
    """
    best: tuple[Floats, int] | None = None
    text = f"{phrases.count(len(start), 'lane')} of longer paths: cost {{:,}}"
    with effort.until_interrupted():
        for number in range(rounds):
            key = start if number % 2 == 0 or best is None else best[0]
            orders = orders_of(paths, key.copy(), taken)
            moves, heat = MOVES * key.size << min(number, 6), heats[number % len(heats)]
            seed = [effort.seed, number]
            for cost, _ in annealed(paths, orders, moves, heat, effort, seed, share=1.0, text=text):
                if (best is None or cost < best[1]) and all_have_a_path(paths, orders.cover):
                    best = orders.key.copy(), cost
                if (best is not None and best[1] <= low) or effort.over:
                    return best
    return best


def all_have_a_path(paths: PathSet, cover: Ints) -> bool:
    """Whether every wanted pair has some path in some lane."""
    left = paths.wanted[:, -paths.block :] & ~np.bitwise_or.reduce(cover[:, :, -paths.block :], axis=0)
    return not left.any()


def tree_order(network: Network) -> Floats:
    """Keys by which channels to lower levels of a spanning tree come before those to higher ones.

    Every pair of routers then has a climbing path if all channels have one back.
    """
    from unknot.network import distances_from

    degree = network.outgoing.width
    root = int(np.argmax(degree))
    level = np.asarray(distances_from(network, root), dtype=np.float64)
    rank = level + np.arange(level.size) / (level.size + 1)
    source, target = rank[network.source], rank[network.target]
    high = level.max(initial=0.0) + 1
    keys: Floats = np.where(target < source, (high - source) / (2.2 * high), 0.5 + target / (2.2 * high))
    return keys


def _more(traffic: Demand) -> Ints:
    """By how many hops a channel leads away: 0 on shortest paths, −1 where it leads nowhere."""
    network, hops = traffic.network, traffic.distances.table.T.astype(np.int64)
    ends = hops[network.target]
    more: Ints = np.where((ends < 0) | (hops[network.source] <= 0), -1, 1 + ends - hops[network.source])
    return more


def _form(traffic: Demand, taken: list[Flags], nearer: list[Flags], weights: Ints) -> tuple[PathSet, Ints]:
    """Blocks side by side, each padded to whole words; channels follow each other unless they lead straight back."""
    network, homes, planes = traffic.network, traffic.distances.homes, len(taken)
    own, pairs = packed(homes == network.target[:, None]), packed(traffic.wanted)
    words = own.shape[1]
    home = np.zeros(64 * words * planes, dtype=np.int64)
    for plane in range(planes):
        home[64 * words * plane :][: homes.size] = homes
    whole = np.full((network.num_channels, 1), -1, dtype=np.int64)
    form = following(network, whole, np.tile(pairs, planes), home, back=False)
    nearer_bits, taken_bits = (np.concatenate([packed(part) for part in parts], axis=1) for parts in (nearer, taken))
    weight = np.repeat(np.asarray(weights, dtype=np.int64), words)
    detour = np.zeros((0, *nearer_bits.shape), dtype=np.int64)
    form = form._replace(nearer=nearer_bits, own=np.tile(own, planes), block=words, weight=weight, detour=detour)
    return form, taken_bits
