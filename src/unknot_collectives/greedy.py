"""Greedy trees over time: as soon as a connection between members is free, it brings the rarest chunk its end lacks.

W. Won, M. Elavazhagan, S. Srinivasan, S. Gupta, T. Krishna: TACOS: Topology-Aware Collective Algorithm Synthesizer
for Distributed Machine Learning. MICRO 2024, 856–870. Theirs draws among all chunks that fit, without switches."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from typing import Any

from unknot._base.errors import NetworkError
from unknot_collectives.operation import Operation
from unknot_collectives.platform import Platform, passage
from unknot_collectives.timing import StartOrder
from unknot_collectives.trees import Tree, TreeEdge, spread, up_and_down

PATIENCE = (1.5, 0, 1e9)
"""Values of `patience` that are tried."""
SAME = 1e-9


@dataclass(frozen=True)
class Connection:
    """A way from a member to another one that passes no third: when its channels are busy, and when all arrived."""

    source: int
    target: int
    path: tuple[int, ...]
    busy: tuple[tuple[int, float, float], ...]
    taken: float


@dataclass(frozen=True)
class GreedyTrees:
    """Trees that grew over time.

    Attributes
    ----------
    trees : list of Tree
    grown : list of pairs of int and Edge
        Edges in the order of their starts, each with the number of its tree.
    time : float
        Of the last arrival.
    """

    trees: list[Tree]
    grown: list[tuple[int, TreeEdge]]
    time: float


def greedy_order(
    platform: Platform, unit: Operation, pieces: int, patience: float, seed: int, size: Fraction
) -> StartOrder:
    """Return the schedule of greedy trees for a size; those that add up are grown on the reversed platform."""
    operation, kind = replace(unit, size=size), unit.kind
    roots = unit.members if unit.root is None else (unit.root,)
    block = size / len(roots) if kind == "all_reduce" else size
    grow = partial(greedy, roots=roots, size=block, pieces=pieces, patience=patience, seed=seed)
    up = None if kind in ("broadcast", "all_gather") else grow(platform.reversed())
    down = None if kind in ("reduce", "reduce_scatter") else grow(platform)
    both = [one for one in (up, down) if one is not None]
    if len(both) > 1:
        shared = ([replace(tree, share=tree.share / len(roots)) for tree in one.trees] for one in both)
        made = up_and_down("greedy", platform, operation, *shared)
    else:
        made = spread("greedy", platform, operation, both[0].trees)
    place = {(sent.chunk, sent.source, sent.target, sent.reduces): i for i, sent in enumerate(made.transfers)}
    order = [] if up is None else [place[n, edge.child, edge.parent, True] for n, edge in reversed(up.grown)]
    order += [] if down is None else [place[n, edge.parent, edge.child, False] for n, edge in down.grown]
    return StartOrder(replace(made, pieces=pieces), sum(one.time for one in both), order)


def greedy(
    platform: Platform, roots: Sequence[int], size: Fraction, pieces: int = 1, *, patience: float = 3.0, seed: int = 0
) -> GreedyTrees:
    """Return trees from roots to all members.

    Parameters
    ----------
    size : Fraction
        Of the block of a root.
    pieces : int
        Chunks of each root.
    patience : float
        A connection brings nothing that a member has, or will, whose own connection is faster by this factor; 0: so
        fast that it could bring all that is missing in the same time.

    Raises
    ------
    NetworkError
        If a member cannot be reached past one switch at a time.

    Examples
    --------
    >>> from unknot_collectives.platform import Channel
    >>> ends = [(a, b) for a in range(4) for b in range(4) if a != b]
    >>> square = Platform("four", 4, tuple(Channel(a, b, Fraction(1)) for a, b in ends), (0, 1, 2, 3))
    >>> made = greedy(square, (0, 1, 2, 3), Fraction(1))
    >>> [(tree.root, max(edge.step for edge in tree.edges)) for tree in made.trees]
    [(0, 0), (1, 0), (2, 0), (3, 0)]
    """
    return _GreedyRun(platform, roots, size / pieces, pieces, patience, random.Random(seed)).trees()


def require_reach(platform: Platform, operation: Operation) -> list[Connection]:
    """Return the connections of members, unless they do not lead from each root to all, or back to it."""
    import networkx as nx

    connected = list(connections(platform, Fraction(1)))
    graph: Any = nx.DiGraph([(way.source, way.target) for way in connected])
    graph.add_nodes_from(operation.members)
    graph = graph.reverse(copy=False) if operation.kind in ("reduce", "reduce_scatter") else graph
    for root in operation.members if operation.root is None else (operation.root,):
        if len(nx.descendants(graph, root)) < len(operation.members) - 1:
            raise NetworkError(f"{platform.name}: no channel leads from each root to each member")
    return connected


def connections(platform: Platform, size: Fraction) -> Iterator[Connection]:
    """Return the connections of a platform for a chunk of a size."""
    members, switches = set(platform.members), set(range(platform.num_nodes)) - set(platform.members)
    if any(c.source in switches and c.target in switches for c in platform.channels):
        raise NetworkError(f"{platform.name}: greedy trees need members that are at most one switch apart")
    leaving = defaultdict[int, list[int]](list)
    for number, channel in enumerate(platform.channels):
        leaving[channel.source].append(number)
    for one in platform.members:
        paths = list[tuple[int, ...]]()
        for number in leaving[one]:
            node = platform.channels[number].target
            paths += [(number,)] if node in members else [(number, past) for past in leaving[node]]
        for path in paths:
            other = platform.channels[path[-1]].target
            if other != one:
                taken = passage(platform, size, path)
                busy = tuple((c, float(at), float(at + lasts)) for c, at, lasts in taken.over(path))
                yield Connection(one, other, path, busy, float(taken.arrives))


class _GreedyRun:
    def __init__(
        self,
        platform: Platform,
        roots: Sequence[int],
        size: Fraction,
        pieces: int,
        patience: float,
        draw: random.Random,
    ) -> None:
        self.platform, self.pieces, self.patience, self.draw = platform, pieces, patience, draw
        self.connections = list(connections(platform, size))
        self.near = SAME * max(way.taken for way in self.connections) if self.connections else 0.0
        self.owners = [root for root in roots for _ in range(pieces)]
        self.whole = (1 << len(self.owners)) - 1
        self.has = {m: sum(1 << c for c, owner in enumerate(self.owners) if owner == m) for m in platform.members}
        self.comes = dict(self.has)
        self.level = [0, self.whole, *(0 for _ in platform.members)]
        self.free, self.ready = defaultdict[int, float](float), [0.0] * len(self.connections)
        self.out, self.users = defaultdict[int, list[int]](list), defaultdict[int, list[tuple[int, float]]](list)
        into = defaultdict[int, list[Connection]](list)
        for number, way in enumerate(self.connections):
            self.out[way.source].append(number)
            into[way.target].append(way)
            for c, begins, _ in way.busy:
                self.users[c].append((number, begins))
        self.faster = [
            [(other.source, way.taken / other.taken) for other in into[way.target] if other.taken < way.taken]
            for way in self.connections
        ]
        self.edges: list[list[TreeEdge]] = [[] for _ in self.owners]
        self.depth = [{owner: 0} for owner in self.owners]
        self.order, self.last = list[tuple[int, TreeEdge]](), 0.0

    def trees(self) -> GreedyTrees:
        """Let time go on from event to event: arrivals, and channels that are free again."""
        events = list[tuple[float, int, int]]()  # time, member or −1, chunk or channel
        look, now = set(range(len(self.connections))), 0.0
        while True:
            self.start(look, now, events)
            if all(mask == self.whole for mask in self.comes.values()):
                break
            if not events:
                raise NetworkError(f"{self.platform.name}: no channel leads from each root to each member")
            now, look = events[0][0], set()
            while events and events[0][0] <= now + self.near:
                _, member, one = heappop(events)
                if member >= 0:
                    self.has[member] |= 1 << one
                    look.update(self.out[member])
                else:
                    look.update(
                        number for number, begins in self.users[one] if self.free[one] <= now + begins + self.near
                    )
        share = Fraction(1, self.pieces)
        trees = [Tree(root, tuple(tree), share) for root, tree in zip(self.owners, self.edges, strict=True)]
        return GreedyTrees(trees, self.order, self.last)

    def start(self, look: set[int], now: float, events: list[tuple[float, int, int]]) -> None:
        """Let connections that may be free bring a chunk: the rarest chunks first, then the fastest connections.

        Of equals those come first whose target lacks the most, so that no member is left behind at the end.
        """
        able, soon = list[tuple[int, float, int, float, int]](), now + self.near
        for number in look:
            if self.ready[number] <= soon and (lacks := self.lacks(number)):
                way = self.connections[number]
                left = (self.whole & ~self.comes[way.target]).bit_count()
                able.append((self.rarest(lacks)[0], way.taken, -left, self.draw.random(), number))
        for *_, number in sorted(able):
            if self.ready[number] > soon or not (lacks := self.lacks(number)):
                continue
            way = self.connections[number]
            holders, equal = self.rarest(lacks)
            shift = self.draw.randrange(equal.bit_length())
            rest = equal >> shift
            chunk = shift + (rest & -rest).bit_length() - 1
            bit = 1 << chunk
            self.comes[way.target] |= bit
            self.level[holders] ^= bit
            self.level[holders + 1] |= bit
            step = self.depth[chunk][way.source]
            self.depth[chunk][way.target] = step + 1
            self.edges[chunk].append(TreeEdge(step, way.source, way.target, way.path))
            self.order.append((chunk, self.edges[chunk][-1]))
            heappush(events, (now + way.taken, way.target, chunk))
            self.last = max(self.last, now + way.taken)
            for c, _, ends in way.busy:
                self.free[c] = now + ends
                for other, offset in self.users[c]:
                    self.ready[other] = max(self.ready[other], now + ends - offset)
                for offset in {offset for _, offset in self.users[c]}:
                    heappush(events, (now + ends - offset, -1, c))

    def lacks(self, number: int) -> int:
        """Chunks that a connection may bring to its target."""
        way = self.connections[number]
        missing = self.whole & ~self.comes[way.target]
        lacks = self.has[way.source] & missing
        for other, times in self.faster[number] if lacks else ():
            if times > (self.patience or missing.bit_count()):
                lacks &= ~self.comes[other]
        return lacks

    def rarest(self, chunks: int) -> tuple[int, int]:
        """Return the number of present and future holders of the rarest of some chunks, and the equally
        rare chunks.
        """
        for holders, mask in enumerate(self.level):
            if mask & chunks:
                return holders, mask & chunks
        return len(self.level), 0
