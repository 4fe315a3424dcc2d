"""Automorphisms of coloured graphs, and what they make of sets of links and nodes.

Colours are refined by those of neighbours until they tell no more nodes apart. A permutation is read off two such
colourings, and every one is verified edge by edge before anything rests on it: one that is missed costs time alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints, Rows, grouped
from unknot._base.splitmix import STEP, mixed
from unknot.network.graph import strong_components

Colours = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Alike:
    """Sets of parts equal up to automorphisms: the numbers of a representative, and the size of the class."""

    parts: tuple[int, ...]
    sets: int


@dataclass(frozen=True, eq=False)
class ColouredGraph:
    """A graph with colours of nodes and edges.

    Attributes
    ----------
    tail, head, colour : int64 arrays, shape (edges,)
        Directed edges; parallel ones may be.
    node_colour : int64 array, shape (nodes,)
    parts : int64 array, shape (parts, 2)
        Links by their two nodes, the lower first, and nodes, given twice; no two alike.
    """

    tail: Ints
    head: Ints
    colour: Ints
    node_colour: Ints
    parts: Ints

    @cached_property
    def _by_tail(self) -> Rows:
        return grouped(self.tail, self.node_colour.size)

    @cached_property
    def _keys(self) -> tuple[Ints, Ints]:
        """Keys of the parts, ascending, and the parts in that order."""
        keys = self.parts @ np.array([self.node_colour.size, 1])
        order = np.argsort(keys)
        return keys[order], order

    def _part_of(self, ends: Ints) -> Ints:
        """Parts by their ends; −1 for what is no part."""
        keys, order = self._keys
        own = np.sort(ends, axis=1) @ np.array([self.node_colour.size, 1])
        at = np.minimum(np.searchsorted(keys, own), keys.size - 1)
        return np.where(keys[at] == own, order[at], -1)

    @cached_property
    def _part_of_edge(self) -> Ints:
        return self._part_of(np.stack([self.tail, self.head], axis=1))

    def refined(self, colours: Colours, marks: npt.NDArray[np.uint8]) -> Colours:
        """Refine colours by those of neighbours and the marks of links, until no more nodes differ."""
        first, order = self._by_tail
        mark = np.where(self._part_of_edge < 0, 0, marks[self._part_of_edge])
        # Mixed twice: colours of nodes begin as the same numbers mixed once, and would cancel those of edges.
        edge, head = _mixed(_mixed((self.colour * 256 + mark + 1)[order])), self.head[order]
        many = np.unique(colours).size
        while True:
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(colours[head] ^ edge), dtype=np.uint64)])
            colours = _mixed(colours * np.uint64(3) + sums[first[1:]] - sums[first[:-1]])
            more = np.unique(colours).size
            if more == many:
                return colours
            many = more

    def coloured(self, marks: npt.NDArray[np.uint8]) -> Colours:
        """Colours of nodes, refined, where parts have marks."""
        alone = self.parts[:, 0] == self.parts[:, 1]
        own = np.zeros(self.node_colour.size, dtype=np.int64)
        own[self.parts[alone, 0]] = marks[alone]
        return self.refined(_mixed(self.node_colour * 256 + own + 1), marks)

    def matching(self, one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> Ints | None:
        """Parts after an automorphism that takes each to one of its mark in another marking; None if none was met.

        As many nodes as possible stay where they are.
        """
        first, second = self.coloured(one), self.coloured(other)
        for depth in range(self.node_colour.size):
            if not np.array_equal(np.sort(first), np.sort(second)):
                return None
            image = np.arange(first.size)
            moved = np.flatnonzero(first != second)
            image[moved[np.argsort(first[moved], kind="stable")]] = moved[np.argsort(second[moved], kind="stable")]
            becomes = self._verified(image)
            if becomes is not None and np.array_equal(other[becomes], one):
                return becomes
            _, which, count = np.unique(first, return_inverse=True, return_counts=True)
            alike = np.flatnonzero(count[which] > 1)
            if not alike.size:
                return None
            node = int(alike[np.argmin(count[which[alike]])])
            among = np.flatnonzero(second == first[node])
            first, second = first.copy(), second.copy()
            second[node if second[node] == first[node] else among[0]] ^= np.uint64(depth + 1)
            first[node] ^= np.uint64(depth + 1)
            first, second = self.refined(first, one), self.refined(second, other)
        return None

    def _verified(self, image: Ints) -> Ints | None:
        """Parts after a permutation of nodes; None if it does not keep colours and edges.

        Edges between nodes that stay need no look: those that do not stay are permuted among themselves.
        """
        if not np.array_equal(self.node_colour[image], self.node_colour):
            return None
        moved = image != np.arange(image.size)
        touched = moved[self.tail] | moved[self.head]
        before = np.stack([self.tail[touched], self.head[touched], self.colour[touched]])
        after = np.stack([image[before[0]], image[before[1]], before[2]])
        if not np.array_equal(before[:, np.lexsort(before)], after[:, np.lexsort(after)]):
            return None
        becomes = self._part_of(image[self.parts])
        return becomes if becomes.size and becomes.min() >= 0 else None


class Orbits:
    """Orbits of sets of parts of a graph, by the automorphisms that are met."""

    def __init__(self, graph: ColouredGraph) -> None:
        self.graph = graph
        self._met: list[Ints] = []

    def of_size(self, size: int, most: int) -> list[Alike] | None:
        """Return a set of each orbit of sets of `size` parts; None for more than `most`, or if some were missed."""
        orbits = [Alike((), 1)]
        for length in range(1, size + 1):
            larger: dict[bytes, list[Alike]] = defaultdict(list)
            kinds = 0
            for alike in orbits:
                for part, count in self._beside(alike.parts):
                    kinds += self._enter(larger, Alike((*alike.parts, part), alike.sets * count))
                    if kinds > most:
                        return None
            # Each set was met from every set that lacks one part of it.
            orbits = [Alike(alike.parts, alike.sets // length) for row in larger.values() for alike in row]
            if any(alike.sets % length for row in larger.values() for alike in row):
                return None
        return orbits

    def _enter(self, larger: dict[bytes, list[Alike]], new: Alike) -> bool:
        """Add sets to their orbit; True for a new orbit."""
        marks = self._marks(new.parts)
        row = larger[np.sort(self.graph.coloured(marks)).tobytes()]
        for number, known in enumerate(row):
            if self._match(marks, self._marks(known.parts)):
                row[number] = Alike(known.parts, known.sets + new.sets)
                return False
        row.append(new)
        return True

    def _marks(self, parts: Sequence[int], one: int | None = None) -> npt.NDArray[np.uint8]:
        marks = np.zeros(len(self.graph.parts), dtype=np.uint8)
        marks[list(parts)] = 1
        if one is not None:
            marks[one] = 2
        return marks

    def _match(self, one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> bool:
        becomes = self.graph.matching(one, other)
        if becomes is not None:
            self._met.append(becomes)
        return becomes is not None

    def _beside(self, parts: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Yield a part of each orbit under the automorphisms that keep a set, and how many there are in the orbit."""
        label = np.arange(len(self.graph.parts))
        for becomes in self._met:
            if set(becomes[list(parts)].tolist()) == set(parts):
                label = _joined(label, becomes)
        colours = self.graph.coloured(self._marks(parts))[self.graph.parts]
        kinds = _mixed(_mixed(colours.min(axis=1)) + colours.max(axis=1))
        kinds[self.graph.parts[:, 0] == self.graph.parts[:, 1]] ^= np.uint64(1)
        for kind in np.unique(kinds):
            members = np.setdiff1d(np.flatnonzero(kinds == kind), parts)
            settled: list[int] = []
            while True:
                left = members[~np.isin(label[members], label[settled])]
                if not left.size:
                    break
                part = int(left[0])
                for known in settled:
                    if self._match(self._marks(parts, known), self._marks(parts, part)):
                        label = _joined(label, self._met[-1])
                        break
                else:
                    settled.append(part)
            sizes = np.bincount(label[members])
            yield from ((part, int(sizes[label[part]])) for part in settled)


def _joined(label: Ints, becomes: Ints) -> Ints:
    """Labels of orbits, those joined that a permutation of the parts leads between."""
    moved = np.flatnonzero(becomes != np.arange(becomes.size))
    ends = label[moved], label[becomes[moved]]
    joined, _ = strong_components(np.append(*ends), np.append(*ends[::-1]), int(label.max()) + 1)
    return joined[label].astype(np.int64)


def _mixed(numbers: npt.NDArray[Any]) -> Colours:
    """Scatter numbers over all 64 bits."""
    scattered: Colours = mixed(numbers.astype(np.uint64) * STEP)
    return scattered
