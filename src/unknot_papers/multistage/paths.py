"""The paths of pairs of terminals through the stages: how many, which, and how many that share nothing."""

from __future__ import annotations

import itertools
from typing import Literal

import numpy as np
import numpy.typing as npt

from unknot.compressed_rows import positions
from unknot.errors import NetworkError, UnknotError
from unknot.memory import require
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages

MAX_PATHS = 1_000_000
"""Most paths that are listed at once."""


def count_paths(network: Network) -> npt.NDArray[np.int64]:
    """Number of paths of every pair of terminals, by dynamic programming from stage to stage.

    Returns
    -------
    int64 array, shape (terminals, terminals)
        Row: source; column: destination.

    Notes
    -----
    O(channels × terminals) time, O(rows × terminals) memory.
    """
    view = stages(network)
    to, column = np.unique(network.eject, return_inverse=True)
    require(f"the numbers of paths of {network.name}", 8 * (network.num_routers + network.num_terminals) * to.size)
    ways = np.zeros((network.num_routers, to.size), dtype=np.int64)
    ways[to, np.arange(to.size)] = 1
    order = view.stage[network.source]
    for stage in reversed(range(view.count - 1)):
        channels = np.flatnonzero(order == stage)
        np.add.at(ways, network.source[channels], ways[network.target[channels]])
    return np.asarray(ways[np.ix_(network.inject, column)])


def reaches(network: Network) -> npt.NDArray[np.bool_]:
    """Mask of switches that have a path to each terminal: bool array, shape (routers, terminals).

    Notes
    -----
    O(channels × terminals) time, one byte for every switch and terminal.
    """
    view = stages(network)
    to, column = np.unique(network.eject, return_inverse=True)
    reach = np.zeros((network.num_routers, to.size), dtype=bool)
    reach[to, np.arange(to.size)] = True
    order = view.stage[network.source]
    for stage in reversed(range(view.count - 1)):
        channels = np.flatnonzero(order == stage)
        np.logical_or.at(reach, network.source[channels], reach[network.target[channels]])
    return np.asarray(reach[:, column])


def all_paths(network: Network, source: int | str, destination: int | str) -> IntArray:
    """Every path of a pair.

    Returns
    -------
    int32 array, shape (paths, stages − 1)
        The channels of each path, in lexicographic order.

    Raises
    ------
    UnknotError
        If there are more than `MAX_PATHS`.
    """
    view = stages(network)
    start, end = network.terminal(source), network.terminal(destination)
    alive = _towards(network, int(network.eject[end]), view.count)
    first, channels = network.outgoing
    at = np.array([network.inject[start]] if alive[network.inject[start]] else [], dtype=np.int64)
    paths = np.empty((at.size, 0), dtype=np.int32)
    for _ in range(view.count - 1):
        count = first[at + 1] - first[at]
        parent = np.repeat(np.arange(at.size), count)
        taken = channels[positions(first, at)]
        kept = alive[network.target[taken]]
        paths = np.concatenate([paths[parent[kept]], taken[kept, None]], axis=1)
        at = network.target[taken[kept]].astype(np.int64)
        if at.size > MAX_PATHS:
            raise UnknotError(f"{network.name}: the pair has more than {MAX_PATHS} paths; count_paths counts them")
    return paths


def disjoint_paths(
    network: Network, source: int | str, destination: int | str, apart: Literal["links", "switches"] = "links"
) -> IntArray:
    """A largest set of paths of a pair that share no link, or no switch but the first and the last.

    By maximum flow (Menger): there is no larger set.

    Returns
    -------
    int32 array, shape (paths, stages − 1)
        The channels of each path.

    Raises
    ------
    NetworkError
        If `apart` is neither ``"links"`` nor ``"switches"``.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    if apart not in ("links", "switches"):
        raise NetworkError(f"paths can share no 'links' or no 'switches'; got {apart!r}")
    view = stages(network)
    start, end = int(network.inject[network.terminal(source)]), int(network.eject[network.terminal(destination)])
    alive = _towards(network, end, view.count) & _from(network, start, view.count)
    used = np.flatnonzero(alive[network.source] & alive[network.target])
    if view.count == 1:
        return np.empty((int(start == end), 0), dtype=np.int32)
    routers, ends = np.unique([network.source[used], network.target[used]], return_inverse=True)
    if not used.size:
        return np.empty((0, view.count - 1), dtype=np.int32)
    ends = ends.reshape(2, -1)
    size = routers.size
    # Every switch is an edge from its entry to its exit; parallel links are one edge of their number.
    inside = np.where(np.isin(routers, [start, end]) | (apart == "links"), used.size, 1)
    wires, number = np.unique(ends, axis=1, return_counts=True)
    tail = np.concatenate([np.arange(size), wires[0] + size])
    head = np.concatenate([np.arange(size) + size, wires[1]])
    room = np.concatenate([inside, number]).astype(np.int32)
    graph = csr_matrix((room, (tail, head)), shape=(2 * size, 2 * size))
    at_start, at_end = int(np.searchsorted(routers, start)), int(np.searchsorted(routers, end))
    flow = maximum_flow(graph, at_start, at_end + size).flow
    left: dict[int, list[int]] = {}
    for channel, a, b in sorted(zip(used.tolist(), *ends.tolist(), strict=True), reverse=True):
        if flow[a + size, b] > 0:
            flow[a + size, b] -= 1
            left.setdefault(a, []).append(channel)
    paths = []
    while left.get(at_start):
        here, path = at_start, []
        while here != at_end:
            path.append(left[here].pop())
            here = int(np.searchsorted(routers, network.target[path[-1]]))
        paths.append(path)
    return np.array(paths, dtype=np.int32).reshape(-1, view.count - 1)


def fewest_disjoint_paths(network: Network, apart: Literal["links", "switches"] = "links") -> tuple[int, int, int]:
    """The least number of disjoint paths of any pair, with such a pair (number, source, destination).

    Notes
    -----
    One maximum flow for every pair of a first and a last switch.
    """
    _, sources = np.unique(network.inject, return_index=True)
    _, ends = np.unique(network.eject, return_index=True)
    found = (
        (len(disjoint_paths(network, s, d, apart)), s, d)
        for s, d in itertools.product(sources.tolist(), ends.tolist())
    )
    return min(found)


def routers_of(network: Network, source: int, paths: npt.ArrayLike) -> IntArray:
    """The switches along paths of channels: shape (…, stages)."""
    channels = np.asarray(paths, dtype=np.int64)
    start = np.broadcast_to(network.inject[source], channels.shape[:-1])[..., None]
    return np.concatenate([start, network.target[channels]], axis=-1).astype(np.int32)


def _towards(network: Network, router: int, depth: int) -> npt.NDArray[np.bool_]:
    """Switches with a path to `router`."""
    return _closure(network.target, network.source, network.num_routers, router, depth)


def _from(network: Network, router: int, depth: int) -> npt.NDArray[np.bool_]:
    """Switches with a path from `router`."""
    return _closure(network.source, network.target, network.num_routers, router, depth)


def _closure(near: IntArray, far: IntArray, routers: int, start: int, depth: int) -> npt.NDArray[np.bool_]:
    found = np.zeros(routers, dtype=bool)
    found[start] = True
    for _ in range(depth - 1):
        found[far[found[near]]] = True
    return found
