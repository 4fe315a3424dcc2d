"""Structured buffer pools: packets share the slots of their router, some of which only higher classes may take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unknot._base.errors import RelationError
from unknot._base.numbers import require_whole
from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import Pool
from unknot.flow_control.techniques import technique
from unknot.routing.relation import Relation


def structured_pool(relation: Relation, *, slots: int = 4, reserved: int = 1) -> FlowControl:
    """Return structured buffer pools, under virtual cut-through.

    All virtual channels (VCs) that end at a router share its slots. The class of a packet is the index of its VC. A
    packet of class *i* may take the slots of classes 0 to *i*: `slots` of class 0, `reserved` of each higher class.
    Where the class grows with every hop, as in the routing ``hop_number``, deadlock is impossible, as the authors
    claim: the slots of the highest class drain, and then those of the class below. Where packets of one class wait
    for each other in two routers, they block each other, however many slots there are.

    Parameters
    ----------
    relation : Relation
        The routing.
    slots : int
        Packets of the greatest length for which each router has room, whatever their class.
    reserved : int
        Further packets for which a router has room with each higher class; none of lower classes.

    Returns
    -------
    FlowControl
        Virtual cut-through with a pool for each router and class.

    Raises
    ------
    RelationError
        If there is no slot, or `reserved` is negative.

    References
    ----------
    E. Raubold, J. Haenle: A method of deadlock-free resource allocation and flow control in packet networks, ICCC
    1976. P. M. Merlin, P. J. Schweitzer: Deadlock avoidance in store-and-forward networks, IEEE Transactions on
    Communications, 1980.

    Examples
    --------
    >>> import unknot
    >>> line = unknot.network.families.line(4)
    >>> routings = unknot.routing.hop_number(line), unknot.routing.dimension_order(line)
    >>> [unknot.verify.check(relation, flow=structured_pool(relation)).deadlock_free for relation in routings]
    [True, False]
    """
    require_whole("slots", slots, 1, error=RelationError)
    require_whole("reserved", reserved, 0, error=RelationError)
    vcs = relation.vcs
    router = relation.network.target[vcs.channel]
    grade = np.arange(vcs.total) - vcs.first[vcs.channel]
    pools = tuple(
        Pool(tuple(members.tolist()), slots + reserved * int(top))
        for here in np.unique(router)
        for top in np.unique(grade[router == here])
        for members in np.nonzero((router == here) & (grade <= top))
    )
    packets = slots + reserved * int(grade.max(initial=0))
    name = f"structured_pool(slots={slots}, reserved={reserved})"
    return replace(technique("vct"), name=name, packets=packets, pools=pools)
