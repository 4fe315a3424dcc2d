"""Traffic that is hard for a network, and what no routing exceeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot.network import Bisection, Network, bisection_bounds, distances_from
from unknot.network.halves import can_be_halved
from unknot.traffic import Pattern
from unknot.traffic.patterns import matching


@dataclass(frozen=True)
class Adversaries:
    """Permutations hard for a network, and splits that bound the traffic across.

    A permutation that crosses the bisection is as hard as the cut allows, which the longest matching need not be.
    Both are kept when links fail: fewer links never carry more of the same traffic.

    Attributes
    ----------
    network : Network
    traffic : tuple of Pattern
        The longest matching, and the longest of those that cross the bisection most.
    halves : tuple of Bisection
        Splits with their sides; none where the network cannot be halved.
    """

    network: Network
    traffic: tuple[Pattern, ...]
    halves: tuple[Bisection, ...]

    def and_for(self, left: Network) -> Adversaries:
        """Adversaries of a network together with the adversaries of its remainder after failed links."""
        if left is self.network:
            return self
        more = hard_for(left)
        return Adversaries(left, self.traffic + more.traffic, self.halves + more.halves)


def hard_for(network: Network) -> Adversaries:
    """The longest matching, and one across the bisection where the network can be halved.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> [most_throughput(ring(8), one) for one in hard_for(ring(8)).traffic]
    [0.5, 0.5]
    """
    halves = (bisection_bounds(network),) if can_be_halved(network) else ()
    across = [matching(network, "crossing", one.side) for one in halves if one.side is not None]
    return Adversaries(network, (matching(network, "longest_matching"), *across), halves)


def most_throughput(network: Network, traffic: Pattern, *halves: Bisection) -> float:
    """Flits per terminal and cycle that no routing exceeds.

    Every flit takes at least the channels of a shortest path, and what crosses a split of `halves` takes a channel
    across it; terminals send and receive a flit per cycle.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.traffic import pattern
    >>> most_throughput(ring(8), pattern(ring(8), "tornado"))
    0.6666666666666666
    """
    count = network.num_terminals
    sent = (1 - np.eye(count)) / max(count - 1, 1) if traffic.weight is None else traffic.weight
    if traffic.destination is not None:
        sent = np.zeros((count, count))
        talks = traffic.destination >= 0
        sent[np.flatnonzero(talks), traffic.destination[talks]] = 1
    routers, row = np.unique(network.inject, return_inverse=True)
    hops = np.array([distances_from(network, router) for router in routers.tolist()])[row][:, network.eject]
    limits = [float(max(sent.sum(axis=0).max(), sent.sum(axis=1).max()))]
    limits.append(float((sent * hops).sum()) / max(float(network.bandwidth.sum()), 1e-300))
    for side in (one.side for one in halves if one.side is not None):
        begins, ends = side[network.source], side[network.target]
        sends, receives = side[network.inject], side[network.eject]
        for here in (True, False):
            across = float(network.bandwidth[(begins == here) & (ends != here)].sum())
            limits.append(float(sent[sends == here][:, receives != here].sum()) / max(across, 1e-300))
    return 1 / max(limits)
