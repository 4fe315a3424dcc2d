"""Relations of routes in lanes, as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unknot._base.arrays import Flags, Ints
from unknot._base.phrases import count as counted
from unknot.network import Network
from unknot.routing.contract import ACYCLIC, towards_home
from unknot.routing.parts import Addressing, Published
from unknot.routing.paths import homes_of
from unknot.routing.relation import Out, Relation
from unknot.routing.virtual_channels import VirtualChannels, enough_vcs


@dataclass(frozen=True, eq=False)
class Addresses:
    """Addresses, the row of routes that each has, and who uses them: bool array, shape (terminals, addresses)."""

    network: Network
    row: Ints
    destination: Ints
    may_use: Flags
    labels: tuple[str, ...]


def terminals(network: Network, sends: Flags | None, row: Ints | None = None, lids: int = 1) -> Addresses:
    """The terminals as addresses, by default all of a router with the same routes; each by some successive rows."""
    count = network.num_terminals
    use = np.ones((count, count), dtype=bool) if sends is None else sends
    names = [network.terminal_name(t) for t in range(count)]
    labels = [f"{name} by LID {i}" for name in names for i in range(lids)] if lids > 1 else names
    row = np.add.outer(homes_of(network)[1] if row is None else row, np.arange(lids)).reshape(-1)
    to, use = np.repeat(np.arange(count), lids), np.repeat(use, lids, axis=1)
    return Addresses(network, row.astype(np.int64), to, use, tuple(labels))


def in_blocks(
    addresses: Addresses,
    block: npt.NDArray[np.integer[Any]],
    count: int,
    word: str,
    *,
    minimal: bool,
    source: str = "",
) -> dict[str, Any]:
    """Arguments of a relation that has all addresses `count` times; `block` has that of each router and row."""
    start, home = addresses.network.inject[:, None], addresses.network.eject[addresses.destination]
    chosen = np.where(start == home, 0, block[start, addresses.row])
    chosen = np.where(addresses.may_use, chosen, -1)
    destination = np.tile(addresses.destination, count)
    may_use = np.concatenate([chosen == one for one in range(count)], axis=1)
    labels = tuple(f"{label} {word} {one}" for one in range(count) for label in addresses.labels)
    return {
        "addresses": Addressing(destination, may_use, labels),
        "published": Published(ACYCLIC, minimal, source),
    }


def vcs_of_lanes(
    network: Network, vcs: int | None, lanes: int, name: str = "lanes", word: str = "lane"
) -> VirtualChannels:
    """The virtual channels shared among lanes, by default one for each lane; RelationError if too few."""
    why = f"its routes need {lanes} {word}s, and so as many VCs"
    return VirtualChannels(network, enough_vcs(network, vcs, lanes, name, why))


def tabled(
    addresses: Addresses,
    next_channel: npt.NDArray[np.integer[Any]],
    lane: npt.NDArray[np.integer[Any]],
    lanes: int,
    *,
    vcs: int | None = None,
    name: str = "lanes",
    word: str = "lane",
    minimal: bool = True,
    source: str = "",
) -> Relation:
    """The relation of tables in lanes.

    Parameters
    ----------
    next_channel : int array, shape (rows, routers)
        −1 where a packet is lost.
    lane : int array, shape (routers, rows)
        Of the routes from each router.
    vcs : int, optional
        VCs per channel, at least the number of lanes (the default). Lane l has VC l and every further one by the
        number of lanes.
    """
    from unknot.routing.rules_kernel import vcs_of_lane

    network, count, row = addresses.network, addresses.row.size, addresses.row
    virtual = vcs_of_lanes(network, vcs, lanes, name, word)
    first, total, table = virtual.first, virtual.widest, next_channel.astype(np.int32)

    def step(at: int, address: int, here: int, there: int, out: Out) -> int:
        channel = table[row[address % count], here]
        if channel < 0:
            return 0
        return int(vcs_of_lane(out, first[channel], address // count, total, lanes))

    return Relation(
        network,
        virtual,
        towards_home(virtual, step, np.tile(network.eject[addresses.destination], lanes)),
        name=f"{name} ({counted(lanes, word)})",
        **in_blocks(addresses, lane, lanes, f"in {word}", minimal=minimal, source=source),
    )
