"""Whole packet forwarding: a header enters a virtual channel that is empty, or has room for all of its packet."""

from __future__ import annotations

from dataclasses import replace

from unknot.flow_control.model import FlowControl
from unknot.flow_control.techniques import technique
from unknot.routing.relation import Relation


def whole_packet(relation: Relation) -> FlowControl:
    """Return whole packet forwarding, under wormhole switching.

    A virtual channel (VC) is granted to a header where the VC is empty, as under atomic allocation, or where the VC
    has room for the whole packet behind others. All else is wormhole switching. A routing is free of deadlock where
    wormhole switching is, as its authors claim: of packets that block each other for good, those in front of their
    VCs do so without the others.

    Parameters
    ----------
    relation : Relation
        The routing.

    Returns
    -------
    FlowControl
        Wormhole switching with another entry of buffers.

    References
    ----------
    S. Ma, N. Enright Jerger, Z. Wang: Whole packet forwarding: efficient design of fully adaptive routing algorithms
    for networks-on-chip, HPCA 2012.

    Examples
    --------
    >>> import unknot
    >>> relation = unknot.routing.duato(unknot.network.families.mesh(3, 3))
    >>> unknot.verify.check(relation, flow=whole_packet(relation)).deadlock_free
    True
    """
    return replace(
        technique("wormhole"),
        name="whole_packet()",
        enters="empty or packet",
        holding="Under whole packet forwarding, a packet may stretch over several VCs. A blocked packet keeps all "
        "its VCs, and waits until one of its next VCs is empty or has room for the whole packet.",
    )
