"""Minimal fully adaptive routing on any network, without any restriction.

A header may take any VC of any channel that brings it nearer to its destination. It makes no claim about deadlock:
with one VC it deadlocks as soon as four routers form a square or a ring is long enough. It is the yardstick of
adaptivity and the textbook example of why routing functions are restricted.
"""

from __future__ import annotations

from unknot.network import Network
from unknot.network.grid import whole_grid
from unknot.routing.paths import distances_to_homes
from unknot.routing.relation import Relation
from unknot.routing.shortest_paths import shortest_path_rule
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels


@takes_network
def fully_adaptive(network: Network, vcs: int = 1) -> Relation:
    """Every shortest path, on every VC.

    On whole products of lines and rings a step is judged by coordinates; on other networks by a table of distances, 2
    bytes for each router and each router that ejects.

    Parameters
    ----------
    vcs : int
        VCs per channel, all candidates alike.

    Raises
    ------
    RelationError
        If the network is no product of lines and rings and too large for a table.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> fully_adaptive(mesh(4, 4), 2)
    <Relation fully_adaptive on mesh(4, 4), 96 VCs>
    """
    virtual = VirtualChannels(network, vcs)
    view = whole_grid(network) or distances_to_homes(network, "fully_adaptive")
    rule = shortest_path_rule(network, virtual, view, share=vcs)
    return Relation(network, virtual, rule, name="fully_adaptive", claims_minimal=True)
