"""The highest load of a fabric as it is, as it was meant, and as each fault alone would leave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unknot.network import Network
from unknot.network.cuts_by_flows import busiest

MOST_WORK = 400_000_000
"""Routers × bundles of cables × figures up to which loads are computed: a second or two."""
Bundle = tuple[int, int, float]
"""Router, router and rate of one direction of a cable."""


@dataclass(frozen=True)
class Bundles:
    """Cables of a fabric as bundles of alike ones, and the terminals of each router."""

    bundles: dict[Bundle, int]
    weight: tuple[int, ...]

    @classmethod
    def of(cls, network: Network) -> Bundles:
        """The cables of a network."""
        rows = zip(network.source.tolist(), network.target.tolist(), network.bandwidth.tolist(), strict=True)
        weight = np.bincount(network.inject, minlength=network.num_routers).tolist()
        return cls(dict(Counter(row for row in rows if row[0] != row[1])), tuple(weight))

    def changed(self, more: Iterable[Bundle] = (), fewer: Iterable[Bundle] = ()) -> Bundles:
        """The same with some cables more and fewer, each in both directions."""
        bundles = Counter(self.bundles)
        for u, v, rate in more:
            bundles.update([(u, v, rate), (v, u, rate)])
        for u, v, rate in fewer:
            bundles.subtract([(u, v, rate), (v, u, rate)])
        return Bundles({bundle: count for bundle, count in bundles.items() if count > 0}, self.weight)

    @property
    def work(self) -> int:
        """Elementary operations that its highest load takes."""
        return len(self.weight) * len(self.bundles)

    @cached_property
    def highest_load(self) -> float | None:
        """The highest load over rate of uniform traffic spread over shortest paths; None where it cannot arrive."""
        if not self.bundles or not self._connected():
            return None
        source, target, rate = map(np.array, zip(*self.bundles, strict=True))
        return busiest(source, target, np.array([*self.bundles.values()]), rate, np.array(self.weight))

    def _connected(self) -> bool:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        source, target, _ = zip(*self.bundles, strict=True)
        size = len(self.weight)
        part = connected_components(csr_array((np.ones(len(source)), (source, target)), shape=(size, size)))[1]
        return np.unique(part[np.flatnonzero(self.weight)]).size == 1
