"""Valiant's routing: to a waypoint drawn at random, and from there to the destination.

Whatever the traffic, each phase carries uniform random traffic, at the price of up to twice the hops: a route of two
shortest paths has at most 2 · diameter. Any terminal may be the waypoint, source and destination included. Works with
any base routing that has one address for each terminal; each phase has half of the VCs, so 2 on a mesh and 4 on a
torus with datelines. Valiant & Brebner (1981) speak of store-and-forward; for the rest the claim is that of the base,
since packets of phase two wait for VCs of phase two only. A packet that passes its destination in phase one is not
ejected.
"""

from __future__ import annotations

import numpy as np

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network
from unknot.routing.waypoints import both_phases, via_waypoint


@takes_network
def valiant(
    network: Network, vcs: int | None = None, *, base: str = "dimension_order", then: str | None = None
) -> Relation:
    """Any terminal as waypoint, two phases.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel, an even number, half for each phase. By default what the base takes by itself for each
        phase, or two where it says that it deadlocks with one.
    base : str
        Routing of both phases by name, with options if wanted: ``"dimension_order(order=[1, 0])"``.
    then : str, optional
        Routing of the second phase, where it differs.

    Raises
    ------
    RelationError
        If the VCs cannot be halved, the routing cannot be used so, or there are too many terminals; and what the
        base raises where it does not fit the network.

    References
    ----------
    L. G. Valiant, G. J. Brebner: Universal schemes for parallel communication. STOC 1981, 263–277.
    doi:10.1145/800076.802479.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> valiant(mesh(4, 4))
    <Relation valiant on mesh(4, 4), 96 VCs>
    """
    first, second = both_phases(network, vcs, base, then, "valiant")
    alone = np.unique(network.eject).size < 2
    return via_waypoint(
        first, second, name="valiant", claims_minimal=None if alone else False, source="Valiant & Brebner 1981"
    )
