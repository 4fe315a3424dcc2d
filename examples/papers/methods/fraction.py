"""Figures of multistage networks: their cost, and the share of all permutations that they realise."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from methods.exhaustive import MAX_LISTED, decide_many, realisable

from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.network.families import benes, omega
from unknot.network.stages import stages
from unknot_papers.multistage.permute import permute
from unknot_papers.multistage.realisation import IDLE
from unknot_papers.multistage.search import count_paths
from unknot_papers.rcbn import composite_banyan, rcbn

COUNTED = 8
"""Most terminals of a network of which all permutations are tried."""


@dataclass(frozen=True)
class Fraction:
    """Number of permutations tried, and number realised.

    Attributes
    ----------
    realised, tried : int
    exact : bool
        Whether all permutations were tried; else they were drawn with all alike.
    """

    realised: int
    tried: int
    exact: bool

    @property
    def share(self) -> float:
        """Part of the permutations tried, 0 to 1."""
        return self.realised / self.tried

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the true share (Wilson 1927); a point if all were tried."""
        if self.exact:
            return self.share, self.share
        from scipy.stats import binomtest

        low, high = binomtest(self.realised, self.tried).proportion_ci(method="wilson")
        return float(low), float(high)

    def __str__(self) -> str:
        if self.exact:
            return f"{self.realised} of {self.tried} ({self.share:.1%})"
        low, high = self.interval
        return f"{self.realised} of {self.tried} drawn ({low:.1%} to {high:.1%})"


def realisable_fraction(
    network: Network, samples: int | None = None, seed: int = 1, *, busy: float = 1.0
) -> Fraction:
    """Try permutations, each decided exactly.

    Parameters
    ----------
    samples : int, optional
        How many are drawn. By default all are tried, which is possible for up to `COUNTED` terminals.
    busy : float
        Chance that an input sends at all, in permutations that are drawn. One minus the share is the probability that
        a random set of messages is blocked.

    Raises
    ------
    UnknotError
        If there are too many permutations to try all, or one could not be decided.
    """
    terminals = network.num_terminals
    if samples is None:
        if terminals > COUNTED:
            raise UnknotError(
                f"{network.name}: {terminals} terminals have too many permutations to try all; ask for samples"
            )
        every = np.array(list(itertools.permutations(range(terminals))))
        return Fraction(int(realisable(network, every).sum()), len(every), True)
    if samples < 1:
        raise UnknotError(f"the number of samples must be at least 1, got {samples}")
    if not 0.0 <= busy <= 1.0:
        raise UnknotError(f"the chance that an input is busy must be a number from 0 to 1, got {busy}")
    random = np.random.default_rng(seed)
    drawn = np.array([random.permutation(terminals) for _ in range(samples)])
    drawn[random.random(drawn.shape) >= busy] = IDLE
    if busy == 1.0 and int(count_paths(network).sum()) <= MAX_LISTED:
        quick = decide_many(network, drawn, limit=20_000).tolist()
        answers = [
            permute(network, permutation, explain=False).realised if answer < 0 else answer == 1
            for permutation, answer in zip(drawn, quick, strict=True)
        ]
    else:
        answers = [permute(network, permutation, explain=False).realised for permutation in drawn]
    if None in answers:
        raise UnknotError(f"{network.name}: {answers.count(None)} of {samples} permutations could not be decided")
    return Fraction(sum(answer is True for answer in answers), samples, False)


MAX_COUNTED = 4096
"""Most terminals of a network whose paths are counted for every pair."""


@dataclass(frozen=True)
class Cost:
    """Sizes of a multistage network.

    Attributes
    ----------
    name : str
    terminals, stages, switches : int
    crosspoints : int
        Inputs times outputs of each switch, terminals counted as inputs of the first and outputs of the last stage.
    links : int
        Channels between stages.
    paths_min, paths_max : int or None
        Fewest and most paths of a pair of terminals; None when there are too many pairs to count.
    """

    name: str
    terminals: int
    stages: int
    switches: int
    crosspoints: int
    links: int
    paths_min: int | None
    paths_max: int | None


def cost(network: Network) -> Cost:
    """Count what a network is made of."""
    view, routers = stages(network), network.num_routers
    into = np.bincount(network.target, minlength=routers) + np.bincount(network.inject, minlength=routers)
    out = np.bincount(network.source, minlength=routers) + np.bincount(network.eject, minlength=routers)
    paths = count_paths(network) if network.num_terminals <= MAX_COUNTED else None
    return Cost(
        name=network.name,
        terminals=network.num_terminals,
        stages=view.count,
        switches=routers,
        crosspoints=int((into.astype(np.int64) * out).sum()),
        links=network.num_channels,
        paths_min=None if paths is None else int(paths.min()),
        paths_max=None if paths is None else int(paths.max()),
    )


def costs(terminals: int) -> list[Cost]:
    """Omega, composite banyan, RCBN and Beneš networks of the same size, a power of 2 of at least 8."""
    return [cost(family(terminals)) for family in (omega, composite_banyan, rcbn, benes)]
