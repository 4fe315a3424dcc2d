"""Trees along which chunks spread, and the operations that are made of them.

An all-gather is a tree from each member; so is a broadcast, from its root. Backwards, and added up on the way, they
are reduce-scatter and reduce; one after the other, all-reduce. Scatter and all-to-all are paths, which are trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush

from unknot._base.errors import NetworkError
from unknot.traffic.collectives.operation import Operation
from unknot.traffic.collectives.platform import Platform, in_whole_numbers
from unknot.traffic.collectives.schedule import Chunk, Schedule, Transfer, in_steps

UPWARD = ("reduce", "reduce_scatter", "gather")
"""Operations that go up trees."""
PathOf = Callable[[int, int], tuple[int, ...]]
"""Channels from a member to another one."""


@dataclass(frozen=True)
class Edge:
    """An edge of a tree: the step in which what the parent has is sent to the child, and the channels."""

    step: int
    parent: int
    child: int
    path: tuple[int, ...]


@dataclass(frozen=True)
class Tree:
    """A tree for a share of the data of its root.

    Attributes
    ----------
    root : int
    edges : tuple of Edge
        A member receives in an earlier step than it sends.
    share : Fraction
        Of the block of the root, or of the pair of root and leaf.
    leaf : int or None
        The only member that the data are for; None: all.
    """

    root: int
    edges: tuple[Edge, ...]
    share: Fraction = Fraction(1)
    leaf: int | None = None

    def turned(self, last: int) -> Tree:
        """Return the tree in which edges, paths and the order of steps, the last of which is named, are reversed."""
        edges = tuple(Edge(last - e.step, e.child, e.parent, e.path[::-1]) for e in reversed(self.edges))
        return replace(self, edges=edges)


def tree_of(root: int, sends: Iterable[tuple[int, int, int]], parts: int = 1, leaf: int | None = None) -> Tree:
    """Return a tree of steps, senders and receivers, without channels yet, for one of equal parts of the data."""
    return Tree(root, tuple(Edge(step, one, other, ()) for step, one, other in sends), Fraction(1, parts), leaf)


def spread(name: str, platform: Platform, operation: Operation, trees: Sequence[Tree]) -> Schedule:
    """Return the schedule of an operation by trees out of their roots.

    All operations but all_reduce. Those that reduce, and gather, go up the trees, which are those of broadcast,
    all-gather and scatter on the reversed platform.
    """
    up = operation.kind in UPWARD
    last = max((edge.step for tree in trees for edge in tree.edges), default=0)
    sizes = {share: operation.size * share for share in {tree.share for tree in trees}}
    chunks: list[Chunk] = []
    transfers: list[Transfer] = []
    for number, tree in enumerate(trees):
        root, leaf = tree.root, tree.leaf
        source, target = (leaf, root) if up else (root, leaf)
        chunks.append(Chunk(sizes[tree.share], source, target, operation.part_of[root]))
        edges = tree.turned(last).edges if up else tree.edges
        transfers += [Transfer(e.step, number, e.parent, e.child, e.path, up and leaf is None) for e in edges]
    return Schedule(name, platform, operation, tuple(chunks), in_steps(transfers))


def up_and_down(
    name: str, platform: Platform, operation: Operation, up: Sequence[Tree], down: Sequence[Tree]
) -> Schedule:
    """Return the all-reduce that adds up along some trees and spreads along others.

    Shares of the trees of a root are those of the whole vector, and both kinds have the same sum for each root. A
    share is cut where a tree of either kind ends.
    """
    last = max((edge.step for tree in up for edge in tree.edges), default=0)
    chunks: list[Chunk] = []
    transfers: list[Transfer] = []
    for root in dict.fromkeys(tree.root for tree in up):
        for share, inward, outward in _shared([t for t in up if t.root == root], [t for t in down if t.root == root]):
            number = len(chunks)
            chunks.append(Chunk(operation.size * share, None, None, operation.part_of[root]))
            there = inward.turned(last).edges
            transfers += [Transfer(e.step, number, e.parent, e.child, e.path, True) for e in there]
            transfers += [Transfer(e.step + last + 1, number, e.parent, e.child, e.path) for e in outward.edges]
    return Schedule(name, platform, operation, tuple(chunks), in_steps(transfers))


def _shared(ups: Sequence[Tree], downs: Sequence[Tree]) -> Iterator[tuple[Fraction, Tree, Tree]]:
    i = j = 0
    left, right = ups[0].share, downs[0].share
    while True:
        share = min(left, right)
        yield share, ups[i], downs[j]
        left, right = left - share, right - share
        i, j = i + (not left), j + (not right)
        if i == len(ups) or j == len(downs):
            return
        left, right = left or ups[i].share, right or downs[j].share


def shortest(platform: Platform) -> PathOf:
    """Return the function that gives a path of least latency, then fewest channels, from node to node."""
    nodes = platform.num_nodes
    latencies, _ = in_whole_numbers([channel.latency for channel in platform.channels])
    leaving: list[dict[int, tuple[int, int]]] = [{} for _ in range(nodes)]
    for place, channel in enumerate(platform.channels):
        leaving[channel.source].setdefault(channel.target, (place, latencies[place] * nodes + 1))

    @cache
    def onto(source: int) -> dict[int, tuple[int, int]]:
        """Return the node and channel before each node that is reached; of equal ways the first one found."""
        before, least, done = dict[int, tuple[int, int]](), {source: 0}, set[int]()
        heap, turn = [(0, 0, source)], 0
        while heap:
            far, _, node = heappop(heap)
            if node in done:
                continue
            done.add(node)
            for other, (place, length) in leaving[node].items():
                if far + length < least.get(other, far + length + 1):
                    turn += 1
                    least[other], before[other] = far + length, (node, place)
                    heappush(heap, (far + length, turn, other))
        return before

    @cache
    def path(source: int, target: int) -> tuple[int, ...]:
        channels, at = list[int](), target
        while at != source:
            if at not in onto(source):
                raise NetworkError(f"{platform.name}: no channel leads from member {source} to {target}")
            at, place = onto(source)[at]
            channels.insert(0, place)
        return tuple(channels)

    return path


def placed(trees: Iterable[Tree], path: PathOf, *, up: bool = False) -> list[Tree]:
    """Return trees with the channels of each edge; of those that are gone up, the channels from child to parent."""

    def channels(edge: Edge) -> Edge:
        there = path(edge.child, edge.parent)[::-1] if up else path(edge.parent, edge.child)
        return Edge(edge.step, edge.parent, edge.child, there)

    return [Tree(tree.root, tuple(map(channels, tree.edges)), tree.share, tree.leaf) for tree in trees]
