"""Tests of your own networks and algorithms: conformance checks, a catalogue, Hypothesis strategies.

The strategies need Hypothesis, which ``pip install "unknot[testing]"`` brings; the rest does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unknot.verify.testing.conformance import ConformanceError, check_network, check_relation, table_relation
from unknot.verify.testing.routings import NETWORKS, check_routing

if TYPE_CHECKING:
    from unknot.verify.testing.strategies import networks, relations

__all__ = [
    "NETWORKS",
    "ConformanceError",
    "check_network",
    "check_relation",
    "check_routing",
    "networks",
    "relations",
    "table_relation",
]


def __getattr__(name: str) -> Any:
    """Import what needs Hypothesis when it is first asked for."""
    if name in ("networks", "relations"):
        import importlib

        return getattr(importlib.import_module("unknot.verify.testing.strategies"), name)
    raise AttributeError(f"module 'unknot.verify.testing' has no attribute {name!r}")
