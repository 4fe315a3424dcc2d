"""Two layers on an irregular network: adaptive minimal routing on all links, escape along a triangular mesh.

A spanning incremental triangular mesh (ITM) gets one VC of its own on each of its links, routed by shortest paths
within the mesh; the other VCs of every channel are taken adaptively along any shortest path of the network. A header
waits for both. The source (Liu et al. 2002), which speaks of wormhole switching alone, says that shortest paths in a
mesh never deadlock, hence nor do both layers together. It leaves open whether a header that has escaped may return to
the adaptive layer; `returns` says, and the claim is kept for both readings. Silla & Duato (1997), whose two layers
these are, let it stay. Needs 2 VCs on the links of the mesh and 1 on the others.

Returning is refuted under wormhole switching: the way to the destination within the mesh may lead away from it in the
network. A message that has escaped, gone such a way and returned depends, from one escape VC through adaptive ones to
the next, on channels in an order that no mesh knows of. Its routes may also be endless.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.deadline import MINUTE, Deadline, counts_work
from unknot._base.errors import RelationError
from unknot.network import Network
from unknot.routing.paths import distances_to_homes
from unknot.routing.relation import EJECT, TIER, Out, Relation, cited
from unknot.routing.shortest_paths import pick_of
from unknot.routing.taking import takes_network
from unknot.routing.virtual_channels import VirtualChannels
from unknot_papers.itm.spanning import spanning
from unknot_papers.itm.topology import TriangularMesh, network_of

SOURCE = "Liu et al. 2002"


@takes_network
@counts_work
def itm_escape(
    network: Network,
    vcs: int = 2,
    *,
    kind: str = "exterior",
    returns: bool = False,
    choice: str = "all",
    seed: int = 1,
    time_limit: float | Deadline = MINUTE,
    mesh: TriangularMesh | None = None,
) -> Relation:
    """Adaptive minimal routing with escape along a spanning incremental triangular mesh.

    Parameters
    ----------
    vcs : int
        VCs of a channel on the mesh, at least 2: one to escape and the rest adaptive. Other channels have one less.
    kind : {"exterior", "general"}
        Kind of the mesh that is looked for.
    returns : bool
        Whether a header may go back from the escape to the adaptive layer; else it escapes for good.
    choice : {"all", "first", "random"}
        Which shortest paths of the mesh are candidates, as in `shortest_paths`.
    seed : int
        Seed of the random choice.
    time_limit : float or Deadline
        Seconds for the search of the mesh.
    mesh : TriangularMesh, optional
        The mesh itself, if it is known; then none is looked for.

    Raises
    ------
    RelationError
        If the network has no such mesh, or none was found in the time given; the message says which.

    References
    ----------
    P. Liu and others: Incremental switch-based network architecture. National Taiwan University, report NSC
    90-2213-E-002-144, 2002.
    F. Silla, J. Duato: Improving the efficiency of adaptive routing in networks with irregular topology. HiPC 1997.

    Examples
    --------
    >>> from unknot_papers.itm import itm
    >>> itm_escape(itm(12, extra=4, seed=3))
    <Relation itm_escape (exterior, escapes for good) on itm(12, exterior, extra=4, seed=3), 92 VCs>
    """
    from unknot.routing.rules_kernel import offer

    if isinstance(vcs, bool) or not isinstance(vcs, int) or vcs < 2:
        raise RelationError(f"itm_escape: links of the mesh need at least 2 VCs, got {vcs!r}")
    pick = pick_of("itm_escape", choice, seed)
    if mesh is None:
        search = spanning(network, kind, time_limit=time_limit)
        if search.mesh is None:
            raise RelationError(
                f"itm_escape on {network.name}: no spanning triangular mesh ({kind}): {search.reason}"
            )
        mesh = search.mesh
    on_mesh = mesh.carries(network)
    virtual = VirtualChannels(network, np.where(on_mesh, vcs, vcs - 1))
    whole = distances_to_homes(network, "itm_escape")
    within = replace(network_of(mesh, "mesh"), inject=network.inject, eject=network.eject)
    inner = distances_to_homes(within, "itm_escape")
    far, near, column = whole.table, inner.table, whole.column
    router, first, home, counts = virtual.router, virtual.first, network.eject, virtual.counts
    index, num_vcs = virtual.index, virtual.total
    (leaving, channels), target = network.outgoing, network.target
    last = vcs - 1

    def rule(at: int, address: int, out: Out) -> int:
        here, i = router[at], column[address]
        if here == home[address]:
            out[0] = EJECT
            return 1
        count = 0
        for k in range(leaving[here], leaving[here + 1]):
            c = channels[k]
            if on_mesh[c] and near[i, target[c]] == near[i, here] - 1:
                out[count] = c
                count += 1
        count = int(offer(out, count, pick, here, home[address], first, last, 1))
        for k in range(count):
            out[k] += TIER
        if returns or at >= num_vcs or index[at] != last:
            for k in range(leaving[here], leaving[here + 1]):
                c = channels[k]
                if far[i, target[c]] == far[i, here] - 1:
                    for v in range(min(counts[c], last)):
                        out[count] = first[c] + v
                        count += 1
        return count

    return cited(
        virtual,
        rule,
        f"itm_escape ({kind}, {'may return' if returns else 'escapes for good'})",
        {"wormhole": True},
        source=SOURCE,
    )
