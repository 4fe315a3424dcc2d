"""Routes of an Ethernet fabric as they were read."""

from __future__ import annotations

import numpy as np

from unknot._base.arrays import offsets
from unknot._base.errors import UnknotError
from unknot.fabrics.ethernet.fabric import EthernetFabric
from unknot.network.parts import frozen
from unknot.routing.forwarding_table import NextHops


def routes_read(fabric: EthernetFabric) -> NextHops:
    """The routes of a fabric as they were read, on `fabric.hosted`: to each switch any of those to its prefixes.

    Raises
    ------
    UnknotError
        If a prefix belongs to several switches, or to none.
    """
    routers, name = range(fabric.network.num_routers), fabric.network.router_name
    rows: dict[tuple[int, int], set[int]] = {(home, router): set() for home in fabric.edges for router in routers}
    for one in fabric.destinations:
        if one.hosts and not one.dropped:
            if len(one.owners) != 1:
                homes = " and ".join(map(name, one.owners)) or "no switch"
                raise UnknotError(f"{fabric.name}: {one.name} is at {homes}, not at one switch; name a --routing")
            for router, channels in one.next_hops.items():
                rows[one.owners[0], router] |= {*channels}
    first, hops = offsets([*map(len, rows.values())]), [c for row in rows.values() for c in sorted(row)]
    return NextHops(fabric.hosted, np.array(fabric.edges), frozen(first), frozen(hops))
