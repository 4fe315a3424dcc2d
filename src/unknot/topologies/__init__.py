"""Named families of networks, one function each."""

from unknot.network.edges import from_edges
from unknot.topologies.complete import complete
from unknot.topologies.composite import augmented_composite_banyan, composite_banyan, rcbn
from unknot.topologies.cube_connected_cycles import cube_connected_cycles
from unknot.topologies.delta import banyan, baseline, butterfly, flip_network, indirect_cube, omega
from unknot.topologies.dragonfly import dragonfly
from unknot.topologies.fat_trees import fat_tree, xgft
from unknot.topologies.grids import hypercube, line, mesh, ring, torus
from unknot.topologies.hyperx import flattened_butterfly, hyperx
from unknot.topologies.itm import itm
from unknot.topologies.multipath import data_manipulator, dilated_banyan
from unknot.topologies.permutations import bubble_sort, pancake, star_graph
from unknot.topologies.random_graphs import irregular, random_regular
from unknot.topologies.rearrangeable import benes, clos, extra_stage, extra_stage_cube
from unknot.topologies.shift_networks import de_bruijn, kautz, shuffle_exchange
from unknot.topologies.slim_fly import slim_fly
from unknot.topologies.small_graphs import (
    chordal_ring,
    generalized_petersen,
    heawood,
    mcgee,
    pappus,
    petersen,
    tutte_coxeter,
)

__all__ = [
    "augmented_composite_banyan",
    "banyan",
    "baseline",
    "benes",
    "bubble_sort",
    "butterfly",
    "chordal_ring",
    "clos",
    "complete",
    "composite_banyan",
    "cube_connected_cycles",
    "data_manipulator",
    "de_bruijn",
    "dilated_banyan",
    "dragonfly",
    "extra_stage",
    "extra_stage_cube",
    "fat_tree",
    "flattened_butterfly",
    "flip_network",
    "from_edges",
    "generalized_petersen",
    "heawood",
    "hypercube",
    "hyperx",
    "indirect_cube",
    "irregular",
    "itm",
    "kautz",
    "line",
    "mcgee",
    "mesh",
    "omega",
    "pancake",
    "pappus",
    "petersen",
    "random_regular",
    "rcbn",
    "ring",
    "shuffle_exchange",
    "slim_fly",
    "star_graph",
    "torus",
    "tutte_coxeter",
    "xgft",
]
