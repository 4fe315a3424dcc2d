"""The model everything shares: routers, directed channels, terminals; metrics; faults; interchange.

`unknot.network.families` has a function for every named family, `unknot.network.tod` reads and writes descriptions.
"""

from importlib import import_module
from types import ModuleType

from unknot.network.edges import from_edges, read_edge_list, write_edge_list
from unknot.network.graph import digest
from unknot.network.grid import Grid, grid
from unknot.network.interchange import from_networkx, to_networkx
from unknot.network.metrics import Metrics, bisection, components, distances_from, measure
from unknot.network.model import Network, Origin

__all__ = [
    "Grid",
    "Metrics",
    "Network",
    "Origin",
    "bisection",
    "components",
    "digest",
    "distances_from",
    "from_edges",
    "from_networkx",
    "grid",
    "measure",
    "read_edge_list",
    "to_networkx",
    "write_edge_list",
]


def __getattr__(name: str) -> ModuleType:
    if name in ("families", "tod"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
