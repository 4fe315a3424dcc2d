"""Named families of networks, one function each."""

from unknot.network.edges import from_edges
from unknot.topologies.complete import complete
from unknot.topologies.grids import hypercube, line, mesh, ring, torus

__all__ = ["complete", "from_edges", "hypercube", "line", "mesh", "ring", "torus"]
