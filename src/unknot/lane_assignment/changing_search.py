"""The search for the fewest lanes where packets change lanes on the way, and the steps of routes in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unknot._base.errors import RelationError
from unknot.lane_assignment.annealing import SHARE
from unknot.lane_assignment.exact import ExactSearch
from unknot.lane_assignment.laned import LeveledRoutes, slots
from unknot.lane_assignment.orders import FIRST_ROUNDS, fewer, search
from unknot.lane_assignment.path_set import CLASS, Floats, Ints, Numbers, in_classes, unpacked
from unknot.lane_assignment.question import Question
from unknot.lane_assignment.rooted import LaneOrders, beginning, one_by_one, orders_of
from unknot.lane_assignment.tables import LaneTable, hop_by_hop, hops_of, lanes_of
from unknot.network import Network
from unknot.search.effort import SearchEffort

if TYPE_CHECKING:
    from unknot.lane_assignment.orders_kernel import PathSet

LEVELS = 16
"""Service levels of InfiniBand."""
OTHER_SEED = 7919
"""Distance of the seeds of searches that are done again."""
PACKED = 3
"""Searches for orders whose routes fit into the service levels, where lanes change by ports."""


class ChangingSearch:
    """The search for orders in few lanes: by halving, then longer in one lane less than was found."""

    def __init__(self, question: Question, effort: SearchEffort, rounds: int, conflicts: int) -> None:
        self.question, self.effort, self.rounds = question, effort, rounds
        self.exact = ExactSearch(question, effort, conflicts)
        self.rising = question.changes == "rising"
        self.packed: LeveledRoutes | None = None

    def paths(self, count: int) -> PathSet:
        """The paths over the virtual channels of a number of lanes."""
        return in_classes(self.question.network, self.question.path_set, count, rising=self.rising)

    def fewest(self) -> LaneOrders:
        """Orders of all virtual channels, in as few lanes as are found."""
        question, effort = self.question, self.effort
        kept = one_by_one(question.path_set, [effort.seed, 0], question.hops)
        best = self._fit(self._at_first(kept)) or self._apart(kept) or self._in(len(kept), 0, FIRST_ROUNDS)
        if best is None:
            raise RelationError(
                f"lanes on {question.network.name}: no routes that change lanes by ports were found in "
                f"{LEVELS} service levels and {len(kept)} lanes"
            )
        with effort.until_interrupted():
            for better in fewer(best, self.exact, self._exactly, self._in, rounds=self.rounds):
                best = better
        return best

    def _at_first(self, kept: LaneOrders) -> LaneOrders:
        """The first 2, 4, 8, … of the kept lanes, as soon as they serve all pairs by lane changes."""
        count = 2
        while count < len(kept):
            key = _in_turn(kept.key[:count])
            if orders_of(self.paths(count), key.T.reshape(1, -1), np.repeat(kept.taken, count, axis=0)).unserved == 0:
                return LaneOrders(key, kept.taken)
            count *= 2
        return LaneOrders(_in_turn(kept.key), kept.taken)

    def _apart(self, kept: LaneOrders) -> LaneOrders | None:
        """Lanes that are kept, each a service level of its own, if there are not too many."""
        question = self.question
        if len(kept) > LEVELS:
            fewer = search(question.path_set, LEVELS, self.effort, first=0, rounds=1, hops=question.hops)
            if fewer is None:
                return None
            kept = fewer
        orders = orders_of(question.path_set, kept.key, kept.taken)
        table = question.table_of(kept.taken)
        self.packed = apart(table, lanes_of(orders, table), len(kept))
        return LaneOrders(_in_turn(kept.key), kept.taken)

    def _in(self, count: int, first: int, rounds: int, share: float = SHARE) -> LaneOrders | None:
        """Orders in this number of lanes, by annealing."""
        question, effort, hops, paths = self.question, self.effort, self.question.hops, self.paths(count)

        def begin(number: int) -> LaneOrders:
            seed = [effort.seed, 1000 * count + number]
            kept = beginning(question.path_set, count, seed, hops, roots=number % 2 == 0)
            key = _in_turn(kept.key) / (1.0 if self.rising else CLASS * count)
            return LaneOrders(key.T.reshape(1, -1), np.repeat(kept.taken, count, axis=0))

        def named(stage: str, done: int, total: int) -> None:
            name = f"{count} lane{'s that change' * (count > 1)}"
            if effort.progress is not None:
                effort.progress(f"{name}: {stage.rpartition(': ')[2]}", done, total)

        for attempt in range(PACKED if question.changes == "ports" else 1):
            with effort.part(tried={}, progress=named, seed=effort.seed + OTHER_SEED * attempt) as again:
                orders = search(paths, 1, again, first=first, rounds=rounds, hops=hops, begin=begin, share=share)
            done, least = effort.tried.get(count, (0, question.path_set.wanted.size * 64))
            more, left = again.tried.get(1, (1, 0))
            effort.tried[count] = (done + more, min(least, left))
            if orders is None:
                return None
            fitting = self._fit(_by_lane(orders, count))
            if fitting is not None:
                effort.reached(count)
            if fitting is not None or effort.over:
                return fitting
        return None

    def _exactly(self, count: int, share: float) -> LaneOrders | None:
        """Orders in this number of lanes by the solver."""
        key = self.exact.keys(count, share)
        if key is None:
            return None
        key = key / (key.max(initial=0.0) + 1.0)
        key = key.reshape(-1, count).T.copy()
        return LaneOrders(_in_turn(key) if self.rising else key, self.question.path_set.nearer)

    def _fit(self, orders: LaneOrders) -> LaneOrders | None:
        """The orders, if their routes fit into the service levels; where lanes do not change by ports they do."""
        if self.question.changes != "ports":
            return orders
        packed = in_levels(self.question.table_of(orders.taken), orders.key)
        if packed is None:
            return None
        self.packed = packed
        return orders


def _in_turn(key: Floats) -> Floats:
    """Keys of lanes, those of each above those of the lanes before."""
    return key + CLASS * np.arange(len(key))[:, None]


def _by_lane(orders: LaneOrders, count: int) -> LaneOrders:
    """Keys of virtual channels as keys of lanes, and the destinations of channels."""
    return LaneOrders(orders.key.reshape(-1, count).T.copy(), orders.taken[::count])


def table_steps(table: LaneTable, key: Floats) -> tuple[Ints, Ints]:
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
    first = start[router, column]
    changed = np.zeros(first.size, dtype=bool)
    target = np.repeat(network.target, lanes)
    for route, vc in hop_by_hop(first, home[column], target, lambda route, vc: step[vc, column[route]]):
        changed[route] |= vc % lanes != first[route] % lanes
    return int(np.count_nonzero(changed))


def in_levels(table: LaneTable, key: Floats) -> LeveledRoutes | None:
    """A service level for each pair, and what the lanes of each level are by ports; None if 16 levels do not suffice.

    A route climbs in the keys of the virtual channels. Pairs go into the first level whose entries so far let their
    route climb; where there is no entry yet it is the lowest virtual channel that climbs. Long routes go first.
    """
    from unknot.lane_assignment.levels_kernel import fill

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


def apart(table: LaneTable, lane: Ints, lanes: int) -> LeveledRoutes:
    """A service level for each lane, where pairs keep their lanes."""
    network = table.network
    shape = (lanes, network.num_channels + network.num_routers, slots(network)[1])
    own = np.arange(lanes, dtype=np.int8)[:, None, None]
    return LeveledRoutes(lane, np.broadcast_to(own, shape).copy(), 0)
