"""Clusters by coordinates: groups of a dragonfly, rings of cube-connected cycles."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from unknot.network import Network
from unknot.report.structure import Places

LEADING = {("group", "router"): 1, ("corner", "position"): 1, ("side", "x", "y"): 2}
"""Number of leading coordinates that make a cluster, by the names of the coordinates."""

Numbers = npt.NDArray[np.int64]


def clusters(network: Network) -> Numbers | None:
    """The cluster of each router, counted from 0, or None where there are none, or all are of one router."""
    count = LEADING.get(network.dimensions)
    if count is None or network.coordinates is None:
        return None
    names, cluster = np.unique(network.coordinates[:, :count], axis=0, return_inverse=True)
    return cluster.reshape(-1).astype(np.int64) if 1 < len(names) < network.num_routers else None


def clustered(network: Network, cluster: Numbers, placement: Callable[[Network], Places]) -> Places:
    """Each cluster a circle, turned so that its routers stand towards their neighbours in other clusters.

    The circles stand as `placement` places the network in which every cluster is one router.
    """
    count = int(cluster.max()) + 1
    across = cluster[network.source] != cluster[network.target]
    ends = np.unique(np.stack([cluster[network.source], cluster[network.target]])[:, across], axis=1)
    centre = placement(Network("clusters", count, ends[0], ends[1]))
    size = np.bincount(cluster)
    radius = np.where(size > 1, 0.5 / np.sin(np.pi / np.maximum(size, 2)), 0.0)
    apart = np.abs(centre[:, None] - centre[None, :]) + np.where(np.eye(count, dtype=bool), np.inf, 0.0)
    centre = centre * (2 * float(radius.max()) + 1.2) / float(apart.min())

    order = np.argsort(cluster, kind="stable")
    rank = np.empty(network.num_routers, dtype=np.int64)
    rank[order] = np.arange(network.num_routers) - np.repeat(np.cumsum(size) - size, size)
    spoke = np.exp(2j * np.pi * rank / size[cluster])
    pull = centre[cluster[network.target]] - centre[cluster[network.source]]
    pull[across] /= np.abs(pull[across])
    turn = np.zeros(count, dtype=np.complex128)
    np.add.at(turn, cluster[network.source], pull * spoke[network.source].conj())
    turn = np.where(np.abs(turn) > 1e-9, turn, -1j)
    return np.asarray(centre[cluster] + (radius * turn / np.abs(turn))[cluster] * spoke, dtype=np.complex128)
