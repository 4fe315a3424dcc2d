"""Trees along which chunks spread, and the operations that are made of them.

An all-gather is a tree from each member; so is a broadcast, from its root. Backwards, and added up on the way, they
are reduce-scatter and reduce; one after the other, all-reduce. Scatter and all-to-all are paths, which are trees.
In an exchange each member sends something of its own to others, step by step.

Bruck's is in J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all
communications in multiport message-passing systems. IEEE TPDS, 8(11), 1997. Pairwise exchange is the shift whose
order E. Zahavi examines: Fat-tree routing and node ordering providing contention free traffic for MPI global
collectives. Journal of Parallel and Distributed Computing, 72(11), 2012; dissemination is in D. Hensgen, R. Finkel,
U. Manber: Two algorithms for barrier synchronization. International Journal of Parallel Programming, 17(1), 1988.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush
from itertools import accumulate, groupby, pairwise

from unknot._base.errors import NetworkError
from unknot_collectives.operation import Operation
from unknot_collectives.orders import Group
from unknot_collectives.platform import Platform, in_whole_numbers
from unknot_collectives.schedule import Schedule
from unknot_collectives.transfers import Chunk, Transfer, in_steps

UPWARD = ("reduce", "reduce_scatter", "gather")
"""Operations that go up trees."""
PathOf = Callable[[int, int], tuple[int, ...]]
"""Channels from a member to another one."""


@dataclass(frozen=True)
class TreeEdge:
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
    edges : tuple of TreeEdge
        A member receives in an earlier step than it sends.
    share : Fraction
        Of the block of the root, or of the pair of root and leaf.
    leaf : int or None
        The only member that the data are for; None: all.
    """

    root: int
    edges: tuple[TreeEdge, ...]
    share: Fraction = Fraction(1)
    leaf: int | None = None

    def turned(self, last: int) -> Tree:
        """Return the tree in which edges, paths and the order of steps, the last of which is named, are reversed."""
        edges = tuple(TreeEdge(last - e.step, e.child, e.parent, e.path[::-1]) for e in reversed(self.edges))
        return replace(self, edges=edges)


def tree_of(root: int, sends: Iterable[tuple[int, int, int]], parts: int = 1, leaf: int | None = None) -> Tree:
    """Return a tree of steps, senders and receivers, without channels yet, for one of equal parts of the data."""
    return Tree(root, tuple(TreeEdge(step, one, other, ()) for step, one, other in sends), Fraction(1, parts), leaf)


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
    ends_up, ends_down = (list(accumulate(tree.share for tree in trees)) for trees in (ups, downs))
    for begin, end in pairwise([Fraction(0), *sorted({*ends_up, *ends_down})]):
        yield end - begin, ups[bisect_left(ends_up, end)], downs[bisect_left(ends_down, end)]


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

    def channels(edge: TreeEdge) -> TreeEdge:
        there = path(edge.child, edge.parent)[::-1] if up else path(edge.parent, edge.child)
        return TreeEdge(edge.step, edge.parent, edge.child, there)

    return [Tree(tree.root, tuple(map(channels, tree.edges)), tree.share, tree.leaf) for tree in trees]


Sends = list[tuple[int, int, int]]
"""Step, sender and receiver of each block."""


def shift(group: Group) -> Sends:
    """Return the shift: in step k each sends to the one k + 1 places on."""
    row, n = group.row, len(group.row)
    return [(k - 1, row[i], row[(i + k) % n]) for k in range(1, n) for i in range(n)]


def at_once(group: Group) -> Sends:
    """Return the sends of the shift, all in one step."""
    return [(0, one, other) for _, one, other in shift(group)]


def _random(group: Group) -> Sends:
    """Each to the others in a random order, drawn with seed 1, to compare other orders with."""
    draw, n = random.Random(1), len(group.row)
    orders = [draw.sample([other for other in group.row if other != one], n - 1) for one in group.row]
    return [(k, group.row[i], orders[i][k]) for k in range(n - 1) for i in range(n)]


def _group_shift(group: Group) -> Sends:
    """Shifts by groups, sets of members equal in the first differing coordinate, and by members within groups.

    Each member of a group begins with another group, so that in every step the members of a group send to as many
    groups as they can, and each member receives from one. Members at one router are far apart in their group.
    """
    if group.places is None:
        raise NetworkError("group_shift goes by the coordinates of members; this network has no coordinates")
    places = group.places
    first = next(k for k, axis in enumerate(zip(*places.values(), strict=True)) if len(set(axis)) > 1)
    ordered = sorted(group.row, key=lambda one: (places[one][first], *reversed(places[one])))
    groups = [list(part) for _, part in groupby(ordered, key=lambda one: places[one][first])]
    many, each = len(groups), len(groups[0])
    if {len(part) for part in groups} != {each}:
        raise NetworkError(f"group_shift needs groups of equally many members, not of {sorted(map(len, groups))}")
    return [
        (j * many + q, groups[g][x], groups[(g + x + q) % many][(x + j) % each])
        for j in range(each)
        for q in range(many)
        for g in range(many)
        for x in range(each)
        if j or (x + q) % many
    ]


def _blocks(group: Group, order: Callable[[Group], Sends]) -> list[Tree]:
    return [tree_of(one, [(step, one, other)], leaf=other) for step, one, other in order(group)]


def _bruck(group: Group) -> list[Tree]:
    """A block goes the bits of its distance, the lowest first."""
    row, n = group.row, len(group.row)
    trees = []
    for i in range(n):
        for k in range(1, n):
            bits = [bit for bit in range(k.bit_length()) if k >> bit & 1]
            at = [row[(i + (k & (1 << bit) - 1)) % n] for bit in bits] + [row[(i + k) % n]]
            trees.append(tree_of(row[i], zip(bits, at, at[1:], strict=False), leaf=at[-1]))
    return trees


def _doubled(group: Group) -> Sends:
    rounds = rounds_of_doubling(group)
    return [(k, one, group.row[i ^ 1 << k]) for k in range(rounds) for i, one in enumerate(group.row)]


def _disseminated(group: Group) -> Sends:
    row, n = group.row, len(group.row)
    return [(k, row[i], row[(i + (1 << k)) % n]) for k in range((n - 1).bit_length()) for i in range(n)]


def rounds_of_doubling(group: Group) -> int:
    """Return the rounds of recursive doubling, or refuse what is no power of two."""
    count = len(group.row)
    if count & (count - 1):
        raise NetworkError(f"recursive doubling needs 2, 4, 8, … members, not {count}; bruck takes any number")
    return count.bit_length() - 1


ALL_TO_ALL: dict[str, Callable[[Group], list[Tree]]] = {
    "direct": lambda group: _blocks(group, at_once), "pairwise": lambda group: _blocks(group, shift),
    "group_shift": lambda group: _blocks(group, _group_shift), "bruck": _bruck,
    "random": lambda group: _blocks(group, _random),
}  # fmt: skip
"""Algorithms of all_to_all: a path for each block."""
IN_STEPS: dict[str, dict[str, Callable[[Group], Sends]]] = {
    "all_reduce": {"recursive_doubling": _doubled, "exchange": at_once},
    "barrier": {"recursive_doubling": _doubled, "dissemination": _disseminated},
}
"""Algorithms in which members exchange all that they have, in steps that must follow each other."""
