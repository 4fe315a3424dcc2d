"""The forwarding tables of a fabric as a routing: who sends to whom by LID, and where each entry leads.

With service levels, the lane of a packet at each switch follows from where it came in, where it goes out and its
level, as the SL to VL tables of InfiniBand switches say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints
from unknot._base.errors import UnknotError, require_known
from unknot.fabrics.fabric import UNKNOWN_PORT, Fabric
from unknot.fabrics.levels import DROPPED, LEVELS, UNKNOWN, unrecorded
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import DROP, EJECT_HERE, UNKNOWN_ENTRY

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
        inject=fabric.home,
        eject=np.concatenate([network.eject, np.arange(routers)]),
        places=replace(
            network.places,
            terminal_labels=tuple(network.terminal_name(t) for t in range(hosts))
            + tuple(f"{network.router_name(r)}[0]" for r in range(routers)),
        ),
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
