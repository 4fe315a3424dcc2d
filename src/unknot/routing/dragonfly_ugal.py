"""UGAL on dragonflies: Valiant's routing by groups, or the direct way where the queues say that it is faster.

The relation is `dragonfly_valiant`; as in `ugal`, the simulation compares the direct way, here through the source's
own group, with one through a drawn group when a packet is injected (Kim, Dally, Scott & Abts 2008). Its variants
differ in the queues that are compared. Credits cannot be held back, so UGAL-L_CR is not among them, nor is UGAL-G,
which knows the queues of other routers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.dragonfly import dragonfly_valiant
from unknot.routing.groups import groups_of
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

MAX_PAIRS = 2**28
"""Most pairs of terminals for which the direct address is kept."""


@takes_network
def dragonfly_ugal(network: Network, vcs: int | None = None, *, variant: str = "UGAL-L_VCH") -> Relation:
    """Valiant's routing by groups that goes directly where queues are short.

    Parameters
    ----------
    vcs : int, optional
        As for `dragonfly_valiant`.
    variant : {"UGAL-L_VCH", "UGAL-L_VC", "UGAL-L"}
        Queues that are compared: of whole ports (UGAL-L), of the VCs that the packet may take (UGAL-L_VC), or of VCs
        only where both ways begin with the same port (UGAL-L_VCH).

    Raises
    ------
    RelationError
        If there is no such variant, or too many terminals, or as for `dragonfly_valiant`.

    References
    ----------
    J. Kim, W. J. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology. ISCA 2008, 77–88.
    doi:10.1109/ISCA.2008.19.

    Examples
    --------
    >>> from unknot.network.families import dragonfly
    >>> dragonfly_ugal(dragonfly(4), variant="UGAL-L")
    <Relation dragonfly_ugal on dragonfly(4, 2, 2), 468 VCs>
    """
    whole = dragonfly_valiant(network, vcs)
    terminals = network.num_terminals
    if terminals * terminals > MAX_PAIRS:
        raise RelationError(
            f"dragonfly_ugal on {network.name}: an address for each of {terminals} × {terminals} pairs of terminals "
            "is too much; use dragonfly_valiant"
        )
    own = groups_of(network, "dragonfly_ugal").group[network.inject].astype(np.int64)
    direct = own[:, None] * terminals + np.arange(terminals)
    return replace(whole, name="dragonfly_ugal", direct=direct.astype(np.int32), compares=variant)
