"""Routing: the relation contract and one file per algorithm."""

from unknot.routing.classes import in_classes, message_classes
from unknot.routing.cube_connected_cycles import cube_connected_cycles
from unknot.routing.de_bruijn import de_bruijn
from unknot.routing.destination_tag import destination_tag
from unknot.routing.dfsssp import dfsssp
from unknot.routing.dimension_order import dimension_order
from unknot.routing.dragonfly import dragonfly_minimal, dragonfly_valiant
from unknot.routing.dragonfly_ugal import dragonfly_ugal
from unknot.routing.duato import duato
from unknot.routing.forwarding_table import forwarding_table
from unknot.routing.fully_adaptive import fully_adaptive
from unknot.routing.hop_number import hop_number
from unknot.routing.hyperx import hyperx_dimension_order, hyperx_minimal
from unknot.routing.hyperx_war import hyperx_dimwar, hyperx_omniwar
from unknot.routing.itm_escape import itm_escape
from unknot.routing.lash import lash
from unknot.routing.lcfaa import lcfaa
from unknot.routing.nca import nca
from unknot.routing.o1turn import o1turn
from unknot.routing.odd_even import odd_even
from unknot.routing.overlay import overlay
from unknot.routing.p_cube import p_cube
from unknot.routing.pbfaa import pbfaa
from unknot.routing.planar_adaptive import planar_adaptive
from unknot.routing.product_order import product_order
from unknot.routing.rcbn_tags import rcbn_tags
from unknot.routing.relation import EJECT, NO_WAIT, TIER, Candidate, Relation, VirtualChannels
from unknot.routing.ring_lexicographic import ring_lexicographic
from unknot.routing.romm import romm
from unknot.routing.schwiebert import schwiebert
from unknot.routing.shortest_paths import shortest_paths
from unknot.routing.shuffle_exchange import shuffle_exchange
from unknot.routing.turn_model import negative_first, north_last, west_first
from unknot.routing.two_trees import two_trees
from unknot.routing.ugal import ugal
from unknot.routing.up_down import up_down
from unknot.routing.valiant import valiant
from unknot.routing.vba import vba
from unknot.routing.waypoints import via_waypoint

__all__ = [
    "EJECT",
    "NO_WAIT",
    "TIER",
    "Candidate",
    "Relation",
    "VirtualChannels",
    "cube_connected_cycles",
    "de_bruijn",
    "destination_tag",
    "dfsssp",
    "dimension_order",
    "dragonfly_minimal",
    "dragonfly_ugal",
    "dragonfly_valiant",
    "duato",
    "forwarding_table",
    "fully_adaptive",
    "hop_number",
    "hyperx_dimension_order",
    "hyperx_dimwar",
    "hyperx_minimal",
    "hyperx_omniwar",
    "in_classes",
    "itm_escape",
    "lash",
    "lcfaa",
    "message_classes",
    "nca",
    "negative_first",
    "north_last",
    "o1turn",
    "odd_even",
    "overlay",
    "p_cube",
    "pbfaa",
    "planar_adaptive",
    "product_order",
    "rcbn_tags",
    "ring_lexicographic",
    "romm",
    "schwiebert",
    "shortest_paths",
    "shuffle_exchange",
    "two_trees",
    "ugal",
    "up_down",
    "valiant",
    "vba",
    "via_waypoint",
    "west_first",
]
