"""Networks made to order: few hops and high throughput under constraints, with bounds that anyone can check."""

from unknot._base.public import public as _public
from unknot.synthesis.topology.asked import requested as requested
from unknot.synthesis.topology.beside import Beside as Beside
from unknot.synthesis.topology.beside import beside as beside
from unknot.synthesis.topology.cubes import cubes as cubes
from unknot.synthesis.topology.design import TopologyDesign as TopologyDesign
from unknot.synthesis.topology.design import designed as designed
from unknot.synthesis.topology.limit_files import read_limits as read_limits
from unknot.synthesis.topology.limit_files import read_nodes as read_nodes
from unknot.synthesis.topology.limits import Cut as Cut
from unknot.synthesis.topology.limits import LinkLimits as LinkLimits
from unknot.synthesis.topology.limits import ReachClass as ReachClass
from unknot.synthesis.topology.losses import DeadLink as DeadLink
from unknot.synthesis.topology.request import TopologyRequest as TopologyRequest
from unknot.synthesis.topology.throughput import Throughput as Throughput
from unknot.synthesis.topology.throughput import throughput_of as throughput_of

__all__ = _public(globals())
