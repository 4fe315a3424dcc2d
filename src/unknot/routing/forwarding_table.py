"""Forwarding tables: the output channel at each router depends on the address alone.

This is the routing of InfiniBand switches and of Ethernet bridges: deterministic, not always minimal, on one virtual
lane unless service levels say otherwise. `NextHops` has several channels for each router and destination, as ECMP
uses them. Nothing is claimed about deadlock: it depends on the table, and InfiniBand tables of Up*/Down* or fat-tree
engines are usually safe, those of dimension order on a torus are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Ints, Rows
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.network.graph import survivors
from unknot.network.model import IntArray
from unknot.network.parts import frozen
from unknot.routing.parts import Addressing
from unknot.routing.paths import homes_of
from unknot.routing.relation import EJECT, Out, Relation, by_steps
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels

EJECT_HERE = -1
"""Table code: the packet leaves the network at this router."""
DROP = -2
"""Table code: no entry, or one that leads nowhere; a packet is dropped."""
UNKNOWN_ENTRY = -3
"""Table code: nobody knows; a packet goes no further, and nothing follows from it."""


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
        The network that is routed.
    next_channel : array_like of int, shape (routers, addresses)
        Channel taken at each router for each address, or `EJECT_HERE`, `DROP` or `UNKNOWN_ENTRY`.
    destination : array_like of int, shape (addresses,), optional
        Terminal each address stands for; by default address = terminal.
    may_use : array_like of bool, shape (terminals, addresses), optional
        Which addresses a source uses; by default all of them.
    address_labels : sequence of str, optional
        Names of the addresses in messages.
    name : str
        Name of the relation, for messages.

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
            f"needed, got shape {table.shape} of {table.dtype}"
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
        addresses=Addressing(
            destination=homes,
            may_use=None if may_use is None else np.asarray(may_use),
            address_labels=None if address_labels is None else tuple(address_labels),
        ),
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
class NextHops:
    """Outgoing channels for each destination router and router, as compressed rows.

    Attributes
    ----------
    network : Network
    homes : int64 array, shape (homes,)
        Destinations: the routers with terminals that eject, ascending.
    first : int32 array, shape (homes × routers + 1,)
        Where the row of each destination and router begins, destinations outermost.
    channels : int32 array
        The rows. An empty one drops packets, or is the destination itself.
    """

    network: Network
    homes: Ints
    first: IntArray
    channels: IntArray

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.first.astype(np.int64), self.channels)

    def row(self, home: int, router: int) -> list[int]:
        """Outgoing channels of a router for the destination at a position in `homes`."""
        at = home * self.network.num_routers + router
        return self._rows.at(at)

    def left(self, network: Network) -> NextHops:
        """Next hops on the network left after failures; failed next hops are struck."""
        if network.origin is None:
            return self
        kept, size = survivors(self.network, network), self.network.num_routers
        here = np.full(self.network.num_channels, -1)
        here[kept.channels] = np.arange(network.num_channels)
        homes = homes_of(network)[0]
        rows = (np.searchsorted(self.homes, kept.routers[homes])[:, None] * size + kept.routers).reshape(-1)
        hops = self._rows.take(rows)
        hops = Rows(hops.first, here[hops.entries])
        return NextHops(network, homes, *map(frozen, hops.where(hops.entries >= 0)))

    def relation(self, name: str, source: str = "") -> Relation:
        """Return the ECMP relation in one lossless class: a flow keeps its hash choice, which may be any."""
        network, (_, column) = self.network, homes_of(self.network)
        first, channels, routers = self.first, self.channels, network.num_routers
        virtual = VirtualChannels(network, 1)

        def ecmp(at: int, address: int, here: int, there: int, out: Out) -> int:
            row, count = column[address] * routers + here, 0
            for position in range(first[row], first[row + 1]):
                out[count] = channels[position]
                count += 1
            return count

        return by_steps(virtual, ecmp, name, source=source, commits=True)
