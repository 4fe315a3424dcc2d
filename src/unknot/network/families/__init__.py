"""Named families of networks, one function each.

The docstrings of all are completed by what they share.

Parameters
----------
latency : int
    Cycles of each channel.

Returns
-------
Network
    The network.
"""

import sys as _sys

from unknot._base.docstrings import complete as _complete
from unknot._base.public import public as _public
from unknot.network.edges import from_edges as from_edges
from unknot.network.families.delta import banyan as banyan
from unknot.network.families.delta import baseline as baseline
from unknot.network.families.delta import butterfly as butterfly
from unknot.network.families.delta import flip_network as flip_network
from unknot.network.families.delta import indirect_cube as indirect_cube
from unknot.network.families.delta import omega as omega
from unknot.network.families.fat_trees import fat_tree as fat_tree
from unknot.network.families.fat_trees import xgft as xgft
from unknot.network.families.finite_geometry import polarfly as polarfly
from unknot.network.families.finite_geometry import polarstar as polarstar
from unknot.network.families.grids import complete as complete
from unknot.network.families.grids import flattened_butterfly as flattened_butterfly
from unknot.network.families.grids import hypercube as hypercube
from unknot.network.families.grids import hyperx as hyperx
from unknot.network.families.grids import line as line
from unknot.network.families.grids import mesh as mesh
from unknot.network.families.grids import ring as ring
from unknot.network.families.grids import torus as torus
from unknot.network.families.grids import twisted_torus as twisted_torus
from unknot.network.families.low_diameter import dragonfly as dragonfly
from unknot.network.families.low_diameter import dragonfly_plus as dragonfly_plus
from unknot.network.families.low_diameter import slim_fly as slim_fly
from unknot.network.families.random_graphs import irregular as irregular
from unknot.network.families.random_graphs import random_regular as random_regular
from unknot.network.families.rearrangeable import benes as benes
from unknot.network.families.rearrangeable import clos as clos
from unknot.network.families.rearrangeable import data_manipulator as data_manipulator
from unknot.network.families.rearrangeable import dilated_banyan as dilated_banyan
from unknot.network.families.rearrangeable import extra_stage as extra_stage
from unknot.network.families.rearrangeable import extra_stage_cube as extra_stage_cube
from unknot.network.families.shift_networks import cube_connected_cycles as cube_connected_cycles
from unknot.network.families.shift_networks import de_bruijn as de_bruijn
from unknot.network.families.shift_networks import kautz as kautz
from unknot.network.families.shift_networks import shuffle_exchange as shuffle_exchange
from unknot.network.families.small_graphs import bubble_sort as bubble_sort
from unknot.network.families.small_graphs import chordal_ring as chordal_ring
from unknot.network.families.small_graphs import generalized_petersen as generalized_petersen
from unknot.network.families.small_graphs import heawood as heawood
from unknot.network.families.small_graphs import mcgee as mcgee
from unknot.network.families.small_graphs import pancake as pancake
from unknot.network.families.small_graphs import pappus as pappus
from unknot.network.families.small_graphs import petersen as petersen
from unknot.network.families.small_graphs import star_graph as star_graph
from unknot.network.families.small_graphs import tutte_coxeter as tutte_coxeter

__all__ = _public(globals())
for _name in __all__:
    for _doc in (_sys.modules[globals()[_name].__module__].__doc__, __doc__):
        _complete(globals()[_name], _doc)
