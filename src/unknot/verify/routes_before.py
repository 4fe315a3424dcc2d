"""All shortest paths before failures, from which most of what is after them can be known.

Where a router keeps a next hop to a destination, its paths there stay as long as they were. If all routers do, each
buffer waits afterwards for some of those that it waited for before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints
from unknot._base.kernels.lazy_kernel import is_small, plainly
from unknot.network import Network
from unknot.network.graph import shortest_cycle


def hops_to(homes: Ints, first: Ints, before: npt.NDArray[np.int32]) -> npt.NDArray[np.int16]:
    """Hops to each destination from each router, −1 without a path, by compressed rows of the routers before each."""
    from unknot.network.graph_kernel import distances

    routers = first.size - 1
    table = np.empty(homes.size * routers, dtype=np.int16)
    with plainly(is_small(homes.size * (routers + before.size), distances)):
        distances(first, before, homes, table)
    return table.reshape(-1, routers)


@dataclass(frozen=True, eq=False)
class RoutesBefore:
    """Shortest paths to some destinations.

    Attributes
    ----------
    network : Network
    homes : int64 array
        The destinations.
    tail, head : int64 arrays
        Channels, and those that they wait for.
    """

    network: Network
    homes: Ints
    tail: Ints
    head: Ints

    @cached_property
    def hops(self) -> npt.NDArray[np.int16]:
        """Hops from each router to each destination, shape (routers, homes)."""
        first, channels = self.network.incoming
        return np.ascontiguousarray(hops_to(self.homes, first, self.network.source[channels]).T)

    def longer(self, alive: npt.NDArray[np.bool_]) -> Ints:
        """Destinations to which a router has no next hop of before when only some channels are alive."""
        network, (first, outgoing) = self.network, self.network.outgoing
        up = np.zeros(network.num_routers, dtype=bool)
        up[network.source[alive]] = up[network.target[alive]] = True
        longer = np.zeros(self.homes.size, dtype=bool)
        for router in np.unique(network.source[~alive]):
            onward = outgoing[first[router] : first[router + 1]]
            hops, near = self.hops[router], self.hops[network.target[onward[alive[onward]]]]
            longer |= up[router] & (hops > 0) & ~(near == hops - 1).any(axis=0)
        return self.homes[longer]

    def circle(self, alive: npt.NDArray[np.bool_], tail: Ints, head: Ints) -> list[int]:
        """A circle of channels that wait as before, or now as given; none if there is none."""
        still = alive[self.tail] & alive[self.head]
        tail, head = np.concatenate([self.tail[still], tail]), np.concatenate([self.head[still], head])
        return shortest_cycle(tail, head, 1)

    def destinations(self, circle: list[int]) -> Ints:
        """For each step of a circle the nearest destination that had it on a shortest path."""
        source, target, nearest = self.network.source, self.network.target, list[int]()
        for channel, onward in pairwise([*circle, circle[0]]):
            before, at, after = (self.hops[r] for r in (source[channel], target[channel], target[onward]))
            fitting = np.flatnonzero((before == at + 1) & (at == after + 1))
            nearest += [int(self.homes[fitting[np.argmin(after[fitting])]])] if fitting.size else []
        return np.array(nearest, dtype=np.int64)
