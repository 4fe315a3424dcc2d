"""Routing: the relation contract and one file per algorithm."""

from __future__ import annotations

import sys as _sys
from copyreg import pickle as _pickle
from typing import TYPE_CHECKING, Any

from unknot._base.exports import exports
from unknot.routing import named as _named
from unknot.routing import relation as _relation
from unknot.routing import taking as _taking

if TYPE_CHECKING:
    from unknot.routing.adaptive_meshes import lcfaa as lcfaa
    from unknot.routing.adaptive_meshes import planar_adaptive as planar_adaptive
    from unknot.routing.adaptive_meshes import schwiebert as schwiebert
    from unknot.routing.adaptive_meshes import vba as vba
    from unknot.routing.by_stages import destination_tag as destination_tag
    from unknot.routing.by_stages import nca as nca
    from unknot.routing.classes import in_classes as in_classes
    from unknot.routing.classes import in_ranges as in_ranges
    from unknot.routing.classes import message_classes as message_classes
    from unknot.routing.composed import composed as composed
    from unknot.routing.dimension_order import dimension_order as dimension_order
    from unknot.routing.dimension_order import o1turn as o1turn
    from unknot.routing.dimension_order import ring_lexicographic as ring_lexicographic
    from unknot.routing.dragonfly import dragonfly_minimal as dragonfly_minimal
    from unknot.routing.dragonfly import dragonfly_ugal as dragonfly_ugal
    from unknot.routing.dragonfly import dragonfly_valiant as dragonfly_valiant
    from unknot.routing.duato import duato as duato
    from unknot.routing.ethernet import bgp as bgp
    from unknot.routing.ethernet import ospf as ospf
    from unknot.routing.forbidding import forbidding as forbidding
    from unknot.routing.forwarding_table import forwarding_table as forwarding_table
    from unknot.routing.hyperx import hyperx_dimension_order as hyperx_dimension_order
    from unknot.routing.hyperx import hyperx_dimwar as hyperx_dimwar
    from unknot.routing.hyperx import hyperx_minimal as hyperx_minimal
    from unknot.routing.hyperx import hyperx_omniwar as hyperx_omniwar
    from unknot.routing.layers import dfsssp as dfsssp
    from unknot.routing.layers import lash as lash
    from unknot.routing.overlay import overlay as overlay
    from unknot.routing.overlay import pbfaa as pbfaa
    from unknot.routing.parts import Addressing as Addressing
    from unknot.routing.parts import Preference as Preference
    from unknot.routing.parts import Published as Published
    from unknot.routing.relation import EJECT as EJECT
    from unknot.routing.relation import NO_WAIT as NO_WAIT
    from unknot.routing.relation import TIER as TIER
    from unknot.routing.relation import Candidate as Candidate
    from unknot.routing.relation import Relation as Relation
    from unknot.routing.shortest_paths import fully_adaptive as fully_adaptive
    from unknot.routing.shortest_paths import hop_number as hop_number
    from unknot.routing.shortest_paths import shortest_paths as shortest_paths
    from unknot.routing.turn_model import negative_first as negative_first
    from unknot.routing.turn_model import north_last as north_last
    from unknot.routing.turn_model import odd_even as odd_even
    from unknot.routing.turn_model import p_cube as p_cube
    from unknot.routing.turn_model import west_first as west_first
    from unknot.routing.up_down import up_down as up_down
    from unknot.routing.via_waypoint import via_waypoint as via_waypoint
    from unknot.routing.virtual_channels import VirtualChannels as VirtualChannels
    from unknot.routing.waypoints import romm as romm
    from unknot.routing.waypoints import ugal as ugal
    from unknot.routing.waypoints import valiant as valiant

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()


def _reduced(relation: Relation) -> tuple[Any, ...]:
    """The pickled form of a relation: its algorithm if known, else the parts for Numba's pickler."""
    from unknot.routing.own import is_designed

    if relation.made_by is not None and not is_designed(relation.made_by[0]):
        return _named.routing, (relation.network, *relation.made_by)
    from unknot.routing.pickling_kernel import reduced

    parts: tuple[Any, ...] = reduced(relation)
    return parts


# Algorithms import the files that read them from text and pickle them, so those learn of the algorithms here.
_named.room.give(lambda: _sys.modules[__name__])
_taking.relation_reader.give(lambda: _named.relation_of)
_pickle(_relation.Relation, _reduced)
