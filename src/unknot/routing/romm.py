"""ROMM: a random waypoint inside the box of source and destination, on products of lines and rings.

Both phases go by dimension order, each in half of the VCs: 2 on meshes and hypercubes, 4 on tori with datelines, or
any greater even number. Since the waypoint lies on some shortest path, every route is one: minimal and oblivious,
with more paths than dimension order alone. On a ring the box is the shorter way round, or, where both are equally
short, the whole ring. Nesson & Johnsson (1995) treat meshes and tori and separate the phases by VCs; each phase then
has no cycle of dependencies, which settles every switching technique. Their paper has not been read for this, and
whether its tori have datelines in both phases is not known. No packet can pass its destination in phase one.
"""

from __future__ import annotations

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network, grid
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network
from unknot.routing.waypoints import both_phases, via_waypoint

MAX_ENTRIES = 2**28
"""Most triples of source, waypoint and destination in the table of which are used; a byte each."""


@takes_network
def romm(
    network: Network, vcs: int | None = None, *, base: str = "dimension_order", then: str | None = None
) -> Relation:
    """Two minimal phases with a waypoint on a shortest path.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, an even number, half for each phase; by default as for `valiant`.
    base : str
        Routing of both phases by name, a minimal one.
    then : str, optional
        Routing of the second phase, where it differs.

    Raises
    ------
    RelationError
        If the network is too large, or as for `valiant`; `NetworkError` if it is not a product of lines and rings.

    References
    ----------
    T. Nesson, S. L. Johnsson: ROMM routing on mesh and torus networks. SPAA 1995, 275–287. doi:10.1145/215399.215455.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> romm(mesh(4, 4))
    <Relation romm on mesh(4, 4), 96 VCs>
    """
    product = grid(network)
    terminals = network.num_terminals
    if terminals**3 > MAX_ENTRIES:
        raise RelationError(
            f"romm on {network.name}: a table of {terminals} sources × {terminals} waypoints × {terminals} "
            f"destinations is too large; the limit is {MAX_ENTRIES} entries, {int(MAX_ENTRIES ** (1 / 3))} terminals"
        )
    first, second = both_phases(network, vcs, base, then, "romm")
    hops = np.zeros((terminals, terminals), dtype=np.int64)
    for i, k in enumerate(product.radices):
        at, directions = product.coordinates[:, i], product.directions[i]
        up = at[network.eject] - at[network.inject][:, None]
        if not product.wraps[i]:
            hops += np.abs(up)
        else:
            hops += np.minimum(up % k, -up % k) if directions == 3 else (up if directions == 1 else -up) % k
    may_use = np.empty((terminals, terminals, terminals), dtype=bool)
    for source in range(terminals):
        may_use[source] = hops[source][:, None] + hops == hops[source]
    return via_waypoint(
        first,
        second,
        may_use=may_use.reshape(terminals, terminals * terminals),
        name="romm",
        claims_minimal=first.claims_minimal and second.claims_minimal,
        source="Nesson & Johnsson 1995",
    )
