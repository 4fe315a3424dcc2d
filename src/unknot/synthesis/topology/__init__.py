"""Networks made to order: the fewest hops under constraints, with lower bounds that anyone can check."""

from inspect import ismodule as _ismodule

from unknot.synthesis.topology.design import TopologyDesign as TopologyDesign
from unknot.synthesis.topology.design import designed as designed
from unknot.synthesis.topology.request import TopologyRequest as TopologyRequest
from unknot.synthesis.topology.request import requested as requested

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not _ismodule(value))
