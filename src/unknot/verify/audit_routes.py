"""Lengths of the routes between hosts, and routes on each cable: those that are cut off when it fails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unknot._base.compressed_rows import grouped
from unknot.fabrics import Fabric
from unknot.network.model import IntArray
from unknot.routing.forwarding_table import EJECT_HERE, destinations, route_lengths, switchboard
from unknot.verify.audit_merged import pairs_by_switch

Entries = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CableLoad:
    """A cable between switches, the routes over it one way and back, and its name.

    With the tables as they are, the pairs of these routes are cut off when the cable fails.
    """

    name: str
    forth: int
    back: int

    @property
    def routes(self) -> int:
        """Both ways."""
        return self.forth + self.back


@dataclass(frozen=True)
class Routes:
    """Routes between hosts, by the tables alone.

    Attributes
    ----------
    lengths : tuple of int
        Pairs of a host port and another's LID whose route has 0, 1, 2, … hops between switches.
    cables : tuple of CableLoad
        All cables between switches, most routes first.
    """

    lengths: tuple[int, ...]
    cables: tuple[CableLoad, ...]


def routes_between_hosts(fabric: Fabric) -> Routes:
    """Follow all routes between hosts, those of a switch together. O(switches × LIDs) time and memory.

    Raises
    ------
    UnknotError
        If the fabric has no tables.

    Examples
    --------
    >>> from unknot.fabrics import read_fabric
    >>> found = routes_between_hosts(read_fabric("examples/fabrics/opensm-ring12-lash"))
    >>> found.lengths, found.cables[0].routes
    ((0, 24, 24, 24, 24, 24, 12), 36)
    """
    board = switchboard(fabric)
    network = board.network
    next_channel = board.next_channel[:, destinations(fabric, "host-to-host")]
    routes = pairs_by_switch(fabric, board, "host-to-host")[1].astype(np.int64)
    hops = route_lengths(network, next_channel)
    most = int(hops.max(initial=0))
    lengths = tuple(int(routes[hops == length].sum()) for length in range(most + 1))
    load = np.zeros(network.num_channels, dtype=np.int64)
    for length in range(most, 0, -1):
        r, lid = np.nonzero(hops == length)
        channel = next_channel[r, lid]
        np.add.at(load, channel, routes[r, lid])
        np.add.at(routes, (network.target[channel], lid), routes[r, lid])
    return Routes(lengths, _cables(fabric, load.tolist()))


def highest_load(fabric: Fabric) -> int:
    """Return the routes between hosts over the busiest channel."""
    return max((max(cable.forth, cable.back) for cable in routes_between_hosts(fabric).cables), default=0)


def _cables(fabric: Fabric, load: list[int]) -> tuple[CableLoad, ...]:
    loads = [CableLoad(name, load[forth], load[back]) for name, (forth, back) in cables_of(fabric)]
    return tuple(sorted(loads, key=lambda cable: -cable.routes))


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


def routes_by_channel(
    target: IntArray, next_channel: IntArray, at: Entries, column: Entries
) -> tuple[Entries, Entries]:
    """Return the table entries whose routes take each channel, as compressed rows.

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
    return first, np.concatenate(entries)[order]
