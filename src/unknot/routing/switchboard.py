"""The forwarding tables of a fabric as a routing: who sends to whom by LID, and where each entry leads.

With service levels, the lane of a packet at each switch follows from where it came in, where it goes out and its
level, as the SL to VL tables of InfiniBand switches say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import Flags, Ints
from unknot._base.errors import UnknotError, require_known
from unknot.fabrics.fabric import UNKNOWN_PORT, Fabric
from unknot.fabrics.levels import DROPPED, LEVELS, UNKNOWN, unrecorded
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import DROP, EJECT_HERE, UNKNOWN_ENTRY, forwarding_table
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels

MOST_LANES = 15
"""Data lanes of an InfiniBand link."""
Levels = npt.NDArray[np.uint16]
"""Sets of service levels: bit l for level l."""
Traffic = Literal["host-to-host", "host-to-switch", "switch-to-switch", "all"]
TRAFFICS: tuple[Traffic, ...] = ("host-to-host", "host-to-switch", "switch-to-switch", "all")
"""Kinds of traffic on a fabric; `all` is every port that has a LID to every other, switches to hosts included."""


@dataclass(frozen=True, eq=False)
class Switchboard:
    """A fabric's tables as channels.

    Attributes
    ----------
    network : Network
        The fabric's network with one terminal more for the management port of each switch, called like ``S0_0[0]``.
    next_channel : int32 array, shape (routers, LIDs)
        As `forwarding_table` takes it: a packet that is sent to an unconnected port, to a host or switch that does
        not have the LID, or to no port, is dropped.
    """

    network: Network
    next_channel: IntArray


def switchboard(fabric: Fabric) -> Switchboard:
    """Turn output ports into channels and ejections.

    Raises
    ------
    UnknotError
        If the fabric has no tables.
    """
    if fabric.tables is None:
        raise UnknotError(
            f"{fabric.name} has no forwarding tables (opensm-lfts.dump or opensm.fdbs), so there is no routing to "
            "judge; `unknot show` describes the network alone"
        )
    network = fabric.network
    hosts, routers = network.num_terminals, network.num_routers
    extended = replace(
        network,
        inject=np.concatenate([network.inject, np.arange(routers)]),
        eject=np.concatenate([network.eject, np.arange(routers)]),
        terminal_labels=tuple(network.terminal_name(t) for t in range(hosts))
        + tuple(f"{network.router_name(r)}[0]" for r in range(routers)),
    )
    ports = network.ports if network.ports is not None else np.zeros((0, 2), dtype=np.int32)
    wired = np.full((routers, 258), DROP, dtype=np.int32)
    wired[:, UNKNOWN_PORT] = UNKNOWN_ENTRY
    wired[network.source, ports[:, 0]] = np.arange(network.num_channels)
    ported = fabric.tables.astype(np.int64)
    next_channel = wired[np.arange(routers)[:, None], ported]
    owner = fabric.owner
    out_port = np.concatenate([fabric.host_port, np.zeros(routers, dtype=np.int32), np.array([-2])])[owner]
    home = np.concatenate([extended.eject, np.array([-1])])[owner]
    arrives = (np.arange(routers)[:, None] == home) & (ported == out_port)
    next_channel[arrives] = EJECT_HERE
    return Switchboard(extended, next_channel)


def fabric_relation(
    fabric: Fabric,
    traffic: str = "host-to-host",
    *,
    lanes: int | None = None,
    replies: bool = False,
) -> Relation:
    """The routing relation of a fabric for a kind of traffic; its addresses are the LIDs of the destinations.

    With service levels or SL to VL tables, a VC is a virtual lane, and there is a block of addresses for each service
    level in use: address a of the block l is l · LIDs + a.

    Parameters
    ----------
    fabric : Fabric
        With tables.
    traffic : {"host-to-host", "host-to-switch", "switch-to-switch", "all"}
        Sources and destinations. A port does not send to itself. For host-to-host the network is the fabric's own;
        for the others it has one terminal more for the management port of each switch.
    lanes : int, optional
        Lanes in use, where service levels are known but no SL to VL tables: the lane is the SL modulo their number.
    replies : bool
        Whether hosts also answer at the level of the request, as the accepting side of a connection does.

    Raises
    ------
    UnknotError
        If the fabric has no tables, or no port of the kind needed.
    """
    board = switchboard(fabric)
    hosts = fabric.network.num_terminals
    lids = destinations(fabric, traffic)
    network = fabric.network if traffic == "host-to-host" else board.network
    terminals = np.arange(network.num_terminals, dtype=np.int32)
    sends = _side(terminals, hosts, traffic, 0)
    if not lids.size or not sends.any():
        raise UnknotError(f"{fabric.name} has no {traffic} traffic: no port of that kind has a LID")
    owner = fabric.owner[lids]
    may_use = sends[:, None] & (terminals[:, None] != owner)
    labels = [fabric.lid_name(int(i)) for i in lids]
    name = f"{traffic} on the tables of {fabric.name}"
    if fabric.levels is None and fabric.lanes is None:
        return forwarding_table(
            network, board.next_channel[:, lids], destination=owner, may_use=may_use, address_labels=labels,
            name=name,
        )  # fmt: skip
    in_port = np.concatenate([fabric.host_port, np.zeros(network.num_terminals - hosts, dtype=np.int32)])
    level = levels_of(fabric, terminals, lids)
    if replies:
        level = with_replies(level, owner)
        name = f"{name}, replies at the level of the request"
    return laned_table(
        network, board.next_channel[:, lids], in_port, level, may_use,
        *lane_table(fabric, lanes), owner, labels, name,
    )  # fmt: skip


def destinations(fabric: Fabric, traffic: str) -> Ints:
    """Positions in `fabric.lids` of the LIDs a kind of traffic goes to: the addresses of its relation, in order."""
    require_known("unknown traffic", traffic, TRAFFICS)
    return np.flatnonzero((fabric.owner >= 0) & _side(fabric.owner, fabric.network.num_terminals, traffic, 1))


def senders(fabric: Fabric, traffic: str) -> Flags:
    """Return a mask of the ports, of hosts and then of switches, that send in a kind of traffic."""
    ports = np.arange(fabric.network.num_terminals + fabric.network.num_routers, dtype=np.int32)
    return _side(ports, fabric.network.num_terminals, traffic, 0)


def _side(ports: IntArray, hosts: int, traffic: str, side: int) -> Flags:
    """Return a mask of the ports that send (side 0) or receive (side 1) in a kind of traffic."""
    if traffic == "all":
        return np.ones(ports.shape, dtype=bool)
    hosts_meant = traffic.split("-to-")[side] == "host"
    return ports < hosts if hosts_meant else ports >= hosts


def levels_of(fabric: Fabric, senders: IntArray, lids: Ints) -> Levels:
    """Service levels from the first ports to some LIDs, by position; none between hosts without a record.

    Ports of switches send and receive at level 0 where there is no record.
    """
    if fabric.levels is None:
        return np.ones((senders.size, lids.size), dtype=np.uint16)
    levels = np.left_shift(np.uint16(1), np.maximum(fabric.levels[np.ix_(senders, lids)], 0).astype(np.uint16))
    levels[: fabric.network.num_terminals][unrecorded(fabric, lids)[: senders.size]] = 0
    place = np.full(fabric.lids.size, -1)
    place[lids] = np.arange(lids.size)
    row, column, level = fabric.more_levels.T
    kept = (row < senders.size) & (place[column] >= 0)
    np.bitwise_or.at(
        levels, (row[kept], place[column[kept]]), np.left_shift(np.uint16(1), level[kept]).astype(np.uint16)
    )
    return np.asarray(levels)


def with_replies(level: Levels, owner: IntArray) -> Levels:
    """Levels where who receives a packet may answer at its level, to any LID of the sender.

    Parameters
    ----------
    level : uint16 array, shape (terminals, LIDs)
    owner : int32 array, shape (LIDs,)
        Terminal of each LID.
    """
    order = np.argsort(owner, kind="stable")
    owners, first = np.unique(owner[order], return_index=True)
    to = np.zeros((len(level), len(level)), dtype=np.uint16)
    to[:, owners] = np.bitwise_or.reduceat(level[:, order], first, axis=1)
    return level | to.T[:, owner]


def lane_table(fabric: Fabric, lanes: int | None = None, *, also: int = 0) -> tuple[npt.NDArray[np.int8], int]:
    """Virtual lane by switch, input port, output port and service level, and the number of lanes.

    Parameters
    ----------
    lanes : int, optional
        Where the fabric has no SL to VL tables: lanes in use, of which the lane is the SL modulo their number. By
        default as many as the highest SL of a path record asks for.
    also : int
        A service level that is in use beside those of the path records.

    Returns
    -------
    int8 array, shape (switches or 1, ports or 1, ports or 1, 16)
        −1 where packets are dropped: at VL 15, or without a row.
    int
        The number of lanes: one more than the highest in use.

    Raises
    ------
    UnknotError
        If the number of lanes makes no sense, or is given beside SL to VL tables.
    """
    if lanes is not None and fabric.lanes is not None:
        raise UnknotError(f"the lanes are those of {fabric.lanes_file}; give either that file or a number of lanes")
    if lanes is not None and not 1 <= lanes <= MOST_LANES:
        raise UnknotError(f"a fabric has 1 to {MOST_LANES} data lanes, not {lanes}")
    known = np.unique(np.maximum(fabric.lids[:0] if fabric.levels is None else fabric.levels, 0))
    used = np.unique(np.concatenate([[0, also], known, fabric.more_levels[:, 2]])).astype(np.int64)
    if fabric.lanes is None:
        count = int(used.max(initial=0)) + 1 if lanes is None else lanes
        return (np.arange(LEVELS, dtype=np.int8) % count).reshape(1, 1, 1, LEVELS), count
    table = np.where(fabric.lanes == DROPPED, np.int8(UNKNOWN), fabric.lanes)
    return table, max(1, int(table[:, :, :, used].max(initial=0)) + 1)


def dropped_for_their_lane(
    fabric: Fabric,
    board: Switchboard,
    relation: Relation,
    lids: Ints,
    hops: IntArray,
    lanes: int | None = None,
) -> Flags:
    """Mask of the pairs, by terminal and LID, of which SL to VL tables drop a packet at one of its levels.

    Parameters
    ----------
    relation : Relation
        As `fabric_relation` gives it for the destinations `lids`.
    hops : int32 array, shape (terminals, LIDs)
        Lengths of routes by `route_lengths`; routes that the tables lose are not followed.
    """
    lane, _ = lane_table(fabric, lanes)
    network, hosts = relation.network, fabric.network.num_terminals
    ports = np.zeros((network.num_channels, 2), dtype=np.int32) if network.ports is None else network.ports
    in_port = np.concatenate([fabric.host_port, np.zeros(network.num_terminals - hosts, dtype=np.int32)])
    dropped = np.zeros(hops.shape, dtype=bool)
    for block, usable in enumerate(relation.usable().reshape(len(hops), -1, lids.size).transpose(1, 0, 2)):
        level = int(relation.address_name(block * lids.size).rpartition(" at SL ")[2])
        sender, column = np.nonzero(usable & (hops != -1))
        here, came = network.inject[sender], in_port[sender]
        while sender.size:
            channel = board.next_channel[here, lids[column]]
            going = channel >= 0
            sender, column, channel = sender[going], column[going], channel[going]
            lost = lane[here[going], came[going], ports[channel, 0], level] < 0
            dropped[sender[lost], column[lost]] = True
            sender, column, channel = sender[~lost], column[~lost], channel[~lost]
            here, came = network.target[channel], ports[channel, 1]
    return dropped


def laned_table(
    network: Network,
    next_channel: IntArray,
    in_port: IntArray,
    level: Levels,
    may_use: Flags,
    lane: npt.NDArray[np.int8],
    lanes: int,
    owner: IntArray,
    labels: list[str],
    name: str,
) -> Relation:
    """The relation of tables in lanes: an address is a service level in use and a destination LID.

    Parameters
    ----------
    next_channel : int32 array, shape (routers, LIDs)
        As for `forwarding_table`.
    in_port : int32 array, shape (terminals,)
        Port at which each terminal sends into its switch.
    level : uint16 array, shape (terminals, LIDs)
        Service levels of each pair.
    may_use : bool array, shape (terminals, LIDs)
        Which pairs there are.
    lane, lanes
        As `lane_table` gives them.
    owner : int32 array, shape (LIDs,)
        Terminal of each LID.
    """
    every = int(np.bitwise_or.reduce(level, axis=None, where=may_use)) or 1
    used = np.flatnonzero([every >> sl & 1 for sl in range(LEVELS)]).astype(np.int32)
    count = owner.size
    memory.require(f"{used.size} service levels of {name}", 2 * used.size * may_use.size)
    vcs = VirtualChannels(network, lanes)
    table = np.array(next_channel, dtype=np.int32, order="C")
    ports = np.zeros((network.num_channels, 2), dtype=np.int32) if network.ports is None else network.ports
    came = np.concatenate([ports[vcs.channel, 1], in_port]).astype(np.int32)
    router, first, out_port = vcs.router, vcs.first, ports[:, 0].copy()
    single = lane.shape[:2] == (1, 1)
    flat = np.ascontiguousarray(lane)

    def rule(at: int, address: int, out: Out) -> int:
        here = router[at]
        channel = table[here, address % count]
        if channel == EJECT_HERE:
            out[0] = EJECT
            return 1
        if channel < 0:
            return 0
        sl = used[address // count]
        vl = flat[0, 0, 0, sl] if single else flat[here, came[at], out_port[channel], sl]
        if vl < 0:
            return 0
        out[0] = first[channel] + vl
        return 1

    return Relation(
        network,
        vcs,
        rule,
        name=name,
        destination=np.tile(owner, used.size),
        may_use=np.concatenate([may_use & (level >> sl & 1).astype(bool) for sl in used.tolist()], axis=1),
        address_labels=tuple(f"{label} at SL {sl}" for sl in used.tolist() for label in labels),
    )
