"""The routing that a network customarily has, where nobody names another."""

from __future__ import annotations

from unknot._base.errors import NetworkError, RelationError
from unknot.network import Network
from unknot.routing.named import routing
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network

CUSTOMARY = ("nca", "dragonfly_ugal", "duato", "hyperx_minimal", "dfsssp")
"""Routings in the order in which `customary` tries them; the last takes every network."""


@takes_network
def customary(network: Network) -> Relation:
    """Return the first routing of `CUSTOMARY` that takes a network.

    Fat trees and other networks of stages get ``nca``, dragonflies ``dragonfly_ugal``, meshes, tori and hypercubes
    ``duato``, HyperX and flattened butterflies ``hyperx_minimal``. All others get ``dfsssp``, shortest paths spread
    evenly over channels and over as many layers as deadlock freedom needs.

    Raises
    ------
    RelationError
        If no routing takes the network, with the reason of the last; `NetworkError` likewise.

    Examples
    --------
    >>> customary("fat_tree(4, 2)").name, customary("petersen()").name
    ('nca (adaptive)', 'dfsssp (2 layers)')
    """
    for name in CUSTOMARY[:-1]:
        try:
            return routing(network, name)
        except (NetworkError, RelationError):
            continue
    return routing(network, CUSTOMARY[-1])
