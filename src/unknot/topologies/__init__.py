"""Named families of networks, one function each."""

from inspect import ismodule as _ismodule
from typing import TYPE_CHECKING as _TYPE_CHECKING

from unknot.moved import names_of as _names_of
from unknot.network.edges import from_edges as from_edges
from unknot.topologies.complete import complete as complete
from unknot.topologies.cube_connected_cycles import cube_connected_cycles as cube_connected_cycles
from unknot.topologies.delta import banyan as banyan
from unknot.topologies.delta import baseline as baseline
from unknot.topologies.delta import butterfly as butterfly
from unknot.topologies.delta import flip_network as flip_network
from unknot.topologies.delta import indirect_cube as indirect_cube
from unknot.topologies.delta import omega as omega
from unknot.topologies.dragonfly import dragonfly as dragonfly
from unknot.topologies.fat_trees import fat_tree as fat_tree
from unknot.topologies.fat_trees import xgft as xgft
from unknot.topologies.grids import hypercube as hypercube
from unknot.topologies.grids import line as line
from unknot.topologies.grids import mesh as mesh
from unknot.topologies.grids import ring as ring
from unknot.topologies.grids import torus as torus
from unknot.topologies.hyperx import flattened_butterfly as flattened_butterfly
from unknot.topologies.hyperx import hyperx as hyperx
from unknot.topologies.multipath import data_manipulator as data_manipulator
from unknot.topologies.multipath import dilated_banyan as dilated_banyan
from unknot.topologies.permutations import bubble_sort as bubble_sort
from unknot.topologies.permutations import pancake as pancake
from unknot.topologies.permutations import star_graph as star_graph
from unknot.topologies.random_graphs import irregular as irregular
from unknot.topologies.random_graphs import random_regular as random_regular
from unknot.topologies.rearrangeable import benes as benes
from unknot.topologies.rearrangeable import clos as clos
from unknot.topologies.rearrangeable import extra_stage as extra_stage
from unknot.topologies.rearrangeable import extra_stage_cube as extra_stage_cube
from unknot.topologies.shift_networks import de_bruijn as de_bruijn
from unknot.topologies.shift_networks import kautz as kautz
from unknot.topologies.shift_networks import shuffle_exchange as shuffle_exchange
from unknot.topologies.slim_fly import slim_fly as slim_fly
from unknot.topologies.small_graphs import chordal_ring as chordal_ring
from unknot.topologies.small_graphs import generalized_petersen as generalized_petersen
from unknot.topologies.small_graphs import heawood as heawood
from unknot.topologies.small_graphs import mcgee as mcgee
from unknot.topologies.small_graphs import pappus as pappus
from unknot.topologies.small_graphs import petersen as petersen
from unknot.topologies.small_graphs import tutte_coxeter as tutte_coxeter

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
if not _TYPE_CHECKING:
    __getattr__ = _names_of(__name__)
