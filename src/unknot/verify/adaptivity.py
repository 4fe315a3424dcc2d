"""Share of the shortest paths that a relation permits, and whether it ever takes one away."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum

import numpy as np

from unknot._base.progress import Progress, with_bar
from unknot._base.shown import Brief
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_relation
from unknot.verify.minimal_paths import ForbiddenPath, PathCounts, forbidden_path, path_counts


@dataclass(frozen=True, repr=False)
class Adaptivity(Brief):
    """Permitted shortest paths over all shortest paths.

    Paths are sequences of channels, so virtual channels do not multiply them, but parallel channels do. A pair is a
    source and another terminal that it may send to, at different routers joined by some way; several addresses of a
    terminal make one pair here, and one each in `deliver`.

    Attributes
    ----------
    pairs : int
    mean : float
        Mean over the pairs of permitted over all shortest paths; 1.0 when there are no pairs.
    worst : float
        Smallest share of a pair.
    worst_pair : (source terminal, destination terminal) or None
        The first pair with that share.
    worst_permitted, worst_paths : int
        Exact numbers of permitted and of all shortest paths of that pair.
    permitted, paths : int
        Sums over all pairs, exact.
    fully_adaptive : bool
        Every shortest path of every pair is permitted.
    adaptive_pairs : int
        Pairs of which every shortest path is permitted.
    forbidden : ForbiddenPath or None
        A shortest path that is not permitted, of a pair as close together as may be.

    Examples
    --------
    >>> figures = adaptivity("mesh(3, 3)", routing="west_first")
    >>> figures.fully_adaptive, figures.permitted, figures.paths
    (False, 106, 140)
    """

    pairs: int
    mean: float
    worst: float
    worst_pair: tuple[int, int] | None
    worst_permitted: int
    worst_paths: int
    permitted: int
    paths: int
    fully_adaptive: bool
    adaptive_pairs: int
    forbidden: ForbiddenPath | None


@takes_relation
@with_bar
def adaptivity(relation: Relation, *, progress: Progress | None = None) -> Adaptivity:
    """The degree of adaptivity (Glass & Ni 1994) of every pair, exactly.

    Each destination is explored once; the sets of virtual channels that a header may sit on after the same channels
    are followed, so the numbers are of paths, not of ways to follow them. Numbers grow with the network without
    bound and are kept exact. Where a terminal has several addresses, a source may use all of them it is allowed to.

    Parameters
    ----------
    progress : callable, optional
        Called with the destinations done, see `unknot._base.progress`.

    Returns
    -------
    Adaptivity
        Permitted over all shortest paths, in the mean and for the worst pair.

    Raises
    ------
    RelationError
        If a reachable state breaks the relation's contract.

    Examples
    --------
    >>> adaptivity("mesh(3, 3)", routing="fully_adaptive").fully_adaptive
    True
    >>> figures = adaptivity("mesh(3, 3)", routing="dimension_order")
    >>> figures.worst_permitted, figures.worst_paths
    (1, 6)
    """
    pairs = full = permitted = paths = 0
    shares: list[float] = []
    worsts: list[tuple[Fraction, int, int, int, int]] = []
    lacking: list[tuple[int, int, int]] = []
    for counts in path_counts(relation, progress=progress):
        if not counts.sources.size:
            continue
        complete = counts.complete
        pairs += complete.size
        full += int(complete.sum())
        shares.append(fsum(counts.ratio.tolist()))
        exact = _sums(counts)
        permitted, paths = permitted + exact[0], paths + exact[1]
        least = int(np.argmin(np.where(complete, 1.0, np.minimum(counts.ratio, np.nextafter(1.0, 0.0)))))
        part = counts.exact(least)
        worsts.append((Fraction(*part), int(counts.sources[least]), counts.home, *part))
        if not complete.all():
            close = np.argmin(np.where(complete, counts.distance.max() + 1, counts.distance))
            lacking.append((int(counts.distance[close]), int(counts.sources[close]), counts.home))
    worst = min(worsts, key=lambda pair: pair[0], default=None)
    nearest = min(lacking, key=lambda pair: pair[0], default=None)
    return Adaptivity(
        pairs=pairs,
        mean=fsum(shares) / pairs if pairs else 1.0,
        worst=float(worst[0]) if worst else 1.0,
        worst_pair=(worst[1], worst[2]) if worst else None,
        worst_permitted=worst[3] if worst else 0,
        worst_paths=worst[4] if worst else 0,
        permitted=permitted,
        paths=paths,
        fully_adaptive=full == pairs,
        adaptive_pairs=full,
        forbidden=None if nearest is None else forbidden_path(relation, *nearest[1:]),
    )


def _sums(counts: PathCounts) -> tuple[int, int]:
    """Exact sums over the sources, in Python's numbers, which do not overflow."""
    permitted, total = (words.astype(object).sum(axis=0).tolist() for words in (counts.permitted, counts.total))
    return sum(n << 64 * k for k, n in enumerate(permitted)), sum(n << 64 * k for k, n in enumerate(total))
