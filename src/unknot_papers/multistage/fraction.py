"""Share of all permutations that a multistage network realises, counted or sampled."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot_papers.multistage.paths import count_paths
from unknot_papers.multistage.permute import permute
from unknot_papers.multistage.requests import IDLE
from unknot_papers.multistage.search import MAX_LISTED, decide_many, realisable

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
            permute(network, permutation, method="cp-sat", explain=False).realised if answer < 0 else answer == 1
            for permutation, answer in zip(drawn, quick, strict=True)
        ]
    else:
        answers = [permute(network, permutation, explain=False).realised for permutation in drawn]
    if None in answers:
        raise UnknotError(f"{network.name}: {answers.count(None)} of {samples} permutations could not be decided")
    return Fraction(sum(answer is True for answer in answers), samples, False)
