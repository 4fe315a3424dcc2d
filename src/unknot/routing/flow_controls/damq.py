"""Dynamically allocated multi-queue buffers: the VCs of an input port share its slots, beside those of their own."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from unknot._base.errors import RelationError
from unknot._base.numbers import require_whole
from unknot.flow_control.model import FlowControl
from unknot.flow_control.pools import Pool
from unknot.flow_control.techniques import technique
from unknot.routing.relation import Relation


def damq(relation: Relation, *, slots: int = 4, reserved: int = 1) -> FlowControl:
    """Return flow control in which the VCs of each channel share a pool of slots, under virtual cut-through.

    With reserved slots the pool is deadlock-free exactly where virtual cut-through is: a VC whose packets drain
    always takes one more. Without, a VC is shut when packets of any VC of its channel stay, so that VCs that were to
    break a cycle break none.

    Parameters
    ----------
    relation : Relation
        The routing.
    slots : int
        Packets of the greatest length for which the VCs of a channel have room together.
    reserved : int
        Packets for which each VC has room of its own beside; its first packets take it.

    Returns
    -------
    FlowControl
        Virtual cut-through with a pool for each input port.

    Raises
    ------
    RelationError
        If a number is negative, or there is no slot at all.

    References
    ----------
    Y. Tamir, G. L. Frazier: High-performance multi-queue buffers for VLSI communication switches, ISCA 1988. Their
    queues share all slots of an input port, as with ``reserved=0``.

    Examples
    --------
    >>> import unknot
    >>> relation = unknot.routing.dimension_order(unknot.network.families.ring(4), vcs=2)
    >>> [unknot.verify.check(relation, flow=damq(relation, reserved=own)).deadlock_free for own in (0, 1)]
    [False, True]
    """
    for name, number in (("slots", slots), ("reserved", reserved)):
        require_whole(name, number, 0, error=RelationError)
    if slots + reserved == 0:
        raise RelationError("damq: without a slot no packet can enter; give slots or reserved")
    pools = tuple(
        Pool(tuple(range(a, b)), slots, reserved) for a, b in pairwise(relation.vcs.first.tolist()) if a < b
    )
    name = f"damq(slots={slots}, reserved={reserved})"
    return replace(technique("vct"), name=name, packets=slots + reserved, pools=pools)
