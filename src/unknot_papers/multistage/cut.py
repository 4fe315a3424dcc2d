"""A bound that needs no search: how many messages can pass at once, whichever outputs they go to."""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.network.model import IntArray


def cut(network: Network, sources: IntArray, destinations: IntArray) -> int | None:
    """The greatest number of messages that links allow, if it is less than there are messages; else None.

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
    value = int(maximum_flow(graph, routers, routers + 1).flow_value)
    return value if value < sources.size else None
