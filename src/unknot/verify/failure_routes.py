"""Routes of Ethernet fabrics around failures: shortest paths before them, and choices that routers have after them.

Where a router keeps a next hop to a destination, its paths there stay as long as they were. If all routers do, each
buffer waits afterwards for some of those that it waited for before. So most of what is after failures is known from
the routes before them.

A configuration may leave the oldest of the best paths, or some paths within a limit, to the routers. Routes to
different destinations are chosen apart. Buffers can wait in a cycle under one choice if each step of the cycle is
on a way to some destination, and no router needs two states, or more next hops than the limit, for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, IntArray, Ints, columns
from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot.network import Network
from unknot.network.graph import cycle_through, hops_around, on_cycles, reached_from, shortest_cycle
from unknot.routing.ethernet import PathVector

CIRCLES = 40
"""Cycles of which it is tried whether one choice closes them."""
State = tuple[int, int]
"""A destination, and a state in which the routes to it can settle, by its position."""
Step = tuple[int, int]
"""A channel, and one that its packets wait for."""
Taken = dict[State, dict[int, frozenset[int]]]
"""Next hops that are chosen at routers, in one state of each destination."""


def route_steps(senders: Iterable[int], hops: Callable[[int], Iterable[int]], target: IntArray) -> Iterator[Step]:
    """Yield each channel on the way of packets with its next channels."""
    for router in reached_from(senders, lambda router: [int(target[c]) for c in hops(router)]):
        for c in hops(router):
            yield from ((c, e) for e in hops(int(target[c])))


@dataclass(frozen=True, eq=False)
class RouteChoices:
    """All choices of routes after some failures.

    Attributes
    ----------
    alive : bool array, shape (channels,)
    hosts : int64 array, shape (routers,)
        Terminals at each router.
    homes : int64 array
        Destinations.
    """

    vector: PathVector
    alive: Flags
    hosts: Ints
    homes: Ints

    @cached_property
    def hops(self) -> dict[State, list[list[int]]]:
        """The next hops of each router, of which it takes as many as the limit admits."""
        return {
            (home, number): self.vector.taken(table).lists()
            for home in self.homes.tolist() if self.hosts[home]
            for number, table in enumerate(self.vector.tables(home, self.alive))
        }  # fmt: skip

    @property
    def senders(self) -> list[int]:
        """Routers with terminals."""
        return [int(router) for router in np.flatnonzero(self.hosts)]

    @cached_property
    def undelivered(self) -> int:
        """Pairs of terminals that are cut off, in the worst state for each destination."""
        worst: dict[int, int] = {}
        for (home, _), rows in self.hops.items():
            lost = sum(int(self.hosts[r]) for r in self.senders if r != home and not rows[r]) * int(self.hosts[home])
            worst[home] = max(worst.get(home, 0), lost)
        return sum(worst.values())

    @cached_property
    def steps(self) -> dict[Step, list[State]]:
        """Each step of packets on any routes, and where it is possible."""
        steps = dict[Step, list[State]]()
        for state, rows in self.hops.items():
            for step in route_steps(self.senders, rows.__getitem__, self.vector.network.target):
                steps.setdefault(step, []).append(state)
        return steps

    def circles(self) -> Iterator[list[int]]:
        """Some cycles of steps, each a shortest one through a channel."""
        tail, head = columns(self.steps)
        after = on_cycles(tail, head)
        for start in list(after)[:CIRCLES]:
            yield cycle_through(start, after, 0)

    def closed(self) -> list[int]:
        """A cycle closed by a single choice of routes; empty if none of the cycles is known to be closed so."""
        closed = (c for c in self.circles() if self._chosen(hops_around(c), {}))
        return next(closed, [])

    def _chosen(self, steps: list[Step], taken: Taken) -> bool:
        """Whether a single choice makes all steps, given the choices taken for others."""
        if not steps:
            return True
        known = dict(taken.keys())
        for state in self.steps[steps[0]]:
            if known.get(state[0], state[1]) == state[1]:
                choices = self._choices(state, steps[0], taken.get(state, {}))
                if choices is not None and self._chosen(steps[1:], {**taken, state: choices}):
                    return True
        return False

    def _choices(
        self, state: State, step: Step, taken: dict[int, frozenset[int]]
    ) -> dict[int, frozenset[int]] | None:
        """What routers take when a packet makes a step on its way; None if the limit does not admit it."""
        rows, network, (home, _) = self.hops[state], self.vector.network, state
        most = self.vector.most or network.num_channels

        def admits(router: int, channel: int, beside: dict[int, frozenset[int]]) -> bool:
            return len(beside.get(router, frozenset()) | {channel}) <= most

        def onward(router: int, beside: dict[int, frozenset[int]], goals: set[int]) -> list[int] | None:
            """Channels from a router to one of some others."""
            came: dict[int, list[int]] = {router: []}
            for at in (order := [router]):
                if at in goals:
                    return came[at]
                for c in rows[at] if at != home else ():
                    to = int(network.target[c])
                    if to not in came and admits(at, c, beside):
                        came[to] = [*came[at], c]
                        order.append(to)
            return None

        for sender in self.senders:
            lead = onward(sender, taken, {int(network.source[step[0]])})
            rest = onward(int(network.target[step[1]]), taken, {home})
            for path in [[*lead, *step, *rest]] if lead is not None and rest is not None else []:
                if all(admits(int(network.source[c]), c, taken) for c in path):
                    both = {
                        r: frozenset(c for c in path if network.source[c] == r) for r in network.source[path].tolist()
                    }
                    return {**taken, **{r: taken.get(r, frozenset()) | more for r, more in both.items()}}
        return None


def hops_to(homes: Ints, first: Ints, before: IntArray) -> npt.NDArray[np.int16]:
    """Hops to each destination from each router, −1 without a path, by compressed rows of the routers before each."""
    from unknot.network.graph_kernel import distances

    routers = first.size - 1
    table = np.empty(homes.size * routers, dtype=np.int16)
    with plainly(is_small(homes.size * (routers + before.size), distances)):
        distances(first, before, homes, table)
    return table.reshape(-1, routers)


@dataclass(frozen=True, eq=False)
class RoutesBefore:
    """Shortest paths to some destinations.

    Attributes
    ----------
    network : Network
    homes : int64 array
        The destinations.
    tail, head : int64 arrays
        Channels, and those that they wait for.
    """

    network: Network
    homes: Ints
    tail: Ints
    head: Ints

    @cached_property
    def hops(self) -> npt.NDArray[np.int16]:
        """Hops from each router to each destination, shape (routers, homes)."""
        first, channels = self.network.incoming
        return np.ascontiguousarray(hops_to(self.homes, first, self.network.source[channels]).T)

    def longer(self, alive: Flags) -> Ints:
        """Destinations to which a router has no next hop of before when only some channels are alive."""
        network = self.network
        up = np.zeros(network.num_routers, dtype=bool)
        up[network.source[alive]] = up[network.target[alive]] = True
        longer = np.zeros(self.homes.size, dtype=bool)
        for router in np.unique(network.source[~alive]):
            onward = np.array(network.outgoing.at(router))
            hops, near = self.hops[router], self.hops[network.target[onward[alive[onward]]]]
            longer |= up[router] & (hops > 0) & ~(near == hops - 1).any(axis=0)
        return self.homes[longer]

    def circle(self, alive: Flags, tail: Ints, head: Ints) -> list[int]:
        """A cycle of channels that wait as before, or now as given; none if there is none."""
        still = alive[self.tail] & alive[self.head]
        tail, head = np.concatenate([self.tail[still], tail]), np.concatenate([self.head[still], head])
        return shortest_cycle(tail, head, 1)

    def destinations(self, circle: list[int]) -> Ints:
        """For each step of a cycle the nearest destination that had it on a shortest path."""
        source, target, nearest = self.network.source, self.network.target, list[int]()
        for channel, onward in hops_around(circle):
            before, at, after = (self.hops[r] for r in (source[channel], target[channel], target[onward]))
            fitting = np.flatnonzero((before == at + 1) & (at == after + 1))
            nearest += [int(self.homes[fitting[np.argmin(after[fitting])]])] if fitting.size else []
        return np.array(nearest, dtype=np.int64)
