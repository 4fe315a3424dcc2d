"""Schedules of operations by the algorithms of textbooks: rings, buckets, doubling, binomial and double trees.

Most are in E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn: Collective communication: theory, practice, and
experience. Concurrency and Computation: Practice and Experience, 19(13), 2007, 1749–1783. Besides: R. Rabenseifner:
Optimization of collective reduction operations. ICCS 2004; P. Sack, W. Gropp: Collective algorithms for multiported
torus networks. ACM Transactions on Parallel Computing, 1(2), 2015; P. Sanders, J. Speck, J. L. Träff: Two-tree
algorithms for full bandwidth broadcast, reduction and scan. Parallel Computing, 35(12), 2009; M. Cho, U. Finkler,
D. Kung, H. Hunter: BlueConnect: Decomposing all-reduce for deep learning on heterogeneous network hierarchy.
MLSys 2019. Those in which members exchange something of their own are in `exchanges`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from math import prod
from typing import TypeVar

from unknot._base.errors import NetworkError, require_known
from unknot_collectives.operation import Operation
from unknot_collectives.orders import Group, halves, near_members
from unknot_collectives.platform import Platform
from unknot_collectives.schedule import Schedule
from unknot_collectives.transfers import Chunk, Transfer, in_steps
from unknot_collectives.trees import (
    ALL_TO_ALL,
    IN_STEPS,
    UPWARD,
    Sends,
    Tree,
    TreeEdge,
    at_once,
    placed,
    rounds_of_doubling,
    shift,
    shortest,
    spread,
    tree_of,
    up_and_down,
)

T = TypeVar("T")


def _steps(row: Sequence[T]) -> list[tuple[int, T, T]]:
    return [(step, one, other) for step, (one, other) in enumerate(pairwise(row))]


def _turned_to(row: Sequence[int], first: int) -> list[int]:
    return [*row[first:], *row[:first]]


def _ring(group: Group) -> list[Tree]:
    return [tree_of(member, _steps(_turned_to(group.around, i))) for i, member in enumerate(group.around)]


def _bidirectional_ring(group: Group) -> list[Tree]:
    rows = [(i, row) for row in (group.around, group.around[::-1]) for i in range(len(row))]
    return [tree_of(row[i], _steps(_turned_to(row, i)), 2) for i, row in rows]


def _buckets(group: Group, *, several: bool = False) -> list[Tree]:
    """Around the ring of each dimension with all that was received before.

    Or several at a time: buckets in both directions of each ring, with a part of the data for each dimension to begin
    with, twice. In rings of even length the two parts go the one step more in opposite directions, so that all
    channels are busy.
    """
    if group.places is None:
        raise NetworkError("bucket goes around the dimensions of a grid; this network has no coordinates")
    axes = [sorted(set(axis)) for axis in zip(*group.places.values(), strict=True)]
    places = {m: tuple(axis.index(x) for axis, x in zip(axes, at, strict=True)) for m, at in group.places.items()}
    at, sizes = {place: member for member, place in places.items()}, [len(axis) for axis in axes]
    if len(at) < len(group.row) or prod(sizes) != len(group.row):
        raise NetworkError(f"bucket needs a member at each place of a grid, not {len(at)} of {prod(sizes)}")
    dimensions = [k for k, size in enumerate(sizes) if size > 1]
    starts = [(k, turn) for k in range(len(dimensions)) for turn in (1, -1)] if several else [(0, 1)]
    trees = []
    for member, (first, turn) in product(group.row, starts):
        holders, sends, begun = [places[member]], [], 0
        for k in [*dimensions[first:], *dimensions[:first]]:
            size = sizes[k]
            rings = [[(*p[:k], (p[k] + turn * i) % size, *p[k + 1 :]) for i in range(size)] for p in holders]
            ahead = size // 2 if several else size - 1
            for ring in rings:
                for part in (ring[: ahead + 1], [ring[0], *ring[:ahead:-1]]):
                    sends += [(begun + step, at[a], at[b]) for step, a, b in _steps(part)]
            holders, begun = [place for ring in rings for place in ring], begun + ahead
        trees.append(tree_of(member, sends, len(starts)))
    return trees


def _doubling(group: Group) -> list[Tree]:
    row = group.row
    rounds = rounds_of_doubling(group)
    sends = [[(k, i ^ j, i ^ j ^ 1 << k) for k in range(rounds) for j in range(1 << k)] for i in range(len(row))]
    return [tree_of(row[i], [(k, row[a], row[b]) for k, a, b in sends[i]]) for i in range(len(row))]


def _bruck(group: Group) -> list[Tree]:
    row, n = group.row, len(group.row)
    sends = [(k, j, j + (1 << k)) for k in range((n - 1).bit_length()) for j in range(min(1 << k, n - (1 << k)))]
    return [tree_of(row[i], [(k, row[(i - a) % n], row[(i - b) % n]) for k, a, b in sends]) for i in range(n)]


def _each_to_all(group: Group, order: Callable[[Group], Sends]) -> list[Tree]:
    sends: dict[int, list[tuple[int, int, int]]] = {member: [] for member in group.row}
    for sent in order(group):
        sends[sent[1]].append(sent)
    return [tree_of(member, sent) for member, sent in sends.items()]


def _root(group: Group) -> int:
    return group.row[0] if group.root is None else group.root


def _binomial(group: Group) -> list[Tree]:
    row = group.row
    sends = [(step, row[a], row[b]) for step, a, b in halves(len(row), row.index(_root(group)))]
    return [tree_of(_root(group), sends)]


def _binomial_gather(group: Group) -> list[Tree]:
    """Trees up a binomial tree to its root, then down to the members not passed on the way."""
    (whole,) = _binomial(group)
    onto, last = {edge.child: edge for edge in whole.edges}, max(edge.step for edge in whole.edges)
    trees = []
    for member in group.row:
        there = _way_down(onto, member)[::-1]
        passed = {member, *(one for _, one, _ in there)}
        down = [(last + 1 + e.step, e.parent, e.child) for e in whole.edges if e.child not in passed]
        trees.append(tree_of(member, [*((last - step, b, a) for step, a, b in there), *down]))
    return trees


def _way_down(onto: Mapping[int, TreeEdge], member: int) -> list[tuple[int, int, int]]:
    """Return the edges of a tree from its root to a member."""
    sends = list[tuple[int, int, int]]()
    while member in onto:
        edge = onto[member]
        sends.insert(0, (edge.step, edge.parent, edge.child))
        member = edge.parent
    return sends


def _chain(group: Group) -> list[Tree]:
    return [tree_of(_root(group), _steps(_turned_to(group.around, group.around.index(_root(group)))))]


def _double_tree(group: Group) -> list[Tree]:
    """Two trees for half of the data each; who passes on in one is a leaf in the other, but for the root."""
    row, last = _turned_to(group.row, group.row.index(_root(group))), len(group.row) - 1
    trees = []
    for other in (False, True):
        rank = {v: v if not other else last + 1 - v if last % 2 == 0 else v % last + 1 for v in range(1, last + 1)}
        parent = {v: up if (up := v & (v - 1) | (v & -v) << 1) <= last else v & (v - 1) for v in rank}
        rank[0], depth = 0, {0: 0}
        while len(depth) <= last:
            depth |= {v: depth[up] + 1 for v, up in parent.items() if up in depth}
        sends = sorted((depth[up], rank[up], rank[v]) for v, up in parent.items())
        trees.append(tree_of(row[0], [(step, row[a], row[b]) for step, a, b in sends], 2))
    return trees


def _direct_from(group: Group) -> list[Tree]:
    return [tree for tree in _each_to_all(group, at_once) if tree.root == _root(group)]


def _ways_down(group: Group, trees: Sequence[Tree]) -> list[Tree]:
    """Return the ways from the root of trees to each other member."""
    ontos = [(tree.root, {edge.child: edge for edge in tree.edges}) for tree in trees]
    return [tree_of(root, _way_down(onto, m), leaf=m) for root, onto in ontos for m in group.row if m in onto]


GATHERING: dict[str, Callable[[Group], list[Tree]]] = {
    "multiport_bucket": partial(_buckets, several=True), "bidirectional_ring": _bidirectional_ring, "ring": _ring,
    "direct": lambda group: _each_to_all(group, at_once), "bucket": _buckets, "hierarchical": _buckets,
    "pairwise": lambda group: _each_to_all(group, shift), "recursive_doubling": _doubling, "bruck": _bruck,
}  # fmt: skip
SPREADING: dict[str, Callable[[Group], list[Tree]]] = {
    "double_tree": _double_tree, "chain": _chain, "binomial": _binomial, "direct": _direct_from,
}  # fmt: skip
SCATTERING: dict[str, Callable[[Group], list[Tree]]] = {
    "direct": lambda group: _ways_down(group, _direct_from(group)),
    "binomial": lambda group: _ways_down(group, _binomial(group)),
}
REDUCING = {name if name != "recursive_doubling" else "rabenseifner": trees for name, trees in GATHERING.items()}
TREES: dict[str, dict[str, Callable[[Group], list[Tree]]]] = {
    "broadcast": SPREADING, "reduce": SPREADING, "scatter": SCATTERING, "gather": SCATTERING,
    "all_gather": {**GATHERING, "binomial": _binomial_gather},
    "reduce_scatter": {**GATHERING, "binomial": _binomial_gather},
    "all_reduce": {**REDUCING, **SPREADING}, "all_to_all": ALL_TO_ALL,
    "barrier": {name: SPREADING[name] for name in ("binomial", "chain", "direct")},
}  # fmt: skip
"""Algorithms of each operation that are made of trees, by name."""


def algorithms(kind: str) -> tuple[str, ...]:
    """Names of the textbook algorithms of an operation."""
    return (*TREES[kind], *IN_STEPS.get(kind, ()))


def textbook(platform: Platform, operation: Operation, algorithm: str, group: Group | None = None) -> Schedule:
    """Return the schedule of an operation by an algorithm of `algorithms`.

    Parameters
    ----------
    platform : Platform
        Channels with their bandwidths, and members.
    operation : Operation
        What is to be done, and on how much.
    algorithm : str
        One of `algorithms`.
    group : Group, optional
        The members in the order of rings and trees; by default as the operation names them.

    Returns
    -------
    Schedule
        The schedule.

    Raises
    ------
    NetworkError
        If there is no such algorithm, it does not take these members, or one cannot reach another one.

    Examples
    --------
    >>> from unknot.network.families import torus
    >>> from unknot_collectives.platform import platform_of
    >>> platform = platform_of(torus(4, 4))
    >>> gather = Operation("all_gather", platform.members, Fraction(64))
    >>> ring = textbook(platform, gather, "ring")
    >>> ring.steps, ring.time - ring.latency
    (15, Fraction(960, 1))
    """
    kind = operation.kind
    require_known(f"unknown algorithm of {kind}", algorithm, algorithms(kind), NetworkError)
    path = shortest(platform)
    group = group or Group(operation.members, operation.root)
    groups = [group.only(part) for part in operation.parts]
    if algorithm in IN_STEPS.get(kind, ()):
        sent = [
            Transfer(step, number, a, b, path(a, b), True)
            for number, one in enumerate(groups)
            for step, a, b in IN_STEPS[kind][algorithm](one)
        ]
        chunks = tuple(Chunk(operation.size, None, None, number) for number in range(len(groups)))
        return Schedule(algorithm, platform, operation, chunks, in_steps(sent))
    if algorithm == "hierarchical":
        near = [near_members(platform, one.row) for one in groups]
        groups = [
            replace(one, places={m: (i, k) for i, row in enumerate(rows) for k, m in enumerate(row)})
            for one, rows in zip(groups, near, strict=True)
        ]
    made = [TREES[kind][algorithm](one) for one in groups]
    trees = [tree for some in made for tree in some]
    if operation.blocks:
        trees = [replace(one, share=operation.amounts.get((one.root, one.leaf or 0), Fraction(0))) for one in trees]
        trees = [tree for tree in trees if tree.share]
    if kind in IN_STEPS:
        roots = [len({tree.root for tree in some}) for some in made]
        trees = [replace(tree, share=tree.share / n) for some, n in zip(made, roots, strict=True) for tree in some]
        return up_and_down(algorithm, platform, operation, placed(trees, path, up=True), placed(trees, path))
    return spread(algorithm, platform, operation, placed(trees, path, up=kind in UPWARD))
