"""Routing: the relation contract and one file per algorithm."""

from unknot.routing.dimension_order import dimension_order
from unknot.routing.duato import duato
from unknot.routing.forwarding_table import forwarding_table
from unknot.routing.fully_adaptive import fully_adaptive
from unknot.routing.relation import EJECT, NO_WAIT, TIER, Candidate, Relation, VirtualChannels

__all__ = [
    "EJECT",
    "NO_WAIT",
    "TIER",
    "Candidate",
    "Relation",
    "VirtualChannels",
    "dimension_order",
    "duato",
    "forwarding_table",
    "fully_adaptive",
]
