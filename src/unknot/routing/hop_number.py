"""Hop-number routing: shortest paths on any network, the i-th hop on the i-th VC.

With as many VCs as the diameter D has hops, every shortest path climbs from VC to VC, so the channel dependency
graph has no cycle: no deadlock under any switching technique, on any network (Bermond & Syska 1992, proposition
5.1). The paper takes one coherent shortest path for each pair; as nothing in the argument needs that,
``choice="all"`` offers all of them and is fully adaptive. Minimal. It is the fallback for a network for which
nothing better is known.
"""

from __future__ import annotations

from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.contract import ACYCLIC
from unknot.routing.paths import Distances
from unknot.routing.relation import Relation
from unknot.routing.shortest_paths import pick_of, shortest_path_rule, steps
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels, enough_vcs


@takes_network
def hop_number(network: Network, vcs: int | None = None, *, choice: str = "first", seed: int = 1) -> Relation:
    """Shortest paths on any network with one VC per hop.

    On whole meshes, tori and hypercubes nothing is tabulated; elsewhere 2 bytes for each router and each router that
    ejects.

    Parameters
    ----------
    vcs : int, optional
        VCs per channel: the diameter (the default), or a multiple of it, shared out evenly among the hops.
    choice : {"first", "random", "all"}
        One shortest path for each router and destination, or all of them: see `shortest_paths`.
    seed : int
        Of the random choice, at least 1.

    Raises
    ------
    RelationError
        If `vcs` is not a multiple of the diameter, or the network is too large for a table; `NetworkError` if some
        terminal has no way to another.

    References
    ----------
    J.-C. Bermond, M. Syska: Routage « wormhole » et canaux virtuels. Algorithmique parallèle, Masson, 1992, 149–158.
    K. D. Günther: Prevention of deadlocks in packet-switched data transport systems. IEEE Transactions on
    Communications, 29(4), 1981, 512–524.

    Examples
    --------
    >>> from unknot.network.families import petersen
    >>> hop_number(petersen())
    <Relation hop_number (first) on petersen(), 60 VCs>
    """
    pick = pick_of("hop_number", choice, seed)
    view = steps(network, "hop_number")
    if isinstance(view, Distances):
        diameter = int(view.table[:, network.inject].max(initial=0))
    else:
        both = view.wraps & (view.directions == 3)
        diameter = int((view.radices // 2)[both].sum() + (view.radices - 1)[~both].sum())
    hops = max(1, diameter)
    why = f"the longest shortest path has {diameter} hops, so {hops} VCs per channel or a multiple of it are wanted"
    vcs = enough_vcs(network, vcs, hops, "hop_number", why)
    if vcs % hops:
        raise RelationError(f"hop_number on {network.name}: {why}; got {vcs}")
    virtual = VirtualChannels(network, vcs)
    rule = shortest_path_rule(network, virtual, view, pick=pick, share=vcs // hops, climb=True)
    return Relation(
        network,
        virtual,
        rule,
        name=f"hop_number ({choice})",
        claims=ACYCLIC,
        claims_minimal=True,
        source="Bermond & Syska 1992",
    )
