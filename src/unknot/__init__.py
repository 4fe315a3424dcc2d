"""Unknot: describe, route, prove, design, simulate and compare interconnection networks.

text or file → Network        Network + rule → Relation      Relation → Verdict
Relation + traffic → Run      Runs → report
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from unknot._base import extensions as _extensions
from unknot._base import plugged as _plugged
from unknot._base import shown as _shown
from unknot._base.exports import exports as _exports
from unknot._base.later import WATCHED as _WATCHED

if TYPE_CHECKING:
    from unknot._base.errors import NetworkError as NetworkError
    from unknot._base.errors import RelationError as RelationError
    from unknot._base.errors import SimulationError as SimulationError
    from unknot._base.errors import TextError as TextError
    from unknot._base.errors import UnknotError as UnknotError
    from unknot._base.memory import SizeError as SizeError
    from unknot._base.memory import memory_limit as memory_limit
    from unknot._base.units import Units as Units
    from unknot._base.version import __version__ as __version__
    from unknot.certificates import Configuration as Configuration
    from unknot.certificates import Verdict as Verdict
    from unknot.cli.result import Result as Result
    from unknot.cli.verbs import audit as audit
    from unknot.cli.verbs import check as check
    from unknot.cli.verbs import compare as compare
    from unknot.cli.verbs import curve as curve
    from unknot.cli.verbs import design_routing as design_routing
    from unknot.cli.verbs import design_topology as design_topology
    from unknot.cli.verbs import diagnose as diagnose
    from unknot.cli.verbs import every_size as every_size
    from unknot.cli.verbs import faults as faults
    from unknot.cli.verbs import lanes as lanes
    from unknot.cli.verbs import line_rate as line_rate
    from unknot.cli.verbs import protocol as protocol
    from unknot.cli.verbs import reconfigure as reconfigure
    from unknot.cli.verbs import repair as repair
    from unknot.cli.verbs import show as show
    from unknot.cli.verbs import simulate as simulate
    from unknot.network import Network as Network
    from unknot.network import measure as measure
    from unknot.network.grid import grid as grid
    from unknot.routing.relation import EJECT as EJECT
    from unknot.routing.relation import NO_WAIT as NO_WAIT
    from unknot.routing.relation import TIER as TIER
    from unknot.routing.relation import Relation as Relation
    from unknot.routing.virtual_channels import VirtualChannels as VirtualChannels
    from unknot.simulation import Run as Run
    from unknot.simulation.traces.replay import Replay as Replay
    from unknot.simulation.traces.replay import replay as replay
    from unknot.verify import deliver as deliver
    from unknot.verify.check import check_all as check_all

_plugged.find_names()
_load, _names = _exports(__name__)
_ROOMS: tuple[str, ...] = ("certificates", "fabrics", "flow_control", "lane_assignment", "network", "remedies")
_ROOMS += ("report", "routing", "simulation", "studies", "synthesis", "traffic", "verify")
__all__ = _names()


def _displays() -> Any:
    from unknot.report import notebook

    return notebook


def _lanes() -> Any:
    from unknot.lane_assignment.as_routing import lanes

    return lanes


def _watched() -> Any:
    from unknot.simulation.watch import watched

    return watched


# What rooms higher up do for rooms below them: those call it without knowing whose it is.
_shown.displays.give(_displays)
_extensions.DESIGNERS["lanes"] = _lanes
_WATCHED.give(_watched)


def __getattr__(name: str) -> Any:
    """Import a public name or a room when it is first asked for, so that start-up stays fast."""
    if name in _ROOMS:
        return _import_module(f"{__name__}.{name}")
    return _load(name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
