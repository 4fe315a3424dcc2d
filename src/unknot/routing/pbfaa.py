"""PBFAA: a fully adaptive virtual network laid over a partially adaptive one, on meshes.

Virtual network 0, the first VC of every channel, is routed by a partially adaptive algorithm that cannot deadlock;
network 1, the other VCs, offers every shortest path. A blocked header waits for both. The accounts of it name no base
and leave open whether a message may come back from network 0: `base` and `returns` say. Minimal. Liu & Yang, as Deng
& Yang report, claim it fully adaptive and deadlock-free: network 1 provides every path and network 0 avoids deadlock.
"""

from __future__ import annotations

from dataclasses import replace

from unknot.network import Network
from unknot.routing.meshes import mesh_grid
from unknot.routing.overlay import CLAIMED, overlay
from unknot.routing.relation import Relation
from unknot.routing.taking import takes_network


@takes_network
def pbfaa(network: Network, vcs: int = 2, *, base: str = "negative_first", returns: bool = True) -> Relation:
    """Fully adaptive routing over a partially adaptive base.

    Parameters
    ----------
    vcs : int
        VCs per channel: those of the base, all others fully adaptive.
    base : str
        Name of the base routing, with options if wanted.
    returns : bool
        Whether a message that has entered the base may go back to the fully adaptive network.

    Raises
    ------
    RelationError
        If the network is not a mesh or hypercube, or `base` cannot be used; `NetworkError` if it has no coordinates.

    References
    ----------
    Y. Liu, X. Yang: Virtual network overlay, a framework for adaptive routing algorithms (in Chinese). Journal of
    Computer Research and Development, 1999, no. 4, as cited by Deng & Yang.
    B. Deng, X. Yang: BNR: the tool to analyse and design the minimal deadlock-free fully adaptive routing algorithm.
    Computer Engineering & Science.

    Examples
    --------
    >>> from unknot.network.families import mesh
    >>> pbfaa(mesh(4, 4))
    <Relation pbfaa on mesh(4, 4), 96 VCs>
    """
    mesh_grid(network, "pbfaa")
    relation = overlay(network, vcs, base=base, returns=returns)
    return replace(relation, name="pbfaa", claims=dict.fromkeys(CLAIMED, True), source="Liu & Yang 1999")
