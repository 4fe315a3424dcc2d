"""The model everything shares: routers, directed channels, terminals; metrics; faults; interchange.

`unknot.network.families` has a function for every named family, `unknot.network.tod` reads and writes descriptions.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from unknot._base.exports import exports as _exports

if TYPE_CHECKING:
    from unknot.network.edges import from_edges as from_edges
    from unknot.network.graph import components as components
    from unknot.network.grid import Grid as Grid
    from unknot.network.grid import grid as grid
    from unknot.network.halves import Bisection as Bisection
    from unknot.network.halves import bisection_bounds as bisection_bounds
    from unknot.network.interchange import from_networkx as from_networkx
    from unknot.network.interchange import to_networkx as to_networkx
    from unknot.network.metrics import Metrics as Metrics
    from unknot.network.metrics import distances_from as distances_from
    from unknot.network.metrics import measure as measure
    from unknot.network.model import Network as Network
    from unknot.network.parts import Places as Places
    from unknot.network.parts import Wires as Wires

_load, __dir__ = _exports(__name__)
__all__ = __dir__()


def __getattr__(name: str) -> Any:
    return _import_module(f"{__name__}.{name}") if name in ("families", "tod") else _load(name)
