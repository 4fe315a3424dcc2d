"""Search for links of fewest hops, or of the least diameter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice, product
from typing import NamedTuple, Self

import numpy as np

from unknot._base.arrays import Flags
from unknot._base.errors import UnknotError
from unknot.network.families import polarfly, slim_fly
from unknot.search.effort import SearchEffort
from unknot.synthesis.topology.annealing import NEVER, WALKERS, rounds, space_of
from unknot.synthesis.topology.request import TopologyRequest, hop_counts

PATIENCE = 3
"""Rounds that aim at a diameter before the next one is aimed at."""
CORE_ROUNDS = 2
"""Rounds that keep the links of a core."""


class Found(NamedTuple):
    """Links that connect all nodes, and their hops."""

    links: Flags
    total: int
    diameter: int

    def rank(self, objective: str) -> tuple[int, ...]:
        """Order of what is better: lower ranks."""
        return (self.diameter, self.total) if objective == "diameter" else (self.total, self.diameter)

    @classmethod
    def of(cls, wanted: TopologyRequest, links: Flags) -> Self | None:
        """Links with their hops; None where they do not connect all nodes as a request asks."""
        hops = hop_counts(links)
        return cls(links, int(hops.sum()), int(hops.max())) if wanted.fulfilled(links, hops) else None


def candidates(
    wanted: TopologyRequest, objective: str, least_far: int, effort: SearchEffort
) -> Iterator[Found | None]:
    """Yield the best links of each round, None where they do not connect all nodes.

    The diameter aimed at grows until it is reached.
    """
    target, tried, nearest = least_far, 0, NEVER
    known = [*wanted.begun.values()]
    found_of = partial(Found.of, wanted)
    yield from map(found_of, known)
    for core in cores(wanted):
        space = space_of(wanted)._replace(required=wanted.required | core)
        yield from map(found_of, islice(rounds(space, effort, f"{wanted.nodes.name} round a core"), CORE_ROUNDS))
    # Moves of switches keep all ports in use, and need them to be.
    start = known[0] if wanted.switch.size else None
    while effort.each(1, WALKERS) and not effort.stopped:
        space = space_of(wanted, target if objective == "diameter" else NEVER)
        for links in rounds(space, effort, wanted.nodes.name, tried, start):
            tried += 1
            found = found_of(links)
            yield found
            nearest = nearest if found is None else min(nearest, found.diameter)
            if objective == "diameter" and target < nearest and tried % PATIENCE == 0:
                target += 1
                break


def cores(wanted: TopologyRequest) -> Iterator[Flags]:
    """Yield links of dense networks of diameter 2 on the first nodes, at least three quarters of all, if allowed.

    Annealing does not find such networks: SlimFly of 50 nodes is the graph of Hoffman and Singleton, as large as its
    7 ports allow (A. J. Hoffman and R. R. Singleton, IBM Journal of Research and Development, 1960).
    """
    if wanted.switch.size or len(wanted.image) > 1:
        return
    for family, q in product((slim_fly, polarfly), range(3, int(wanted.leaving.max()) + 1)):
        nodes = 2 * q * q if family is slim_fly else q * q + q + 1
        if not 3 * wanted.size <= 4 * nodes <= 4 * wanted.size:
            continue
        try:
            core = family(q, 1)
        except UnknotError:
            continue
        links = wanted.required.copy()
        links[core.source, core.target] = True
        full = (links.sum(axis=1) > wanted.leaving) | (links.sum(axis=0) > wanted.entering)
        over = wanted.spent(links) > [one.most for one in wanted.budgets]
        if not (full.any() or over.any() or np.any(links & ~wanted.allowed)):
            yield links
