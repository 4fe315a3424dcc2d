"""Networks made to order: few hops and high throughput under constraints, with bounds that anyone can check."""

from unknot._base.public import public as _public
from unknot.synthesis.topology.beside import Beside as Beside
from unknot.synthesis.topology.beside import beside as beside
from unknot.synthesis.topology.cubes import cubes as cubes
from unknot.synthesis.topology.design import TopologyDesign as TopologyDesign
from unknot.synthesis.topology.design import designed as designed
from unknot.synthesis.topology.limits import LinkLimits as LinkLimits
from unknot.synthesis.topology.limits import read_limits as read_limits
from unknot.synthesis.topology.request import TopologyRequest as TopologyRequest
from unknot.synthesis.topology.request import requested as requested
from unknot.synthesis.topology.throughput import Throughput as Throughput
from unknot.synthesis.topology.throughput import throughput_of as throughput_of

__all__ = _public(globals())
