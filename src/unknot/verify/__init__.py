"""Proofs and counterexamples: dependency graphs, deadlock decisions, certificates, delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unknot._base.exports import exports

if TYPE_CHECKING:
    from unknot._base.switching import SWITCHINGS as SWITCHINGS
    from unknot._base.switching import Switching as Switching
    from unknot.verify.adaptivity import Adaptivity as Adaptivity
    from unknot.verify.adaptivity import adaptivity as adaptivity
    from unknot.verify.best_split import best_loads as best_loads
    from unknot.verify.check import check as check
    from unknot.verify.check import check_all as check_all
    from unknot.verify.delivery import Delivery as Delivery
    from unknot.verify.delivery import Livelock as Livelock
    from unknot.verify.delivery import deliver as deliver
    from unknot.verify.delivery import livelock as livelock
    from unknot.verify.failures import Failures as Failures
    from unknot.verify.fault_sweep import FaultSweep as FaultSweep
    from unknot.verify.fault_sweep import fault_sweep as fault_sweep
    from unknot.verify.flow_routes import FlowRoutes as FlowRoutes
    from unknot.verify.flow_routes import route_flows as route_flows
    from unknot.verify.loads import Loads as Loads
    from unknot.verify.loads import loads as loads
    from unknot.verify.permutations import WorstPermutation as WorstPermutation
    from unknot.verify.permutations import worst_permutation as worst_permutation
    from unknot.verify.properties import Properties as Properties
    from unknot.verify.properties import VcUse as VcUse
    from unknot.verify.properties import properties as properties
    from unknot.verify.properties import vc_use as vc_use
    from unknot.verify.smallest import Smallest as Smallest
    from unknot.verify.smallest import smallest as smallest
    from unknot.verify.states import Dependencies as Dependencies
    from unknot.verify.states import dependencies as dependencies
    from unknot.verify.update import Update as Update
    from unknot.verify.update import update as update
    from unknot.verify.update import update_fabric as update_fabric

__getattr__, __dir__ = exports(__name__)
__all__ = __dir__()
