"""Paths of pairs of terminals, listed, and exhaustive search over those of all messages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from methods.exhaustive_kernel import search_many

from unknot._base.arrays import positions
from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages
from unknot_papers.multistage.search import count_paths

MAX_PATHS = 1_000_000
"""Most paths that are listed at once."""
MAX_LISTED = 400_000
"""Most paths of all messages together that a search lists."""
MAX_CHOICES = 2_000_000
"""Choices after which a search gives up."""
Numbers = npt.NDArray[np.int64]


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


def _towards(network: Network, router: int, depth: int) -> npt.NDArray[np.bool_]:
    """Switches with a path to `router`."""
    reaches = np.zeros(network.num_routers, dtype=bool)
    reaches[router] = True
    for _ in range(depth - 1):
        reaches[network.source[reaches[network.target]]] = True
    return reaches


def _all_masks(network: Network) -> tuple[Numbers, npt.NDArray[np.uint64]]:
    """The paths of all pairs, by source and then by destination: where those of each begin, and their links as bits.

    Raises
    ------
    UnknotError
        If there are more than `MAX_LISTED`.
    """
    count = count_paths(network)
    if count.sum() > MAX_LISTED:
        raise UnknotError(f"{network.name}: {count.sum()} paths are too many to list; the limit is {MAX_LISTED}")
    listed = [all_paths(network, a, b) for a, b in np.ndindex(count.shape)]
    paths = np.concatenate([*listed, np.empty((0, stages(network).count - 1), dtype=np.int32)])
    masks = np.zeros((len(paths), max(1, -(-network.num_channels // 64))), dtype=np.uint64)
    at = np.arange(len(paths))
    for channel in paths.T:
        masks[at, channel // 64] |= np.uint64(1) << (channel % 64).astype(np.uint64)
    return np.append(0, np.cumsum(count)), masks


def realisable(network: Network, permutations: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Decide by exhaustive search which of many permutations a small network realises.

    Parameters
    ----------
    permutations : array_like of int, shape (permutations, terminals)

    Returns
    -------
    bool array, shape (permutations,)

    Raises
    ------
    UnknotError
        If all pairs together have too many paths, or a permutation takes too long to decide.
    """
    answer = decide_many(network, permutations)
    if (answer < 0).any():
        which = np.asarray(permutations)[int(np.argmax(answer < 0))].tolist()
        raise UnknotError(f"{network.name}: undecided after {MAX_CHOICES} choices for the permutation {which}")
    return np.asarray(answer == 1)


def decide_many(network: Network, permutations: npt.ArrayLike, limit: int = MAX_CHOICES) -> npt.NDArray[np.int8]:
    """Answers for several permutations: 1, 0, or −1 for those undecided after `limit` choices."""
    rows = np.asarray(permutations, dtype=np.int64)
    terminals = network.num_terminals
    if rows.ndim != 2 or rows.shape[1] != terminals or (np.sort(rows, axis=1) != np.arange(terminals)).any():
        raise UnknotError(f"{network.name}: permutations of its {terminals} terminals are needed, one a row")
    ends = np.arange(terminals)
    first, masks = _all_masks(network)
    answer = np.zeros(len(rows), dtype=np.int8)
    search_many(first, masks, np.ascontiguousarray(ends * terminals + rows), limit, answer)
    return answer
