"""Search for links of fewest hops, or of the least diameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

from unknot._base.arrays import Flags
from unknot.search.effort import SearchEffort
from unknot.synthesis.topology.annealing import NEVER, rounds, space_of
from unknot.synthesis.topology.request import TopologyRequest, hop_counts

PATIENCE = 3
"""Rounds that aim at a diameter before the next one is aimed at."""


class Found(NamedTuple):
    """Links that connect all nodes, and their hops."""

    links: Flags
    total: int
    diameter: int

    def rank(self, objective: str) -> tuple[int, ...]:
        """Order of what is better: lower ranks."""
        return (self.diameter, self.total) if objective == "diameter" else (self.total, self.diameter)

    @classmethod
    def of(cls, links: Flags) -> Self | None:
        """Links with their hops; None where they do not connect all nodes."""
        hops = hop_counts(links)
        return None if (hops < 0).any() else cls(links, int(hops.sum()), int(hops.max()))


def candidates(
    wanted: TopologyRequest, objective: str, least_far: int, effort: SearchEffort
) -> Iterator[Found | None]:
    """Yield the best links of each round, None where they do not connect all nodes.

    The diameter aimed at grows until it is reached.
    """
    target, tried, nearest = least_far, 0, NEVER
    known = [*wanted.begun.values()]
    yield from map(Found.of, known)
    # Moves of switches keep all ports in use, and need them to be.
    start = known[0] if wanted.switch.size else None
    while not (effort.over or effort.interrupted):
        space = space_of(wanted, target if objective == "diameter" else NEVER)
        for links in rounds(space, effort, wanted.nodes.name, tried, start):
            tried += 1
            found = Found.of(links)
            yield found
            nearest = nearest if found is None else min(nearest, found.diameter)
            if objective == "diameter" and target < nearest and tried % PATIENCE == 0:
                target += 1
                break
