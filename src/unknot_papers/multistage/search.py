"""Paths without conflict by exhaustive search over all paths of every message."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from unknot._base.errors import UnknotError
from unknot._base.threads import processors
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import reaches, stages
from unknot_papers import solved
from unknot_papers.multistage.paths import all_paths, count_paths

MAX_LISTED = 400_000
"""Most paths of all messages together that a search lists."""
MAX_CHOICES = 2_000_000
"""Choices after which a search gives up."""

Numbers = npt.NDArray[np.int64]


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
    from unknot_papers.multistage.search_kernel import search_many

    rows = np.asarray(permutations, dtype=np.int64)
    terminals = network.num_terminals
    if rows.ndim != 2 or rows.shape[1] != terminals or (np.sort(rows, axis=1) != np.arange(terminals)).any():
        raise UnknotError(f"{network.name}: permutations of its {terminals} terminals are wanted, one a row")
    ends = np.arange(terminals)
    first, masks = _all_masks(network)
    answer = np.zeros(len(rows), dtype=np.int8)
    search_many(first, masks, np.ascontiguousarray(ends * terminals + rows), limit, answer)
    return answer


MAX_VARIABLES = 2_000_000


def solve(
    network: Network, sources: IntArray, destinations: IntArray, *, time_limit: float = 60.0, most: bool = False
) -> IntArray | bool | None:
    """Disjoint paths for messages, by one flow of 0s and 1s for each of them.

    Parameters
    ----------
    most : bool
        Look for paths of as many messages as possible instead of all.

    Returns
    -------
    int32 array of shape (messages, stages − 1), rows of −1 for messages without a path; or False if there is no
    solution; or None if none was found in the time, or the problem has more than `MAX_VARIABLES` variables
    """
    from ortools.sat.python import cp_model

    view = stages(network)
    towards = reaches(network)
    came = reaches(network, back=True)
    model = cp_model.CpModel()
    users: dict[int, list[cp_model.IntVar]] = {}
    variables: list[dict[int, cp_model.IntVar]] = []
    served = []
    total = 0
    for s, d in zip(sources.tolist(), destinations.tolist(), strict=True):
        start, end = int(network.inject[s]), int(network.eject[d])
        used = np.flatnonzero(came[network.source, s] & towards[network.target, d])
        total += used.size
        if total > MAX_VARIABLES:
            return None
        mine = {int(c): model.new_bool_var("") for c in used}
        goes = model.new_bool_var("")
        served.append(goes)
        into: dict[int, list[cp_model.IntVar]] = {}
        out: dict[int, list[cp_model.IntVar]] = {}
        for channel, variable in mine.items():
            users.setdefault(channel, []).append(variable)
            out.setdefault(int(network.source[channel]), []).append(variable)
            into.setdefault(int(network.target[channel]), []).append(variable)
        for router in sorted({start, end, *into, *out}):
            entering = sum(into.get(router, [])) + (goes if router == start else 0)
            leaving = sum(out.get(router, [])) + (goes if router == end else 0)
            model.add(entering == leaving)
        variables.append(mine)
    for crowd in users.values():
        model.add_at_most_one(crowd)
    if most:
        model.maximize(sum(served))
    else:
        for goes in served:
            model.add(goes == 1)
    solver = solved(model, time_limit, min(8, processors()))
    if not solver:
        return False if solver is False else None
    paths = np.full((sources.size, view.count - 1), -1, dtype=np.int32)
    for m, mine in enumerate(variables):
        if solver.value(served[m]):
            taken = [c for c, variable in mine.items() if solver.value(variable)]
            paths[m] = sorted(taken, key=lambda c: int(view.stage[network.source[c]]))
    return paths


def cut(network: Network, sources: IntArray, destinations: IntArray) -> int | None:
    """The greatest number of messages that links allow, if it is less than there are messages; else None.

    By maximum flow from all sources to all destinations: a least cut of the links proves it.
    """
    from scipy.sparse.csgraph import maximum_flow

    routers = network.num_routers
    top, bottom = np.full(sources.size, routers), np.full(destinations.size, routers + 1)
    tail = np.concatenate([network.source, top, network.eject[destinations]])
    head = np.concatenate([network.target, network.inject[sources], bottom])
    room = np.ones(tail.size, dtype=np.int32)
    graph = csr_matrix((room, (tail, head)), shape=(routers + 2, routers + 2))
    value = int(maximum_flow(graph, routers, routers + 1).flow_value)
    return value if value < sources.size else None
