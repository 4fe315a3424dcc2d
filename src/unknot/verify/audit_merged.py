"""Large fabrics: hosts of a switch are routed alike, so one sender stands for all of them.

What the tables do with a packet depends on the switch and the LID, not on the host that sent it. So the dependencies
between channels, and whether packets arrive, are those of one sender at each switch; pairs are counted by weight. The
same holds of each service level where its lane is the same at all ports of all switches.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Floats, Ints, Rows, grouped
from unknot.fabrics import Fabric
from unknot.fabrics.levels import UNKNOWN
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.fabric_relation import laned_table
from unknot.routing.forwarding_table import EJECT_HERE, forwarding_table, route_lengths
from unknot.routing.relation import Relation
from unknot.routing.switchboard import (
    Levels,
    Switchboard,
    destinations,
    lane_table,
    levels_of,
    senders,
    switchboard,
    with_replies,
)

Counts = IntArray


def merged_relation(
    fabric: Fabric, board: Switchboard, traffic: str, lanes: int | None = None, *, replies: bool = False
) -> tuple[Relation, Counts] | None:
    """The relation with one terminal at each switch, and how many pairs each of its pairs stands for.

    For the arguments see `fabric_relation`.

    Returns
    -------
    Relation
        Terminal r is at switch r; its addresses are those of `fabric_relation`.
    int32 array, shape (switches, LIDs)
        Ports of the kind that send, at each switch, other than the one that has the LID. None in place of both where
        the lane of a level depends on ports, and so on hosts.
    """
    lids = destinations(fabric, traffic)
    home, counts = pairs_by_switch(fabric, board, traffic)
    network, next_channel = one_sender_each(board.network, senders(fabric, traffic)), board.next_channel[:, lids]
    labels = [fabric.lid_name(int(i)) for i in lids]
    name = f"{traffic} on the tables of {fabric.name}, one sender at each switch"
    if fabric.levels is None and fabric.lanes is None:
        relation = forwarding_table(
            network, next_channel, destination=home, may_use=counts > 0, address_labels=labels, name=name
        )
        return relation, counts
    lane = _everywhere(fabric, *lane_table(fabric, lanes))
    if lane is None:
        return None
    level = _levels_by_switch(fabric, board, traffic, lids, replies=replies)
    in_port = np.zeros(network.num_terminals, dtype=np.int32)
    return laned_table(network, next_channel, in_port, level, counts > 0, *lane, home, labels, name), counts


def mixed_relation(old: Fabric, new: Fabric) -> Relation:
    """The relation between hosts while switches change from old tables, levels and lanes to new ones.

    Each switch, and each map of lanes, follows the old or the new for each packet, and hosts send at old or new
    levels: all states that any order of changes can come to.

    Parameters
    ----------
    old, new : Fabric
        With the same network and LIDs.
    """
    both, lids, traffic = (old, new), destinations(new, "host-to-host"), "host-to-host"
    boards, network, in_port = [switchboard(one) for one in both], new.network, new.host_port
    lane, counts = zip(*(lane_table(one) for one in both), strict=True)
    terminals, home = np.arange(network.num_terminals, dtype=np.int32), new.owner[lids]
    may_use = terminals[:, None] != home
    if all(each.shape[0] == 1 for each in lane):  # hosts of a switch are alike
        network, in_port = one_sender_each(boards[1].network), np.zeros(network.num_routers, dtype=np.int32)
        home, pairs = pairs_by_switch(new, boards[1], traffic)
        each = zip(both, boards, strict=True)
        may_use, levels = pairs > 0, [_levels_by_switch(*one, traffic, lids, replies=False) for one in each]
    else:
        levels = [levels_of(one, terminals, lids) for one in both]
    towards, level = np.stack([board.next_channel[:, lids] for board in boards]), np.bitwise_or(*levels)
    return laned_table(
        network, towards, in_port, level, may_use, np.stack(np.broadcast_arrays(*lane)), max(counts), home,
        [new.lid_name(int(i)) for i in lids], f"{new.name} while switches change their tables",
    )  # fmt: skip


def _everywhere(fabric: Fabric, lane: npt.NDArray[np.int8], count: int) -> tuple[npt.NDArray[np.int8], int] | None:
    """Return the lane of each level as `laned_table` wants it, if it is the same at all ports of all switches."""
    if fabric.lanes is None:
        return lane, count
    rows = [lane[r, : ports + 1, 1 : ports + 1] for r, ports in enumerate(fabric.switch_ports.tolist())]
    first = lane[:1, :1, 1:2]
    return (first, count) if all((row == first).all() for row in rows) else None


def _levels_by_switch(fabric: Fabric, board: Switchboard, traffic: str, lids: Ints, *, replies: bool) -> Levels:
    """Return the service levels at which some port of each switch sends to each LID."""
    network, owner = board.network, fabric.owner[lids]
    count = network.num_terminals if traffic != "host-to-host" else fabric.network.num_terminals
    ports = np.arange(count, dtype=np.int32)
    level = levels_of(fabric, ports, lids)
    if replies:
        level = with_replies(level, owner)
    level[~senders(fabric, traffic)[: ports.size]] = 0
    mine = np.flatnonzero(owner < ports.size)
    level[owner[mine], mine] = 0
    levels = np.zeros((network.num_routers, lids.size), dtype=np.uint16)
    for router, own in zip(network.inject.tolist(), level, strict=False):
        levels[router] |= own
    return levels


def pairs_by_switch(fabric: Fabric, board: Switchboard, traffic: str) -> tuple[IntArray, Counts]:
    """Return the switch of each LID of a kind of traffic, and the pairs of a sender at each switch and each LID."""
    network, lids = board.network, destinations(fabric, traffic)
    sends = senders(fabric, traffic)
    at = np.bincount(network.inject[sends], minlength=network.num_routers).astype(np.int32)
    owner = fabric.owner[lids]
    home = network.eject[owner]
    counts = np.repeat(at[:, None], lids.size, axis=1)
    counts[home, np.arange(lids.size)] -= sends[owner]
    counts[~fabric.same_plane(owner)] = 0
    return home, counts


def one_sender_each(network: Network, sends: Flags | None = None) -> Network:
    """Return the network with one terminal at each switch, named after the switch's first sender."""
    at = np.arange(network.num_routers, dtype=np.int32)
    names = [f"a port of {network.router_name(r)}" for r in at.tolist()]
    for terminal in [] if sends is None else np.flatnonzero(sends)[::-1].tolist():
        names[int(network.inject[terminal])] = network.terminal_name(terminal)
    return replace(network, inject=at, eject=at, places=replace(network.places, terminal_labels=tuple(names)))


Entries = Ints


def loads_by_level(fabric: Fabric, levels: int = 1) -> Floats:
    """Return the routes between hosts over each channel and its bandwidth, those to LIDs of a port in equal shares.

    Returns
    -------
    float64 array, shape (levels, channels)
        By service level, if there are several.
    """
    board, lids = switchboard(fabric), destinations(fabric, "host-to-host")
    network, next_channel, owner = board.network, board.next_channel[:, lids], fabric.owner[lids]
    counts = [pairs_by_switch(fabric, board, "host-to-host")[1]]
    if levels > 1 and fabric.levels is not None:
        hosts = fabric.network.num_terminals
        level = np.where(np.arange(hosts)[:, None] == owner, UNKNOWN, fabric.levels[:hosts, lids])
        counts = [np.zeros(counts[0].shape, dtype=np.int32) for _ in range(levels)]
        for number, count in enumerate(counts):
            np.add.at(count, fabric.network.inject, level == number)
    hops, share = route_lengths(network, next_channel), 1 / np.bincount(owner)[owner]
    routes = np.array([followed(network, next_channel, hops, count * share) for count in counts])
    return np.asarray(routes / network.bandwidth)


def followed(network: Network, next_channel: IntArray, hops: IntArray, routes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Add up routes, by switch and LID, along their channels."""
    routes, load = routes.copy(), np.zeros(network.num_channels, dtype=routes.dtype)
    for length in range(int(hops.max(initial=0)), 0, -1):
        r, lid = np.nonzero(hops == length)
        channel = next_channel[r, lid]
        np.add.at(load, channel, routes[r, lid])
        np.add.at(routes, (network.target[channel], lid), routes[r, lid])
    return load


def cables_of(fabric: Fabric) -> list[tuple[str, tuple[int, int]]]:
    """Return the cables between switches: name, and the channels one way and back."""
    network = fabric.network
    ports = [] if network.ports is None else network.ports.tolist()
    ends = list(zip(network.source.tolist(), network.target.tolist(), ports, strict=True))
    number = {(u, p, v, q): channel for channel, (u, v, (p, q)) in enumerate(ends)}
    return [
        (f"{network.router_name(u)}[{p}] – {network.router_name(v)}[{q}]", (channel, number[v, q, u, p]))
        for channel, (u, v, (p, q)) in enumerate(ends)
        if (u, p) < (v, q)
    ]


def routes_by_channel(target: IntArray, next_channel: IntArray, at: Entries, column: Entries) -> Rows:
    """Return the table entries whose routes take each channel.

    An entry r · LIDs + i is the switch r with the LID i; `at` and `column` give those to follow, all of which arrive.
    """
    entry = at * next_channel.shape[1] + column
    taken, entries = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int64)]
    while at.size:
        channel = next_channel[at, column]
        on = channel != EJECT_HERE
        channel, column, entry = channel[on], column[on], entry[on]
        at = target[channel].astype(np.int64)
        taken.append(channel)
        entries.append(entry)
    channels = np.concatenate(taken)
    first, order = grouped(channels, target.size)
    return Rows(first, np.concatenate(entries)[order])
