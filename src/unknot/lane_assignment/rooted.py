"""Orders of channels and what they serve; those to begin with: around roots, filled with paths, and of tori."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.arrays import Rows
from unknot._base.errors import RelationError
from unknot.lane_assignment.forced import Turn, climbing
from unknot.lane_assignment.path_set import Floats, Ints, of_pairs, served, unpacked
from unknot.lane_assignment.tables import Hops, grown_table, random_table
from unknot.network import Network
from unknot.network.graph import reached_from
from unknot.network.grid import whole_grid

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import Orders, PathSet

ROOTS = 16
"""Roots that are tried for each lane."""
FILLING = 1 << 15
"""Most pairs of which a path is tried in the filling of a lane; by then hardly a turn is free."""


@dataclass(frozen=True, eq=False)
class LaneOrders:
    """Orders of channels, one for each lane, and where each channel may be taken to.

    Attributes
    ----------
    key : float64 array, shape (lanes, channels)
    taken : int64 array, shape (channels, words)
        The destinations to which each channel is taken, as bits.
    """

    key: Floats
    taken: Ints

    def __len__(self) -> int:
        return len(self.key)


def orders_of(paths: PathSet, key: Floats, taken: Ints | None = None) -> Orders:
    """Orders with given keys and the pairs they serve; by default every path may be taken."""
    from unknot.lane_assignment.orders_kernel import Orders, settle

    lanes, channels = key.shape
    words, routers = paths.nearer.shape[1], paths.wanted.shape[0]
    pairs = len(paths.many)
    orders = Orders(
        np.ascontiguousarray(key, dtype=np.float64),
        paths.nearer if taken is None else taken,
        np.zeros((lanes, channels, words), dtype=np.int64),
        np.zeros((lanes, routers, words), dtype=np.int64),
        np.zeros(routers, dtype=np.int64),
        np.zeros((lanes if pairs else 0, pairs, pairs), dtype=np.int64),
        np.zeros((pairs, pairs), dtype=np.int64),
    )
    settle(paths, orders)
    return orders


def rest_of(paths: PathSet, orders: Orders) -> PathSet:
    """The paths of those pairs that no lane serves."""
    return of_pairs(paths, paths.wanted & ~np.bitwise_or.reduce(served(orders, paths.home), axis=0))


def around(paths: PathSet, way: Sequence[int]) -> Floats:
    """Keys of the channels from 0 to 1: first the channels toward some routers, then the channels away.

    The routers are numbered: those of `way` in turn, then breadth-first from them. Channels to a lower number come
    first, those from high numbers before those from low ones; then channels to a higher number, the other way round.
    So a path climbs that descends in numbers and then ascends (up*/down*), and every path that begins with `way` and
    then leads away from it.
    """
    routers = len(paths.wanted)
    order = [*reached_from(way, Rows(paths.leaving_first, paths.target[paths.leaving]).at)]
    number = np.full(routers, routers)
    number[order] = np.arange(len(order))
    start, end = number[paths.source], number[paths.target]
    return (routers + np.where(end > start, start, -start)) / (2.0 * routers)


def lane_after_lane(paths: PathSet, seed: Sequence[int], taken: Ints | None = None) -> Iterator[Floats]:
    """Keys of one lane after the other until all pairs are served, each the best of a few for the rest.

    These are orders around roots, as long as they are better, and one that is filled with paths, unless both
    directions share a lane, or routes are those of a table. Every lane serves a pair more than those before: a router
    that sends is among the roots, or else the routes of some pair are climbed. Time: for each lane `ROOTS` times
    channels × channels that follow one × words.
    """
    random = np.random.default_rng(seed)
    left, roots, fills = paths.wanted, ROOTS, taken is None and not paths.many.size
    while left.any():
        rest = of_pairs(paths, left)
        # Drawn even where no root is tried any more: what is drawn after it then depends on the seed alone.
        begin = [int(np.flatnonzero(left.any(axis=1))[0]), *random.permutation(len(left)).tolist()]
        keys = [around(rest, [root]) for root in begin[: roots + 1 if roots else 0]]
        if fills:
            keys.append(filled(rest, random))
        tried = [orders_of(rest, key[None], taken) for key in keys]
        best = min(range(len(tried)), key=lambda i: tried[i].unserved)
        orders = tried[best]
        if fills and best == len(tried) - 1:
            roots = 0  # for the pairs that are left then, filling stays the better kind
        if not (left & served(orders, rest.home)[0]).any():
            key = _of_pair(rest, taken) if rest.many.size else around(rest, _way(rest, taken))
            orders = orders_of(rest, key[None], taken)
        yield orders.key[0]
        left = left & ~served(orders, rest.home)[0]


def filled(paths: PathSet, random: np.random.Generator) -> Floats:
    """Keys of a lane that is filled with paths of pairs, to homes in any order, as far as they close no cycle."""
    from unknot.lane_assignment.paths_kernel import fill

    at = np.argsort(paths.base + random.random(paths.base.size))
    rank = np.argsort(at)
    uses = np.zeros(paths.after.size, dtype=np.int32)
    state = np.array([random.integers(2**63)], dtype=np.uint64)
    fill(paths, uses, rank, at, state, random.permutation(paths.home.size), FILLING)
    return paths.base + rank / (2.0 * rank.size)


def one_by_one(paths: PathSet, seed: Sequence[int], hops: Hops | None = None, limit: int | None = None) -> LaneOrders:
    """Orders that serve all pairs, built without a search; with more than `limit` orders some pairs stay unserved.

    Parameters
    ----------
    hops : int array, shape (homes, routers), optional
        Of shortest paths, if routes have to be those of a table, which is made too.
    """
    most = None if limit is None else limit + 1
    keys = list(islice(lane_after_lane(paths, seed), most))
    taken = paths.nearer
    if hops is not None and keys:
        taken = grown_table(paths, hops, np.array(keys))
        orders = orders_of(paths, np.array(keys), taken)
        keys += islice(lane_after_lane(rest_of(paths, orders), seed, taken), most)
    return LaneOrders(np.array(keys).reshape(-1, paths.source.size), taken)


def beginning(paths: PathSet, lanes: int, seed: Sequence[int], hops: Hops | None, *, roots: bool) -> LaneOrders:
    """Orders of a number of lanes to begin a search with, and if `hops` are given, a table.

    With `roots` they are the first of `lane_after_lane`, and the table is grown for them; all others are random.
    """
    key = paths.base + np.random.default_rng(seed).random((lanes, paths.source.size))
    for lane, order in enumerate(islice(lane_after_lane(paths, seed), lanes if roots else 0)):
        key[lane] = order
    if hops is None:
        return LaneOrders(key, paths.nearer)
    return LaneOrders(key, grown_table(paths, hops, key) if roots else random_table(paths, [*seed]))


def _way(paths: PathSet, taken: Ints | None) -> list[int]:
    """The routers of a path of some wanted pair."""
    router = int(np.flatnonzero(paths.wanted.any(axis=1))[0])
    column = int(np.flatnonzero(unpacked(paths.wanted[router], paths.home.size))[0])
    return [router, *paths.target[_channels(paths, taken, router, column)].tolist()]


def _channels(paths: PathSet, taken: Ints | None, router: int, column: int) -> list[int]:
    """The channels of a path from a router to a destination."""
    allowed = unpacked(paths.nearer if taken is None else taken, paths.home.size)[:, column]
    channels = list[int]()
    while router != paths.home[column]:
        leaving = paths.leaving[paths.leaving_first[router] : paths.leaving_first[router + 1]]
        channels.append(int(next(c for c in leaving if allowed[c])))
        router = int(paths.target[channels[-1]])
    return channels


def _of_pair(paths: PathSet, taken: Ints | None) -> Floats:
    """Keys by which the routes of some pair climb, in both directions; RelationError if they close a cycle."""
    pairs = unpacked(paths.wanted, paths.home.size)
    here, there = (int(end) for end in np.argwhere(paths.many > 0)[0])
    turns = list[Turn]()
    for router, home in ((here, there), (there, here)):
        for column in np.flatnonzero(pairs[router] & (paths.home == home)).tolist():
            turns += pairwise(_channels(paths, taken, router, column))
    key = climbing(turns, paths.base.size)
    if key is None:
        raise RelationError(
            f"the routes between router {here} and router {there} close a cycle of dependencies by themselves, so no "
            "lane can serve both directions"
        )
    return paths.base + key / key.size


def diagonal_orders(network: Network, paths: PathSet, hops: Hops | None) -> LaneOrders | None:
    """Two lanes that serve all pairs of a two-dimensional torus; None on other networks or if pairs are left.

    In both lanes channels of the first dimension come before those of the second. Each ring is cut where one channel
    must not follow another: in lane 0 the channels up cut rings on the diagonal and those down half a ring farther,
    in lane 1 the other way round. A shortest path goes half round a ring at most, and so passes only one of two cuts;
    since cuts are on diagonals, it passes the cut of the same lane in both dimensions. Rings of some unequal odd
    lengths leave a few pairs.

    Parameters
    ----------
    hops : int array, shape (homes, routers), optional
        Of shortest paths, if routes have to be those of a table, which is made too.
    """
    product = whole_grid(network)
    if product is None or product.radices.size != 2 or not product.wraps.all():
        return None
    channel, dimension, down = np.arange(network.num_channels), product.dimension, product.down
    at = product.coordinates[network.source].astype(np.int64)
    along, across = at[channel, dimension], at[channel, 1 - dimension]
    side, other = (product.radices[index].astype(np.int64) for index in (dimension, 1 - dimension))
    diagonal = np.where(dimension == 0, across * side // other, -(-across * side // other))
    key = np.empty((2, network.num_channels))
    for lane in range(2):
        cut = diagonal + np.where(down == (lane == 0), side // 2, 0)
        key[lane] = dimension + np.where(down, cut - along, along - cut) % side / side
    taken = paths.nearer if hops is None else grown_table(paths, hops, key)
    return None if orders_of(paths, key, taken).unserved else LaneOrders(key, taken)
