"""Relations of routes in lanes: a lane is kept all the way, and what follows a channel depends on the destination."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot.errors import RelationError
from unknot.network import Network
from unknot.routing.paths import homes_of
from unknot.routing.relation import EJECT, Out, Relation, VirtualChannels
from unknot.switching import SWITCHINGS
from unknot.synthesis.ways import Flags, Floats, Ints

Slots = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Routes:
    """A route for each pair of routers, in a lane.

    Attributes
    ----------
    lane : int64 array, shape (routers, homes)
        −1 where no route is wanted.
    start : int64 array, shape (routers, homes)
        The first channel.
    follow : int8 array, shape (lanes, channels, homes)
        Which of the channels that leave its end, in index order, follows a channel on the way to a home; −1: none.
    load : float64 array, shape (channels,)
        What each channel carries, in the units of the demand.
    """

    lane: Ints
    start: Ints
    follow: Slots
    load: Floats


def laned(
    network: Network, routes: Routes, *, vcs: int | None = None, sends: Flags | None = None, name: str = "lanes"
) -> Relation:
    """The relation of routes in lanes: the address of terminal t in lane l is l · terminals + t.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, at least the number of lanes (the default). Lane l has VC l and every further one by the
        number of lanes.
    sends : bool array, shape (terminals, terminals), optional
        Who sends to whom; by default all do.
    """
    lanes = routes.follow.shape[0]
    vcs = lanes if vcs is None else vcs
    if vcs < lanes:
        raise RelationError(f"{name} on {network.name}: its routes need {lanes} lanes, and so as many VCs; got {vcs}")
    places = VirtualChannels(network, vcs)
    router, first, at_channel, num_vcs = places.router, places.first, places.channel, places.total
    terminals, eject = network.num_terminals, network.eject
    (leaving_first, leaving), start, follow = network.outgoing, routes.start, routes.follow
    _, column = homes_of(network)

    def rule(at: int, address: int, out: Out) -> int:
        here, terminal, lane = router[at], address % terminals, address // terminals
        home = column[terminal]
        if here == eject[terminal]:
            out[0] = EJECT
            return 1
        if at >= num_vcs:
            channel = start[here, home]
        else:
            slot = follow[lane, at_channel[at], home]
            channel = -1 if slot < 0 else leaving[leaving_first[here] + slot]
        if channel < 0:
            return 0
        count = 0
        for v in range(lane, vcs, lanes):
            out[count] = first[channel] + v
            count += 1
        return count

    lane = np.where(network.inject[:, None] == eject, 0, routes.lane[network.inject[:, None], column])
    if sends is not None:
        lane = np.where(sends, lane, -1)
    return Relation(
        network,
        places,
        rule,
        name=f"{name} ({lanes} lane{'s' * (lanes > 1)})",
        destination=np.tile(np.arange(terminals, dtype=np.int32), lanes),
        may_use=np.concatenate([lane == level for level in range(lanes)], axis=1),
        claims=dict.fromkeys(SWITCHINGS, True),
        claims_minimal=True,
        address_labels=tuple(
            f"{network.terminal_name(t)} in lane {level}" for level in range(lanes) for t in range(terminals)
        ),
    )
