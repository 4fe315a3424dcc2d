"""Walks of packets for exact searches: the states in which those of a pair begin, and those that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from unknot.network import Network, distances_from
from unknot.network.graph import reached_from

Pair = tuple[int, int]
Failures = tuple[tuple[int, ...], ...]
"""The channels that each failure takes."""
State = tuple[int, Any]
"""The channel that a packet has taken, and where the packet goes."""


class Walks(Protocol):
    """Walks of pairs."""

    def begin(self, pair: Pair) -> Sequence[State]:
        """The states after the first hop."""

    def after(self, state: State) -> Sequence[State]:
        """The states after one hop more; none where the packet has arrived."""


@dataclass(frozen=True, eq=False)
class ShortestWalks:
    """All shortest paths from a router to an end.

    Attributes
    ----------
    network : Network
    home : sequence of int
        The router of each end.
    """

    network: Network
    home: Sequence[int]

    @cached_property
    def leaving(self) -> list[list[int]]:
        """The channels that leave each router."""
        return self.network.outgoing.lists()

    @cached_property
    def target(self) -> list[int]:
        """Where each channel ends."""
        return [int(router) for router in self.network.target]

    @cached_property
    def _known(self) -> dict[int, list[list[State]]]:
        return {}

    def onward(self, router: int, end: int) -> Sequence[State]:
        """The states of packets to an end that leave a router."""
        if end not in self._known:
            hops = [int(n) for n in distances_from(self.network, self.home[end], reverse=True)]
            self._known[end] = [
                [(c, end) for c in channels if 0 <= hops[self.target[c]] == hops[u] - 1]
                for u, channels in enumerate(self.leaving)
            ]
        return self._known[end][router]

    def begin(self, pair: Pair) -> Sequence[State]:
        return self.onward(*pair)

    def after(self, state: State) -> Sequence[State]:
        channel, end = state
        router = self.target[channel]
        return () if router == self.home[end] else self.onward(router, end)


@dataclass(frozen=True, eq=False)
class SurvivingWalks(ShortestWalks):
    """Shortest paths, and after each failure all paths over the channels that are left.

    Pair (u, v + routers · f) goes from u to v after failure f, counted from 1; before any if f is 0.
    """

    failures: Failures = ()

    def left(self, end: int) -> set[int]:
        """Routers from which a failure leaves a way to an end."""
        failed = set(self.failures[end // self.network.num_routers - 1])
        coming: dict[int, list[int]] = {}
        for u, channels in enumerate(self.leaving):
            for c in channels:
                if c not in failed:
                    coming.setdefault(self.target[c], []).append(u)
        return {*reached_from([self.home[end]], lambda v: coming.get(v, []))}

    def onward(self, router: int, end: int) -> Sequence[State]:
        if end < self.network.num_routers:
            return super().onward(router, end)
        if end not in self._known:
            failed, left = set(self.failures[end // self.network.num_routers - 1]), self.left(end)
            self._known[end] = [
                [(c, end) for c in channels if c not in failed and self.target[c] in left]
                for channels in self.leaving
            ]
        return self._known[end][router]


@dataclass(frozen=True, eq=False)
class GivenWalks:
    """A prescribed route for each pair, as channels."""

    routes: Mapping[Pair, Sequence[int]]

    def begin(self, pair: Pair) -> Sequence[State]:
        return [(self.routes[pair][0], (pair, 0))]

    def after(self, state: State) -> Sequence[State]:
        pair, place = state[1]
        route = self.routes[pair]
        return [(route[place + 1], (pair, place + 1))] if place + 1 < len(route) else ()


@dataclass(frozen=True, eq=False)
class ChangingWalks:
    """Walks over virtual channels, VC k of channel c being c · lanes + k, by which lanes change, or only rise."""

    walks: Walks
    lanes: int
    rising: bool

    def _copies(self, states: Sequence[State], lowest: int) -> list[State]:
        return [(state[0] * self.lanes + k, state) for state in states for k in range(lowest, self.lanes)]

    def begin(self, pair: Pair) -> Sequence[State]:
        return self._copies(self.walks.begin(pair), 0)

    def after(self, state: State) -> Sequence[State]:
        vc, inner = state
        return self._copies(self.walks.after(inner), vc % self.lanes if self.rising else 0)
