"""Turns from channels to those that follow: keys in which they climb, and cycles of turns that are forced.

A turn is forced if every path of a pair takes it; a cycle of such turns says why one lane is not enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, ClassVar

import numpy as np

from unknot._base.arrays import Floats, columns
from unknot._base.shown import Brief
from unknot.lane_assignment.path_set import Demand
from unknot.lane_assignment.tables import LaneTable
from unknot.network import distances_from
from unknot.network.graph import cycle_through, from_lowest, hops_around, on_cycles, shortest_cycle

Turn = tuple[int, int]
MAX_LEVELS = 400_000_000
"""Most routers × channels × destinations for which turns longer than two hops apart are sought."""


def climbing(turns: Iterable[Turn], channels: int) -> Floats | None:
    """Keys of all channels, from 0 on, in which all turns climb; None if they close a cycle."""
    before: dict[int, list[int]] = {channel: [] for channel in range(channels)}
    for channel, following in turns:
        before[following].append(channel)
    try:
        order = list(TopologicalSorter(before).static_order())
    except CycleError:
        return None
    key = np.empty(channels)
    key[order] = np.arange(channels)
    return key


def short_cycles(turns: Sequence[Turn], most: int) -> set[tuple[int, ...]]:
    """A shortest cycle through each of about `most` channels on cycles, beginning with its lowest channel."""
    after = on_cycles(*columns(turns))
    cycles = (cycle_through(start, after, 0) for start in list(after)[:: max(1, len(after) // most)])
    return {tuple(from_lowest(cycle)) for cycle in cycles}


def cycle_of_turns(turns: Sequence[Turn]) -> list[Turn]:
    """A short cycle among turns, as turns; none if they climb."""
    return hops_around(shortest_cycle(*columns(turns)))


@dataclass(frozen=True)
class TurnOfPair:
    """A channel and the next that every shortest path of a pair takes, or its given route.

    Attributes
    ----------
    channel, following : int
    source, destination : int
        Two routers; of a given route, the terminal that sends and the address.
    """

    channel: int
    following: int
    source: int
    destination: int


@dataclass(frozen=True, repr=False)
class CycleOfTurns(Brief):
    """A cycle of turns that all have to climb: one lane is not enough."""

    turns: tuple[TurnOfPair, ...]
    kind: ClassVar[str]
    lanes: ClassVar[int] = 1
    changes: ClassVar[str] = "none"
    failures: ClassVar[tuple[()]] = ()

    @property
    def proof(self) -> dict[str, Any]:
        """The proof as plain data, for the checker."""
        return {"kind": self.kind, "turns": [[int(number) for number in astuple(turn)] for turn in self.turns]}


@dataclass(frozen=True, repr=False)
class ForcedCycle(CycleOfTurns):
    """A cycle of forced turns: with shortest paths in one lane there is a cycle of dependencies.

    Attributes
    ----------
    turns : tuple of TurnOfPair
        The channel that follows in each is the first of the next.

    Examples
    --------
    >>> from unknot import Network
    >>> from unknot.lane_assignment import lanes
    >>> proof = lanes(Network("one-way ring", 3, range(3), [1, 2, 0])).evidence
    >>> len(proof.turns)
    3
    """

    kind = "forced cycle"


def forced_turns(traffic: Demand) -> dict[tuple[int, int], tuple[int, int]]:
    """Turns common to all shortest paths of a wanted pair, each with such a pair.

    If every router sends to every other, a turn is forced if it is the only way between its ends, two hops apart.
    Otherwise pairs farther apart are looked at too, which takes routers × channels × destinations.
    """
    network = traffic.network
    homes = traffic.distances.homes
    everyone = network.num_routers * (network.num_routers - 1)
    if traffic.wanted.sum() == everyone:
        return _two_hops(traffic)
    pair_of: dict[tuple[int, int], tuple[int, int]] = {}
    if network.num_routers * network.num_channels * homes.size > MAX_LEVELS:
        return _two_hops(traffic)
    hops = traffic.distances.table.T.astype(np.int64)
    for start in np.flatnonzero(traffic.wanted.any(axis=1)).tolist():
        here = np.asarray(distances_from(network, start), dtype=np.int64)
        order = np.argsort(here[network.source], kind="stable")
        order = order[here[network.source[order]] >= 0]
        level = here[network.source[order]]
        on = level[:, None] + 1 + hops[network.target[order]] == here[homes]
        on &= (hops[network.target[order]] >= 0) & traffic.wanted[start]
        begins = np.flatnonzero(np.diff(level, prepend=-1))
        many = np.add.reduceat(on, begins, axis=0, dtype=np.int64)
        which = np.add.reduceat(on * order[:, None], begins, axis=0, dtype=np.int64)
        single = many == 1
        for i, h in np.argwhere(single[:-1] & single[1:]).tolist():
            pair_of.setdefault((int(which[i, h]), int(which[i + 1, h])), (start, int(homes[h])))
    return pair_of


def _two_hops(traffic: Demand) -> dict[tuple[int, int], tuple[int, int]]:
    network = traffic.network
    paths: dict[tuple[int, int], list[tuple[int, int]]] = {}
    apart = np.zeros((network.num_routers, network.num_routers), dtype=bool)
    apart[:, traffic.distances.homes] = traffic.wanted & (traffic.distances.table.T == 2)
    for c in np.flatnonzero(np.asarray(apart.any(axis=1))[network.source]).tolist():
        u, v = network.ends_of(c)
        after = network.outgoing.of(v)
        for e in after[apart[u, network.target[after]]].tolist():
            paths.setdefault((u, int(network.target[e])), []).append((c, e))
    return {turns[0]: pair for pair, turns in paths.items() if len(turns) == 1}


@dataclass(frozen=True, repr=False)
class RouteCycle(CycleOfTurns):
    """A cycle of turns in given routes, because of which one lane is not enough.

    Attributes
    ----------
    turns : tuple of TurnOfPair
        The channel that follows in each is the first of the next.

    Examples
    --------
    >>> from unknot.lane_assignment import lanes
    >>> proof = lanes("torus(4, 4)", "given", routing="dimension_order").evidence
    >>> type(proof).__name__, len(proof.turns)
    ('RouteCycle', 4)
    """

    kind = "route cycle"


def forced_cycle(traffic: Demand) -> ForcedCycle | None:
    """A short cycle of forced turns; None if there is none."""
    turns = forced_turns(traffic)
    cycle = cycle_of_turns(list(turns))
    return None if not cycle else ForcedCycle(tuple(TurnOfPair(c, e, *turns[c, e]) for c, e in cycle))


def cycle_of_routes(table: LaneTable) -> RouteCycle | None:
    """A short cycle of turns of given routes; None if there is none, and one lane is enough."""
    turns, used = table.turns, table.addresses
    cycle = cycle_of_turns(list(turns))
    if not cycle:
        return None
    in_cycle = []
    for c, e in cycle:
        router_, row_ = turns[c, e]
        users = used.may_use & (used.row == row_) & (table.network.inject == router_)[:, None]
        in_cycle.append(TurnOfPair(c, e, *np.argwhere(users)[0].tolist()))
    return RouteCycle(tuple(in_cycle))
