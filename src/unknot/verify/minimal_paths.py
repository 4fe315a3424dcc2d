"""Shortest paths that a relation permits, destination by destination.

A path is a sequence of channels. It is permitted when some choice of address and virtual channels follows it and may
eject at its end; so the states a header may be in after the same channels are kept together as a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import log2

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Floats, offsets
from unknot._base.errors import RelationError
from unknot._base.progress import Progress, reported
from unknot._base.quantities import ChannelNumber, TerminalNumber
from unknot.network import distances_from
from unknot.network.model import IntArray
from unknot.routing.relation import Relation
from unknot.verify.explorer import Explorer

Words = npt.NDArray[np.uint64]

MAX_STATES = 100_000_000
"""Most sets of states that are kept for one destination."""


@dataclass(frozen=True, eq=False)
class PathCounts:
    """Shortest paths from every source to one destination.

    Attributes
    ----------
    home : int
        The destination terminal.
    sources : int32 array
        Other terminals that may send to it and stand at another router from which there is a way.
    distance : int32 array, shape (sources,)
        Hops.
    permitted, total : uint64 arrays, shape (sources, words)
        Permitted shortest paths and all of them, lowest word first.
    """

    home: int
    sources: IntArray
    distance: IntArray
    permitted: Words
    total: Words

    @property
    def complete(self) -> Flags:
        """Mask of sources for which every shortest path is permitted."""
        return np.asarray((self.permitted == self.total).all(axis=1))

    def exact(self, i: int) -> tuple[int, int]:
        """Permitted and all shortest paths from source number i."""
        return _number(self.permitted[i]), _number(self.total[i])

    @cached_property
    def ratio(self) -> Floats:
        """Permitted over all shortest paths."""
        if self.total.shape[1] == 1:
            return np.asarray(self.permitted[:, 0] / self.total[:, 0])
        return np.array([a / b for a, b in map(self.exact, range(self.sources.size))])


def _number(words: Words) -> int:
    return int.from_bytes(words.astype("<u8").tobytes(), "little")


class Destinations:
    """Work space for the shortest paths to one destination after the other.

    Time is linear in the transitions between reachable states, times the sets that differ for one channel; memory is
    that of one destination.
    """

    def __init__(self, relation: Relation) -> None:
        network, vcs = relation.network, relation.vcs
        self.relation = relation
        self.explorer = Explorer(relation)
        self.addresses = [np.flatnonzero(relation.destination == t) for t in range(network.num_terminals)]
        self.virtual = (vcs.router, vcs.first, vcs.channel, network.target, vcs.index)
        self.width = int(vcs.counts.max(initial=1))
        outgoing = network.outgoing.entries
        self.out_source, self.out_target = network.source[outgoing], network.target[outgoing]
        self.size = 4 * (network.num_channels + network.num_terminals) + 64

    def _turn_to(self, home: int) -> None:
        """Explore the states of all addresses of a terminal."""
        relation, network = self.relation, self.relation.network
        input_vcs = relation.vcs.router.size
        mine = self.addresses[home]
        self.home, self.mine = home, mine
        self.slot = np.full(mine.size * input_vcs, -1, dtype=np.int64)
        self.used = np.ascontiguousarray(relation.usable(mine).T).reshape(-1)
        firsts, values, states, edges = [np.zeros(1, dtype=np.int64)], [], 0, 0
        for k, address in enumerate(mine.tolist()):
            order, first, offered = self.explorer.visit(address)
            self.slot[k * input_vcs + order] = states + np.arange(order.size)
            firsts.append(first[1:] + edges)
            values.append(offered.copy())
            states += order.size
            edges += offered.size
        offered = np.concatenate(values) if values else np.zeros(0, dtype=np.int64)
        self.distance = distances_from(network, int(network.eject[home]), reverse=True)
        addresses = np.array([mine.size], dtype=np.int64)
        rows = np.concatenate(firsts), offered
        self.arrays = (*rows, addresses, self.slot, self.used, self.distance, *self.virtual)

    def counts(self, home: int) -> PathCounts:
        """Count the shortest paths to a terminal."""
        from unknot.verify.minimal_paths_kernel import count_paths, path_sets

        self._turn_to(home)
        network = self.relation.network
        terminals, channels = network.num_terminals, network.num_channels
        words = max(1, -(-self.mine.size * self.width // 64))
        while True:
            size = self.size
            table = np.empty(1 << (2 * size).bit_length(), dtype=np.int64)
            at_channel, known = np.empty(size, dtype=np.int64), np.zeros(size * words, dtype=np.uint64)
            edge_first, edge_to = np.empty(size + 1, dtype=np.int64), np.empty(4 * size, dtype=np.int64)
            sets = np.zeros(channels * words, dtype=np.uint64)
            scratch = sets, np.empty(channels, dtype=np.int64), np.empty(channels, dtype=np.int64)
            count = path_sets(
                self.arrays, self.width, words, scratch, (table, at_channel, known, edge_first, edge_to)
            )
            if count >= 0:
                break
            self.size = 2 * size
            if self.size > MAX_STATES:
                raise RelationError(
                    f"{self.relation.name} on {network.name}: the shortest paths to "
                    f"{network.terminal_name(self.home)} have more than {MAX_STATES} different sets of states"
                )
        at_router = np.empty(count, dtype=np.int32)
        at_router[:terminals] = network.inject
        at_router[terminals:] = network.target[at_channel[terminals:count]]
        here, there = self.distance[self.out_source], self.distance[self.out_target]
        nearer = (there == here - 1) & (here > 0)
        steps = np.bincount(self.out_source[nearer], minlength=network.num_routers)
        limbs = int(int(self.distance.max()) * log2(max(int(steps.max()), 1)) // 64) + 1
        permitted = np.zeros(count * limbs, dtype=np.uint64)
        total = np.zeros(network.num_routers * limbs, dtype=np.uint64)
        total[int(network.eject[home]) * limbs] = 1
        after = self.out_target[nearer].astype(np.int64)
        count_paths(np.argsort(self.distance, kind="stable"), offsets(steps), after, limbs, total)
        by_distance = np.argsort(self.distance[at_router], kind="stable")
        count_paths(by_distance, edge_first, edge_to, limbs, permitted)
        use = self.used.reshape(self.mine.size, terminals).any(axis=0) & (self.distance[network.inject] > 0)
        use[self.home] = False
        sources = np.flatnonzero(use).astype(np.int32)
        at = network.inject[sources]
        return PathCounts(
            self.home,
            sources,
            self.distance[at],
            permitted.reshape(count, limbs)[sources],
            total.reshape(-1, limbs)[at],
        )


def path_counts(relation: Relation, *, progress: Progress | None = None) -> Iterator[PathCounts]:
    """Count the permitted shortest paths of every pair, one destination after the other.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.
    """
    destinations = Destinations(relation)
    terminals = relation.network.num_terminals
    return reported(map(destinations.counts, range(terminals)), terminals, progress, lambda _: "destinations")


States = frozenset[tuple[int, int]]
"""(input VC, address) of a header after the same channels."""


@dataclass(frozen=True)
class ForbiddenPath:
    """A shortest path that no choice of virtual channels can follow.

    Attributes
    ----------
    source, destination : int
        Terminals.
    channels : tuple of int
        The path.
    refused : int
        How many of its channels can be taken; the next one, or ejection after the last, is refused whatever virtual
        channels were chosen.
    """

    source: TerminalNumber
    destination: TerminalNumber
    channels: tuple[ChannelNumber, ...]
    refused: int

    def describe(self, relation: Relation) -> str:
        """The path by the names of its routers, and where it stops."""
        network = relation.network
        stops = [int(network.source[self.channels[0]]), *(int(network.target[c]) for c in self.channels)]
        names = [network.router_name(r) for r in stops]
        where = "ejection is" if self.refused == len(self.channels) else f"→ {names[self.refused + 1]} is"
        return f"{' → '.join(names)}: at {names[self.refused]}, {where} not offered"


def forbidden_path(relation: Relation, source: int, home: int) -> ForbiddenPath | None:
    """A shortest path from one terminal to another that is not permitted, refused as early as may be; None if none.

    Asks the plain rule; time grows with the sets of states between the two.
    """
    network, vcs = relation.network, relation.vcs
    distance = distances_from(network, int(network.eject[home]), reverse=True)
    mine = np.flatnonzero(relation.destination == home)
    start = frozenset((relation.num_vcs + source, a) for a in mine[relation.usable(mine)[source]].tolist())
    ask = cache(relation.candidates)

    def nearer(router: int) -> list[int]:
        return [c for c in network.outgoing.at(router) if distance[network.target[c]] == distance[router] - 1 >= 0]

    def after(states: States, channel: int) -> States:
        taken = ((c.vc, a) for at, a in states for c in ask(at, a) if c.vc is not None)
        return frozenset((vc, a) for vc, a in taken if vcs.channel[vc] == channel)

    # breadth first, so that the path that is refused first is met first
    layer: dict[tuple[int, States], tuple[int, ...]] = {(int(network.inject[source]), start): ()}
    while layer:
        following: dict[tuple[int, States], tuple[int, ...]] = {}
        for (router, states), path in layer.items():
            if distance[router] == 0:
                if not any(c.vc is None for at, a in states for c in ask(at, a)):
                    return ForbiddenPath(source, home, path, len(path))
                continue
            for channel in nearer(router):
                reached = after(states, channel)
                if not reached:
                    rest = [*path, channel]
                    while distance[network.target[rest[-1]]] > 0:
                        rest.append(nearer(int(network.target[rest[-1]]))[0])
                    return ForbiddenPath(source, home, tuple(rest), len(path))
                following.setdefault((int(network.target[channel]), reached), (*path, channel))
        layer = following
    return None
