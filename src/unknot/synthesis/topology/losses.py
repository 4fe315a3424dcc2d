"""Costs of the loss of a link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unknot._base.work import spend
from unknot.network import Network
from unknot.synthesis.topology.annealing import LEVELS, WORD, Walker, space_of
from unknot.synthesis.topology.request import TopologyRequest, adjacency, hop_counts
from unknot.synthesis.topology.throughput import throughput_of

MOST_STEPS = 2e7
"""Most links that all sources together look at, in a network whose throughput is found."""


@dataclass(frozen=True)
class DeadLink:
    """The link whose loss costs most hops, and the network without that link.

    Attributes
    ----------
    link : str
        Both directions, unless links need not be there both ways.
    mean_hops : float or None
        None: some nodes are cut off.
    diameter : int or None
    throughput : float or None
        Flits per terminal and cycle that some routes carry, if terminals send to all others evenly; 0 where nodes are
        cut off, None where the network is too large to find out.

    Examples
    --------
    >>> from unknot.network.families import ring
    >>> from unknot.synthesis.topology import requested
    >>> lost = dead_link(requested(ring(4), ports=2, keep=True), ring(4))
    >>> lost.link, lost.diameter, lost.throughput
    ('(0) – (1)', 3, 0.75)
    """

    link: str
    mean_hops: float | None
    diameter: int | None
    throughput: float | None


def dead_link(wanted: TopologyRequest, network: Network) -> DeadLink:
    """Find the link of a network of a request whose loss costs most hops."""
    from unknot.synthesis.topology.links_kernel import dearest

    there = adjacency(network)
    every = np.arange(wanted.size)
    space = space_of(wanted)
    firsts = space.sources
    walker = Walker(space._replace(sources=every, late=1), [0], there)
    links = int(there[firsts].sum())
    spend(WORD * links * (wanted.size / 64 + 1) * network.num_channels * LEVELS)
    u, v = divmod(int(dearest(walker.space, walker.scratch, walker.links, firsts)), wanted.size)
    both = wanted.both_ways
    lost = (network.source == u) & (network.target == v) | (both & (network.source == v) & (network.target == u))
    left = network.without(channels=np.flatnonzero(lost).tolist())
    hops = hop_counts(adjacency(left))
    link = f"{network.router_name(u)} {'–' if both else '→'} {network.router_name(v)}"
    if hops.min() < 0:
        return DeadLink(link, None, None, 0.0)
    small = left.num_channels * wanted.size <= MOST_STEPS
    carried = throughput_of(left).least if small else None
    return DeadLink(link, float(hops.sum() / (hops.size - wanted.size)), int(hops.max()), carried)
