"""Networks of the fewest hops under constraints, and their distance from the best possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np

from unknot._base.deadline import Deadline, begun, counts_work
from unknot._base.errors import NetworkError
from unknot._base.progress import Progress, found
from unknot._base.shown import Brief
from unknot.certificates.documents import Document
from unknot.network import Network
from unknot.search.bound import Bound
from unknot.search.effort import SearchEffort
from unknot.synthesis.topology.annealing import NEVER, rounds, space_of
from unknot.synthesis.topology.bounds import least_diameter, least_hops
from unknot.synthesis.topology.request import Flags, TopologyRequest, hop_counts

Objective = Literal["hops", "diameter"]
BOUNDING = 0.3
"""Share of the time for the linear program of the bound."""
PATIENCE = 3
"""Rounds that aim at a diameter before the next one is aimed at."""


@dataclass(frozen=True, eq=False, repr=False)
class TopologyDesign(Brief):
    """Network made to order, beside lower bounds for all networks of its request.

    Attributes
    ----------
    network : Network
    total_hops : int
        Hops of all ordered pairs of nodes.
    diameter : int
    least_hops : int
        Lower bound on the hops, shown by the evidence.
    least_diameter : int
        Lower bound on the diameter, by counting nodes.
    evidence : Bound
        Links, hops and bound as a claim for the separate checker.
    moves : int
        Moves of the search.
    complete : bool
        The search ended by itself: hops, or diameter and hops, are at their bounds, or within the gap asked for.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.synthesis.topology import designed, requested
    >>> made = designed(requested(mesh(2, 3), ports=2, both_ways=False), moves=100_000)
    >>> made.mean_hops, made.gap, made.evidence_holds
    (1.6, 0.0, True)
    """

    network: Network
    total_hops: int
    diameter: int
    least_hops: int
    least_diameter: int
    evidence: Bound
    moves: int
    complete: bool

    @property
    def pairs(self) -> int:
        return self.network.num_routers * (self.network.num_routers - 1)

    @property
    def mean_hops(self) -> float:
        """Mean hops over all ordered pairs of nodes."""
        return self.total_hops / self.pairs

    @property
    def least_mean_hops(self) -> float:
        """Lower bound on the mean hops."""
        return self.least_hops / self.pairs

    @property
    def gap(self) -> float:
        """Share by which the hops are above their lower bound."""
        return self.total_hops / self.least_hops - 1

    @cached_property
    def evidence_holds(self) -> bool | None:
        """Whether the separate checker accepts links and bound; None: too much to check."""
        return self.evidence.evidence_holds(self.network)


@counts_work
def designed(
    wanted: TopologyRequest,
    objective: Objective = "hops",
    *,
    gap: float = 0.0,
    moves: int | None = None,
    seed: int = 1,
    time_limit: float | Deadline | None = None,
    progress: Progress | None = None,
) -> TopologyDesign:
    """Find a network of the fewest hops that a request allows, by simulated annealing.

    Ctrl-C ends the search and keeps the best network so far.

    Parameters
    ----------
    wanted : TopologyRequest
        Nodes, ports and links.
    objective : str
        "hops", or "diameter": the least diameter, and of such networks the fewest hops.
    gap : float
        Share above the bound at which the search ends.
    moves : int, optional
        Moves after which no further round of the search begins.
    seed : int
        Of the random numbers.
    time_limit : float or Deadline, optional
        Seconds; by default a minute of work, whatever the machine.
    progress : callable, optional
        Called with the stage and how far it is, see `unknot._base.progress`.

    Returns
    -------
    TopologyDesign
        The best network, and what is shown of all others.

    Raises
    ------
    NetworkError
        If the search found no connected network.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> from unknot.synthesis.topology import designed, requested
    >>> made = designed(requested(mesh(2, 3), ports=2, both_ways=False), moves=100_000)
    >>> made.diameter, made.total_hops, made.least_hops
    (2, 48, 48)
    """
    if objective not in get_args(Objective):
        raise NetworkError(f"objective: {objective!r} is none of {', '.join(get_args(Objective))}")
    deadline = begun(time_limit)
    effort = SearchEffort(deadline.end, seed, progress)
    least, proof = least_hops(wanted, deadline.part(BOUNDING))
    least_far = least_diameter(wanted)
    best: Found | None = None
    complete = False
    for one in _candidates(wanted, objective, least_far, effort):
        if one is not None and (best is None or one.rank(objective) < best.rank(objective)):
            best = one
            found(f"{one.total / (wanted.size * (wanted.size - 1)):.4f} mean hops, diameter {one.diameter}")
        if best is not None and best.total <= (1 + gap) * least:
            complete = objective == "hops" or best.diameter == least_far
        if complete or (moves is not None and effort.moves >= moves):
            break
    if best is None:
        raise NetworkError(f"{wanted.nodes.name}: the search found no connected network; give more time or ports")
    network = wanted.network_of(best.links, f"designed {wanted.nodes.name}")
    claim = _claim(wanted, best, least, proof)
    return TopologyDesign(network, best.total, best.diameter, least, least_far, Bound(claim), effort.moves, complete)


class Found(NamedTuple):
    """Links that connect all nodes, and their hops."""

    links: Flags
    total: int
    diameter: int

    def rank(self, objective: Objective) -> tuple[int, ...]:
        return (self.diameter, self.total) if objective == "diameter" else (self.total, self.diameter)


def _candidates(
    wanted: TopologyRequest, objective: Objective, least_far: int, effort: SearchEffort
) -> Iterator[Found | None]:
    """Yield the best links of each round, None where they do not connect all nodes.

    The diameter aimed at grows until it is reached.
    """
    target, tried, nearest = least_far, 0, NEVER
    while not (effort.over or effort.interrupted):
        space = space_of(wanted, target if objective == "diameter" else NEVER)
        for links in rounds(space, effort, wanted.nodes.name, tried):
            tried += 1
            hops = hop_counts(links)
            connected = not (hops < 0).any()
            far = int(hops.max())
            yield Found(links, int(hops.sum()), far) if connected else None
            nearest = min(nearest, far) if connected else nearest
            if objective == "diameter" and target < nearest and tried % PATIENCE == 0:
                target += 1
                break


def _claim(wanted: TopologyRequest, best: Found, least: int, proof: Document) -> Document:
    """Links, hops and bound for the checker."""
    every = int(wanted.allowed.sum()) == wanted.size * (wanted.size - 1)
    return {
        "subject": "hops",
        "nodes": wanted.size,
        "allowed": None if every else [np.flatnonzero(row).tolist() for row in wanted.allowed],
        "leaving": wanted.leaving.tolist(),
        "entering": wanted.entering.tolist(),
        "both_ways": wanted.both_ways,
        "required": np.argwhere(wanted.required).tolist(),
        "links": np.argwhere(best.links).tolist(),
        "hops": best.total,
        "least": least,
        "proof": proof,
    }
