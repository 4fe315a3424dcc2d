"""Trees that together reach the worst cut: switches are split off, then spanning trees are packed.

The amounts that channels carry are whole numbers of the largest common unit. A channel to a switch and one from it
are replaced by one past it, as much as keeps every cut; the paths are remembered. Then trees grow an edge at a time,
each as thick as leaves room for those that are to come. Published as ForestColl: L. Zhao, S. Maleki, Z. Yang,
H. Pourreza, A. Shah, C. Hwang, A. Krishnamurthy: ForestColl: Throughput-Optimal Collective Communications on
Heterogeneous Network Fabrics. arXiv:2402.06787, 2024; the packing after K. Bérczi, A. Frank: Packing arborescences.
RIMS Kôkyûroku Bessatsu B23, 2010, 1–31."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from unknot._base.errors import NetworkError
from unknot_collectives.platform import Platform, in_whole_numbers
from unknot_collectives.trees import Tree, TreeEdge

Amounts = np.ndarray[Any, np.dtype[np.int64]]
MOST = 2**31 - 1
"""Largest flow."""


def packed(platform: Platform, weights: Mapping[int, Fraction], amounts: Sequence[Fraction]) -> list[Tree]:
    """Return trees from roots to all members, in which each channel carries at most its amount.

    Parameters
    ----------
    weights : mapping from member to Fraction
        What each root sends to all members; the shares of its trees have this sum.
    amounts : sequence of Fraction
        By channel. Into and out of each switch they must be equal, or some may be left over at the end.

    Raises
    ------
    NetworkError
        If the amounts do not suffice, or are too fine.

    Examples
    --------
    >>> from unknot_collectives.platform import Channel
    >>> one = Fraction(1)
    >>> star = [Channel(3, i, one) for i in range(3)] + [Channel(i, 3, one) for i in range(3)]
    >>> trees = packed(Platform("star", 4, tuple(star), (0, 1, 2)), dict.fromkeys((0, 1, 2), one), [2 * one] * 6)
    >>> [(tree.root, str(tree.share), len(tree.edges)) for tree in trees]
    [(2, '1', 2), (1, '1', 2), (0, '1', 2)]
    """
    every, unit = in_whole_numbers([*amounts, *weights.values()])
    if sum(every) * 4 > MOST:
        raise NetworkError(
            f"{platform.name}: bandwidths have no common unit that is not below {float(unit):.1e} of what is sent; "
            "round them"
        )
    graph = _Graph(platform, dict(zip(weights, every[len(amounts) :], strict=True)))
    for number, (channel, amount) in enumerate(zip(platform.channels, every[: len(amounts)], strict=True)):
        if channel.source != channel.target and amount:
            graph.add(channel.source, channel.target, (number,), amount)
    graph.require()
    for switch in sorted(set(range(platform.num_nodes)) - set(platform.members)):
        graph.split_off(switch)
    graph.require()
    return [tree for batch in _pack(graph) for tree in _on_paths(batch, graph.paths, unit)]


def flow(amounts: Amounts, source: int, target: int) -> int:
    """Return the largest flow between two nodes of a matrix of amounts."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    return int(maximum_flow(csr_array(amounts.astype(np.int32)), source, target).flow_value)


class _Graph:
    """Amounts between nodes, the last of which feeds the roots, and the channels that each amount stands for."""

    def __init__(self, platform: Platform, weights: Mapping[int, int]) -> None:
        self.platform, self.weights, self.total = platform, weights, sum(weights.values())
        self.feeder = platform.num_nodes
        self.amounts: Amounts = np.zeros((self.feeder + 1, self.feeder + 1), dtype=np.int64)
        for root, weight in weights.items():
            self.amounts[self.feeder, root] = weight
        self.paths: defaultdict[tuple[int, int], list[tuple[tuple[int, ...], int]]] = defaultdict(list)
        self.checked = list(platform.members)

    def add(self, source: int, target: int, path: tuple[int, ...], amount: int) -> None:
        self.amounts[source, target] += amount
        self.paths[source, target].append((path, amount))

    def take(self, source: int, target: int, amount: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Take paths of an amount away."""
        self.amounts[source, target] -= amount
        kept = self.paths[source, target]
        while amount:
            path, there = kept.pop()
            used = min(there, amount)
            if used < there:
                kept.append((path, there - used))
            amount -= used
            yield path, used

    def require(self) -> None:
        for member in self.checked:
            if member in self.weights and len(self.weights) == 1:
                continue
            reached = flow(self.amounts, self.feeder, member)
            if reached < self.total:
                raise NetworkError(
                    f"{self.platform.name}: {Fraction(reached, self.total)} of what is sent can reach member {member}"
                )

    def split_off(self, switch: int) -> None:
        """Replace pairs of channels into and out of a switch, as long as any can be, and drop what is left."""
        again = True
        while again:
            again = False
            for target in np.flatnonzero(self.amounts[switch]).tolist():
                sources = np.flatnonzero(self.amounts[:, switch]).tolist()
                for source in sorted(sources, key=lambda node: (node == target, -self.amounts[node, switch])):
                    if thick := self.room(source, switch, target):
                        again = True
                        self.past(source, switch, target, thick)
        for node in range(self.feeder):
            for ends in ((switch, node), (node, switch)):
                self.amounts[ends] = 0
                self.paths.pop(ends, None)

    def past(self, source: int, switch: int, target: int, amount: int) -> None:
        there, on = list(self.take(source, switch, amount)), list(self.take(switch, target, amount))
        while there and source != target:
            (one, much), (other, more) = there.pop(), on.pop()
            used = min(much, more)
            self.add(source, target, self.without_circles(one + other), used)
            there += [(one, much - used)] * (much > used)
            on += [(other, more - used)] * (more > used)

    def without_circles(self, path: tuple[int, ...]) -> tuple[int, ...]:
        """Return a path that visits no node twice."""
        channels, kept = self.platform.channels, list[int]()
        nodes = [channels[path[0]].source]
        for number in path:
            at = channels[number].target
            if at in nodes:
                kept, nodes = kept[: nodes.index(at)], nodes[: nodes.index(at) + 1]
            else:
                kept, nodes = [*kept, number], [*nodes, at]
        return tuple(kept)

    def room(self, source: int, switch: int, target: int) -> int:
        """Return how much can pass the switch by without a cut becoming too small."""
        thick = int(min(self.amounts[source, switch], self.amounts[switch, target]))
        for member in tuple(self.checked):
            if not thick:
                return 0
            for sink, joined in (
                (switch, ((self.feeder, source), (self.feeder, target), (member, switch))),
                (target, ((self.feeder, switch), (source, target), (member, target))),
            ):
                if sink == switch and member in (source, target):
                    continue
                amounts = self.amounts.copy()
                for one, other in joined:
                    if one != other:
                        amounts[one, other] = 2 * self.total + thick
                slack = flow(amounts, self.feeder, sink) - self.total
                if slack < thick:
                    thick = max(slack, 0)
                    self.checked.remove(member)
                    self.checked.insert(0, member)  # it will refuse the next ones, too
        return thick


@dataclass(frozen=True)
class _Batch:
    """Trees that are alike: their number, and a step, parent and child of each edge."""

    root: int
    number: int
    depth: Mapping[int, int]
    edges: tuple[tuple[int, int, int], ...] = ()


def _pack(graph: _Graph) -> list[_Batch]:
    """Return batches of spanning trees, as many from each root as its weight."""
    members = graph.platform.members
    amounts = graph.amounts[: graph.feeder, : graph.feeder].copy()
    open_batches = [_Batch(root, weight, {root: 0}) for root, weight in graph.weights.items()]
    whole = []
    while open_batches:
        batch = open_batches.pop()
        while len(batch.depth) < len(members):
            edge, thick = _next(amounts, batch, open_batches)
            if thick < batch.number:
                open_batches.append(replace(batch, number=batch.number - thick))
            amounts[edge] -= thick
            step = batch.depth[edge[0]]
            batch = _Batch(batch.root, thick, {**batch.depth, edge[1]: step + 1}, (*batch.edges, (step, *edge)))
        whole.append(batch)
    return whole


def _next(amounts: Amounts, batch: _Batch, others: Sequence[_Batch]) -> tuple[tuple[int, int], int]:
    """Return an edge that a batch can grow by, near its root, and by how many of its trees.

    A set of nodes that an open tree has not reached keeps an amount into it for that tree.
    """
    size, reserved = len(amounts), sum(other.number for other in others)
    held = np.zeros((size + len(others), size + len(others)), dtype=np.int64)
    held[:size, :size] = amounts
    for place, other in enumerate(others, size):
        held[place, list(other.depth)] = reserved + int(amounts.sum())
    for near in sorted(batch.depth, key=lambda node: batch.depth[node]):
        beyond = [node for node in np.flatnonzero(amounts[near]).tolist() if node not in batch.depth]
        for far in sorted(beyond, key=lambda node: -amounts[near, node]):
            held[near, size:] = [other.number for other in others]
            thick = min(int(amounts[near, far]), batch.number, flow(held, near, far) - reserved)
            held[near, size:] = 0
            if thick > 0:
                return (near, far), thick
    raise NetworkError(f"no edge is left for a tree from member {batch.root}")


def _on_paths(
    batch: _Batch, paths: Mapping[tuple[int, int], list[tuple[tuple[int, ...], int]]], unit: Fraction
) -> Iterator[Tree]:
    """Share the trees of a batch among the paths of its edges."""
    left = batch.number
    while left:
        tops = [paths[one, other][-1] for _, one, other in batch.edges]
        used = min(left, *(there for _, there in tops))
        ends = zip(batch.edges, tops, strict=True)
        yield Tree(batch.root, tuple(TreeEdge(step, a, b, path) for (step, a, b), (path, _) in ends), used * unit)
        for (_, one, other), (path, there) in zip(batch.edges, tops, strict=True):
            paths[one, other].pop()
            if there > used:
                paths[one, other].append((path, there - used))
        left -= used
