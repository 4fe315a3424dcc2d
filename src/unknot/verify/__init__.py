"""Proofs and counterexamples: dependency graphs, deadlock decisions, certificates, delivery."""

from unknot.switching import SWITCHINGS, Switching
from unknot.verify.adaptivity import Adaptivity, adaptivity
from unknot.verify.bnr import Bnr, Conclusion, bnr, conclude
from unknot.verify.check import check
from unknot.verify.delivery import Delivery, deliver
from unknot.verify.minimal_paths import ForbiddenPath
from unknot.verify.smallest import Smallest, smallest
from unknot.verify.states import Dependencies, dependencies
from unknot.verify.verdict import Certificate, Configuration, Message, Size, Verdict

__all__ = [
    "SWITCHINGS",
    "Adaptivity",
    "Bnr",
    "Certificate",
    "Conclusion",
    "Configuration",
    "Delivery",
    "Dependencies",
    "ForbiddenPath",
    "Message",
    "Size",
    "Smallest",
    "Switching",
    "Verdict",
    "adaptivity",
    "bnr",
    "check",
    "conclude",
    "deliver",
    "dependencies",
    "smallest",
]
