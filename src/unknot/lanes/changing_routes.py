"""Routes whose lane changes on the way, as relations: by virtual channel, or by ports and service level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.compressed_rows import ranks
from unknot._base.switching import SWITCHINGS
from unknot.lanes.path_set import Flags, Floats, Ints, Numbers, unpacked
from unknot.lanes.tables import Table, hops_of
from unknot.network import Network
from unknot.routing.in_lanes import in_blocks, terminals, vcs_of_lanes
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels

LEVELS = 16
"""Service levels of InfiniBand."""


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


def table_steps(table: Table, key: Floats) -> tuple[Ints, Ints]:
    """Steps of routes by a table: always the lowest virtual channel that is higher than the last.

    They are the first of each pair, shape (routers, rows), and the next of each virtual channel.
    """
    network = table.network
    lanes, channels = key.shape
    flat = key.T.reshape(-1)
    first = np.arange(lanes)
    start = np.full(table.wanted.shape, -1)
    step = np.full((channels * lanes, len(table.home)), -1)
    for row, then in enumerate(table.next_channel):
        going = then >= 0
        start[going, row] = lanes * then[going] + np.argmin(key[:, then[going]], axis=0)
        after = np.repeat(then[network.target], lanes)
        options = np.where(after[:, None] >= 0, lanes * after[:, None] + first, 0)
        higher = np.where((flat[options] > flat[:, None]) & (after[:, None] >= 0), flat[options], np.inf)
        best = np.argmin(higher, axis=1)
        climbs = np.isfinite(higher[np.arange(best.size), best])
        step[:, row] = np.where(climbs, options[np.arange(best.size), best], -1)
    return start, step


def changes_of(network: Network, pairs_wanted: Ints, start: Ints, step: Numbers, lanes: int, home: Ints) -> int:
    """Count the routes that change their lane."""
    pairs = unpacked(pairs_wanted, home.size)
    router, column = np.nonzero(pairs)
    vc = start[router, column]
    changed = np.zeros(vc.size, dtype=bool)
    at_home = network.target[vc // lanes] == home[column]
    for _ in range(network.num_routers):
        if at_home.all():
            break
        then = np.where(at_home, vc, step[vc, column])
        changed |= then % lanes != vc % lanes
        vc = then
        at_home = network.target[vc // lanes] == home[column]
    return int(np.count_nonzero(changed))


def moving(
    network: Network,
    start: Numbers,
    step: Numbers,
    lanes: int,
    *,
    vcs: int | None = None,
    sends: Flags | None = None,
    table: Table | None = None,
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
    table : Table, optional
        Has the addresses and who uses them; by default they are terminals.
    """
    from unknot.routing.rules_kernel import vcs_of_lane

    virtual, spread = _channels(network, lanes, vcs)
    router, first, num_vcs, total = virtual.router, virtual.first, virtual.total, virtual.widest
    addresses = table.addresses if table else terminals(network, sends)
    column, destination = addresses.row, addresses.destination
    end = network.eject[destination]
    start, step = start.astype(np.int32), step.astype(np.int32)

    def rule(at: int, address: int, out: Out) -> int:
        here, home = router[at], column[address]
        if here == end[address]:
            out[0] = EJECT
            return 1
        then = start[here, home] if at >= num_vcs else step[spread[at], home]
        if then < 0:
            return 0
        return int(vcs_of_lane(out, first[then // lanes], then % lanes, total, lanes))

    return Relation(
        network,
        virtual,
        rule,
        name=f"lanes ({lanes} that {'rise' if changes == 'rising' else 'change'})",
        destination=destination.astype(np.int32),
        may_use=sends if table is None else table.may_use,
        claims=dict.fromkeys(SWITCHINGS, True),
        claims_minimal=table is None or table.minimal,
        address_labels=None if table is None else table.labels,
    )


def _channels(network: Network, lanes: int, vcs: int | None) -> tuple[VirtualChannels, Ints]:
    """The virtual channels, and channel · lanes + lane of each."""
    virtual = vcs_of_lanes(network, vcs, lanes)
    index = np.arange(virtual.total) - virtual.first[virtual.channel]
    return virtual, virtual.channel.astype(np.int64) * lanes + index % lanes


def in_levels(table: Table, key: Floats) -> LeveledRoutes | None:
    """A service level for each pair, and what the lanes of each level are by ports; None if 16 levels do not suffice.

    A route climbs in the keys of the virtual channels. Pairs go into the first level whose entries so far let their
    route climb; where there is no entry yet it is the lowest virtual channel that climbs. Long routes go first.
    """
    from unknot.lanes.levels_kernel import fill

    network = table.network
    slot, width = _slots(network)
    hops = hops_of(network, table.next_channel, table.home)
    pairs = np.argwhere(table.wanted)
    pairs = pairs[np.argsort(-hops[pairs[:, 1], pairs[:, 0]], kind="stable")]
    level = np.full(table.wanted.shape, -1)
    entries = np.full((LEVELS, network.num_channels + network.num_routers, width), -1, dtype=np.int8)
    target = network.target.astype(np.int64)
    key = np.ascontiguousarray(key, dtype=np.float64)
    next_channel, home = np.ascontiguousarray(table.next_channel), np.ascontiguousarray(table.home)
    used, changed = fill(pairs, next_channel, home, target, slot, key, level, entries)
    return LeveledRoutes(level, entries[:used], int(changed)) if used else None


def apart(table: Table, lane: Ints, lanes: int) -> LeveledRoutes:
    """A service level for each lane, where pairs keep their lanes."""
    network = table.network
    shape = (lanes, network.num_channels + network.num_routers, _slots(network)[1])
    own = np.arange(lanes, dtype=np.int8)[:, None, None]
    return LeveledRoutes(lane, np.broadcast_to(own, shape).copy(), 0)


def _slots(network: Network) -> tuple[Ints, int]:
    """The place of each channel among those that leave its router, and the most there are."""
    slot = ranks(network.source)
    return slot, int(slot.max(initial=0)) + 1


def by_levels(table: Table, packed: LeveledRoutes, lanes: int, *, vcs: int | None = None) -> Relation:
    """The relation of tables whose lane depends on input, output and level.

    Address a at level s is s · addresses + a.
    """
    from unknot.routing.rules_kernel import vcs_of_lane

    level, entries = packed.level, packed.entries
    network, count = table.network, table.row.size
    virtual, spread = _channels(network, lanes, vcs)
    router, first, total = virtual.router, virtual.first, virtual.widest
    came = np.concatenate([spread // lanes, network.num_channels + network.inject]).astype(np.int32)
    row, home = table.row, network.eject[table.destination]
    next_channel = table.next_channel.astype(np.int32)
    slot, _ = _slots(network)

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
        name=f"lanes ({lanes} by ports and {levels} service level{'s' * (levels > 1)})",
        **in_blocks(table.addresses, level, levels, "at SL", minimal=table.minimal),
    )
