"""Named families of networks, one function each."""

from unknot.network.edges import from_edges
from unknot.topologies.complete import complete
from unknot.topologies.composite import composite_banyan, rcbn
from unknot.topologies.cube_connected_cycles import cube_connected_cycles
from unknot.topologies.delta import banyan, baseline, butterfly, flip_network, indirect_cube, omega
from unknot.topologies.grids import hypercube, line, mesh, ring, torus
from unknot.topologies.itm import itm
from unknot.topologies.random_graphs import irregular, random_regular
from unknot.topologies.rearrangeable import benes, clos, extra_stage, extra_stage_cube
from unknot.topologies.words import de_bruijn, kautz, shuffle_exchange

__all__ = [
    "banyan",
    "baseline",
    "benes",
    "butterfly",
    "clos",
    "complete",
    "composite_banyan",
    "cube_connected_cycles",
    "de_bruijn",
    "extra_stage",
    "extra_stage_cube",
    "flip_network",
    "from_edges",
    "hypercube",
    "indirect_cube",
    "irregular",
    "itm",
    "kautz",
    "line",
    "mesh",
    "omega",
    "random_regular",
    "rcbn",
    "ring",
    "shuffle_exchange",
    "torus",
]
