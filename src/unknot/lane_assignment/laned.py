"""Relations of routes in lanes: a lane is kept, or changes by VC or by ports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unknot._base import phrases
from unknot._base.arrays import IntArray, ranks
from unknot.lane_assignment.path_set import Flags, Floats, Ints, Numbers
from unknot.lane_assignment.tables import LaneTable, hop_by_hop
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.lane_tables import Addresses, in_blocks, terminals, vcs_of_lanes
from unknot.routing.parts import Addressing, Published
from unknot.routing.relation import EJECT, Out, Relation, Rule
from unknot.routing.virtual_channels import VirtualChannels

if TYPE_CHECKING:
    from unknot.lane_assignment.carried_kernel import Carried


@dataclass(frozen=True, eq=False)
class PairRoutes:
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
    follow: IntArray
    load: Floats
    column: Ints | None = None


def route_hops(routes: PairRoutes | Carried, network: Network, home: Ints) -> Ints:
    """Hops of the route of each pair, shape (routers, columns); 0 where there is none."""
    hops = np.zeros_like(routes.lane)
    router, column = np.nonzero(routes.lane >= 0)
    lane, start = routes.lane[router, column], routes.start[router, column]
    follow = routes.follow
    for route, _ in hop_by_hop(
        start, home[column], network.target, lambda route, channel: follow[lane[route], channel, column[route]]
    ):
        hops[router[route], column[route]] += 1
    return hops


def laned(
    network: Network,
    routes: PairRoutes,
    *,
    vcs: int | None = None,
    sends: Flags | None = None,
    table: LaneTable | None = None,
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
    table : LaneTable, optional
        Has the addresses and who uses them; the routes are to its rows.
    minimal : bool
        Whether all routes are shortest paths.
    """
    lanes, lane = routes.follow.shape[0], routes.lane
    addresses = table.addresses if table else terminals(network, sends, routes.column)
    start = np.where(lane >= 0, routes.start * lanes + lane, -1)
    step = np.where(routes.follow >= 0, routes.follow * lanes + np.arange(lanes, dtype=np.int32)[:, None, None], -1)
    step = step.transpose(1, 0, 2).reshape(-1, step.shape[2])
    return Relation(
        network,
        *_by_steps(network, addresses, start, step, lanes, vcs, name),
        name=f"{name} ({phrases.count(lanes, 'lane')})",
        **in_blocks(addresses, lane, lanes, "in lane", minimal=minimal),
    )


def moving(
    network: Network,
    start: Numbers,
    step: Numbers,
    lanes: int,
    *,
    vcs: int | None = None,
    sends: Flags | None = None,
    table: LaneTable | None = None,
    changes: str = "any",
) -> Relation:
    """The relation of routes whose next virtual channel depends on the virtual channel and the destination.

    Parameters
    ----------
    start : int array, shape (routers, columns)
        The first virtual channel of each pair; the columns are homes, or the rows of `table`.
    step : int array, shape (virtual channels, columns)
        The next of each; −1: none.
    vcs : int, optional
        VCs per channel, by default one for each lane. Lane l has VC l and every further one by the number of lanes.
    table : LaneTable, optional
        Has the addresses and who uses them; by default they are terminals.
    """
    addresses = table.addresses if table else terminals(network, sends)
    return Relation(
        network,
        *_by_steps(network, addresses, start, step, lanes, vcs),
        name=f"lanes ({lanes} that {'rise' if changes == 'rising' else 'change'})",
        addresses=Addressing(
            destination=addresses.destination.astype(np.int32),
            may_use=sends if table is None else addresses.may_use,
            address_labels=None if table is None else addresses.labels,
        ),
        published=Published(ACYCLIC, claims_minimal=table is None or table.minimal),
    )


def _by_steps(
    network: Network,
    addresses: Addresses,
    start: Numbers,
    step: Numbers,
    lanes: int,
    vcs: int | None,
    name: str = "lanes",
) -> tuple[VirtualChannels, Rule]:
    """The virtual channels, and the rule of the steps that `moving` takes; blocks of addresses have the same."""
    from unknot.routing.rules_kernel import vcs_of_lane

    virtual, spread = _channels(network, lanes, vcs, name)
    router, first, num_vcs, total = virtual.router, virtual.first, virtual.total, virtual.widest
    column, count, end = addresses.row, addresses.destination.size, network.eject[addresses.destination]
    start, step = start.astype(np.int32), step.astype(np.int32)

    def rule(at: int, address: int, out: Out) -> int:
        here, which = router[at], address % count
        if here == end[which]:
            out[0] = EJECT
            return 1
        then = start[here, column[which]] if at >= num_vcs else step[spread[at], column[which]]
        if then < 0:
            return 0
        return int(vcs_of_lane(out, first[then // lanes], then % lanes, total, lanes))

    return virtual, rule


def _channels(network: Network, lanes: int, vcs: int | None, name: str = "lanes") -> tuple[VirtualChannels, Ints]:
    """The virtual channels, and channel · lanes + lane of each."""
    virtual = vcs_of_lanes(network, vcs, lanes, name)
    index = np.arange(virtual.total) - virtual.first[virtual.channel]
    return virtual, virtual.channel.astype(np.int64) * lanes + index % lanes


@dataclass(frozen=True, eq=False)
class LeveledRoutes:
    """Routes that fit into the service levels.

    Attributes
    ----------
    level : int64 array, shape (routers, rows)
        Of each pair; −1 where nothing is needed.
    entries : int8 array, shape (levels, channels + routers, most channels that leave a router)
        Lanes by level, input (a channel, or channels + router for what is injected there), and place of the output
        among the channels that leave the router; −1 where no packet comes.
    changed : int
        Routes that change their lane.
    """

    level: Ints
    entries: npt.NDArray[np.int8]
    changed: int


def slots(network: Network) -> tuple[Ints, int]:
    """The position of each channel among the channels out of its router, and the highest number of positions."""
    slot = ranks(network.source)
    return slot, int(slot.max(initial=0)) + 1


def by_levels(table: LaneTable, packed: LeveledRoutes, lanes: int, *, vcs: int | None = None) -> Relation:
    """The relation of tables whose lane depends on input, output and level.

    Address a at level s is s · addresses + a.
    """
    from unknot.routing.rules_kernel import vcs_of_lane

    level, entries = packed.level, packed.entries
    network, addresses = table.network, table.addresses
    row, count, home = addresses.row, addresses.row.size, network.eject[addresses.destination]
    virtual, spread = _channels(network, lanes, vcs)
    router, first, total = virtual.router, virtual.first, virtual.widest
    came = np.concatenate([spread // lanes, network.num_channels + network.inject]).astype(np.int32)
    next_channel = table.next_channel.astype(np.int32)
    slot, _ = slots(network)

    def rule(at: int, address: int, out: Out) -> int:
        here, which, sl = router[at], address % count, address // count
        if here == home[which]:
            out[0] = EJECT
            return 1
        channel = next_channel[row[which], here]
        if channel < 0:
            return 0
        lane = entries[sl, came[at], slot[channel]]
        return 0 if lane < 0 else int(vcs_of_lane(out, first[channel], lane, total, lanes))

    levels = len(entries)
    return Relation(
        network,
        virtual,
        rule,
        name=f"lanes ({lanes} by ports and {phrases.count(levels, 'service level')})",
        **in_blocks(addresses, level, levels, "at SL", minimal=table.minimal),
    )
