"""Relations of routes in lanes: a lane is kept all the way, and what follows a channel depends on the destination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot.lanes.path_set import Flags, Floats, Ints
from unknot.network import Network
from unknot.routing.in_lanes import in_blocks, terminals, vcs_of_lanes
from unknot.routing.relation import EJECT, Out, Relation

if TYPE_CHECKING:
    from unknot.lanes.tables import Table


@dataclass(frozen=True, eq=False)
class Routes:
    """A route for each pair of routers, in a lane.

    Attributes
    ----------
    lane : int64 array, shape (routers, homes)
        −1 where no route is needed.
    start : int64 array, shape (routers, homes)
        The first channel.
    follow : int32 array, shape (lanes, channels, homes)
        The channel that follows a channel on the way to a home; −1: none.
    load : float64 array, shape (channels,)
        What each channel carries, in the units of the demand.
    column : int64 array, shape (terminals,), optional
        The column of each terminal; by default that of the router where it ejects, by `homes_of`.
    """

    lane: Ints
    start: Ints
    follow: npt.NDArray[np.int32]
    load: Floats
    column: Ints | None = None


def laned(
    network: Network,
    routes: Routes,
    *,
    vcs: int | None = None,
    sends: Flags | None = None,
    table: Table | None = None,
    minimal: bool = True,
    name: str = "lanes",
) -> Relation:
    """The relation of routes in lanes: address a in lane l is l · addresses + a; by default a is a terminal.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, at least the number of lanes (the default). Lane l has VC l and every further one by the
        number of lanes.
    sends : bool array, shape (terminals, terminals), optional
        Who sends to whom; by default all do.
    table : Table, optional
        Has the addresses and who uses them; the routes are to its rows.
    minimal : bool
        Whether all routes are shortest paths.
    """
    from unknot.routing.rules_kernel import vcs_of_lane

    lanes = routes.follow.shape[0]
    virtual = vcs_of_lanes(network, vcs, lanes, name)
    router, first, at_channel, num_vcs = virtual.router, virtual.first, virtual.channel, virtual.total
    total, addresses = virtual.widest, table.addresses if table else terminals(network, sends, routes.column)
    start, follow = routes.start, routes.follow
    column, count, end = addresses.row, addresses.destination.size, network.eject[addresses.destination]

    def rule(at: int, address: int, out: Out) -> int:
        here, which, lane = router[at], address % count, address // count
        home = column[which]
        if here == end[which]:
            out[0] = EJECT
            return 1
        channel = start[here, home] if at >= num_vcs else follow[lane, at_channel[at], home]
        if channel < 0:
            return 0
        return int(vcs_of_lane(out, first[channel], lane, total, lanes))

    return Relation(
        network,
        virtual,
        rule,
        name=f"{name} ({lanes} lane{'s' * (lanes > 1)})",
        **in_blocks(addresses, routes.lane, lanes, "in lane", minimal=minimal),
    )
