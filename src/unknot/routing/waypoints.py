"""Waypoint schemes: one routing to a waypoint, then another to the destination.

The address is the pair of both: ``waypoint · terminals + destination``. The phases have VCs of their own on every
channel, so the VC on which a header sits gives its phase. A header that comes to the router of its waypoint in phase
one, or is injected there, asks the second routing as if it were injected at that terminal. A packet that passes its
own destination in phase one goes on. So nothing is left out of the proof and nothing is added: both phases, every
waypoint, every hand-over. The scheme is deadlock-free under a technique when both routings are: phase two never waits
for VCs of phase one.

ROMM takes a random waypoint inside the box of source and destination, on products of lines and rings.
Both phases go by dimension order, each in half of the VCs: 2 on meshes and hypercubes, 4 on tori with datelines, or
any greater even number. Since the waypoint lies on some shortest path, every route is one: minimal and oblivious,
with more paths than dimension order alone. On a ring the box is the shorter way round, or, where both are equally
short, the whole ring. Nesson & Johnsson (1995) treat meshes and tori and separate the phases by VCs; each phase then
has no cycle of dependencies, which settles every switching technique. Their paper has not been read for this, and
whether its tori have datelines in both phases is not known. No packet can pass its destination in phase one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network, grid
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network
from unknot.routing.via_waypoint import MAX_ENTRIES, both_phases, via_waypoint


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
        Routing of both phases by name, with options if needed: ``"dimension_order(order=[1, 0])"``.
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


@takes_network
def ugal(
    network: Network,
    vcs: int | None = None,
    *,
    base: str = "dimension_order",
    then: str | None = None,
    variant: str = "UGAL-L_VCH",
) -> Relation:
    """UGAL: Valiant's routing, or directly where queues are short.

    Parameters
    ----------
    vcs, base, then : int or None, str, str or None
        As for `valiant`.
    variant : {"UGAL-L_VCH", "UGAL-L_VC", "UGAL-L"}
        Queues that are compared.

    Raises
    ------
    RelationError
        If there is no such variant, or as for `valiant`.

    References
    ----------
    A. Singh: Load-balanced routing in interconnection networks. PhD thesis, Stanford University, 2005.
    J. Kim, W. J. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology. ISCA 2008, 77–88.
    doi:10.1109/ISCA.2008.19.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> ugal(mesh(4, 4))
    <Relation ugal on mesh(4, 4), 96 VCs>
    """
    whole = valiant(network, vcs, base=base, then=then)
    direct = network.num_terminals * np.arange(network.num_terminals, dtype=np.int32)
    return replace(
        whole,
        name="ugal",
        preference=replace(whole.preference, direct=direct, compares=variant),
        published=replace(whole.published, source="Singh 2005"),
    )


@takes_network
def romm(
    network: Network, vcs: int | None = None, *, base: str = "dimension_order", then: str | None = None
) -> Relation:
    """Two minimal phases with a waypoint on a shortest path.

    Parameters
    ----------
    vcs, base, then : int or None, str, str or None
        As for `valiant`; both routings are minimal ones.

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
