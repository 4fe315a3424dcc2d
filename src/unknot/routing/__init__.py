"""Routing: the relation contract and one file per algorithm."""

from unknot.routing.dimension_order import dimension_order
from unknot.routing.duato import duato
from unknot.routing.forwarding_table import forwarding_table
from unknot.routing.fully_adaptive import fully_adaptive
from unknot.routing.lcfaa import lcfaa
from unknot.routing.o1turn import o1turn
from unknot.routing.odd_even import odd_even
from unknot.routing.overlay import overlay
from unknot.routing.p_cube import p_cube
from unknot.routing.pbfaa import pbfaa
from unknot.routing.planar_adaptive import planar_adaptive
from unknot.routing.relation import EJECT, NO_WAIT, TIER, Candidate, Relation, VirtualChannels
from unknot.routing.schwiebert import schwiebert
from unknot.routing.turn_model import negative_first, north_last, west_first
from unknot.routing.vba import vba

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
    "lcfaa",
    "negative_first",
    "north_last",
    "o1turn",
    "odd_even",
    "overlay",
    "p_cube",
    "pbfaa",
    "planar_adaptive",
    "schwiebert",
    "vba",
    "west_first",
]
