"""Forwarding tables: the output channel at each router depends on the address alone.

This is the routing of InfiniBand switches and of Ethernet bridges: deterministic, not always minimal, on one virtual
lane unless service levels say otherwise. Nothing is claimed about deadlock: it depends on the table, and InfiniBand
tables of Up*/Down* or fat-tree engines are usually safe, those of dimension order on a torus are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from unknot._base.errors import RelationError, UnknotError, require_known
from unknot.network import Network
from unknot.network.model import IntArray
from unknot.routing.laned_table import EJECT_HERE as EJECT_HERE
from unknot.routing.relation import EJECT, Out, Relation
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

if TYPE_CHECKING:
    from unknot.fabrics import Fabric

DROP = -2
"""Table code: no entry, or one that leads nowhere; a packet is dropped."""
UNKNOWN_ENTRY = -3
"""Table code: nobody knows; a packet goes no further, and nothing follows from it."""

Traffic = Literal["host-to-host", "host-to-switch", "switch-to-switch", "all"]
TRAFFICS: tuple[Traffic, ...] = ("host-to-host", "host-to-switch", "switch-to-switch", "all")
"""Kinds of traffic on a fabric; `all` is every port that has a LID to every other, switches to hosts included."""


@takes_network
def forwarding_table(
    network: Network,
    next_channel: npt.ArrayLike,
    vcs: int = 1,
    *,
    destination: npt.ArrayLike | None = None,
    may_use: npt.ArrayLike | None = None,
    address_labels: Sequence[str] | None = None,
    name: str = "forwarding_table",
) -> Relation:
    """The relation of a table of output channels.

    Parameters
    ----------
    network : Network
    next_channel : array_like of int, shape (routers, addresses)
        Channel taken at each router for each address, or `EJECT_HERE`, `DROP` or `UNKNOWN_ENTRY`.
    vcs : int
        VCs per channel, all candidates alike.
    destination : array_like of int, shape (addresses,), optional
        Terminal each address stands for; by default address = terminal.
    may_use : array_like of bool, shape (terminals, addresses), optional
        Which addresses a source uses; by default all of them.
    address_labels : sequence of str, optional
        Names of the addresses in messages.

    Raises
    ------
    RelationError
        If the table has the wrong shape, or an entry is a channel that does not leave its router or ejects at a
        router that is not the destination's.

    Examples
    --------
    >>> from unknot.network.families import line
    >>> forwarding_table(line(2), [[EJECT_HERE, 0], [1, EJECT_HERE]])
    <Relation forwarding_table on line(2), 2 VCs>
    """
    from unknot.routing.rules_kernel import offered

    table = np.asarray(next_channel)
    homes: Any = np.arange(network.num_terminals) if destination is None else np.asarray(destination)
    if table.dtype.kind not in "iu" or table.shape != (network.num_routers, homes.size):
        raise RelationError(
            f"{name}: a table of whole numbers of shape ({network.num_routers} routers, {homes.size} addresses) is "
            f"wanted, got shape {table.shape} of {table.dtype}"
        )
    if address_labels is not None and len(address_labels) != homes.size:
        raise RelationError(f"{name}: {len(address_labels)} labels for {homes.size} addresses")
    bad = (table < UNKNOWN_ENTRY) | (table >= network.num_channels)
    if bad.any():
        r, a = np.argwhere(bad)[0].tolist()
        raise RelationError(
            f"{name}: router {network.router_name(r)} sends address {a} to channel {table[r, a]}, but "
            f"{network.name} has channels 0 to {network.num_channels - 1}"
        )
    table = np.array(table, dtype=np.int32, order="C")
    table.setflags(write=False)
    virtual = VirtualChannels(network, vcs)
    router, first = virtual.router, virtual.first

    def rule(at: int, address: int, out: Out) -> int:
        channel = table[router[at], address]
        if channel == EJECT_HERE:
            out[0] = EJECT
            return 1
        if channel < 0:
            return 0
        return int(offered(out, 0, first[channel], vcs))

    relation = Relation(
        network,
        virtual,
        rule,
        name=name,
        destination=homes,
        may_use=None if may_use is None else np.asarray(may_use),
        address_labels=None if address_labels is None else tuple(address_labels),
    )
    _check_entries(relation, table)
    return relation


def _check_entries(relation: Relation, table: IntArray) -> None:
    network = relation.network
    routers = np.arange(network.num_routers)[:, None]
    home = network.eject[relation.destination]
    wrong = (table == EJECT_HERE) & (routers != home)
    routed = table >= 0
    wrong[routed] = network.source[table[routed]] != np.broadcast_to(routers, table.shape)[routed]
    if wrong.any():
        r, a = np.argwhere(wrong)[0].tolist()
        where = f"{relation.name}: router {network.router_name(r)} for {relation.address_name(a)}"
        if table[r, a] >= 0:
            raise RelationError(f"{where}: channel {network.channel_name(table[r, a])} does not leave this router")
        raise RelationError(f"{where}: it ejects, but the destination is at {network.router_name(int(home[a]))}")


def route_lengths(network: Network, next_channel: npt.ArrayLike) -> IntArray:
    """Hops of the route from each router for each address; −1 where it is lost, −2 − r where router r is unknown.

    The next router for one address is a function, so routes are followed by repeated squaring: O(routers × addresses
    × log routers).

    Parameters
    ----------
    next_channel : array_like of int, shape (routers, addresses)
        As for `forwarding_table`.

    Returns
    -------
    int32 array, shape (routers, addresses)
    """
    table = np.asarray(next_channel)
    drop, home = network.num_routers, network.num_routers + 1
    target = np.concatenate([network.target, [drop, drop, home]])
    lengths = np.empty(table.shape, dtype=np.int32)
    for address in range(table.shape[1]):
        unknown = np.flatnonzero(table[:, address] == UNKNOWN_ENTRY)
        step = np.concatenate([target[table[:, address]], [drop, home]])
        step[unknown] = unknown
        hops = (step < drop).astype(np.int64)
        hops[unknown] = 0
        for _ in range(network.num_routers.bit_length()):
            hops += hops[step]
            step = step[step]
        lengths[:, address] = np.where(step[:drop] == home, hops[:drop], -1)
        ends = np.isin(step[:drop], unknown)
        lengths[ends, address] = -2 - step[:drop][ends]
    return lengths


@dataclass(frozen=True, eq=False)
class Switchboard:
    """A fabric's tables as channels.

    Attributes
    ----------
    network : Network
        The fabric's network with one terminal more for the management port of each switch, called like ``S0_0[0]``.
    next_channel : int32 array, shape (routers, LIDs)
        As `forwarding_table` wants it: a packet that is sent to an unconnected port, to a host or switch that does
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
    vcs: int = 1,
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
    vcs : int
        Virtual lanes, all candidates alike; one where no service levels are known.
    lanes : int, optional
        Lanes in use, where service levels are known but no SL to VL tables: the lane is the SL modulo their number.
    replies : bool
        Whether hosts also answer at the level of the request, as the accepting side of a connection does.

    Raises
    ------
    UnknotError
        If the fabric has no tables, or no port of the wanted kind.
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
            network, board.next_channel[:, lids], vcs, destination=owner, may_use=may_use, address_labels=labels,
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
