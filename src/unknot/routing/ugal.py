"""UGAL: Valiant's routing, with the direct way whenever the queues say that it is the faster.

The relation is that of Valiant's routing: any waypoint, two phases in VCs of their own. The direct way is the one
whose waypoint is the source itself, so all of it is phase two. Which of both is taken is a preference and decided in
simulation: at the moment a packet enters the network it compares the direct way with one by a waypoint drawn at
random, by the product of queue and hops, as known at the source router. The proof covers every choice, so it does not
depend on queues. VCs as for Valiant's routing. What is taken for the queue is the variant: that of the whole first
port (UGAL-L, Singh 2005), of the VCs that the packet may take there (UGAL-L_VC), or of VCs only where both ways begin
with the same port (UGAL-L_VCH; the last two Kim, Dally, Scott & Abts 2008, for dragonflies).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot.network import Network
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network
from unknot.routing.valiant import valiant


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
