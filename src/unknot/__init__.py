"""Unknot: describe, route, prove, design, simulate and compare interconnection networks.

text or file → Network        Network + rule → Relation      Relation → Verdict
Relation + traffic → Run      Runs → report
"""

from __future__ import annotations

import sys as _sys
from typing import TYPE_CHECKING, Any

from unknot._base import extensions as _extensions
from unknot._base import moved as _moved
from unknot._base import shown as _shown
from unknot._base.version import __version__

if TYPE_CHECKING:
    from unknot._base.errors import NetworkError, RelationError, SimulationError, TextError, UnknotError
    from unknot._base.memory import SizeError, memory_limit
    from unknot._base.units import Units
    from unknot.certificates import Configuration, Verdict
    from unknot.network import Network, measure
    from unknot.network.grid import grid
    from unknot.routing.relation import EJECT, NO_WAIT, TIER, Relation
    from unknot.routing.virtual_channels import VirtualChannels
    from unknot.simulation import Run, simulate
    from unknot.simulation.traces.replay import Replay, replay
    from unknot.studies import curve
    from unknot.verify import deliver
    from unknot.verify.check import check, check_all

_sys.meta_path.append(_moved.Finder)

_HOMES = {
    "unknot._base.errors": ("NetworkError", "RelationError", "SimulationError", "TextError", "UnknotError"),
    "unknot._base.memory": ("SizeError", "memory_limit"),
    "unknot.network": ("Network", "measure", "grid"),
    "unknot.routing.relation": ("EJECT", "NO_WAIT", "TIER", "Relation"),
    "unknot.routing.virtual_channels": ("VirtualChannels",),
    "unknot.simulation": ("Replay", "Run", "replay", "simulate"),
    "unknot.studies.curves": ("curve",),
    "unknot._base.units": ("Units",),
    "unknot.verify": ("Configuration", "Verdict", "check", "check_all", "deliver"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = (
    "certificates",
    "design",
    "fabrics",
    "lanes",
    "network",
    "repair",
    "report",
    "routing",
    "simulation",
    "studies",
    "traffic",
    "verify",
)

__all__ = [
    "EJECT",
    "NO_WAIT",
    "TIER",
    "Configuration",
    "Network",
    "NetworkError",
    "Relation",
    "RelationError",
    "Replay",
    "Run",
    "SimulationError",
    "SizeError",
    "TextError",
    "Units",
    "UnknotError",
    "Verdict",
    "VirtualChannels",
    "__version__",
    "check",
    "check_all",
    "curve",
    "deliver",
    "grid",
    "measure",
    "memory_limit",
    "replay",
    "simulate",
]


def _displays() -> Any:
    from unknot.report import notebook

    return notebook


def _lanes() -> Any:
    from unknot.lanes.as_routing import lanes

    return lanes


# What rooms higher up do for rooms below them: those call it without knowing whose it is.
_shown.displays.give(_displays)
_extensions.DESIGNERS["lanes"] = _lanes


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that start-up stays fast."""
    import importlib

    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in _ROOMS or f"unknot.{name}" in _moved.MODULES:
        return importlib.import_module(f"unknot.{name}")
    raise AttributeError(f"module 'unknot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
