"""Proofs and counterexamples: dependency graphs, deadlock decisions, certificates, delivery."""

from typing import TYPE_CHECKING

from unknot._base.moved import names_of
from unknot._base.switching import SWITCHINGS, Switching
from unknot.certificates.verdict import Certificate, Configuration, Message, Size, Verdict
from unknot.verify.adaptivity import Adaptivity, adaptivity
from unknot.verify.best_split import best_loads
from unknot.verify.check import check, check_all
from unknot.verify.coherence import Coherence, coherence
from unknot.verify.delivery import Delivery, Livelock, deliver, livelock
from unknot.verify.fault_sweep import FaultSweep, fault_sweep
from unknot.verify.loads import Loads, loads
from unknot.verify.minimal_paths import ForbiddenPath
from unknot.verify.properties import Properties, VcUse, properties, vc_use
from unknot.verify.replies import RequestReply, request_reply
from unknot.verify.smallest import Smallest, smallest
from unknot.verify.states import Dependencies, dependencies

__all__ = [
    "SWITCHINGS",
    "Adaptivity",
    "Certificate",
    "Coherence",
    "Configuration",
    "Delivery",
    "Dependencies",
    "FaultSweep",
    "ForbiddenPath",
    "Livelock",
    "Loads",
    "Message",
    "Properties",
    "RequestReply",
    "Size",
    "Smallest",
    "Switching",
    "VcUse",
    "Verdict",
    "adaptivity",
    "best_loads",
    "check",
    "check_all",
    "coherence",
    "deliver",
    "dependencies",
    "fault_sweep",
    "livelock",
    "loads",
    "properties",
    "request_reply",
    "smallest",
    "vc_use",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(__name__)
