"""Paths of pairs of terminals: how many there are, paths without conflict, and cuts that rule these out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.deadline import MINUTE, counts_work
from unknot._base.memory import require
from unknot._base.threads import processors
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.network.stages import reaches, stages
from unknot_papers import solved


def count_paths(network: Network) -> Ints:
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
    paths = np.zeros((network.num_routers, to.size), dtype=np.int64)
    paths[to, np.arange(to.size)] = 1
    order = view.stage[network.source]
    for stage in reversed(range(view.count - 1)):
        channels = np.flatnonzero(order == stage)
        np.add.at(paths, network.source[channels], paths[network.target[channels]])
    return np.asarray(paths[np.ix_(network.inject, column)])


def routers_of(network: Network, sources: IntArray | int, paths: npt.ArrayLike) -> IntArray:
    """The switches along paths of channels: shape (…, stages)."""
    channels = np.asarray(paths, dtype=np.int64)
    start = np.broadcast_to(network.inject[sources], channels.shape[:-1])[..., None]
    return np.concatenate([start, network.target[channels]], axis=-1).astype(np.int32)


MAX_VARIABLES = 2_000_000


@counts_work
def solve(
    network: Network, sources: IntArray, destinations: IntArray, *, time_limit: float = MINUTE, most: bool = False
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
    stage: list[int] = view.stage[network.source].tolist()
    for m, mine in enumerate(variables):
        if solver.value(served[m]):
            taken = [c for c, variable in mine.items() if solver.value(variable)]
            paths[m] = sorted(taken, key=stage.__getitem__)
    return paths


def cut(network: Network, sources: IntArray, destinations: IntArray) -> int | None:
    """The greatest number of messages that links allow if smaller than the number of messages, else None.

    By maximum flow from all sources to all destinations: a least cut of the links proves it.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    routers = network.num_routers
    top, bottom = np.full(sources.size, routers), np.full(destinations.size, routers + 1)
    tail = np.concatenate([network.source, top, network.eject[destinations]])
    head = np.concatenate([network.target, network.inject[sources], bottom])
    room = np.ones(tail.size, dtype=np.int32)
    graph = csr_matrix((room, (tail, head)), shape=(routers + 2, routers + 2))
    flow = int(maximum_flow(graph, routers, routers + 1).flow_value)
    return flow if flow < sources.size else None
