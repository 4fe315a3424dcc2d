"""Forwarding tables with service levels: the lane of a packet at each switch follows from where it came in, where it
goes out and its level, as the SL to VL tables of InfiniBand switches say.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.errors import UnknotError
from unknot.fabrics import Fabric
from unknot.fabrics.levels import DROPPED, LEVELS, UNKNOWN, unrecorded
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.virtual_channels import VirtualChannels

EJECT_HERE = -1
"""Table code: the packet leaves the network at this router."""

MOST_LANES = 15
"""Data lanes of an InfiniBand link."""


Levels = npt.NDArray[np.uint16]
"""Sets of service levels: bit l for level l."""


def levels_of(fabric: Fabric, senders: IntArray, lids: npt.NDArray[np.int64]) -> Levels:
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


def laned_table(
    network: Network,
    next_channel: IntArray,
    in_port: IntArray,
    level: Levels,
    may_use: npt.NDArray[np.bool_],
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
    used = np.flatnonzero([every >> sl & 1 for sl in range(LEVELS)])
    count = owner.size
    memory.require(f"{used.size} service levels of {name}", 2 * used.size * may_use.size)
    vcs = VirtualChannels(network, lanes)
    table = np.array(next_channel, dtype=np.int32, order="C")
    ports = np.zeros((network.num_channels, 2), dtype=np.int32) if network.ports is None else network.ports
    came = np.concatenate([ports[vcs.channel, 1], in_port]).astype(np.int32)
    out_port = ports[:, 0].copy()
    levels = used.astype(np.int32)
    router, first = vcs.router, vcs.first
    single = lane.shape[0] == 1 and lane.shape[1] == 1
    flat = np.ascontiguousarray(lane)

    def rule(at: int, address: int, out: Out) -> int:
        here = router[at]
        channel = table[here, address % count]
        if channel == EJECT_HERE:
            out[0] = EJECT
            return 1
        if channel < 0:
            return 0
        sl = levels[address // count]
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
