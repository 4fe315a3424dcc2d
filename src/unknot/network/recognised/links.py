"""Cables between routers as counts of pairs, which is all that the recognition of a structure sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unknot._base.arrays import Flags, Floats, Ints
from unknot.network.model import Network

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class CableCounts:
    """Pairs of routers with cables.

    Attributes
    ----------
    routers : int
    near, far : int64 array, shape (pairs,)
        The routers of each pair, the lower first, each pair once.
    count : int64 array, shape (pairs,)
        Its cables.
    seats : int64 array, shape (routers,)
        Terminals of each router.
    """

    routers: int
    near: Ints
    far: Ints
    count: Ints
    seats: Ints

    @classmethod
    def of(cls, network: Network) -> CableCounts | None:
        """Return the cables of a network; None where some channel has no channel back."""
        source, target = network.source.astype(np.int64), network.target.astype(np.int64)
        up, down = source < target, source > target
        key, count = np.unique(source[up] * network.num_routers + target[up], return_counts=True)
        back, again = np.unique(target[down] * network.num_routers + source[down], return_counts=True)
        if not np.array_equal(key, back) or not np.array_equal(count, again):
            return None
        near, far = np.divmod(key, network.num_routers)
        seats = network.terminals_at
        return cls(network.num_routers, near, far, count, seats)

    @cached_property
    def degree(self) -> Ints:
        """Cables of each router."""
        ends = np.concatenate([self.near, self.far])
        return np.bincount(ends, np.tile(self.count, 2), self.routers).astype(np.int64)

    @cached_property
    def neighbours(self) -> list[set[int]]:
        """Routers at the far ends of the cables of each router."""
        sets: list[set[int]] = [set() for _ in range(self.routers)]
        for a, b in zip(self.near.tolist(), self.far.tolist(), strict=True):
            sets[a].add(b)
            sets[b].add(a)
        return sets

    @cached_property
    def total(self) -> int:
        """All cables."""
        return int(self.count.sum())

    @cached_property
    def adjacent(self) -> csr_array:
        """Which routers are joined, as a sparse matrix of ones, both ways."""
        from scipy.sparse import csr_array

        ends = np.concatenate([self.near, self.far]), np.concatenate([self.far, self.near])
        return csr_array((np.ones(ends[0].size), ends), shape=(self.routers, self.routers))

    @cached_property
    def shared(self) -> Floats:
        """Routers joined to both ends of each pair."""
        both = self.adjacent @ self.adjacent
        return np.asarray(both[self.near, self.far]).ravel()

    def between(self, near: Ints, far: Ints) -> Ints:
        """Cables of each of some pairs, the lower router first."""
        key, wanted = self.near * self.routers + self.far, near * self.routers + far
        if not key.size:
            return np.zeros(wanted.size, dtype=np.int64)
        at = np.minimum(np.searchsorted(key, wanted), key.size - 1)
        return np.where(key[at] == wanted, self.count[at], 0)

    def towards(self, chosen: Flags) -> Ints:
        """Cables of each router that lead to chosen ones."""
        there = np.bincount(self.near, self.count * chosen[self.far], self.routers)
        back = np.bincount(self.far, self.count * chosen[self.near], self.routers)
        return (there + back).astype(np.int64)

    def within(self, routers: Ints) -> CableCounts:
        """The cables between some routers, which are counted anew."""
        place = np.full(self.routers, -1)
        place[routers] = np.arange(routers.size)
        kept = (place[self.near] >= 0) & (place[self.far] >= 0)
        ends = place[self.near[kept]], place[self.far[kept]]
        return CableCounts(routers.size, *ends, self.count[kept], self.seats[routers])

    def among(self, label: Ints) -> CableCounts:
        """The cables between routers of equal labels."""
        kept = label[self.near] == label[self.far]
        return CableCounts(self.routers, self.near[kept], self.far[kept], self.count[kept], self.seats)


def usual(numbers: Ints) -> tuple[int, float]:
    """Return the commonest of some numbers, of several the greatest, and its share; 0 of none."""
    if not numbers.size:
        return 0, 0.0
    found, count = np.unique(numbers, return_counts=True)
    best = int(np.flatnonzero(count == count.max())[-1])
    return int(found[best]), float(count[best] / numbers.size)
