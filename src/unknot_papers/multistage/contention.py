"""Links on which messages meet."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot.network import Network
from unknot.network.stages import stages


def least_contended(network: Network, source: int, destination: int, load: npt.NDArray[np.int64]) -> list[int] | None:
    """The path of a pair on whose links the fewest messages are already; None if there is no path.

    Parameters
    ----------
    load : int array, shape (channels,)
        Messages on each link.

    Notes
    -----
    O(channels): from the last stage back.
    """
    view = stages(network)
    far = np.iinfo(np.int64).max // 4
    cost = np.full(network.num_routers, far, dtype=np.int64)
    cost[network.eject[destination]] = 0
    best = np.full(network.num_routers, -1, dtype=np.int64)
    order = view.stage[network.source]
    for stage in reversed(range(view.count - 1)):
        for channel in np.flatnonzero(order == stage)[::-1].tolist():
            here, there = network.source[channel], network.target[channel]
            if cost[there] < far and cost[there] + load[channel] <= cost[here]:
                cost[here], best[here] = cost[there] + load[channel], channel
    here = int(network.inject[source])
    path: list[int] = []
    while best[here] >= 0:
        path.append(int(best[here]))
        here = int(network.target[path[-1]])
    return path if here == network.eject[destination] else None
