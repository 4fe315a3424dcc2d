"""ROMM: a random waypoint inside the box of source and destination, on meshes and hypercubes.

Both phases go by dimension order, each in half of the VCs, so 2 or any greater even number. Since the waypoint lies
on some shortest path, every route is one: minimal and oblivious, with more paths than dimension order alone. Nesson &
Johnsson (1995) call the two-phase form deadlock-free when the phases have separate VCs; each phase then has no cycle
of dependencies, which settles every switching technique. No packet can pass its destination in phase one.
"""

from __future__ import annotations

import numpy as np

from unknot.errors import RelationError
from unknot.network import Network
from unknot.routing.meshes import mesh_grid
from unknot.routing.relation import Relation
from unknot.routing.waypoints import both_phases, via_waypoint

MAX_ENTRIES = 2**28
"""Most triples of source, waypoint and destination in the table of which are used; a byte each."""


def romm(network: Network, vcs: int = 2, *, base: str = "dimension_order", then: str | None = None) -> Relation:
    """Two minimal phases with a waypoint on a shortest path.

    Parameters
    ----------
    vcs : int
        VCs per channel, an even number, half for each phase.
    base : str
        Routing of both phases by name, a minimal one.
    then : str, optional
        Routing of the second phase, where it differs.

    Raises
    ------
    RelationError
        If the network is not a mesh or hypercube or is too large, or as for `valiant`; `NetworkError` if it has no
        coordinates.
    """
    product = mesh_grid(network, "romm")
    terminals = network.num_terminals
    if terminals**3 > MAX_ENTRIES:
        raise RelationError(
            f"romm on {network.name}: a table of {terminals} sources × {terminals} waypoints × {terminals} "
            f"destinations is too large; the limit is {MAX_ENTRIES} entries, {int(MAX_ENTRIES ** (1 / 3))} terminals"
        )
    first, second = both_phases(network, vcs, base, then, "romm")
    at = product.coordinates[network.eject]
    may_use = np.empty((terminals, terminals, terminals), dtype=bool)
    for source in range(terminals):
        low, high = np.minimum(at[source], at), np.maximum(at[source], at)
        may_use[source] = ((low <= at[:, None]) & (at[:, None] <= high)).all(axis=2)
    return via_waypoint(
        first,
        second,
        may_use=may_use.reshape(terminals, terminals * terminals),
        name="romm",
        claims_minimal=first.claims_minimal and second.claims_minimal,
        source="Nesson & Johnsson 1995",
    )
