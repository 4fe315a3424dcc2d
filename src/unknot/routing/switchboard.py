"""The forwarding tables of a fabric as a routing: who sends to whom by LID, and where each entry leads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from unknot._base.errors import UnknotError, require_known
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import DROP, UNKNOWN_ENTRY, forwarding_table
from unknot.routing.laned_table import EJECT_HERE
from unknot.routing.relation import Relation

if TYPE_CHECKING:
    from unknot.fabrics import Fabric

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
    from unknot.fabrics.fabric import UNKNOWN_PORT

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
    from unknot.routing.laned_table import lane_table, laned_table, levels_of, with_replies

    in_port = np.concatenate([fabric.host_port, np.zeros(network.num_terminals - hosts, dtype=np.int32)])
    level = levels_of(fabric, terminals, lids)
    if replies:
        level = with_replies(level, owner)
        name = f"{name}, replies at the level of the request"
    return laned_table(
        network, board.next_channel[:, lids], in_port, level, may_use,
        *lane_table(fabric, lanes), owner, labels, name,
    )  # fmt: skip


def destinations(fabric: Fabric, traffic: str) -> npt.NDArray[np.int64]:
    """Positions in `fabric.lids` of the LIDs a kind of traffic goes to: the addresses of its relation, in order."""
    require_known("unknown traffic", traffic, TRAFFICS)
    return np.flatnonzero((fabric.owner >= 0) & _side(fabric.owner, fabric.network.num_terminals, traffic, 1))


def senders(fabric: Fabric, traffic: str) -> npt.NDArray[np.bool_]:
    """Return a mask of the ports, of hosts and then of switches, that send in a kind of traffic."""
    ports = np.arange(fabric.network.num_terminals + fabric.network.num_routers, dtype=np.int32)
    return _side(ports, fabric.network.num_terminals, traffic, 0)


def _side(ports: IntArray, hosts: int, traffic: str, side: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the ports that send (side 0) or receive (side 1) in a kind of traffic."""
    if traffic == "all":
        return np.ones(ports.shape, dtype=bool)
    hosts_meant = traffic.split("-to-")[side] == "host"
    return ports < hosts if hosts_meant else ports >= hosts
