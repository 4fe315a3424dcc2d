"""Shortest paths of Ethernet fabrics after some failures, and the further failures that break them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from unknot._base.arrays import Rows
from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot._base.threads import processors
from unknot.network.graph import hops_around, path_to, reached_from
from unknot.routing.path_vector_kernel import Policy
from unknot.verify.ethernet_faults import AfterFailures, FailureSets, Words
from unknot.verify.failure_kernel import FailureSearch, PossibleFailures, is_fixed, loose_pairs
from unknot.verify.failure_routes import hops_to

PAIRS = 50
"""Pairs that failures can move apart, for each set that may be judged; of more, no sets are sought."""
Members = frozenset[frozenset[int]]


@dataclass(eq=False)
class ShortestPaths:
    """The shortest paths between routers with terminals after some failures, by routers of different AS.

    Attributes
    ----------
    fabric : AfterFailures
    sets : FailureSets
        What failed, and what more may.
    most : int
        Sets of failures to find at most.
    """

    fabric: AfterFailures
    sets: FailureSets
    most: int

    def __post_init__(self) -> None:
        vector = self.fabric.vector
        self.network = vector.network
        numbers = [n for part in self.sets.failed for n in self.fabric.parts[part][1]]
        self.up, self.hosts = self.fabric.left(numbers)
        self.alive = self.up & (vector.systems[self.network.source] != vector.systems[self.network.target])
        self.link, self.own = self.fabric.places

    def dependencies(self) -> Words:
        """What waits for what on all shortest paths."""
        every = np.arange(self.network.num_routers, dtype=np.int32)
        never = np.zeros(self.network.num_channels, dtype=np.int32)
        policy = Policy(every, np.zeros(every.size, dtype=bool), limits=never, relax=True)
        return self.fabric.dependencies(self.alive, self.hosts, self.fabric.homes, policy)[0]

    def loose(self) -> list[tuple[int, int]] | None:
        """Pairs of which failures may break all shortest paths; None: too many, or some router may refuse one."""
        vector, size = self.fabric.vector, self.network.num_routers
        kept, room = np.zeros(len(self.fabric.parts), dtype=bool), PAIRS * self.most
        kept[list(self.sets.kept)] = True
        first, channels = self._incoming
        entering = first, self.network.source[channels]
        systems = vector.systems if vector.shared.any() else vector.systems[:0]

        def some(homes: Words) -> list[tuple[int, int]] | None:
            pairs, small = np.empty(2 * room, dtype=np.int64), np.zeros(size, dtype=np.int32)
            count = loose_pairs(
                vector.graph, self.alive, entering, systems, homes, self.hosts,
                PossibleFailures(self.link, self.own, kept, self.sets.more),
                FailureSearch(
                    distance=small, seen=small.copy(), used=np.zeros(kept.size + 1, np.int32),
                    stack=np.zeros(2 * size + 2, np.int64), queue=small.copy(), on_way=np.zeros(size, dtype=bool),
                ),
                pairs,
            )  # fmt: skip
            return None if count in (-1, room) else [(s, h) for s, h in pairs[: 2 * count].reshape(-1, 2).tolist()]

        homes = self.fabric.homes
        if is_small(homes.size**2 * self.network.num_channels, is_fixed):
            with plainly():
                return some(homes)
        with ThreadPoolExecutor(processors()) as pool:
            parts = list(pool.map(some, np.array_split(homes, processors())))
        pairs = [pair for part in parts if part is not None for pair in part]
        return None if None in parts or len(pairs) >= room else pairs

    def breaking(self, loose: list[tuple[int, int]]) -> Members | None:
        """The smallest sets of parts that break all shortest paths of some pair; None if there are too many."""
        cutting = set[frozenset[int]]()
        for start, home in loose:
            left = [frozenset[int]()]
            seen = {*left}
            while left:
                failed = left.pop()
                if any(parts <= failed for parts in cutting):
                    continue
                path = self.path(start, home, failed)
                if path is None:
                    cutting.add(failed)
                elif len(failed) < self.sets.more:
                    inner = self.parts_of(path) - {int(self.own[start]), int(self.own[home])}
                    fresh = {failed | {part} for part in inner} - seen
                    seen |= fresh
                    left += sorted(fresh, key=sorted)
            if len(cutting) > self.most:
                return None
        return smallest(frozenset(cutting))

    def parts_of(self, path: list[int]) -> set[int]:
        """The parts of a path that can fail, its ends included."""
        routers = {*self.network.source[path].tolist(), *self.network.target[path].tolist()}
        return {*self.link[path].tolist(), *self.own[[*routers]].tolist()} - {-1, *self.sets.kept}

    @cached_property
    def onward(self) -> Callable[[int], list[tuple[int, int]]]:
        """Channels out of a router, and where they lead."""
        out, target = self.network.outgoing, self.network.target
        return cache(lambda router: [(c, int(target[c])) for c in out.at(router) if self.alive[c]])

    @cached_property
    def _incoming(self) -> Rows:
        return self.network.incoming.where(self.alive[self.network.incoming.entries])

    @cached_property
    def hops(self) -> Callable[[int], list[int]]:
        """Hops from each router to a destination; −1 without a path."""
        first, channels = self._incoming
        before = self.network.source[channels]
        return cache(lambda home: hops_to(np.array([home]), first, before)[0].tolist())

    def path(self, start: int, home: int, failed: frozenset[int]) -> list[int] | None:
        """A shortest path without failed parts, as channels; None if there is none."""
        hops, way, dead = self.hops(home), list[int](), set[int]()
        choices = [iter(self.onward(start))]
        while choices:
            router = int(self.network.target[way[-1]]) if way else start
            if router == home:
                return way
            step = next(choices[-1], None)
            if step is None:
                choices.pop()
                way = way[:-1]
                continue
            channel, to = step
            near = hops[to] == hops[router] - 1 >= 0 and to not in dead and int(self.link[channel]) not in failed
            if near and (to == home or int(self.own[to]) not in failed):
                dead.add(to)
                way.append(channel)
                choices.append(iter(self.onward(to)))
        return None

    def closing(self, circle: list[int], likely: Iterable[int] = ()) -> list[list[int]]:
        """For each step of a cycle a shortest path between routers with terminals that takes it.

        `likely`: destinations that are tried first.
        """
        homes = [*likely, *self.fabric.homes[self.hosts[self.fabric.homes] > 0].tolist()]
        return [self._over(channel, onward, homes) for channel, onward in hops_around(circle)]

    def _over(self, channel: int, onward: int, homes: list[int]) -> list[int]:
        """A shortest path to a destination of a list, through one channel and then another."""
        source, target = self.network.source.tolist(), self.network.target
        start, middle, end = source[channel], int(target[channel]), int(target[onward])

        def before(later: int) -> list[int]:
            """Channels on shortest paths before one."""
            return [c for c in self._incoming.at(source[later]) if hops[source[c]] == hops[source[later]] + 1]

        for home in homes:
            hops = self.hops(home)
            if not hops[start] - 1 == hops[middle] == hops[end] + 1 >= 1:
                continue
            after = reached_from([channel], before)
            for first in (c for c in after if self.hosts[source[c]]):
                return [*path_to(first, after)[::-1], onward, *(self.path(end, home, frozenset()) or ())]
        raise AssertionError("a dependency of shortest paths is on one of them")


def smallest(sets: Members) -> Members:
    """Those that contain no other."""
    return frozenset(parts for parts in sets if not any(other < parts for other in sets))
