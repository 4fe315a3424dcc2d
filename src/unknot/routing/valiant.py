"""Valiant's routing, to a waypoint drawn at random and from there to the destination; and UGAL.

Whatever the traffic, each phase carries uniform random traffic, at the price of up to twice the hops: a route of two
shortest paths has at most 2 · diameter. Any terminal may be the waypoint, source and destination included. Works with
any base routing that has one address for each terminal; each phase has half of the VCs, so 2 on a mesh and 4 on a
torus with datelines. Valiant & Brebner (1981) speak of store-and-forward; for the rest the claim is that of the base,
since packets of phase two wait for VCs of phase two only. A packet that passes its destination in phase one is not
ejected.

UGAL is Valiant's routing, but goes directly whenever the queues say that this is the faster. The direct way is the
one whose waypoint is the source itself, so all of it is phase two. Which of both is taken is a preference and decided
in simulation: at the moment a packet enters the network it compares the direct way with one by a waypoint drawn at
random, by the product of queue and hops, as known at the source router. The proof covers every choice, so it does not
depend on queues. What is taken for the queue is the variant: that of the whole first port (UGAL-L, Singh 2005), of
the VCs that the packet may take there (UGAL-L_VC), or of VCs only where both ways begin with the same port
(UGAL-L_VCH; the last two Kim, Dally, Scott & Abts 2008, for dragonflies).
"""

from __future__ import annotations

from dataclasses import replace

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


@takes_network
def ugal(
    network: Network,
    vcs: int | None = None,
    *,
    base: str = "dimension_order",
    then: str | None = None,
    variant: str = "UGAL-L_VCH",
) -> Relation:
    """Valiant's routing that goes directly where queues are short.

    Parameters
    ----------
    vcs, base, then
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
    terminals = network.num_terminals
    direct = np.arange(terminals * terminals, dtype=np.int32).reshape(terminals, terminals)
    return replace(whole, name="ugal", direct=direct, compares=variant, source="Singh 2005")
