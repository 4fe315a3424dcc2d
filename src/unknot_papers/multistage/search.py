"""Paths without conflict by exhaustive search over all paths of every message."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.errors import UnknotError
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import stages
from unknot_papers.multistage.paths import all_paths, count_paths

MAX_LISTED = 400_000
"""Most paths of all messages together that a search lists."""
MAX_CELLS = 200_000_000
"""Most bytes of a search, which notes for each choice which paths are left."""
MAX_CHOICES = 2_000_000
"""Choices after which a search gives up."""

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PathTable:
    """Table of all paths of some pairs, with the links of each as a set of bits.

    Attributes
    ----------
    first : int64 array, shape (pairs + 1,)
        Paths of pair i are ``first[i]:first[i + 1]``.
    paths : int32 array, shape (paths, stages − 1)
    masks : uint64 array, shape (paths, words)
    """

    first: Numbers
    paths: IntArray
    masks: npt.NDArray[np.uint64]


def path_table(network: Network, sources: npt.ArrayLike, destinations: npt.ArrayLike) -> PathTable:
    """List every path of every pair.

    Raises
    ------
    UnknotError
        If there are more than `MAX_LISTED`.
    """
    s, d = (np.asarray(ends, dtype=np.int64) for ends in (sources, destinations))
    total = int(count_paths(network)[s, d].sum())
    if total > MAX_LISTED:
        raise UnknotError(f"{network.name}: {total} paths are too many to list; the limit is {MAX_LISTED}")
    listed = [all_paths(network, a, b) for a, b in zip(s.tolist(), d.tolist(), strict=True)]
    first = np.concatenate([[0], np.cumsum([len(paths) for paths in listed], dtype=np.int64)]).astype(np.int64)
    hops = stages(network).count - 1
    paths = np.concatenate([*listed, np.empty((0, hops), dtype=np.int32)])
    masks = np.zeros((len(paths), max(1, -(-network.num_channels // 64))), dtype=np.uint64)
    at = np.arange(len(paths))
    for hop in range(hops):
        masks[at, paths[:, hop] // 64] |= np.uint64(1) << (paths[:, hop] % 64).astype(np.uint64)
    return PathTable(first, paths, masks)


def searchable(paths: int, messages: int) -> bool:
    """Whether a search over this number of paths in all is feasible."""
    return paths <= MAX_LISTED and paths * (messages + 1) <= MAX_CELLS


def find_paths(table: PathTable, messages: Numbers | None = None, limit: int = MAX_CHOICES) -> IntArray | bool | None:
    """Disjoint paths for the messages whose pairs a table lists, or for some of them.

    Returns
    -------
    int32 array of shape (messages, stages − 1), or False if there are none, or None after `limit` choices
    """
    from unknot_papers.multistage.search_kernel import search

    pairs = np.arange(table.first.size - 1) if messages is None else messages
    choice = np.zeros(pairs.size, dtype=np.int64)
    answer = search(table.first, table.masks, np.ascontiguousarray(pairs, dtype=np.int64), limit, choice)
    if answer < 0:
        return None
    return table.paths[choice] if answer else False


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
    from unknot_papers.multistage.search_kernel import search_many

    rows = np.asarray(permutations, dtype=np.int64)
    terminals = network.num_terminals
    if rows.ndim != 2 or rows.shape[1] != terminals or (np.sort(rows, axis=1) != np.arange(terminals)).any():
        raise UnknotError(f"{network.name}: permutations of its {terminals} terminals are wanted, one a row")
    ends = np.arange(terminals)
    table = path_table(network, np.repeat(ends, terminals), np.tile(ends, terminals))
    answer = np.zeros(len(rows), dtype=np.int8)
    search_many(table.first, table.masks, np.ascontiguousarray(ends * terminals + rows), limit, answer)
    return answer
