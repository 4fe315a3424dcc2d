"""Named families of networks, one function each."""

from unknot.network.edges import from_edges
from unknot.topologies.complete import complete
from unknot.topologies.composite import composite_banyan, rcbn
from unknot.topologies.delta import banyan, baseline, butterfly, flip_network, indirect_cube, omega
from unknot.topologies.grids import hypercube, line, mesh, ring, torus
from unknot.topologies.itm import itm
from unknot.topologies.rearrangeable import benes, clos, extra_stage, extra_stage_cube

__all__ = [
    "banyan",
    "baseline",
    "benes",
    "butterfly",
    "clos",
    "complete",
    "composite_banyan",
    "extra_stage",
    "extra_stage_cube",
    "flip_network",
    "from_edges",
    "hypercube",
    "indirect_cube",
    "itm",
    "line",
    "mesh",
    "omega",
    "rcbn",
    "ring",
    "torus",
]
