"""Least cuts of splits into halves, by flows that every split lets cross."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Floats, Ints
from unknot.network.model import Network

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_STEPS = 300_000_000
"""Pairs of routers with terminals × channels up to which the flow of one terminal to one other is bounded."""


def cuts_by_flows(network: Network, weight: Ints, half: int) -> list[float]:
    """Least cuts by two flows across every split into halves: between all pairs, and between two terminals.

    What crosses a split, both ways, takes as many channels as it is times the load of the busiest one.
    """
    from scipy.sparse import csr_array

    shape = (network.num_routers, network.num_routers)
    step = csr_array((np.ones(network.num_channels), (network.source, network.target)), shape=shape)
    ends = np.flatnonzero(weight)
    from_each = _shortest_paths(step, ends)
    bounds = [2 * half * (int(weight.sum()) - half) / _uniform_load(network, weight, from_each, step)]
    if ends.size**2 * network.num_channels <= MOST_STEPS:
        bounds.append(2 * half / _worst_load(network, weight, from_each, step))
    return bounds


@dataclass(frozen=True)
class _ShortestPaths:
    """Distances, −1 where there is no way, and numbers of shortest paths, from each start to each router."""

    distance: Ints
    paths: Floats


def _shortest_paths(step: csr_array, starts: npt.NDArray[np.intp]) -> _ShortestPaths:
    distance = np.full((starts.size, step.shape[0]), -1)
    paths = np.zeros(distance.shape)
    distance[np.arange(starts.size), starts] = 0
    paths[np.arange(starts.size), starts] = 1
    hops, frontier = 0, paths.copy()
    while frontier.any():
        hops += 1
        frontier = np.where(distance < 0, frontier @ step, 0)
        distance[frontier > 0] = hops
        paths += frontier
    return _ShortestPaths(distance, paths)


def _uniform_load(network: Network, weight: Ints, from_each: _ShortestPaths, step: csr_array) -> float:
    """Flow through the busiest channel when each terminal sends 1 to each other one, on all shortest paths evenly."""
    return float(_uniform_loads(network.source, network.target, weight, from_each, step).max())


def busiest(source: Ints, target: Ints, cables: Ints, rate: Floats, weight: Ints) -> float:
    """Return the highest load over rate of a cable when each terminal sends 1 to each other, all shortest paths.

    Parameters
    ----------
    source, target : int64 array, shape (bundles,)
        Routers; each bundle leads one way.
    cables : int64 array, shape (bundles,)
        Cables of each bundle, which are alike.
    rate : float64 array, shape (bundles,)
        What a cable carries in a unit of time.
    weight : int64 array, shape (routers,)
        Terminals of each router.
    """
    from scipy.sparse import csr_array

    step = csr_array((cables.astype(np.float64), (source, target)), shape=(weight.size, weight.size))
    from_each = _shortest_paths(step, np.flatnonzero(weight))
    return float((_uniform_loads(source, target, weight, from_each, step) / rate).max())


def _uniform_loads(
    source: npt.NDArray[Any], target: npt.NDArray[Any], weight: Ints, from_each: _ShortestPaths, step: csr_array
) -> Floats:
    """Flow through each channel; of several channels from one router to another, through each of them."""
    starts = np.flatnonzero(weight)
    distance, paths = from_each.distance, from_each.paths
    # Backwards, what passes a router for each of its shortest paths (Brandes 2001), weighted by terminals.
    ending = weight / np.maximum(paths, 1)
    hops = int(distance.max())
    per_path = np.where(distance == hops, ending, 0)
    load = np.zeros(source.size)
    for level in range(hops, 0, -1):
        at_level = np.where(distance == level, per_path, 0)
        behind = np.where(distance == level - 1, paths, 0)
        for rows in np.array_split(np.arange(starts.size), 1 + starts.size * source.size // 2**24):
            through = behind[rows][:, source] * at_level[rows][:, target]
            load += weight[starts[rows]] @ through
        per_path = np.where(distance == level - 1, ending + at_level @ step.T, per_path)
    return load


def _worst_load(network: Network, weight: Ints, from_each: _ShortestPaths, step: csr_array) -> float:
    """Most that a channel carries while no terminal sends or receives more than 1, over all shortest paths evenly.

    An upper bound: of each source the destination for which most passes the channel, or of each destination the
    source, whichever is less in all.
    """
    ends = np.flatnonzero(weight)
    to_each = _shortest_paths(step.T.tocsr(), ends)
    behind = np.where(to_each.distance >= 0, to_each.distance, from_each.distance.max() + 1)
    by_source, by_destination = np.zeros((2, network.num_channels, ends.size))
    for row in range(ends.size):
        before, after = from_each.distance[row, network.source], from_each.distance[row, network.target]
        (ahead,) = np.nonzero((before >= 0) & (after == before + 1))
        target = network.target[ahead]
        # Shares of all destinations in each channel on a shortest path from this source.
        share = (
            from_each.paths[row, network.source[ahead], None] * to_each.paths.T[target] / from_each.paths[row, ends]
        )
        share *= after[ahead, None] + behind.T[target] == from_each.distance[row, ends]
        by_source[ahead, row] = share.max(axis=1)
        by_destination[ahead] = np.maximum(by_destination[ahead], share)
    return float(np.minimum(by_source @ weight[ends], by_destination @ weight[ends]).max())
