"""The relation of the forwarding tables of a fabric."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unknot._base import memory
from unknot._base.arrays import Flags, Ints
from unknot._base.errors import UnknotError
from unknot.fabrics.fabric import Fabric
from unknot.fabrics.levels import LEVELS
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import EJECT_HERE, forwarding_table
from unknot.routing.parts import Addressing
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.switchboard import (
    Levels,
    Switchboard,
    _side,
    destinations,
    lane_table,
    levels_of,
    switchboard,
    with_replies,
)
from unknot.routing.virtual_channels import VirtualChannels


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
    may_use = sends[:, None] & fabric.pairs(terminals, owner)
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
    next_channel : int32 array, shape (routers, LIDs) or (tables, routers, LIDs)
        As for `forwarding_table`. Of several tables a switch follows any one for each packet.
    in_port : int32 array, shape (terminals,)
        Port at which each terminal sends into its switch.
    level : uint16 array, shape (terminals, LIDs)
        Service levels of each pair.
    may_use : bool array, shape (terminals, LIDs)
        Which pairs there are.
    lane, lanes
        As `lane_table` gives them; or lanes of several tables, any of which a switch follows.
    owner : int32 array, shape (LIDs,)
        Terminal of each LID.
    """
    every = int(np.bitwise_or.reduce(level, axis=None, where=may_use)) or 1
    used = np.flatnonzero([every >> sl & 1 for sl in range(LEVELS)]).astype(np.int32)
    count = owner.size
    memory.require(f"{used.size} service levels of {name}", 2 * used.size * may_use.size)
    vcs = VirtualChannels(network, lanes)
    table = np.array(next_channel, dtype=np.int32, order="C").reshape(-1, network.num_routers, count)
    ports = np.zeros((network.num_channels, 2), dtype=np.int32) if network.ports is None else network.ports
    came = np.concatenate([ports[vcs.channel, 1], in_port]).astype(np.int32)
    router, first, out_port = vcs.router, vcs.first, ports[:, 0].copy()
    single = lane.shape[-4:-2] == (1, 1)
    flat = np.ascontiguousarray(lane).reshape(-1, *lane.shape[-4:])
    tables, maps = len(table), len(flat)

    def rule(at: int, address: int, out: Out) -> int:
        here, sl, n = router[at], used[address // count], 0
        for one in range(tables):
            channel = table[one, here, address % count]
            for other in range(maps):
                entry = EJECT
                if channel != EJECT_HERE:
                    if channel < 0:
                        break
                    vl = flat[other, 0, 0, 0, sl] if single else flat[other, here, came[at], out_port[channel], sl]
                    if vl < 0:
                        continue
                    entry = first[channel] + vl
                known = False
                for i in range(n):
                    known = known or out[i] == entry
                if not known:
                    out[n] = entry
                    n += 1
        return n

    return Relation(
        network,
        vcs,
        rule,
        name=name,
        commits=tables * maps > 1,
        addresses=Addressing(
            destination=np.tile(owner, used.size),
            may_use=np.concatenate([may_use & (level >> sl & 1).astype(bool) for sl in used.tolist()], axis=1),
            address_labels=tuple(f"{label} at SL {sl}" for sl in used.tolist() for label in labels),
        ),
    )
