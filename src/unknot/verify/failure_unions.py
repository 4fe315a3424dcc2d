"""Failures of Ethernet fabrics without symmetry: many sets settled by one union of their routes, others one by one.

Where more paths than failures share no part, a destination stays as near. That bounds which channels can follow one
another on routes after any of the failures. If these close no circle, no set can deadlock. Else one part is taken
that bears on the circle: the sets in which it fails, and those in which it does not, are looked at apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot._base.progress import Progress
from unknot._base.threads import processors
from unknot.network.graph import path_to, reached_from, shortest_cycle
from unknot.routing.path_vector_kernel import BITS
from unknot.verify.ethernet_faults import LONGER, AfterFailures, FailureSets, Words
from unknot.verify.failure_paths_kernel import FAR, Failures, Reach, Search
from unknot.verify.failure_union_kernel import Onward, Systems, possible
from unknot.verify.failures import Failed, Fault, Outcome, failed_of


@dataclass(frozen=True)
class Union:
    """The dependencies that are possible after any of some sets of failures.

    Attributes
    ----------
    after : int64 array
        As of `AfterFailures.dependencies`.
    unbounded : int
        Pairs of routers with terminals for which no bound of the hops was found.
    loose : dict of int to (int, int)
        By position among the destinations, the router whose paths to it can grow most, and by how many hops.
    """

    after: Words
    unbounded: int
    loose: dict[int, tuple[int, int]]


@dataclass(frozen=True)
class Settled:
    """Outcomes of all sets, or of those that the budget allowed, and the claims of those settled at once."""

    faults: tuple[Fault, ...]
    claims: tuple[dict[str, Any], ...]


@dataclass(eq=False)
class FailureUnions:
    """Unions of the routes of a fabric after many sets of failures."""

    fabric: AfterFailures

    @cached_property
    def places(self) -> tuple[Words, Words]:
        """The part of each channel and of each router; −1: it cannot fail."""
        network = self.fabric.vector.network
        link, own = np.full(network.num_channels, -1), np.full(network.num_routers, -1)
        for number, (_, numbers) in enumerate(self.fabric.parts):
            routers, channels = failed_of(network, self.fabric.kind, numbers)
            own[routers], link[channels] = number, number
        return link, own

    def left(self, sets: FailureSets) -> tuple[npt.NDArray[np.bool_], Words]:
        """Channels and terminals that are left when no more fail."""
        return self.fabric.left([n for part in sets.failed for n in self.fabric.parts[part][1]])

    def union(self, sets: FailureSets, homes: Sequence[int] | None = None) -> Union:
        """All dependencies that routes to some destinations, by default all, can make after these failures."""
        vector, network = self.fabric.vector, self.fabric.vector.network
        alive, hosts = self.left(sets)
        alive &= vector.systems[network.source] != vector.systems[network.target]
        kept = np.zeros(len(self.fabric.parts), dtype=bool)
        kept[list(sets.kept)] = True
        numbers = np.arange(self.fabric.homes.size) if homes is None else np.array(homes)
        small = is_small(sets.more * hosts.astype(bool).sum() ** 2 * network.num_channels, possible)

        def some(chosen: Words) -> tuple[Words, int, Words]:
            size, after, loose = (
                network.num_routers,
                self.fabric.no_dependencies(),
                np.zeros(2 * chosen.size, np.int64),
            )
            unbounded = possible(
                vector.graph,
                alive,
                Systems(vector.systems, mixed=bool(vector.shared.any()), distinct=not vector.limit),
                self.fabric.homes[chosen],
                hosts,
                Failures(*self.places, kept, sets.more),
                LONGER,
                Reach(np.zeros(size, np.int32), np.zeros(size, np.int64), np.zeros(size, np.int64)),
                Search(
                    seen=np.zeros((FAR + 1) * size, np.int32),
                    used=np.zeros(len(self.fabric.parts) + 1, np.int32),
                    # Also a queue of all routers.
                    stack=np.zeros(max(size, 2 * FAR + 4), np.int64),
                ),
                Onward(np.zeros(size * (vector.words + 1), np.int64), np.zeros_like(after), after),
                loose,
            )
            return after, unbounded, loose

        if small:
            with plainly():
                unions = [some(numbers)]
        else:
            with ThreadPoolExecutor(processors()) as pool:
                unions = list(pool.map(some, np.array_split(numbers, processors())))
        loose = np.concatenate([one[2] for one in unions]).reshape(-1, 2).tolist()
        return Union(
            np.bitwise_or.reduce([one[0] for one in unions]),
            sum(one[1] for one in unions),
            {int(number): (start, more) for number, (start, more) in zip(numbers, loose, strict=True) if more > 0},
        )

    def settle(
        self, size: int, budget: int, seed: int, notice: Callable[[str], None], progress: Progress | None
    ) -> Settled:
        """Settle all sets of some size; after as many unions as the budget, draw from the sets that are left."""
        faults, claims, total = list[Fault](), list[dict[str, Any]](), len(self.fabric.parts)
        whole, free = FailureSets((), frozenset(), size), list[tuple[FailureSets, Union]]()
        left, unions, all_sets, began = [whole], 0, whole.count(total), perf_counter()

        def settle(sets: FailureSets, union: Union, outcome: Outcome) -> None:
            faults.append(self._at_once(sets, outcome))
            claims.append(self.fabric.claim(self.fabric.pairs(union.after), sets))

        while (left or free) and unions < budget:
            if left:
                sets = left.pop()
                if not sets.more:
                    faults.append(self._decide(sets.failed))
                    continue
                union = self.union(sets)
                unions += 1
                if unions == 1:
                    notice(
                        f"{all_sets:,} sets of {size} {self.fabric.kind}: at most {budget:,} unions of routes, about "
                        f"{perf_counter() - began:.1f} s for each"
                    )
                circle = shortest_cycle(*self.fabric.pairs(union.after), 1)
                if not circle and (not union.unbounded or not self.fabric.vector.shared.any()):
                    settle(sets, union, "settled")
                    continue
                if not circle:
                    free.append((sets, union))
                    continue
                part = self._closing(sets, union, circle)
            else:
                # No set of these can deadlock, but a pair may be cut off.
                sets, union = free.pop()
                part = self._loosest(sets, union)
            others = FailureSets(sets.failed, sets.kept | {part}, sets.more)
            halves = FailureSets((*sets.failed, part), sets.kept, sets.more - 1), others
            left += [half for half in halves if half.count(total)]
            if progress is not None:
                progress(str(faults[-1]) if faults else "", sum(fault.alike for fault in faults), all_sets)
        for sets, union in free:
            settle(sets, union, "free")
        if left:
            open_sets = sum(sets.count(total) for sets in left)
            notice(f"{open_sets:,} sets are not settled by {unions:,} unions of routes; {budget:,} are drawn")
            faults += map(self._decide, self._drawn(left, budget, seed))
        return Settled(tuple(faults), tuple(claims))

    def _decide(self, failed: tuple[int, ...]) -> Fault:
        chosen = sorted(failed)
        return self.fabric.decide(Failed.of([self.fabric.parts[n] for n in chosen])).fault

    def _drawn(self, left: Sequence[FailureSets], budget: int, seed: int) -> list[tuple[int, ...]]:
        """Sets drawn at random from several kinds of them, each set as probable as any other."""
        draw, total, drawn = np.random.default_rng(seed), len(self.fabric.parts), dict[tuple[int, ...], None]()
        counts = [sets.count(total) for sets in left]
        shares = np.array([count / sum(counts) for count in counts])
        while len(drawn) < min(budget, sum(counts)):
            sets = left[int(draw.choice(len(left), p=shares))]
            free = sorted({*range(total)} - sets.kept - {*sets.failed})
            drawn[tuple(sorted((*sets.failed, *draw.choice(free, sets.more, replace=False).tolist())))] = None
        return list(drawn)

    def _at_once(self, sets: FailureSets, outcome: Outcome) -> Fault:
        """The outcome of sets after which no routes can close a circle."""
        names = [self.fabric.parts[n][0] for n in sorted(sets.failed)]
        but = f" but for {len(sets.kept)} that are up" if sets.kept else ""
        words = f"any {sets.more}{' more' if names else ''} {self.fabric.kind}{but}"
        why = "the union of all their routes closes no circle of buffers"
        return Fault((*names, words), outcome, 0, 0, why, sets.count(len(self.fabric.parts)))

    def _closing(self, sets: FailureSets, union: Union, circle: list[int]) -> int:
        """A part that bears on a circle: without it routes grow that close it; or it is on the circle."""
        network, words = self.fabric.vector.network, self.fabric.vector.words
        position, now = self.fabric.vector.graph.position, self.fabric.dependencies(*self.left(sets))[0]
        for channel, onward in pairwise([*circle, circle[0]]):
            place, bit = channel * words + int(position[onward]) // BITS, int(position[onward]) % BITS
            for number in () if now[place] >> bit & 1 else sorted(union.loose, key=lambda n: -union.loose[n][1]):
                alone = self.union(sets, [number])
                if alone.after[place] >> bit & 1:
                    return self._loosest(sets, alone)
        ends = [int(network.source[c]) for c in circle]
        bearing = [int(self.places[0][c]) for c in circle] + [int(self.places[1][r]) for r in ends]
        return self._first(sets, sorted(bearing))

    def _loosest(self, sets: FailureSets, union: Union) -> int:
        """A part on a shortest path between the pair whose paths can grow most, near the end with fewer cables."""
        number = max(union.loose, key=lambda n: union.loose[n][1])
        start, home = union.loose[number][0], int(self.fabric.homes[number])
        parts, degree = self._on_the_way(sets, start, home), np.diff(self.fabric.vector.network.outgoing[0])
        return self._first(sets, parts if degree[start] < degree[home] else parts[::-1])

    def _first(self, sets: FailureSets, bearing: list[int]) -> int:
        """The first of some parts, else of all, of which it is open whether it fails."""
        known = {-1, *sets.kept, *sets.failed}
        candidates: list[int] = [*bearing, *range(len(self.fabric.parts))]
        return next(part for part in candidates if part not in known)

    def _on_the_way(self, sets: FailureSets, start: int, home: int) -> list[int]:
        """Parts on a shortest path, the nearest first; −1 for what cannot fail."""
        network, (link, own) = self.fabric.vector.network, self.places
        (first, outgoing), (alive, _) = network.outgoing, self.left(sets)

        def onward(router: int) -> dict[int, int]:
            leaving = outgoing[first[router] : first[router + 1]].tolist()
            return {int(network.target[c]): c for c in leaving if alive[c]}

        before = reached_from([start], onward)
        parts = [int(own[start])]
        for near, far in pairwise(path_to(home, before) if home in before else ()):
            parts += [int(link[onward(near)[far]]), int(own[far])]
        return parts
